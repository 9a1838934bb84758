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

  /* Plots, by Chart.js where the page has it; report_plots.h says what they are made of. */
  const data = document.getElementById("plots");
  const shapes = ["circle", "rect", "triangle", "rectRot", "star", "crossRot", "rectRounded", "cross"];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const figures = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
  const large = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
  const show = (value) => (Math.abs(value) < 100000 ? figures : large).format(value).replaceAll(",", "\u00a0");

  const datasets = (plot) => {
    const dots = plot.kind === "dots";
    const marks = plot.marks.map((mark, i) => ({
      type: "line", label: mark.name, borderColor: colour(["soft", "bad"][i]), borderDash: [6, 4], borderWidth: 1.5,
      pointRadius: 0, pointStyle: "line", data: [-1, plot.places.length].map((x) => ({ x, y: mark.value })),
    }));
    return plot.series.map((series) => ({
      label: series.name, spanGaps: true, borderColor: colour("s" + (series.style + 1)), borderWidth: plot.kind === "lines" ? 2 : 0,
      backgroundColor: colour("s" + (series.style + 1)), pointStyle: plot.kind === "bars" ? "rect" : shapes[series.style], pointRadius: dots ? 2 : 4,
      /* Dots at one place are spread, so that each is seen. */
      data: dots ? series.values.flatMap((values, place) =>
        values.map((y, i) => ({ x: place + 0.06 * (i % 9 - 4), y }))) : series.values,
    })).concat(marks);
  };

  const axes = (plot) => {
    const dots = plot.kind === "dots";
    const log = plot.log_from !== undefined;
    const title = (text) => ({ display: text !== "", text, color: colour("soft") });
    const x = { offset: true, title: title(plot.place_title), grid: { display: false, borderColor: colour("rule") }, ticks: { color: colour("soft") } };
    if (dots) Object.assign(x, { type: "linear", offset: false, min: -1, max: plot.places.length });
    if (dots) Object.assign(x.ticks, { stepSize: 1, callback: (place) => plot.places[place] || "" });
    return { x, y: {
      type: log ? "logarithmic" : "linear", min: plot.log_from, beginAtZero: !dots, grace: dots ? "10%" : 0,
      title: title(plot.value_title), grid: { color: colour("rule"), borderColor: colour("rule") },
      ticks: { color: colour("soft"), callback: (value) => Math.abs(value) < 100000 ? show(value) : short.format(value) },
      afterBuildTicks: (axis) => { if (log) axis.ticks = axis.ticks.filter(({ value }) => Number.isInteger(Math.log10(value))); },
    } };
  };

  const draw = (plot, canvas) => new Chart(canvas, {
    type: { lines: "line", bars: "bar", dots: "scatter" }[plot.kind],
    data: { labels: plot.places, datasets: datasets(plot) },
    options: {
      animation: false, maintainAspectRatio: false, scales: axes(plot),
      interaction: { mode: plot.kind === "dots" ? "nearest" : "index", intersect: false },
      plugins: {
        legend: { display: plot.series.length + plot.marks.length > 1, labels: { color: colour("ink"), usePointStyle: true, boxHeight: 7 } },
        tooltip: { callbacks: {
          title: (items) => plot.kind === "dots" ? plot.place_title + " " + plot.places[Math.round(items[0].parsed.x)] : items[0].label,
          label: (item) => item.dataset.label + ": " + show(item.parsed.y) + " " + plot.value_title,
        } },
      },
    },
  });

  if (data !== null && typeof Chart === "function") {
    const plots = JSON.parse(data.textContent);
    const places = [...document.querySelectorAll(".plots")].flatMap((box) =>
      plots.slice(...box.dataset.plots.split(",")).map((plot) => {
        const canvas = document.createElement("canvas");
        const caption = document.createElement("figcaption");
        const frame = document.createElement("div");
        const figure = document.createElement("figure");
        caption.append(plot.title);
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", plot.title + ": " + plot.series.map((series) => series.name).join(", "));
        frame.className = "plot";
        frame.append(canvas);
        figure.append(caption, frame);
        box.append(figure);
        return { plot, canvas };
      }));
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
    const part = document.getElementById(location.hash.slice(1));
    if (part instanceof HTMLDetailsElement) part.open = true;
  };
  addEventListener("hashchange", open);
  open();
  if (field.value) filter();
})();
