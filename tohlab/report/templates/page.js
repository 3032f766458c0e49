"use strict";
(() => {
  const said = document.getElementById("said");
  const say = (text) => { said.textContent = text; };

  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    const rest = button.textContent;
    button.addEventListener("click", async () => {
      const pre = document.getElementById(button.dataset.copy).querySelector("pre");
      let done = false;
      try {
        await navigator.clipboard.writeText(pre.textContent);
        done = true;
      } catch {
        const range = document.createRange();
        range.selectNodeContents(pre);
        const selection = window.getSelection();
        selection.removeAllRanges();
        selection.addRange(range);
        done = document.execCommand("copy");
      }
      button.textContent = done ? "Copied" : "Selected: press Ctrl or Cmd and C";
      say(button.textContent);
      setTimeout(() => { button.textContent = rest; }, 2500);
    });
  }

  const valueOf = (row, column, kind) => {
    const cell = row.cells[column];
    const text = cell.dataset.v ?? cell.textContent.trim();
    if (kind !== "num") return text.toLowerCase();
    const number = parseFloat(text.replaceAll(",", ""));
    return Number.isNaN(number) ? -1 : number;
  };

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const kind = head.dataset.sort;
      if (!kind) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const first = kind === "num" ? "descending" : "ascending";
        const other = kind === "num" ? "ascending" : "descending";
        const way = now === first ? other : first;
        for (const each of heads) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", way);
        const sign = way === "ascending" ? 1 : -1;
        const body = table.tBodies[0];
        const keyed = [...body.rows].map((row) => [valueOf(row, column, kind), row]);
        keyed.sort(([a], [b]) => (a < b ? -sign : a > b ? sign : 0));
        body.append(...keyed.map(([, row]) => row));
        say(`Sorted by ${button.textContent.trim()}, ${way}`);
      });
    });
  }
})();
