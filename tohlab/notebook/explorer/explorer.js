// Draws what the kernel says of one choice (harness, window, skill, second harness, view), and asks for others.
// dom.js stands above in the same module. Nothing is computed here, and every text is set as text, never as HTML.

const WAIT_FOR_KERNEL_MS = 5000;
let views = 0;

const amount = (n) => n.toLocaleString("en-US");
const read = (model, name) => JSON.parse(model.get(name));

function labelled(label, control, ...more) {
  return h("label", { className: "tx-field" }, h("span", { className: "tx-label", textContent: label }), control, ...more);
}

function fill(select, rows, value) {
  select.replaceChildren(...rows.map(([name, text]) => h("option", { value: name, textContent: text })));
  select.value = value ?? "";
}

function render({ model, el }) {
  const uid = `tx${(views += 1)}${Math.random().toString(36).slice(2, 8)}`;
  const root = h("div", { className: "tohlab-explorer" });
  keepKeys(root);
  el.append(root);

  const { harnesses, windows, tabs } = read(model, "options");
  const wish = { ...read(model, "shown").choice }; // what the person asked for last
  let sent = 0; // requests of this view; at most one is under way
  let awaited = 0;
  let changed = false;
  let timer = null;
  let typing = false; // a number that is being typed is not drawn over by a late answer

  const harness = h("select", { onchange: () => want({ harness: harness.value }) });
  const size = h("select", { onchange: () => size.value && want({ window_tokens: Number(size.value) }) });
  const tokens = h("input", { type: "number", min: 1, step: 1, inputMode: "numeric" });
  tokens.oninput = () => (typing = true);
  tokens.onblur = () => (typing = false); // after its change, if there is one
  tokens.onchange = () => {
    typing = false;
    want({ window_tokens: tokens.valueAsNumber });
  };
  tokens.setAttribute("aria-label", "Context window in tokens");
  const skill = h("select", { onchange: () => want({ skill: skill.value }) });
  const other = h("select", { onchange: () => want({ other: other.value, tab: "sides" }) });
  fill(harness, harnesses, wish.harness);
  fill(other, harnesses, wish.other);
  fill(size, [...windows.map((n) => [String(n), amount(n)]), ["", "another size"]], "");
  const controls = h(
    "div",
    { className: "tx-controls", role: "group", aria: { label: "What to look at" } },
    labelled("Harness", harness),
    labelled("Context window", size, tokens),
    labelled("Skill", skill),
    labelled("Set beside", other),
  );

  const summary = h("p", { className: "tx-summary", role: "status", dir: "auto" });
  const problem = h("p", { className: "tx-problem", role: "alert" });
  const numbers = h("dl", { className: "tx-numbers" });
  const panel = h("div", { className: "tx-panel", role: "tabpanel", id: `${uid}-panel`, tabIndex: 0 });
  const tabButtons = tabs.map(([name]) =>
    h("button", {
      type: "button",
      className: "tx-tab",
      role: "tab",
      id: `${uid}-${name}`,
      onclick: () => want({ tab: name }),
      onkeydown: (event) => onTabKey(event),
      data: { name },
      aria: { controls: panel.id },
    }),
  );
  const bar = h("div", { className: "tx-tabs", role: "tablist", aria: { label: "Views" } }, ...tabButtons);
  const frame = h("section", { className: "tx-frame", aria: { label: "What a model sees of the skills" } }, controls, summary, problem, numbers, bar, panel);
  root.append(frame);

  function onTabKey(event) {
    const at = tabButtons.indexOf(event.currentTarget);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabButtons.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const button = tabButtons[(to + tabButtons.length) % tabButtons.length];
    button.focus();
    want({ tab: button.dataset.name });
  }

  function want(part) {
    Object.assign(wish, part);
    if (part.tab) selectTab(part.tab);
    changed = true;
    ask();
  }

  function ask() {
    if (awaited || !changed) return;
    changed = false;
    awaited = sent += 1;
    frame.setAttribute("aria-busy", "true");
    clearTimeout(timer);
    timer = setTimeout(() => say("The kernel has not answered yet: it is busy, or gone. If it was restarted, run the cell again."), WAIT_FOR_KERNEL_MS);
    try {
      // as a string: a message of the Jupyter protocol cannot carry a lone surrogate, an escaped one it can
      model.send({ type: "look", view: uid, number: sent, body: JSON.stringify(wish) });
    } catch (error) {
      say(`${error?.message ?? error}: the kernel is gone. Run the cell again.`);
    }
  }

  function say(text) {
    problem.textContent = text;
  }

  function selectTab(name) {
    for (const button of tabButtons) {
      const here = button.dataset.name === name;
      button.setAttribute("aria-selected", String(here));
      button.tabIndex = here ? 0 : -1;
      if (here) panel.setAttribute("aria-labelledby", button.id);
    }
  }

  let skillsDrawn = null;
  let panelDrawn = null;
  let mark = () => {};

  function draw() {
    const shown = read(model, "shown");
    if (shown.view === uid && shown.number === awaited) {
      awaited = 0;
      clearTimeout(timer);
      frame.removeAttribute("aria-busy");
    }
    if (awaited || changed) return ask(); // what the person chose since is asked for before anything is drawn
    const { choice } = shown;
    say(shown.problem);
    Object.assign(wish, choice, { skill: wish.skill }); // a skill that this harness lacks is shown again in another
    harness.value = choice.harness;
    other.value = choice.other;
    if (!typing) tokens.value = String(choice.window_tokens);
    size.value = windows.includes(choice.window_tokens) ? String(choice.window_tokens) : "";
    if (skillsDrawn !== model.get("skills")) {
      skillsDrawn = model.get("skills");
      fill(skill, JSON.parse(skillsDrawn), choice.skill);
    }
    skill.value = choice.skill ?? "";
    skill.disabled = skill.options.length === 0;
    summary.textContent = shown.summary;
    numbers.replaceChildren(...shown.numbers.map(([name, value]) => h("div", {}, h("dt", { textContent: name }), h("dd", { textContent: value }))));
    tabButtons.forEach((button, i) => {
      const count = shown.counts[tabs[i][0]];
      button.textContent = count === undefined ? tabs[i][1] : `${tabs[i][1]} (${amount(count)})`;
    });
    selectTab(choice.tab);
    if (panelDrawn !== model.get("panel")) {
      panelDrawn = model.get("panel");
      mark = drawPanel(panel, JSON.parse(panelDrawn), (name) => want({ skill: name }));
      panel.tabIndex = panel.querySelector("[tabindex]") ? -1 : 0; // one stop of the Tab key is enough
    }
    mark(choice.skill);
  }

  model.on("change:shown", draw);
  draw();
  return () => {
    clearTimeout(timer);
    model.off("change:shown", draw);
  };
}

// Each kind of panel draws itself and returns what marks the chosen skill in it.
function drawPanel(panel, given, choose) {
  const drawn = { texts: drawTexts, tables: drawTables, sides: drawSides }[given.kind](given, choose);
  panel.replaceChildren(...given.notes.map(note), ...drawn.nodes);
  return drawn.mark;
}

const note = (text) => h("p", { className: "tx-note", dir: "auto", textContent: text });

function heading(title, about) {
  if (!title) return null;
  const small = about ? h("span", { className: "tx-about", textContent: about }) : null;
  return h("h4", { className: "tx-heading" }, h("bdi", { textContent: title }), " ", small);
}

const exact = (label) => h("pre", { className: "tx-text", dir: "auto", tabIndex: 0, role: "region", aria: { label } });

// A text in pieces, some of which are a skill's entry.
function drawTexts({ blocks }, choose) {
  const entries = new Map();
  const nodes = blocks.flatMap(({ title, about, label, pieces }) => {
    const text = exact(label);
    for (const [words, name] of pieces) {
      if (name === null) {
        text.append(words);
        continue;
      }
      const entry = h("span", { className: "tx-entry", textContent: words, onclick: () => getSelection().isCollapsed && choose(name) });
      entries.set(name, entry);
      text.append(entry);
    }
    return [heading(title, about), text].filter(Boolean);
  });
  let marked = null;
  const mark = (name) => {
    marked?.replaceChildren(marked.textContent);
    marked = entries.get(name) ?? null;
    if (!marked) return;
    marked.replaceChildren(h("mark", { className: "tx-mark", textContent: marked.textContent }));
    bringNear(marked);
  };
  return { nodes, mark };
}

// Scrolls the text or the table alone, not the notebook.
function bringNear(entry) {
  const text = entry.closest("pre, .tx-scroll");
  const [top, height] = [entry.offsetTop, text.clientHeight];
  if (top < text.scrollTop || top + entry.offsetHeight > text.scrollTop + height) text.scrollTop = Math.max(0, top - height / 3);
}

function drawTables({ tables }, choose) {
  const rowsOf = new Map();
  const nodes = tables.flatMap(({ title, about, columns, rows, names }) => {
    const head = h("tr", {}, ...columns.map(([name, kind]) => h("th", { scope: "col", className: `tx-col-${kind}`, textContent: name })));
    const most = Math.max(1, ...rows.map((row) => row.find((_, i) => columns[i][1] === "bar") ?? 0));
    const body = rows.map((row, r) => {
      const cells = row.map((value, i) => cellOf(columns[i][1], value, most, i === 0));
      const name = names?.[r] ?? null;
      const line = h("tr", name === null ? {} : { className: "tx-choosable", onclick: () => getSelection().isCollapsed && choose(name) }, ...cells);
      if (name !== null) rowsOf.set(name, line);
      return line;
    });
    const table = h("table", { className: "tx-table" }, h("thead", {}, head), h("tbody", {}, ...body));
    if (title) table.setAttribute("aria-label", title);
    return [heading(title, about), rows.length ? h("div", { className: "tx-scroll", tabIndex: 0, role: "region", aria: { label: title || "Table" } }, table) : null].filter(Boolean);
  });
  let marked = null;
  const mark = (name) => {
    marked?.removeAttribute("aria-current");
    marked = rowsOf.get(name) ?? null;
    if (!marked) return;
    marked.setAttribute("aria-current", "true");
    bringNear(marked);
  };
  return { nodes, mark };
}

function cellOf(kind, value, most, first) {
  const tag = first ? "th" : "td";
  const props = first ? { scope: "row", className: `tx-col-${kind}` } : { className: `tx-col-${kind}` };
  if (kind !== "bar") return h(tag, { ...props, dir: "auto", textContent: typeof value === "number" ? amount(value) : value });
  const stroke = h("span", { className: "tx-stroke", aria: { hidden: "true" } });
  stroke.style.width = `${((100 * value) / most).toFixed(2)}%`;
  return h(tag, props, h("span", { className: "tx-value", textContent: amount(value) }), h("span", { className: "tx-track", aria: { hidden: "true" } }, stroke));
}

const SIDES = { left: "del", right: "ins" };

function drawSides({ left, right }, choose) {
  const entries = new Map();
  const half = ({ title, about, stretches }, side) => {
    const text = exact(title);
    for (const [name, pieces] of stretches) {
      const words = pieces.map(([piece, own]) => (own ? h(SIDES[side], { textContent: piece }) : piece));
      if (name === null) {
        text.append(...words);
        continue;
      }
      const entry = h("span", { className: "tx-entry", onclick: () => getSelection().isCollapsed && choose(name) }, ...words);
      entries.set(name, [...(entries.get(name) ?? []), entry]);
      text.append(entry);
    }
    return h("div", { className: "tx-side" }, heading(title, about), text);
  };
  let marked = [];
  const mark = (name) => {
    for (const entry of marked) entry.classList.remove("tx-mark");
    marked = entries.get(name) ?? [];
    for (const entry of marked) {
      entry.classList.add("tx-mark");
      bringNear(entry);
    }
  };
  return { nodes: [h("div", { className: "tx-sides" }, half(left, "left"), half(right, "right"))], mark };
}

export default { render };
