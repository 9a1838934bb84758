"use strict";
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const { results } = page;
  const main = document.querySelector("main");
  const list = (value) => Array.isArray(value) ? value : [];
  const object = (value) => value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
  const entries = (value) => Object.entries(object(value));

  /* Controls, what turns the direction of writing, and what has no width: a text cannot steer the page. */
  const controls = /[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
  const clean = (text) => typeof text === "string" ? text.replace(controls, " ") : "";

  /* Figures as the other forms of a run show them. */
  const grouped = (text) => text.replace(/^(-?\d+)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u00a0"));
  /* As C and Python round: what is exactly between two figures becomes the even one. */
  const fixed = (value, decimals) => {
    const scaled = value * 10 ** decimals;
    const tie = Number.isInteger(value * 2 ** (decimals + 1)) && Number.isInteger(2 * scaled) && !Number.isInteger(scaled);
    return (tie ? 2 * Math.round(scaled / 2) / 10 ** decimals : value).toFixed(decimals);
  };
  const figure = (value, metric = "") => {
    if (typeof value !== "number") return "";
    const size = Math.abs(value);
    const decimals = Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    return (size >= 1e15 ? value.toPrecision(6) : grouped(fixed(value, decimals))) + (metric.endsWith("_ns") ? " ns" : "");
  };
  const percent = (fraction, sign = false) => {
    if (typeof fraction !== "number") return "";
    const value = 100 * fraction;
    const size = Math.abs(value);
    const decimals = size >= 100 ? 0 : size > 0 && size < 0.1 ? Math.min(9, 1 - Math.floor(Math.log10(size))) : 1;
    return (sign && value > 0 ? "+" : "") + (size >= 1e15 ? value.toPrecision(3) : grouped(fixed(value, decimals))) + " %";
  };
  const plural = (count, noun) => count + " " + noun + (count === 1 ? "" : "s");

  /* Adds an element; texts become text and nothing else. */
  const add = (parent, tag, text = "", attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== "") element.textContent = clean(text);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, clean(value));
    parent.append(element);
    return element;
  };
  /* The space within a figure does not break. */
  const words = (text) => clean(text).replace(/(\d) (?=\d{3}(?!\d))/g, "$1\u00a0");
  const fold = (parent, summary) => {
    const folded = add(parent, "details");
    add(folded, "summary", summary);
    return folded;
  };
  /* A line in which backticks and stars mark words, as in Markdown. */
  const addMarked = (parent, tag, line) => {
    const element = add(parent, tag);
    for (const part of clean(line).split(/(`[^`]*`|\*\*[^*]*\*\*)/)) {
      if (part.startsWith("`") && part.length > 1) add(element, "code", part.slice(1, -1));
      else if (part.startsWith("**") && part.length > 4) add(element, "strong", part.slice(2, -2));
      else element.append(part);
    }
    return element;
  };

  /* Cells: a plain text, or what one of these makes. */
  const code = (text) => (row) => add(add(row, "td"), "code", text);
  const right = (text) => (row) => add(row, "td", text, { class: "figure" });
  const wide = (text) => (row) => add(row, "td", words(text), { class: "words" });
  const head = (text) => (row) => add(row, "th", text, { scope: "row" });
  const mark = (verdict) => (row) => add(add(row, "td"), "span", verdict, { class: "verdict", "data-verdict": verdict });

  /* A table; a heading that begins with # is over figures. Returns a function that adds a row. */
  const addTable = (parent, label, headings, keywords = "") => {
    const box = add(parent, "div", "", { class: "box", role: "region", tabindex: "0", "aria-label": label });
    const table = add(box, "table", "", { class: "rows" });
    const top = add(add(table, "thead"), "tr");
    for (const heading of headings) {
      const figures = heading.startsWith("#");
      add(top, "th", heading.slice(figures ? 1 : 0), figures ? { scope: "col", class: "figure" } : { scope: "col" });
    }
    const body = add(table, "tbody", "", { "data-keywords": keywords });
    return (cells) => {
      const row = add(body, "tr");
      for (const cell of cells) typeof cell === "function" ? cell(row) : add(row, "td", cell);
    };
  };

  const places = [];
  const addPlots = (parent, plots) => {
    if (typeof Chart !== "function" || list(plots).length === 0) return;
    const box = add(parent, "div", "", { class: "plots" });
    for (const plot of plots) {
      const whole = add(box, "figure");
      add(whole, "figcaption", plot.title);
      const canvas = add(add(whole, "div", "", { class: "plot" }), "canvas", "", { role: "img",
        "aria-label": plot.title + ": " + plot.series.map((series) => series.name).join(", ") });
      places.push({ plot, canvas });
    }
  };

  const addOutcome = () => {
    const header = add(main, "header");
    const title = add(header, "h1", "kernelgate ");
    const state = { 0: "passed", 1: "failed", 2: "failed" }[results.exit_code] || "doubtful";
    add(title, "span", page.outcome, { class: state });
    add(header, "p", page.headline + ".");
    if (page.run) {
      const line = add(header, "p", page.run, { class: "note" });
      if (page.job) line.append(", ", add(line, "a", "job", { href: page.job, rel: "noreferrer" }));
    }
    for (const remark of page.remarks) add(header, "p", remark, { class: "note" });
  };

  const addContents = () => {
    const navigation = add(main, "nav", "", { "aria-label": "Parts of this page" });
    for (const name of new Set(page.tables.map((table) => table.comparison)))
      add(navigation, "a", name, { href: "#comparison-" + name });
    add(navigation, "a", "all cases", { href: "#cases" });
    add(navigation, "a", "machines", { href: "#machines" });
  };

  const addFilter = () => {
    const form = add(main, "search", "", { class: "filter" });
    const label = add(form, "label", "Filter rows ");
    add(label, "input", "", { type: "search", id: "filter", placeholder: "matmul tiled 530", autocomplete: "off" });
    add(form, "output", "", { class: "count", for: "filter" });
  };

  /* A failure by itself: what, where, why; returns its card. */
  const addFailure = (parent, verdict, name, target, why) => {
    const card = add(parent, "article", "", { class: "failure" });
    const heading = add(card, "h3");
    add(heading, "span", verdict, { class: "verdict", "data-verdict": verdict });
    heading.append(" ");
    add(heading, "code", name);
    if (target) add(heading, "small", " on " + target);
    add(card, "p", words(why));
    return card;
  };
  const addReproduction = (card, line) => {
    if (line) add(add(card, "pre", "", { class: "command" }), "code", line);
  };

  /* What was found, and the lines of source that it names. */
  const addFound = (card, found, named) => {
    const [own] = found.sources;
    if (named) add(card, "p", (own ? own.file + ":" + own.line + ": " : "") + words(found.text), { class: "finding" });
    if (found.sources.length === 0) return;
    const source = add(card, "pre", "", { class: "source" });
    for (const { file, line, first, lines } of found.sources) {
      if (file !== own.file || lines.length === 1) add(source, "span", file, { class: "name" });
      lines.forEach((text, i) =>
        add(source, first + i === line ? "b" : "span", String(first + i).padStart(5) + "  " + text));
    }
  };

  /* A group of failures; of judged cases with the representative's findings, causes and samples. */
  const addGroup = (parent, group) => {
    const entry = object(list(results.cases)[group.case]);
    const findings = list(entry.findings);
    const why = findings.length > 1 ? plural(findings.length + (entry.more_findings || 0), "finding") : group.why;
    const card = addFailure(parent, group.verdict, group.name, group.target, why);
    list(group.found).forEach((found) => addFound(card, found, findings.length > 1));
    if (entry.more_findings > 0) add(card, "p", "The " + entry.more_findings + " least serious findings were left out of the results.");
    if (findings.length > 1 && entry.also) add(card, "p", "Also: " + clean(entry.also));
    if (group.members) add(card, "p", words(group.members));
    if (list(entry.changed).length > 0) {
      add(card, "p", "What changed with it:");
      const changes = add(card, "ul");
      for (const text of entry.changed) add(changes, "li", text);
    }
    if (entry.sass) {
      const lines = [...entry.sass.came.map((line) => "+ " + line), ...entry.sass.went.map((line) => "- " + line)];
      add(add(card, "pre"), "code", lines.join("\n"));
    }
    addPlots(card, group.plots);
    addReproduction(card, group.reproduce);
  };

  const remarkHeadings = ["verdict", "what", "target", "why"];
  const remark = (group) => [mark(group.verdict), code(group.name), group.target, wide(group.why + (group.members ? "; " + group.members : ""))];

  const addFailures = () => {
    if (page.failed.length === 0) return;
    const section = add(main, "section");
    add(section, "h2", "Failed");
    for (const group of page.failed.slice(0, page.apart)) addGroup(section, group);
    const further = page.failed.slice(page.apart);
    if (further.length === 0) return;
    add(section, "h3", further.length + " more");
    const addRow = addTable(section, "More failures", remarkHeadings);
    for (const group of further) addRow(remark(group));
  };

  /* A part with a table of these rows; none without any. */
  const addRows = (parent, label, headings, rows) => {
    if (rows.length === 0) return;
    const addRow = addTable(parent(), label, headings);
    rows.forEach(addRow);
  };

  const addRemarks = () => {
    addRows(() => {
      const section = add(main, "section");
      add(section, "h2", "To look at");
      return section;
    }, "What is to be looked at", remarkHeadings, page.doubtful.map(remark));
    const omitted = list(results.refused).map((entry) =>
      [mark(entry.gpu_only === true ? "gpu-only" : "refused"), code(entry.case), entry.target, wide(entry.why)]);
    for (const test of list(results.tests).filter((test) => typeof test.skipped === "string"))
      omitted.push([mark("skipped"), code(test.name), test.target, wide(test.skipped)]);
    addRows(() => fold(main, "Refused and skipped"), "Refused and skipped", remarkHeadings, omitted);
    addRows(() => fold(main, "Claims"), "Claims", ["holds", "claim", "target", "why"], list(results.claims).map((claim) =>
      [mark(claim.holds === true ? "holds" : "claim"), code(claim.claim), claim.target, wide(claim.why)]));
    addRows(() => fold(main, "Speedups and notes"), "Notes", ["target", "note"],
      [...list(results.speedups), ...list(results.notes)].map((note) => [note.target, wide(note.note)]));
  };

  const addColumn = (parent, table, column) => {
    const [headings, ...rows] = column.rows;
    const titles = headings.map((heading, i) => i < table.left ? heading : "#" + heading);
    /* Who looks for a variant finds the rows that it is in. */
    const addRow = addTable(parent, column.title, titles, [table.comparison, table.target, ...headings.slice(table.left)].join(" "));
    for (const row of rows) addRow(row.map((text, i) => i === 0 ? head(text) : i < table.left ? text : right(words(text))));
    if (column.more > 0) add(parent, "p", column.more + " more rows are in results.json.");
  };

  const addLines = (parent, table) => {
    const counted = table.lines.flatMap((number) => entries(results.cases[number].lines).map(([line, counts]) =>
      ({ line, counts: object(counts), id: results.cases[number].case.split("/").slice(1).join("/") })));
    const names = page.counters.filter((name) => counted.some(({ counts }) => name in counts));
    if (names.length === 0) return;
    const title = "Counters by line of source";
    const addRow = addTable(fold(parent, title), title, ["line", "case", ...names.map((name) => "#" + name.replaceAll("_", " "))],
      table.comparison);
    for (const { line, counts, id } of counted)
      addRow([code(line), code(id), ...names.map((name) => right(figure(counts[name])))]);
  };

  const addComparisons = () => {
    let section;
    page.tables.forEach((table, i) => {
      if (i === 0 || page.tables[i - 1].comparison !== table.comparison) {
        section = add(main, "section", "", { id: "comparison-" + table.comparison });
        add(section, "h2", table.comparison);
      }
      add(section, "h3", "on " + table.target);
      addMarked(section, "p", table.facts);
      addPlots(section, table.plots);
      table.columns.forEach((column, number) => {
        if (number === 0) add(section, "h4", column.title);
        addColumn(number === 0 ? section : fold(section, column.title), table, column);
      });
      addLines(section, table);
      const notes = add(section, "ul", "", { class: "notes" });
      for (const note of table.notes) addMarked(notes, "li", note);
    });
  };

  /* Of the counters those that a reader looks for, and those that moved; of errors those that moved. */
  const isShown = ([name, { value, baseline }]) => page.errors.includes(name)
    ? typeof baseline === "number" && value !== baseline
    : !page.counters.includes(name) || ((value !== 0 || baseline > 0) && (page.shown.includes(name) || (typeof baseline === "number" && value !== baseline)));

  /* A table with more rows than this is slow to show. */
  const mostCases = 2000;

  const addCases = () => {
    const cases = list(results.cases);
    const folded = fold(main, (cases.length === 1 ? "" : "All ") + plural(cases.length, "case"));
    folded.id = "cases";
    const addRow = addTable(folded, "All cases", ["case", "target", "verdict", "metric", "#value", "#baseline", "#change",
      "#smallest slowdown that would show", "gated"]);
    const rank = (entry) => page.verdicts.indexOf(entry.verdict);
    for (const entry of [...cases].sort((a, b) => rank(b) - rank(a)).slice(0, mostCases)) {
      const metrics = entries(entry.metrics).filter(isShown);
      const row = (verdict, name) => [code(entry.case), entry.target, mark(verdict), name];
      if (metrics.length === 0) addRow(row(entry.verdict, "result"));
      for (const [name, metric] of metrics)
        addRow([...row(metric.verdict || entry.verdict, name), right(figure(metric.value, name)), right(figure(metric.baseline, name)),
          right(percent(metric.change, true)), right(percent(metric.smallest)), metric.gated === false ? "no" : "yes"]);
    }
    if (cases.length > mostCases) add(folded, "p", cases.length - mostCases + " more are in results.json.");
  };

  const shown = (value) => typeof value === "string" ? value : typeof value === "number" ? figure(value) : JSON.stringify(value);
  /* Each fact, those within an object by both their names. */
  const facts = (of, members) => entries(members).flatMap(([key, value]) =>
    entries(value).length > 0 ? entries(value).map(([inner, fact]) => [of, key + ": " + inner, wide(shown(fact))])
      : [[of, key, wide(shown(value))]]);

  const addMachines = () => {
    const section = add(main, "section", "", { id: "machines" });
    add(section, "h2", "Where it was measured");
    const boards = entries(results.boards);
    const addRow = addTable(section, "Targets and boards", ["target", "fact", "value"]);
    for (const [target, members] of entries(results.targets)) {
      facts(target, members).forEach(addRow);
      /* One board is the target's provenance; several have their own. */
      if (boards.filter(([, board]) => board.target === target).length > 1) continue;
      const further = entries(object(results.provenance)[target]).filter(([key, value]) => object(members)[key] !== value);
      facts(target, Object.fromEntries(further)).forEach(addRow);
    }
    if (boards.length > 1) boards.forEach(([uuid, board]) => facts(uuid, board.provenance).forEach(addRow));
    addRows(() => fold(section, "Tests that ran"), "Tests", ["test", "target", "#seconds", "#exit code", "board", "what became of it"],
      list(results.tests).map((test) => [code(test.name), test.target, right(Number(test.seconds).toFixed(2)),
        right(String(test.exit_code)), test.board, wide(test.skipped || (test.complete ? "finished" : "ended before it was finished"))]));
  };

  addOutcome();
  addContents();
  addFilter();
  addFailures();
  addRemarks();
  addComparisons();
  addCases();
  addMachines();

  const tables = [...document.querySelectorAll("table.rows")];
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  /* Figures have their thousands grouped by spaces, and may be followed by a unit or another figure. */
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

  /* Plots, by Chart.js where the page has it; plots.py says what they are made of. */
  const shapes = ["circle", "rect", "triangle", "rectRot", "star", "crossRot", "rectRounded", "cross"];
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const precise = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
  const large = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
  const showValue = (value) => (Math.abs(value) < 100000 ? precise : large).format(value).replaceAll(",", "\u00a0");

  const datasets = (plot) => {
    const dots = plot.kind === "dots";
    const marks = plot.marks.map((mark, i) => ({
      type: "line", label: mark.name, borderColor: color(["soft", "bad"][i]), borderDash: [6, 4], borderWidth: 1.5,
      pointRadius: 0, pointStyle: "line", data: [-1, plot.places.length].map((x) => ({ x, y: mark.value })),
    }));
    return plot.series.map((series) => ({
      label: series.name, spanGaps: true, borderColor: color("s" + (series.style + 1)), borderWidth: plot.kind === "lines" ? 2 : 0,
      backgroundColor: color("s" + (series.style + 1)), pointStyle: plot.kind === "bars" ? "rect" : shapes[series.style], pointRadius: dots ? 2 : 4,
      /* Dots at one place are spread, so that each is seen. */
      data: dots ? series.values.flatMap((values, place) =>
        values.map((y, i) => ({ x: place + 0.06 * (i % 9 - 4), y }))) : series.values,
    })).concat(marks);
  };

  const axes = (plot) => {
    const dots = plot.kind === "dots";
    const log = plot.log_from !== undefined;
    const title = (text) => ({ display: text !== "", text, color: color("soft") });
    const x = { offset: true, title: title(plot.place_title), grid: { display: false, borderColor: color("rule") }, ticks: { color: color("soft") } };
    if (dots) Object.assign(x, { type: "linear", offset: false, min: -1, max: plot.places.length });
    if (dots) Object.assign(x.ticks, { stepSize: 1, callback: (place) => plot.places[place] || "" });
    return { x, y: {
      type: log ? "logarithmic" : "linear", min: plot.log_from, beginAtZero: !dots, grace: dots ? "10%" : 0,
      title: title(plot.value_title), grid: { color: color("rule"), borderColor: color("rule") },
      ticks: { color: color("soft"), callback: (value) => Math.abs(value) < 100000 ? showValue(value) : short.format(value) },
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
        legend: { display: plot.series.length + plot.marks.length > 1, labels: { color: color("ink"), usePointStyle: true, boxHeight: 7 } },
        tooltip: { callbacks: {
          title: (items) => plot.kind === "dots" ? plot.place_title + " " + plot.places[Math.round(items[0].parsed.x)] : items[0].label,
          label: (item) => item.dataset.label + ": " + showValue(item.parsed.y) + " " + plot.value_title,
        } },
      },
    },
  });

  if (places.length > 0) {
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
  /* The browser looked for it before it was there. */
  if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  if (field.value) filter();
})();
