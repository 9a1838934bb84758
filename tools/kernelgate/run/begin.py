# SPDX-License-Identifier: MIT
"""kernelgate begin: begins a run. Makes the folder of its results, and removes an earlier run's files there."""

import os

from kernelgate.base.added_programs import added_names
from kernelgate.base.errors import Failure
from kernelgate.base.contents import refuse_stale
from kernelgate.baseline.file import counted_cases
from kernelgate.base.programs import filter_takes, glob_meant
from kernelgate.run.expected import list_tests
from kernelgate.run.merge import filter_error
from kernelgate.run.run_files import begin, whose_run
from kernelgate.base.settings import is_strict, refuse_hidden_filter, results_folder, setting


def _refuse_empty_filter(programs, kinds):
    """Refuses a KG_FILTER that matches no case of the programs before anything is cleared."""
    globs = setting("KG_FILTER")
    if globs is None or programs is None:
        return
    cases = [case for listed in list_tests(programs, kinds).values() for case in listed]
    cases += counted_cases(added_names(os.path.dirname(programs)))
    if not any(map(filter_takes, cases)):
        raise Failure(filter_error(f"KG_FILTER={globs}", glob_meant(globs, cases)))


def add_arguments(parser):
    parser.add_argument("--out", metavar="DIR", help="the folder of the results (default: KG_OUT, else out)")
    parser.add_argument("--programs", metavar="FILE",
                        help="refuse a KG_FILTER that matches no case of the programs listed in FILE, one per line")
    parser.add_argument("--build", metavar="DIR",
                        help="refuse a build folder whose sources have changed since it was built")
    parser.add_argument("--target", action="append", default=[], metavar="KIND",
                        help="with --programs: only their tests of gpu, model or sm; may be repeated")
    parser.epilog = """\
CTest calls this before the first test of a run. Files of other names stay. The caller
holds the folder until kernelgate results: another run there is refused. A refusal
leaves the folder unchanged.
"""


def main(options):
    refuse_hidden_filter(is_strict())
    _refuse_empty_filter(options.programs, options.target)
    if options.build is not None:
        refuse_stale(options.build)
    begin(results_folder(options.out), whose_run())
    return 0
