"use strict";
(() => {
  const tables = [...document.querySelectorAll("table.rows")];
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  /* Figures have their thousands grouped by spaces, and may have a unit or another figure behind. */
  const number = (text) => parseFloat(text.replace(/[\s\u00a0\u202f]/g, "").replace("\u2212", "-"));

  const sort = (table, heading) => {
    const body = table.tBodies[0];
    const column = heading.cellIndex;
    const figures = heading.classList.contains("figure");
    const down = heading.getAttribute("aria-sort") === "ascending";
    const keyed = [...body.rows].map((row) => {
      const cell = row.cells[column];
      const text = cell ? cell.textContent : "";
      return { row, text, value: figures ? number(text) : NaN };
    });
    const compare = (a, b) => {
      if (!figures) return order.compare(a.text, b.text) * (down ? -1 : 1);
      if (isNaN(a.value) || isNaN(b.value)) return isNaN(a.value) - isNaN(b.value);
      return (a.value - b.value) * (down ? -1 : 1);
    };
    keyed.sort(compare);
    body.append(...keyed.map((entry) => entry.row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  };

  for (const table of tables) {
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading));
    }
  }

  const field = document.getElementById("filter");
  const count = document.querySelector(".filter .count");
  const folded = [...document.querySelectorAll("details")];
  const opened = new Set();

  const filter = () => {
    const terms = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    let all = 0;
    for (const table of tables) {
      const body = table.tBodies[0];
      const keywords = body.dataset.keywords || "";
      let any = false;
      for (const row of body.rows) {
        const text = (keywords + " " + row.textContent).toLowerCase();
        const fits = terms.every((term) => text.includes(term));
        row.hidden = !fits;
        any = any || fits;
        shown += fits;
        all += 1;
      }
      table.parentElement.hidden = !any;
    }
    for (const part of folded) {
      const found = part.querySelector("tbody tr:not([hidden])") !== null;
      if (terms.length > 0 && found && !part.open) {
        part.open = true;
        opened.add(part);
      } else if (terms.length === 0 && opened.delete(part)) {
        part.open = false;
      }
    }
    count.textContent = terms.length > 0 ? shown + " of " + all + " rows" : "";
  };
  field.addEventListener("input", filter);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    field.value = "";
    filter();
  });
  document.querySelector(".filter").hidden = false;

  const open = () => {
    const part = document.getElementById(location.hash.slice(1));
    if (part instanceof HTMLDetailsElement) part.open = true;
  };
  addEventListener("hashchange", open);
  open();
  if (field.value) filter();
})();
