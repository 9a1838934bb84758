# SPDX-License-Identifier: MIT
"""kernelgate code: nvcc's generated code for the kernels of each case. Prints it, records it as baselines, and
judges it for CTest, without a GPU."""

import math
import time

from kernelgate.base.case_id import comparison_of_case, variant_of_case
from kernelgate.code import code_baseline
from kernelgate.code.code_baseline import CodeBaseline, why_not_comparable
from kernelgate.code.code_verdicts import finish_entry, judge_cases, notes_of
from kernelgate.base.command_line import add_filter, add_json, print_output
from kernelgate.base.errors import Failure, Unavailable, complain
from kernelgate.base.json_io import json_text
from kernelgate.base.contents import refuse_stale
from kernelgate.base.figures import plural, show_figure, show_percent
from kernelgate.code.generated_code import CodeBuild, class_words, key_of, number_of
from kernelgate.code.cuda_tools import read_architectures
from kernelgate.code.occupancy_limits import calculate
from kernelgate.base.programs import GPU, MODEL, NOTHING, filter_takes, find_build, hint_of_nearest, takes
from kernelgate.baseline.file import default_folder, lock, prepare_folder
from kernelgate.run.merge import VERDICTS_SCHEMA, leave_verdicts
from kernelgate.base.settings import is_strict, refuse_hidden_filter, setting
from kernelgate.base.columns import UNKNOWN, Column, Figure, Table

SCHEMA = "kernelgate-generated/1"
COLUMNS = (Column("arch"), Column("cases"), Column("registers", right=True), Column("spills", right=True),
           Column("local", right=True), Column("shared", right=True), Column("threads", right=True),
           Column("occupancy", right=True), Column("limited by"), Column("code", right=True), Column("instructions"))


def _architectures(build, options):
    """The requested architectures among those that the build compiles."""
    asked = read_architectures(options.arch) or build.architectures
    for architecture in asked:
        if architecture not in build.architectures:
            known = ", ".join(map(key_of, build.architectures)) or "none"
            raise Failure(f"code: {build.folder} compiles no {key_of(architecture)} (it has {known}): configure it with "
                          f"-DKG_CODE_ARCHITECTURES=\"{';'.join(asked)}\"")
    if not asked:
        raise Unavailable("code: no architecture is chosen: a GPU's baseline names one, and so does "
                          "-DKG_CODE_ARCHITECTURES=90 where the build is configured")
    return asked


def _figures(build, globs, architectures):
    """The figures of the selected cases, by architecture."""
    found = {architecture: {} for architecture in architectures}
    known = [(architecture, comparison) for architecture in architectures for comparison in build.comparisons(architecture)]
    for architecture, comparison in known:
        if any(takes(globs, case) for case in build.cases(architecture, comparison)):
            cases = build.figures(architecture, comparison)
            found[architecture].update((case, figures) for case, figures in cases.items() if takes(globs, case))
    if not any(found.values()):
        raise Failure("code: the filter takes no case that starts a kernel"
                      + hint_of_nearest(globs, [case for place in known for case in build.cases(*place)]))
    return found


def _limits(architecture, figures):
    """What limits the occupancy of a kernel: "threads and registers"; "" of a program's, whose launches are not known."""
    if "threads" not in figures:
        return ""
    (found,) = calculate([(number_of(architecture), figures["registers"], figures["shared_bytes"], 0, figures["threads"])])
    return " and ".join(found.get("limited_by", ["cannot be launched"]))


def _cells(architecture, name, figures):
    shown = [(figures["registers"], ""), (figures["spill_stores"] + figures["spill_loads"], "B"), (figures["local_bytes"], "B"),
             (figures["shared_bytes"], "B"), (figures.get("threads", math.nan), "")]
    occupancy = figures.get("occupancy", math.nan)
    return [key_of(architecture), name, *(Figure(show_figure(value, unit), value) for value, unit in shown),
            Figure(show_percent(occupancy) if occupancy else UNKNOWN, occupancy), _limits(architecture, figures),
            Figure(show_figure(figures["code_bytes"], "B"), figures["code_bytes"]),
            ", ".join(f"{class_words(name)} {count}" for name, count in figures["instructions"].items())]


def _show(found):
    """A row for the cases of a variant that are alike."""
    table = Table(COLUMNS)
    for architecture, cases in found.items():
        rows = {}
        for case, launches in cases.items():
            for figures in launches:
                variant = variant_of_case(case)
                rows.setdefault((variant, str(figures)), []).append((case, figures))
        for (variant, _), alike in rows.items():
            name = alike[0][0] if len(alike) == 1 else f"{variant}, {plural(len(alike), 'case')}"
            table.add(*_cells(architecture, name, alike[0][1]))
    return table.format("text")


def _document(found, toolkit):
    return {"schema": SCHEMA, "toolkit": toolkit,
            "targets": {key_of(architecture): cases for architecture, cases in found.items()}}


def _record(build, architectures):
    folder, toolkit = default_folder(), build.toolkit()
    for architecture, cases in _figures(build, "", architectures).items():
        if setting("KG_FILTER") is not None:
            known = code_baseline.read(folder, architecture)
            if known is not None and known.toolkit != toolkit:
                raise Failure(f"code: {code_baseline.path_of(folder, architecture)} is of nvcc {known.toolkit}, and this is nvcc "
                              f"{toolkit}: record all cases, without KG_FILTER")
            others = known.cases if known else {}
            cases = {**{case: others[case] for case in others if case not in cases}, **cases}
        changed = CodeBaseline(architecture, toolkit, cases).write(folder)
        print_output("code", f"{code_baseline.path_of(folder, architecture)}: {plural(len(cases), 'case')}, nvcc {toolkit}"
                             f"{'' if changed else ', as before'}\n")
    return 0


def _check_ready(build):
    """0 if the code can be judged for every architecture with a baseline, else 77 with the reasons."""
    folder, toolkit = default_folder(), build.toolkit()
    reasons = [why_not_comparable(code_baseline.read(folder, architecture), folder, architecture, toolkit)
               for architecture in build.judged] or [f"{folder}: has no baseline of generated code: {code_baseline.RECORD}"]
    for why in filter(None, reasons):
        complain(why)
    return NOTHING if any(reasons) else 0


def _judge(build, verdicts, architecture, comparison):
    """Adds the verdicts of a comparison's cases on an architecture."""
    folder, toolkit = default_folder(), build.toolkit()
    target = key_of(architecture)
    verdicts["target"] = {"key": target, "compute_capability": f"{number_of(architecture) / 10:.1f}",
                          "compiler": f"nvcc {toolkit}"}
    verdicts["provenance"] = {"compiler": f"nvcc {toolkit}"}
    cases, verdicts["notes"] = build.cases(architecture, comparison), build.notes(architecture, comparison)
    baseline = code_baseline.read(folder, architecture)
    stored = [case for case in (baseline.cases if baseline else ()) if comparison_of_case(case) == comparison]
    if not any(map(filter_takes, (*cases, *stored))):
        reason = ("filter", "KG_FILTER leaves no case") if cases else ("empty", "no case starts a kernel")
        verdicts.update(skipped=reason[1], skipped_by=reason[0])
        return
    why = why_not_comparable(baseline, folder, architecture, toolkit)
    if why:
        verdicts.update(skipped=why, skipped_by="no-baseline")
        return
    figures = build.figures(architecture, comparison)
    entries = judge_cases("code", target, [(case, baseline.cases.get(case), now) for case, now in figures.items()
                                           if filter_takes(case)])
    verdicts["cases"] = [finish_entry(entry, baseline.cases.get(entry["case"]), figures[entry["case"]]) for entry in entries]
    verdicts["notes"] += notes_of(verdicts["cases"])
    verdicts["vanished"] = [case for case in stored if case not in figures and filter_takes(case)]


def _run_test(build, name):
    """Judges one test's cases, and leaves its verdicts in the form of the programs' tests."""
    refuse_hidden_filter(is_strict())
    if name not in build.tests():
        raise Failure(f"code: there is no test {name} in {build.folder}: configure it again")
    begun = time.monotonic()
    verdicts = {"schema": VERDICTS_SCHEMA, "test": name, "complete": True}
    try:
        _judge(build, verdicts, *build.tests()[name])
    except Unavailable as failure:
        verdicts.update(skipped=str(failure), skipped_by="unavailable")
    except Failure as failure:
        verdicts["errors"] = [str(failure)]
    verdicts["seconds"] = round(time.monotonic() - begun, 3)
    return leave_verdicts("code", verdicts)


def add_arguments(parser):
    add_filter(parser)
    parser.add_argument("--arch", metavar="N,...",
                        help="of these architectures, 90 for sm_90 (default: all that the build compiles)")
    parser.add_argument("--build", metavar="DIR", help="the build folder (default: this command's build)")
    add_json(parser)
    parser.add_argument("--record", action="store_true",
                        help="write the figures to baselines/sm_N.json instead (KG_BASELINES, else baselines)")
    parser.add_argument("--ready", action="store_true",
                        help="only say whether there are baselines of this toolkit: exit 0, else 77 with the reason")
    parser.add_argument("--test", metavar="NAME",
                        help="judge one of CTest's tests, sm_90.NAME.code, and leave its verdicts in KG_OUT")
    parser.epilog = """\
Registers, spilled bytes (stored and loaded), stack and shared memory, occupancy, bytes
of code and instructions by class, of each case's kernels. Build the target kernel_code
first. A build compiles for the architectures of the GPUs in baselines, and of
baselines/sm_N.json, or for those set with -DKG_CODE_ARCHITECTURES="80;90;90a".
FILTER is as in `kernelgate list --help`.
exit: 0 printed, recorded, judged and not worse; 1 --test: worse; 2 an error; 77 there
is no nvcc, or no baseline of its version
"""


def main(options):
    folder, _ = find_build(options.build, MODEL, GPU)
    build = CodeBuild(folder)
    if options.test is not None:
        return _run_test(build, options.test)
    if options.ready:
        return _check_ready(build)
    architectures = _architectures(build, options)
    if options.record:
        refuse_stale(build.folder, ".cubin")
        prepare_folder(default_folder())
        with lock(default_folder(), "code --record"):
            return _record(build, architectures)
    found = _figures(build, options.filter or "", architectures)
    print_output("code", json_text(_document(found, build.toolkit())) if options.json else _show(found))
    return 0
