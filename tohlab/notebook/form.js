// Draws the form of composer.js, which stands above in the same module, and carries it to the kernel and back.
// Every text is set as text, never as HTML. One message goes to the kernel per submit or dismissal.

const WAIT_FOR_KERNEL_MS = 5000;
const LONG_CHARS = 600;
const PAGE = Math.random().toString(36).slice(2); // one per page load: the kernel can tell a reload from a view
const stores = new Map(); // the state of each form by its uid, so that two views of one form are one form

const button = (name, text, onclick, props = {}) =>
  h("button", { type: "button", className: `tl-button ${name}`, textContent: text, onclick, ...props });

function storeOf(model) {
  const uid = model.get("uid");
  if (!stores.has(uid)) {
    const { questions, review } = JSON.parse(model.get("questions"));
    stores.set(uid, { state: start(questions), review, views: new Set() });
  }
  return stores.get(uid);
}

function dispatch(model, store, step, ...given) {
  const before = store.state;
  store.state = step(before, ...given);
  if (store.state === before) return;
  if (store.state.sent.length > before.sent.length) send(model, store);
  for (const view of store.views) view(before);
}

function send(model, store) {
  const number = store.state.sent.length;
  try {
    // as a string: a message of the Jupyter protocol cannot carry a lone surrogate, an escaped one it can
    model.send({ type: "sent", number, body: JSON.stringify(store.state.sent[number - 1]) });
  } catch (error) {
    const reason = String(error?.message ?? error);
    store.state = failed(store.state, `${reason}: the kernel that asked is gone. Run the cell again to be asked again.`);
  }
}

function receive(model, store, message) {
  const { busy, sent } = store.state;
  if (message.type !== "receipt" || !busy || message.number !== sent.length || message.accepted) return;
  dispatch(model, store, rejected, message.reason);
}

function render({ model, el }) {
  const store = storeOf(model);
  const root = h("div", { className: "tohlab-ask" });
  keepKeys(root);
  el.append(root);

  const act = (step, ...given) => dispatch(model, store, step, ...given);
  const view = drawForm(root, model, store, act);
  const onMessage = (message) => receive(model, store, message);
  const onClosed = () => model.get("closed") && drawClosed(root, model.get("closed"));
  store.views.add(view);
  model.on("msg:custom", onMessage);
  model.on("change:closed", onClosed);
  if (model.get("closed")) onClosed();
  else {
    model.send({ type: "loaded", page: PAGE });
    requestAnimationFrame(() => mayTakeFocus(root) && focusFirst(root));
  }
  // The record takes the form's place, and the keyboard must not fall out of the notebook with it.
  let cell = null;
  root.addEventListener("focusin", () => (cell = root.closest(".jp-Cell")));
  root.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !root.contains(event.relatedTarget)) cell = null;
  });
  return () => {
    const active = document.activeElement;
    if (cell?.isConnected && (active === document.body || root.contains(active))) cell.focus({ preventScroll: true });
    store.views.delete(view);
    model.off("msg:custom", onMessage);
    model.off("change:closed", onClosed);
  };
}

// A question that comes up while somebody types elsewhere must not take the keyboard away.
function mayTakeFocus(root) {
  const cell = root.closest(".jp-Cell");
  const active = document.activeElement;
  if (!cell || !active) return false;
  if (cell.contains(active)) return true;
  const inNotebook = active.classList.contains("jp-Notebook") && active.contains(cell);
  return inNotebook && cell.classList.contains("jp-mod-active");
}

function focusFirst(root) {
  const first = root.querySelector("input:checked:enabled") ?? root.querySelector("input:enabled, textarea:enabled");
  (first ?? root.querySelector("[tabindex], button:enabled"))?.focus({ preventScroll: true });
}

function drawClosed(root, text) {
  const had = root.contains(document.activeElement);
  const summary = h("p", { className: "tl-closed", dir: "auto", textContent: text, tabIndex: -1 });
  root.replaceChildren(summary);
  if (had) summary.focus({ preventScroll: true });
}

function drawForm(root, model, store, act) {
  const uid = model.get("uid");
  const many = store.state.questions.length > 1;
  const chip = h("bdi", { className: "tl-chip" });
  const position = h("span", { className: "tl-position" });
  const back = button("tl-icon", "‹", () => act(previous), { title: "Previous question", aria: { label: "Previous question" } });
  const on = button("tl-icon", "›", () => act(next), { title: "Next question", aria: { label: "Next question" } });
  const fold = button("tl-icon", "–", () => setFolded(!body.hidden), {
    title: "Collapse",
    aria: { label: "Collapse", expanded: "true", controls: `${uid}-body` },
  });
  const close = button("tl-icon", "×", () => act(dismiss), { title: "Dismiss all questions", aria: { label: "Dismiss all questions" } });
  back.hidden = on.hidden = !many;
  const nav = h("span", { className: "tl-nav", hidden: store.review !== null }, back, position, on);
  const bar = h("div", { className: "tl-bar" }, chip, h("span", { className: "tl-space" }), nav, fold, close);

  const card = h("div", { className: "tl-card" });
  const feedback = h("p", { className: "tl-feedback", role: "alert" });
  const status = h("p", { className: "tl-status", role: "status" });
  const skipIt = button("tl-quiet", "Skip", () => act(skip));
  const go = button("tl-primary", "Next", () => act(primary));
  const foot = h("div", { className: "tl-foot" }, skipIt, h("span", { className: "tl-space" }), go);
  const body = h("div", { className: "tl-body", id: `${uid}-body` }, card, feedback, store.review ? null : foot);
  const form = h("form", { className: "tl-form", noValidate: true, onsubmit: (event) => event.preventDefault() }, bar, body, status);
  form.setAttribute("aria-label", "Question to you");
  root.replaceChildren(form);

  function setFolded(folded) {
    body.hidden = folded;
    fold.textContent = folded ? "+" : "–";
    fold.title = folded ? "Expand" : "Collapse";
    fold.setAttribute("aria-label", fold.title);
    fold.setAttribute("aria-expanded", String(!folded));
  }

  let drawn = null; // the part that belongs to the question shown
  let timer = null;

  function sync(before) {
    const { state } = store;
    const now = look(state);
    const moved = drawn === null || before?.index !== state.index;
    const had = root.contains(document.activeElement);
    if (moved) {
      const make = store.review ? drawReview : drawQuestion;
      drawn = make({ uid, state, review: store.review, act, number: state.index });
      card.replaceChildren(drawn.node);
      chip.textContent = now.question.header ?? (store.review ? "Plan review" : "");
      chip.hidden = chip.textContent === "";
      if (before) status.textContent = `Question ${now.position}`;
    }
    drawn.sync(state, now);
    position.textContent = now.position;
    position.setAttribute("aria-label", `question ${now.position}`);
    feedback.textContent = now.feedback ?? "";
    go.textContent = now.primaryLabel;
    go.disabled = now.primaryDisabled;
    back.disabled = now.previousDisabled;
    on.disabled = now.nextDisabled;
    skipIt.disabled = close.disabled = now.busy;
    root.classList.toggle("tl-busy", now.busy);
    clearTimeout(timer);
    if (now.busy) timer = setTimeout(() => sayLate(state), WAIT_FOR_KERNEL_MS);
    const lost = !root.contains(document.activeElement) || document.activeElement.disabled;
    if (before && had && (lost || (now.feedback && moved))) focusFirst(root);
  }

  function sayLate(state) {
    if (store.state !== state) return;
    feedback.textContent = "The kernel has not taken it yet: it is busy, or gone. If it was restarted, run the cell again.";
  }

  sync(null);
  return sync;
}

const lengthy = (className, text) => (text.length > LONG_CHARS ? `${className} tl-long` : className);

function textOf(className, text, props = {}) {
  return h("span", { className: lengthy(className, text), dir: "auto", textContent: text, ...props });
}

function detailOf(text) {
  return h("div", { className: "tl-detail", dir: "auto", textContent: text, tabIndex: 0, role: "region", aria: { label: "Details" } });
}

function ownWords({ uid, number, label, act, name }) {
  const id = `${uid}-${number}-own`;
  const area = h("textarea", { id, rows: 1, dir: "auto", placeholder: label, spellcheck: true, name });
  area.addEventListener("input", () => act(write, area.value));
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    act(primary);
  });
  const node = h("div", { className: "tl-own" }, h("label", { htmlFor: id, className: "tl-hidden", textContent: label }), area);
  const sync = (now) => {
    if (area.value !== now.draft.custom) area.value = now.draft.custom;
    area.disabled = now.busy;
    area.style.height = "auto";
    if (area.scrollHeight) area.style.height = `${Math.min(area.scrollHeight + 2, 160)}px`;
  };
  return { node, area, sync };
}

function drawQuestion({ uid, state, act, number }) {
  const question = state.questions[number];
  const legend = h("legend", {}, textOf("tl-question", question.question));
  const type = question.multi ? "checkbox" : "radio";
  const inputs = question.options.map((option, i) => {
    const id = `${uid}-${number}-${i}`;
    const input = h("input", { type, id, name: `${uid}-${number}`, value: String(i) });
    const described = [option.recommended ? `${id}-r` : "", option.about ? `${id}-d` : ""].filter(Boolean).join(" ");
    if (described) input.setAttribute("aria-describedby", described);
    input.setAttribute("aria-labelledby", `${id}-l`);
    input.addEventListener("click", () => act(choose, i));
    input.addEventListener("keydown", (event) => onOptionKey(event, inputs, i, act));
    return input;
  });
  const rows = question.options.map((option, i) => {
    const { id } = inputs[i];
    const badge = option.recommended ? h("span", { className: "tl-badge", id: `${id}-r`, textContent: "Recommended" }) : null;
    const name = h("span", { className: "tl-name", dir: "auto" }, h("span", { className: lengthy("tl-label", option.label), id: `${id}-l`, textContent: option.label }), badge);
    const about = option.about ? textOf("tl-about", option.about, { id: `${id}-d` }) : null;
    return h("label", { className: "tl-option", htmlFor: id }, inputs[i], h("span", { className: "tl-text" }, name, about));
  });
  const own = ownWords({ uid, number, act, name: "own", label: question.options.length ? (question.multi ? "Add your own words" : "Or answer in your own words") : "Your answer" });
  const hint = !question.options.length ? "" : question.multi ? "Choose any number of them." : "";
  const list = rows.length ? h("div", { className: "tl-options" }, ...rows) : null;
  const node = h(
    "fieldset",
    { className: "tl-fieldset" },
    legend,
    question.detail == null ? null : detailOf(question.detail),
    hint ? h("p", { className: "tl-hint", textContent: hint }) : null,
    list,
    own.node,
  );
  const sync = (current, now) => {
    inputs.forEach((input, i) => {
      input.checked = isSelected(current, i);
      input.disabled = now.busy;
      rows[i].classList.toggle("tl-chosen", input.checked);
    });
    own.sync(now);
  };
  return { node, sync };
}

// Arrows move without choosing, because a choice moves on; Space chooses; Enter sends a batch that is complete.
function onOptionKey(event, inputs, i, act) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    inputs[(i + step + inputs.length) % inputs.length].focus();
  } else if (event.key === "Enter" && !event.isComposing) {
    event.preventDefault();
    act(enterOnOption);
  }
}

function drawReview({ uid, state, review, act }) {
  const question = state.questions[0];
  const decide = (option) => () => {
    act(choose, option);
    act(enterOnOption);
  };
  const decision = (name, word, option) => {
    const { label, about } = question.options[option];
    const text = h("span", { className: "tl-word", textContent: word });
    const exact = label === word ? null : textOf("tl-exact", label);
    return h("button", { type: "button", className: `tl-button ${name}`, title: about ?? "", onclick: decide(option) }, text, exact);
  };
  const own = ownWords({ uid, number: 0, act, name: "chat", label: "What should change?" });
  const sendIt = button("tl-primary", "Send", () => act(primary));
  const chat = h("div", { className: "tl-chat", hidden: true }, own.node, sendIt);
  const talk = button("tl-quiet", "Chat about it", () => {
    chat.hidden = !chat.hidden;
    talk.setAttribute("aria-expanded", String(!chat.hidden));
    if (!chat.hidden) own.area.focus();
  });
  talk.setAttribute("aria-expanded", "false");
  const refuse = review.decline === null ? null : decision("tl-plain", "Refuse", review.decline);
  const approve = decision("tl-primary", "Approve", review.approve);
  const buttons = [talk, refuse, approve].filter(Boolean);
  const node = h(
    "fieldset",
    { className: "tl-fieldset" },
    h("legend", {}, textOf("tl-question", question.question)),
    detailOf(question.detail),
    h("div", { className: "tl-foot" }, talk, h("div", { className: "tl-decide" }, refuse, approve)),
    chat,
  );
  const sync = (_, now) => {
    for (const one of buttons) one.disabled = now.busy;
    sendIt.disabled = now.primaryDisabled;
    own.sync(now);
  };
  return { node, sync };
}

// The form is known to be loadable as soon as its model is there: its cell may be far off the screen.
function initialize({ model }) {
  if (!model.get("closed")) model.send({ type: "loaded", page: PAGE });
}

export default { initialize, render };
