# SPDX-License-Identifier: MIT
"""kernelgate baseline retire: removes cases from a baseline by name."""

from kernelgate.baseline.file import lock, open_named, path_of, save, split_path, write_text
from kernelgate.base.command_line import add_json, did_you_mean, print_output
from kernelgate.base.errors import complain
from kernelgate.base.json_io import json_text
from kernelgate.base.programs import globs_take
from kernelgate.base.text import clean
from kernelgate.code import code_baseline


def check_globs(path, cases, globs):
    """Complains about each glob that matches no case; True if there is none."""
    unknown = [glob for glob in globs if not any(globs_take(glob, case) for case in cases)]
    for glob in unknown:
        nearest = did_you_mean(glob, cases)
        lists = "the file" if code_baseline.architecture_of(path) else f"kernelgate baseline show {path}"
        complain(f'{path} has no case "{glob}"' + (f"{nearest} Nothing is removed" if nearest
                                                   else f": nothing is removed ({lists} lists them)"))
    return not unknown


def render(path, retired, before, as_json):
    if as_json:
        return json_text({"schema": "kernelgate-retired/2", "file": path, "retired": retired, "cases_before": before})
    lines = [*(f"{case}: retired" for case in retired), f"{clean(path)}: {len(retired)} of {before} cases retired"]
    return "\n".join(lines) + "\n"


def add_arguments(parser):
    parser.add_argument("name", metavar="FILE|KEY")
    parser.add_argument("globs", nargs="+", metavar="GLOB")
    add_json(parser)
    parser.epilog = """\
In a glob, * also matches slashes. Quote it for the shell. If a glob matches no case,
nothing is removed. `kernelgate baseline show --case` lists what a glob matches.
exit: 0 removed; 2 no such file or case, or it cannot be written: the file is as it
was, unless the message says that it was written and only the output lost
"""


def main(options):
    path = path_of(options.name)
    architecture = code_baseline.architecture_of(path)
    with lock(split_path(path)[0], "baseline retire"):
        baseline = code_baseline.load(path, architecture) if architecture else open_named(options.name)
        cases = baseline.ids()
        if not check_globs(path, cases, options.globs):
            return 2
        retired = [case for case in cases if any(globs_take(glob, case) for glob in options.globs)]
        baseline.remove(retired)
        if architecture:
            write_text(path, baseline.text())
        else:
            save(baseline)
    print_output(f"baseline retire: {path} was written, but its report is lost", render(path, retired, len(cases), options.json))
    return 0
