# SPDX-License-Identifier: MIT
"""kernelgate baseline show: prints a baseline's contents, case by case."""

from kernelgate.baseline.file import gate_counts, gate_words, open_named
from kernelgate.base.command_line import add_format, did_you_mean, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import is_number, json_text, text_of
from kernelgate.base.figures import plural, show_figure, show_percent, unit_of
from kernelgate.base.programs import globs_take
from kernelgate.base.text import clean
from kernelgate.base.columns import Column, Figure, Table

COLUMNS = (Column("target", csv_only=True), Column("case"), Column("metric"),
           *(Column(title, right=True)
             for title in ("value", "band", "noise within", "between boards", "boards", "sessions", "smallest")),
           Column("gated"), Column("commit"), Column("code"))


def describe_code(code):
    """A kernel's compiled figures: "registers 32, shared_bytes 2048"."""
    texts = (value if isinstance(value, str) else f"{value:.6g}" if is_number(value) else None for value in (code or {}).values())
    return ", ".join(f"{key} {text}" for key, text in zip(code or {}, texts) if text is not None)


def cells_of(key, case, metric):
    yield from (key, case.id, metric.name)
    yield Figure(show_figure(metric.value, unit_of(metric.name)), metric.value)
    yield Figure(show_percent(metric.band) + (" by hand" if metric.by_hand else ""), metric.band)
    for deviation in metric.noise or ("", ""):
        yield Figure("-", "") if deviation == "" else Figure(show_percent(deviation), deviation)
    for count in (case.boards, case.sessions):
        yield Figure(str(count), count) if count else Figure("-", "")
    yield Figure(show_percent(metric.smallest) if metric.smallest else "any rise", metric.smallest)
    yield from ("yes" if metric.gated else "no", case.commit, describe_code(case.code))


def entry_of(case, metric):
    entry = {"case": case.id, "metric": metric.name, "value": metric.value, "band": metric.band, "band_by_hand": metric.by_hand,
             "floor": metric.floor, "boards": case.boards, "sessions": case.sessions, "gated": metric.gated,
             "noise": list(metric.noise) or None, "smallest": metric.smallest, "commit": case.commit or None, "code": case.code}
    return {name: value for name, value in entry.items() if value is not None}


def chosen(cases, globs):
    return [(case, metric) for case in cases.values() if globs is None or globs_take(globs, case.id)
            for metric in case.metrics.values()]


def render(baseline, globs, form):
    """The output: the sentinels, then the cases."""
    sentinels, metrics, errors = (chosen(cases, globs) for cases in (baseline.sentinels, baseline.cases, baseline.error_cases()))
    metrics += errors
    if globs is not None and not sentinels and not metrics:
        hint = did_you_mean(globs, baseline.ids()) or f": kernelgate baseline show {baseline.path} lists them"
        raise Failure(f'baseline show: {baseline.path} has no case "{globs}"{hint}')
    key, name = text_of(baseline.target, "key"), text_of(baseline.target, "name")
    counts = gate_counts(baseline)
    if form == "json":
        document = {"schema": "kernelgate-shown/2", "file": baseline.path, "target": {"key": key, "name": name},
                    "cases": len(baseline.cases), "sentinels": [entry_of(*pair) for pair in sentinels],
                    "metrics": [entry_of(*pair) for pair in metrics]}
        return json_text({**document, "gates": counts} if counts else document)
    table = Table(COLUMNS, [list(cells_of(key, *pair)) for pair in (*sentinels, *metrics)])
    if form == "csv":
        return table.format(form)
    title = (f"{'## ' if form == 'markdown' else ''}{clean(baseline.path)}: {clean(name)}{', ' if name else ''}"
             f"{plural(len(baseline.cases), 'case')}{'' if globs is None else ' in all'}")
    return f"{title}\n{gate_words(counts)}\n\n{table.format(form)}" if counts else f"{title}\n\n{table.format(form)}"


def add_arguments(parser):
    parser.add_argument("name", metavar="FILE|KEY", help="a file, or the key of a target")
    parser.add_argument("--case", metavar="GLOB", help="only these cases; * also matches slashes, a comma separates globs")
    add_format(parser)
    parser.epilog = """\
KEY is a target's: KEY.json in KG_BASELINES, else in baselines. noise: the standard
deviations of a time's logarithm, within a board and between boards; smallest: the
smallest slowdown that is detected; gated: whether it is judged. A time with a band
above 5 % is not gated. See docs/judging.md.
exit: 0 printed; 2 no such file, key or case, or an invalid file
"""


def main(options):
    print_output("baseline show", render(open_named(options.name), options.case, options.format))
