"""Results as Markdown, for a job's summary page: failures first, then everything judged."""

from kernelgate.base.json_io import list_of, member, number_of, text_of
from kernelgate.base.figures import known_figure, known_percent, plural, unit_of
from kernelgate.base.results import (VERDICTS, items, reason_with_others, refusal_word, sass_lines, shown_metrics, shown_value,
                                     texts_of, verdict_of)
from kernelgate.base.run_facts import describe_run, job_url
from kernelgate.base.text import clean, code, escape_markdown

# GitHub refuses a summary of more than 1 MiB. Each section has a share of that, in bytes, so that none crowds out
# another.
KIB = 1024
MOST_ALIKE = 60  # further cases that failed like another are counted; the tables below have all


def section(lines, kib):
    """The first lines that fit, and a line with the number of the others."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line.encode("utf-8")) + 1
        if size > kib * KIB:
            return lines[:number], ["", f"{plural(len(lines) - number, 'more line')}: results.json has them all."]
    return lines, []


def cut(lines, kib):
    taken, rest = section(lines, kib)
    return taken + rest


def row(verdict, name, target, reason):
    return f"| **{verdict}** | {code(name)} | {code(target) if target else ''} | {escape_markdown(reason)} |"


def table(heading, rows, kib):
    if not rows:
        return []
    return cut(["", f"## {heading}", "", "| verdict | what | target | why |", "| --- | --- | --- | --- |", *rows], kib)


def case_rows(run, failing):
    return [row(verdict_of(entry), text_of(entry, "case"), text_of(entry, "target"), reason_with_others(run, entry, MOST_ALIKE))
            for entry in run.worst_first(failing) if run.leads(entry)]


def unlisted_rows(run):
    return [row("unlisted", "baseline", "", run.text("unlisted"))] if run.list("unlisted") else []


def head(run):
    lines = [f"# kernelgate: {escape_markdown(run.text('outcome'))}", ""]
    if run.text("baselines"):
        lines += [f"**Baselines**{escape_markdown(run.text('baselines'))}.", ""]
        loosened = texts_of(run.object("summary"), "loosened")
        lines += [f"- {escape_markdown(text)}" for text in loosened] + [""] * bool(loosened)
    for key in ("unrecorded", "changes"):
        if run.text(key):
            lines += [f"{escape_markdown(run.text(key))}.", ""]
    lines.append(f"{escape_markdown(run.text('headline'))}.")
    described, job = describe_run(run.object("run")), job_url(run.object("run"))
    if described:
        lines += ["", escape_markdown(described) + (f", [job]({job})" if job else "")]
    counts = {}
    for entry in run.list("cases"):
        by_verdict = counts.setdefault(text_of(entry, "target"), {})
        by_verdict[verdict_of(entry)] = by_verdict.get(verdict_of(entry), 0) + 1
    shown = [verdict for verdict in reversed(VERDICTS) if any(verdict in of_target for of_target in counts.values())]
    if shown:
        lines += ["", "| target | " + " | ".join(shown) + " |", "| --- |" + " ---: |" * len(shown)]
        lines += [f"| {code(target)} | " + " | ".join(str(of_target.get(verdict, 0)) for verdict in shown) + " |"
                  for target, of_target in counts.items()]
    return cut(lines, 32)


def failures(run):
    rows = [row("error", text_of(entry, "test") or "kernelgate", "", text_of(entry, "why")) for entry in run.list("errors")]
    rows += case_rows(run, True)
    rows += [row("claim", text_of(entry, "claim"), text_of(entry, "target"), text_of(entry, "why"))
             for entry in run.broken_claims()]
    rows += [row("vanished", text_of(entry, "case"), text_of(entry, "target"), text_of(entry, "why"))
             for entry in run.list("vanished")]
    rows += unlisted_rows(run) if run.strict else []
    return table("Failed", rows, 320) + (reproductions(run) if rows else [])


def reproductions(run):
    """The commands that rerun the failures, each once; for cases that failed alike, only their representative's."""
    entries = run.list("errors") + [entry for entry in run.list("cases") if run.fails(entry) and run.leads(entry)]
    lines = list(dict.fromkeys(filter(None, (clean(text_of(entry, "reproduce")) for entry in entries + run.broken_claims()))))
    taken, rest = section(lines, 192)
    return ["", "To run them again:", "", "```sh", *taken, "```", *rest] if lines else []


def remarks(run):
    rows = case_rows(run, False)
    rows += [] if run.strict else unlisted_rows(run)
    rows += [row(refusal_word(entry), text_of(entry, "case"), text_of(entry, "target"), text_of(entry, "why"))
             for entry in run.list("refused")]
    rows += [row("skipped", text_of(entry, "name"), "", entry["skipped"])
             for entry in run.list("tests") if isinstance(member(entry, "skipped"), str)]
    return table("To look at", rows, 96)


def changes(run):
    lines = []
    for entry in run.list("cases"):
        if list_of(entry, "changed"):
            texts = [text for text in (text_of(entry, "explanation"), *texts_of(entry, "changed")) if text]
            lines += ["", f"- {code(text_of(entry, 'case'))}"]
            lines += [f"  - {escape_markdown(text)}" for text in texts] + [f"  - {code(line)}" for line in sass_lines(entry)]
    return cut(["", "## What changed", *lines], 96) if lines else []


def claims_and_notes(run):
    lines = []
    for entry in run.list("claims"):
        why = escape_markdown(text_of(entry, "why"))
        holds = "holds" if member(entry, "holds") is True else "does not hold"
        lines.append(f"- {code(text_of(entry, 'claim'))} {holds}{': ' if why else ''}{why}")
    for entry in run.list("speedups") + run.list("notes"):
        target = text_of(entry, "target")
        lines.append(f"- {escape_markdown(text_of(entry, 'note'))}" + (f" on {code(target)}" if target else ""))
    return cut(["", "## Speedups and notes", "", *lines], 64) if lines else []


def metric_rows(entry):
    first = f"| {code(text_of(entry, 'case'))} | {code(text_of(entry, 'target'))} |"
    metrics = shown_metrics(entry)
    if not metrics:
        yield f"{first} | | | | | {verdict_of(entry)} |"
    for name, metric in metrics:
        judged = metric if text_of(metric, "verdict") else entry
        verdict = "not gated" if member(metric, "gated") is False else verdict_of(judged)
        unit = unit_of(name)
        yield " | ".join((f"{first} {code(name)}", known_figure(number_of(metric, "value"), unit),
                          known_figure(number_of(metric, "baseline"), unit), known_percent(number_of(metric, "change"), True),
                          known_percent(number_of(metric, "smallest")), verdict)) + " |"


def folded(summary, heads, aligned, lines, kib):
    return ["", f"<details><summary>{summary}</summary>", "", f"| {' | '.join(heads)} |".replace("|  |", "| |"),
            f"| {' | '.join(aligned)} |",
            *cut(lines, kib), "", "</details>"]


def all_cases(run):
    cases = run.list("cases")
    if not cases:
        return []
    heads = ("case", "target", "metric", "value", "baseline", "change", "smallest slowdown that would show", "verdict")
    return folded(("" if len(cases) == 1 else "All ") + plural(len(cases), "case"), heads,
                  ("---", "---", "---", "---:", "---:", "---:", "---:", "---"),
                  [line for entry in cases for line in metric_rows(entry)], 160)


def fact_rows(run, target):
    for kind, facts in (("target", run.object("targets").get(target)), ("provenance", run.object("provenance").get(target))):
        for key, value in items(facts):
            yield f"| {code(target)} | {kind} | {escape_markdown(key)} | {escape_markdown(shown_value(value))} |"
    for uuid, board in run.object("boards").items():
        if text_of(board, "target") == target:
            bus = text_of(member(board, "provenance"), "bus_id")
            name = f"{escape_markdown(uuid)}{', ' if bus else ''}{escape_markdown(bus)}"
            tests = [escape_markdown(text_of(test, "name")) for test in run.list("tests") if text_of(test, "board") == uuid]
            yield f"| {code(target)} | board | {name} | {', '.join(tests)} |"


def targets(run):
    if not run.object("targets"):
        return []
    rows = [line for target in run.object("targets") for line in fact_rows(run, target)]
    return folded("Where it was measured", ("target", "", "fact", "value"), ("---",) * 4, rows, 48)


def write(run):
    lines = [line for part in (head, failures, remarks, changes, claims_and_notes, all_cases, targets) for line in part(run)]
    return "\n".join(lines) + "\n"
