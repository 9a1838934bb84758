// SPDX-License-Identifier: MIT
"use strict";
(() => {
  /* All of the page is there without this script. It sorts tables, filters, copies commands and draws the plots. */

  const tables = [...document.querySelectorAll("table.rows")];
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  /* Figures have their thousands grouped by spaces, and may be followed by a unit or another figure. */
  const number = (text) => parseFloat(text.replace(/[\s\u00a0\u202f]/g, "").replace("\u2212", "-"));

  const sort = (table, heading) => {
    const body = table.tBodies[0];
    const column = heading.cellIndex;
    const figures = heading.classList.contains("n");
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

  /* The filter hides rows without its words, and what then has no row left; the address keeps them. */
  const field = document.getElementById("filter");
  const count = document.querySelector(".filter .count");
  const folded = [...document.querySelectorAll("details")];
  const parts = [...document.querySelectorAll("article.failure, details, h3, main > section")];
  const opened = new Set();
  document.querySelector(".filter").hidden = false;

  const rowsIn = (part) => [...part.querySelectorAll("tbody tr")];
  const filterTable = (table, terms) => {
    const body = table.tBodies[0];
    const keywords = (body.dataset.keywords || "") + " " + (table.closest("section[id]")?.id || "");
    let shown = 0;
    for (const row of body.rows) {
      const text = (keywords + " " + row.textContent).toLowerCase();
      row.hidden = !terms.every((term) => text.includes(term));
      shown += !row.hidden;
    }
    table.parentElement.hidden = shown === 0;
    return shown;
  };
  const hidePart = (part, terms) => {
    const text = part.textContent.toLowerCase();
    const fits = terms.length === 0 || (part.matches("article") ? terms.every((term) => text.includes(term))
      : part.matches("h3") || rowsIn(part).some((row) => !row.hidden) || part.querySelector("article:not([hidden])") !== null);
    part.hidden = !fits;
  };
  const foldPart = (part, terms) => {
    const found = part.querySelector("tbody tr:not([hidden])") !== null;
    if (terms.length > 0 && found && !part.open) {
      part.open = true;
      opened.add(part);
    } else if (terms.length === 0 && opened.delete(part)) {
      part.open = false;
    }
  };

  const filter = () => {
    const terms = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = tables.reduce((sum, table) => sum + filterTable(table, terms), 0);
    const all = tables.reduce((sum, table) => sum + table.tBodies[0].rows.length, 0);
    parts.forEach((part) => hidePart(part, terms));
    folded.forEach((part) => foldPart(part, terms));
    count.textContent = terms.length > 0 ? shown + " of " + all + " rows" : "";
  };
  const keep = () => history.replaceState(null, "", field.value ? "#filter=" + encodeURIComponent(field.value) : "#");
  field.addEventListener("input", () => { filter(); keep(); });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    field.value = "";
    filter();
    keep();
  });

  for (const command of document.querySelectorAll("pre.command")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = command.querySelector("code").textContent;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        getSelection().selectAllChildren(command.querySelector("code"));
        document.execCommand("copy");
      }
      button.textContent = "Copied";
    });
    command.append(button);
  }

  /* Plots, by Chart.js where the page has it; plots.py says what they are made of. */
  const shapes = ["circle", "rect", "triangle", "rectRot", "star", "crossRot", "rectRounded", "cross"];
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const precise = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
  const large = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
  const showValue = (value) => (Math.abs(value) < 100000 ? precise : large).format(value).replaceAll(",", "\u00a0");

  const drawn = JSON.parse(document.getElementById("data").textContent);
  const places = [...document.querySelectorAll("canvas[data-plot]")].map((canvas) => ({ canvas, plot: drawn[canvas.dataset.plot] }));

  /* Points have places of their own on both axes. */
  const points = (plot) => plot.series.map((series) => ({
    label: series.name, data: series.points.map(([x, y, name]) => ({ x, y, name })), showLine: plot.kind === "curves",
    borderColor: color("s" + (series.style + 1)), backgroundColor: color("s" + (series.style + 1)), borderWidth: 2,
    pointStyle: shapes[series.style], pointRadius: 4,
  })).concat(plot.marks.map((mark) => ({
    label: mark.name, data: mark.points.map(([x, y]) => ({ x, y })), showLine: true, borderColor: color("soft"), borderDash: [6, 4],
    borderWidth: 1.5, pointRadius: 0, pointStyle: "line",
  })));

  const datasets = (plot) => plot.places.length === 0 ? points(plot) : plot.series.map((series) => ({
    label: series.name, spanGaps: true, borderColor: color("s" + (series.style + 1)), borderWidth: plot.kind === "lines" ? 2 : 0,
    backgroundColor: color("s" + (series.style + 1)), pointStyle: plot.kind === "bars" ? "rect" : shapes[series.style], pointRadius: 4,
    data: series.values,
  }));

  const axis = (plot, text) => {
    const log = plot.kind === "points" || plot.log_from !== undefined;
    return {
      type: log ? "logarithmic" : "linear", min: plot.log_from, beginAtZero: true, title: { display: text !== "", text, color: color("soft") },
      grid: { color: color("rule"), borderColor: color("rule") },
      ticks: { color: color("soft"), callback: (value) => Math.abs(value) < 100000 ? showValue(value) : short.format(value) },
      afterBuildTicks: (of) => { if (log) of.ticks = of.ticks.filter(({ value }) => Number.isInteger(Math.log10(value))); },
    };
  };
  const named = (text) => ({
    type: "category", offset: true, title: { display: text !== "", text, color: color("soft") },
    grid: { display: false, borderColor: color("rule") }, ticks: { color: color("soft") },
  });

  const draw = (plot, canvas) => new Chart(canvas, {
    type: { lines: "line", bars: "bar" }[plot.kind] || "scatter",
    data: { labels: plot.places, datasets: datasets(plot) },
    options: {
      animation: false, maintainAspectRatio: false,
      scales: { x: plot.places.length > 0 ? named(plot.place_title) : axis(plot, plot.place_title), y: axis(plot, plot.value_title) },
      interaction: { mode: plot.places.length > 0 ? "index" : "nearest", intersect: false },
      plugins: {
        legend: { display: plot.series.length + plot.marks.length > 1, labels: { color: color("ink"), usePointStyle: true, boxHeight: 7 } },
        tooltip: { callbacks: {
          title: ([item]) => item.raw.name || item.label,
          label: (item) => item.dataset.label + ": " + showValue(item.parsed.y) + " " + plot.value_title,
        } },
      },
    },
  });

  if (places.length > 0 && typeof Chart === "function") {
    let charts = [];
    const redraw = () => {
      charts.forEach((chart) => chart.destroy());
      Chart.defaults.font.family = getComputedStyle(document.documentElement).fontFamily;
      charts = places.map(({ plot, canvas }) => draw(plot, canvas));
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    redraw();
  }

  const open = () => {
    const named = location.hash.slice(1);
    if (named.startsWith("filter=")) {
      field.value = decodeURIComponent(named.slice("filter=".length));
      filter();
      return;
    }
    const part = document.getElementById(named);
    const inner = part?.querySelector(":scope > details");
    if (inner) inner.open = true;
  };
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => folded.forEach((part) => { part.open = true; }));
  open();
  if (field.value) filter();
})();
