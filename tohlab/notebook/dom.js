// What our widgets share: elements whose every text is text, and keys that stay inside.

const h = (tag, props = {}, ...children) => {
  const { data, aria, ...rest } = props;
  const node = Object.assign(document.createElement(tag), rest);
  for (const [key, value] of Object.entries(data ?? {})) node.dataset[key] = value;
  for (const [key, value] of Object.entries(aria ?? {})) node.setAttribute(`aria-${key}`, value);
  node.append(...children.filter((child) => child != null));
  return node;
};

// No key pressed inside becomes one of the notebook's shortcuts; Escape gives the keyboard back to the cell.
function keepKeys(root) {
  root.dataset.lmSuppressShortcuts = "true";
  for (const kind of ["keydown", "keyup", "keypress"]) root.addEventListener(kind, (event) => event.stopPropagation());
  root.addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && leave(root));
}

function leave(root) {
  const cell = root.closest(".jp-Cell");
  document.activeElement?.blur();
  cell?.focus({ preventScroll: true });
}
