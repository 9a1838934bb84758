# SPDX-License-Identifier: MIT
"""kernelgate results: the end of a run. Merges its tests' verdicts, and writes and prints the results."""

import functools
import glob
import os
import re
import signal
import sys

from kernelgate.report import annotations
from kernelgate.baseline.diff import loosened
from kernelgate.baseline.file import Commit, default_folder, gate_counts, list_files
from kernelgate.baseline.lint import list_findings
from kernelgate.code.code_baseline import architecture_of, path_of
from kernelgate.base import run_lock
from kernelgate.base.added_programs import added_tests
from kernelgate.base.command_line import add_json, print_output
from kernelgate.base.errors import Failure, complain
from kernelgate.base.json_io import json_text
from kernelgate.code.generated_code import CodeBuild
from kernelgate.report.printers import print_console, write_files
from kernelgate.base.results import Run
from kernelgate.base.run_facts import facts_of_run
from kernelgate.run.ctest import check_report
from kernelgate.run.expected import Coverage, ctest_chose_tests, list_tests, stored_baseline
from kernelgate.run.merge import ERROR, exit_code_of_run, merge, tally_of
from kernelgate.run.run_files import run_files, whose_run
from kernelgate.run.shard import read_share
from kernelgate.run.texts import describe
from kernelgate.base.settings import CODE, is_strict, refuse_hidden_filter, results_folder


def _lint(merged):
    """Adds the errors of the baselines, unless the test that read one has reported it."""
    try:
        found = list_findings()
    except Failure as failure:
        found = [str(failure)]
    said = {error["why"] for error in merged.document["errors"]}
    for line in found:
        if line not in said:
            merged.add_error(None, line)


def add_baselines(merged, since):
    """How narrowly the run's baselines gate and, since a commit, the changes of every file."""
    folder = default_folder()
    judged = [stored_baseline(folder, target) for target in merged.document["targets"]]
    counts = {target: gate_counts(baseline) for target, baseline in zip(merged.document["targets"], judged) if baseline}
    changes = {"gates": [{"target": target, **found} for target, found in counts.items() if found],
               "by_hand": sum(metric.by_hand for baseline in filter(None, judged) for case in baseline.cases.values()
                              for metric in case.metrics.values()), "files": [], "loosened": []}
    try:
        if since is not None:
            changes.update(loosened(since))
    except Failure as failure:
        complain(str(failure))
        merged.add_error(None, "the baselines could not be compared with what they were: the standard error says why")
        return
    if any(judged) or since is not None:
        merged.document["baselines"] = changes


def check_code_baselines(merged, build, since):
    """Adds an error for each missing baseline of generated code that a commit (by default the previous one) or
    another target of the tree requires: without it nothing of its architecture would be judged."""
    folder = default_folder()
    wanted, architectures = {}, []
    try:
        commit = Commit(folder, since or "HEAD")
        wanted = {f"{folder}/{name}": f"{commit.reference} has it" for name in commit.list_files(architecture_of) if commit.read(name) is not None}
    except Failure:
        pass  # no checkout; an unknown commit has been reported
    if build is not None and any(test["name"].startswith(f"{CODE}_") for test in merged.document["tests"]):
        code = CodeBuild(build)
        architectures = code.architectures
        for name in list_files(folder, architecture_of):
            if not code.comparisons(architecture_of(name)):
                merged.add_error(None, f"{folder}/{name}: {build} compiles no code for it, so that it is not judged: configure without "
                                       "KG_CODE_ARCHITECTURES, with an nvcc that knows it, or retire the file")
    for architecture in architectures:
        wanted.setdefault(path_of(folder, architecture), "a GPU in baselines/ has that architecture")
    for path, why in wanted.items():
        if not os.path.exists(path):
            merged.add_error(None, f"{path}: {why}, and there is no such file, so that its code is not judged: put it back, or record it "
                                   "with kernelgate rebaseline --target sm")


def write_and_print(document, folder, detail, as_json, annotated):
    """Writes the files of a run, and prints its results. Whether all could be written; a file that could not is an
    error of the run, in those that could."""
    describe(document)
    files = run_files()
    prefix = annotations.prefix_of(".", os.environ.get("GITHUB_WORKSPACE"))
    results = Run(document, prefix=prefix)
    if write_files(folder, [(form, file) for form, file in files if form == "json"], results):
        return False
    failed = write_files(folder, [(form, file) for form, file in files if form != "json"], results)
    if failed:
        document["errors"] += [{"why": why} for why in failed.values()]
        finish(document)
        describe(document)
        files = [file for file in files if file not in failed]
        results = Run(document, prefix=prefix)
        write_files(folder, files, results)
    if detail is not None:
        shown = [file for form, file in files if form != "sarif"]  # only programs read that one
        print_console(results, detail, shown, sys.stderr if as_json else sys.stdout)
    if annotated and os.environ.get("GITHUB_ACTIONS") == "true":
        print_output("results", annotations.write(results))
    if as_json:
        print_output("results", json_text(document))
    return not failed


def finish(document):
    """Adds the tally, and the exit code that follows from it."""
    document["tally"], document["exit_code"] = tally_of(document), exit_code_of_run(document)


def _merge(options, folder, share):
    strict = options.strict or is_strict()
    refuse_hidden_filter(strict)
    run_lock.check(folder)
    programs = options.programs
    if programs is None:
        return merge(folder, strict, build=options.build)
    partial = ctest_chose_tests()
    tests = list_tests(programs, options.target)
    merged = merge(folder, strict, nothing_is_an_error=partial, build=options.build, is_whole=share is None,
                   list_tests=functools.partial(list_tests, programs, options.target, filtered=False))
    Coverage(merged, tests, default_folder(), partial, added_tests(os.path.dirname(programs)), share).check()
    return merged


def _code_of_ctest(text):
    if not re.fullmatch("[0-9]{1,3}", text) or int(text) > 255:
        raise Failure(f"results: --ctest-code '{text}': expected an exit code from 0 to 255")
    return int(text)


def add_detail(parser):
    parser.add_argument("-v", "--verbose", action="store_true", help="print one line per case, not only one per comparison")
    parser.add_argument("-q", "--quiet", action="store_true", help="print only the verdict's line")


def detail_of(options):
    return "quiet" if options.quiet else "verbose" if options.verbose else "brief"


def add_arguments(parser):
    parser.add_argument("--out", metavar="DIR", help="the folder of the results (default: KG_OUT, else out)")
    parser.add_argument("--build", metavar="DIR",
                        help="the build folder of what ran: its code may explain a slower time, and verdicts are reproduced in it")
    parser.add_argument("--strict", action="store_true",
                        help="fail on environment, noisy, no-baseline and unlisted cases too (as KG_STRICT=1)")
    parser.add_argument("--programs", metavar="FILE", help="the programs whose tests must report, one path per line")
    parser.add_argument("--target", action="append", default=[], metavar="KIND",
                        help="gpu, model or sm: only the tests of this target must report; may be repeated")
    parser.add_argument("--ctest", metavar="FILE", help="the report of ctest --output-junit, which says how each test ended")
    parser.add_argument("--ctest-code", type=_code_of_ctest, default=0, metavar="N", help="the exit code of ctest")
    parser.add_argument("--shard", metavar="FILE",
                        help="with --programs: the share of the tests that must report here, as kernelgate gate --shard leaves it")
    parser.add_argument("--error", action="append", default=[], metavar="TEXT",
                        help="an error of the run that no test can report; may be repeated")
    parser.add_argument("--note", action="append", default=[], metavar="TEXT",
                        help="what the run did not judge of generated code; may be repeated")
    parser.add_argument("--since", metavar="COMMIT",
                        help="compare the baselines with those at this commit, branch or tag, and list what was loosened")
    add_detail(parser)
    add_json(parser)
    parser.epilog = """\
exit: 0 judged, no failure; 1 slower or wrong, or a case of the baseline is in no
table (with --strict also environment, noisy, no-baseline, unlisted); 2 an error; 77
nothing was judged (with --strict 2, unless all was filtered out)

With --programs each test of theirs that left no verdict is an error, unless the ctest
that called this was told to run only some tests (-R, -L and the like). Cases of the
baselines (KG_BASELINES, else baselines) that no table has any more have vanished.

--since changes no verdict, but where a commit is not known, or a baseline cannot be
read, which is an error.

In a job of GitHub Actions (GITHUB_ACTIONS=true) what failed is also annotated, the
worst first, at the lines of the sources in the current folder.
"""


def main(options):
    folder = results_folder(options.out)
    # A reader may close the output early; the files are written all the same.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    share = read_share(options.shard)
    merged = _merge(options, folder, share)
    try:
        return _complete(merged, options, folder, share)
    finally:
        run_lock.release(folder, whose_run())


def _note_uninitialized(document, build):
    """Notes the variables that g++ considers uninitialized, which kernel_stub.py wrote next to the objects."""
    lines = set()
    for path in glob.glob(os.path.join(glob.escape(build), "**", "CMakeFiles", "*_plain_kernels.dir", "**", "*.notes"), recursive=True):
        with open(path, encoding="utf-8") as file:
            lines |= set(file.read().splitlines())
    document["notes"] += [{"note": line, "target": "cpu-model", "test": ""} for line in sorted(lines)]


def _complete(merged, options, folder, share):
    """Completes the results with the caller's knowledge of the tests, writes and prints them; the exit code."""
    if options.ctest is not None:
        try:
            check_report(merged, options.ctest, options.ctest_code, share.tests if share else ())
        except Failure as failure:
            merged.add_error(None, str(failure))
    for why in options.error:
        merged.add_error(None, why)
    merged.document["notes"][:0] = [{"note": note, "target": CODE, "test": ""} for note in options.note]
    if options.programs is not None:
        _note_uninitialized(merged.document, os.path.dirname(options.programs))
        _lint(merged)
    if options.build is not None:
        merged.document["build"] = options.build
    merged.document["run"] = facts_of_run(folder, base_ref=options.since)
    if share is not None:
        merged.document["run"]["shard"] = share.facts()
    add_baselines(merged, options.since)
    if merged.strict:
        check_code_baselines(merged, options.build, options.since)
    finish(merged.document)
    written = write_and_print(merged.document, folder, None if options.json else detail_of(options), options.json, not options.json)
    return merged.document["exit_code"] if written else ERROR
