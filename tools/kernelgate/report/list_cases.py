# SPDX-License-Identifier: MIT
"""kernelgate list: prints the cases of the built programs."""

import os
import sys

from kernelgate.base.added_programs import added_names, added_tests
from kernelgate.base.case_id import parts_of
from kernelgate.base.command_line import add_filter, add_format, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import json_text, list_of, member, number_of, text_of
from kernelgate.base.figures import plural, show_figure
from kernelgate.base.programs import DEFAULT_FOLDERS, GPU, MODEL, Answer, Answers, Query, find_build, globs_take, own_build
from kernelgate.base.text import clean
from kernelgate.base.columns import Column, Figure, Table
from kernelgate.baseline.file import counted_cases

QUERY = Query("list", "--work", "case")
PURPOSES = ("check", "time", "count")
COLUMNS = (Column("case"), *map(Column, PURPOSES), Column("bytes", right=True), Column("operations", right=True),
           Column("idea", csv_only=True))


def variant_of(entry):
    return (parts_of(text_of(entry, "case")) + [""])[1]


def describe_program(answer, globs):
    """A program's cases that the filter selects, with the variants that have one; None if there is none."""
    cases, refused = ([entry for entry in entries if not globs or globs_take(globs, text_of(entry, "case"))]
                      for entries in (list_of(answer.document, "cases"), list_of(answer.document, "refused")))
    if not cases and not refused:
        return None
    kept = set(map(variant_of, cases + refused))
    variants = [variant for variant in list_of(answer.document, "variants") if text_of(variant, "variant") in kept]
    return {"comparison": text_of(answer.document, "comparison"), "program": answer.path, "variants": variants, "cases": cases,
            "refused": refused}


def rows_of(comparison):
    ideas = {text_of(variant, "variant"): text_of(variant, "idea") for variant in comparison["variants"]}
    for entry in comparison["cases"]:
        purposes = [purpose if purpose in list_of(entry, "purposes") else "" for purpose in PURPOSES]
        if member(entry, "gpu_only") is True:
            purposes = ["gpu-only", purposes[1], ""]
        work = [number_of(member(entry, "work"), name) for name in ("bytes", "operations")]
        yield (text_of(entry, "case"), *purposes, *(Figure(show_figure(value), value) if value >= 0 else Figure("-", "")
                                                    for value in work), ideas.get(variant_of(entry), ""))


def refusals_of(comparison):
    return "".join(f"refused: {clean(text_of(entry, 'case'))}: {clean(text_of(entry, 'why'))}\n"
                   for entry in comparison["refused"])


def table_of(comparison, form):
    """A comparison's heading, its variants' ideas and its cases."""
    cases = Table(COLUMNS, rows_of(comparison))
    title = f"{'## ' if form == 'markdown' else ''}{clean(comparison['comparison'])}: {plural(len(cases.rows), 'case')}"
    variants = Table((Column("variant"), Column("idea")), [(text_of(variant, "variant"), text_of(variant, "idea"))
                                                           for variant in comparison["variants"]])
    return f"{title}\n\n{variants.format(form)}\n{cases.format(form) if cases.rows else ''}{refusals_of(comparison)}"


def render(document, form):
    comparisons = document["comparisons"]
    if form == "json":
        return json_text(document)
    if form == "csv":
        sys.stderr.write("".join(map(refusals_of, comparisons)))  # so that no program reads them as rows
        return Table(COLUMNS, [row for comparison in comparisons for row in rows_of(comparison)]).format(form)
    return "\n".join(table_of(comparison, form) for comparison in comparisons)


def add_arguments(parser):
    add_filter(parser)
    parser.add_argument("--build", metavar="DIR", help="the folder of the comparisons' programs (default: this command's build)")
    add_format(parser)
    parser.epilog = """\
FILTER is a list of globs on case ids, separated by commas; it replaces KG_FILTER. A
glob without its last parts matches all ids that begin so: matmul_f32,
'matmul_f32/tiled', 'invert_red/*/960x1280x1'. check: compared with the host's
reference; time: timed on a GPU; count: counted on the CPU model; gpu-only: checked only
on a GPU. bytes and operations are the minimum for the job.
exit: 0 printed; 2 no program, or a glob that matches no case
"""


def _describe_added(build):
    """What kg_add_program() gates in a build folder, in the form of the comparisons' programs."""
    tests = added_tests(build, ("model",)).values()
    for name in added_names(build):
        runs = {test.case: test for test in tests if test.program["name"] == name}
        yield Answer(next(iter(runs.values())).program["model"], {
            "comparison": name, "variants": [{"variant": test.part, "idea": ""} for test in runs.values()],
            "cases": [{"case": case, "purposes": [purpose]} for cases, purpose in ((runs, "check"), (counted_cases([name]), "count"))
                      for case in cases]})


def main(options):
    # The programs of the CPU model need no driver; those for a GPU have the same tables.
    folder, paths = find_build(options.build, MODEL)
    if not paths:
        folder, paths = find_build(options.build, GPU)
    builds = [options.build] if options.build else [own_build() or "", *DEFAULT_FOLDERS]
    build = folder if paths else next((build for build in builds if added_names(build)), None)
    if not paths and build is None:
        raise Failure(f"list: there is no program *.model or *.gpu in {folder}: build it, or name its folder with --build")
    answers = Answers(QUERY, build, paths)
    answers.answers += _describe_added(build)
    globs = answers.complete(os.environ.get("KG_FILTER", "") if options.filter is None else options.filter)
    comparisons = list(filter(None, (describe_program(answer, globs) for answer in answers.answers)))
    if not comparisons:
        raise Failure(f"list: the programs in {build} have no case: add sizes to their tables")
    print_output("list", render({"schema": "kernelgate-list/1", "build": build, "comparisons": comparisons}, options.format))
    return 0
