"""The commands of kernelgate, a module each: finds the one that is called, runs it, and prints help and the manual page."""

import importlib
import sys
from typing import NamedTuple

from kernelgate import VERSION
from kernelgate.base import common
from kernelgate.base.common import Failure, nearest_name, print_output
from kernelgate.base.settings import check_settings


class Entry(NamedTuple):
    name: str
    module: str
    operands: str
    summary: str


# In the order of the overview.
COMMANDS = (
    Entry("gate", "run.gate", "", "Gate a project: build it, run its tests, and print every failure and the verdict"),
    Entry("rebaseline", "run.rebaseline", "", "Record this machine's baselines, and say which command commits them"),
    Entry("doctor", "run.doctor", "", "Check what this machine needs for a gate, with advice"),
    Entry("list", "report.list_cases", "[FILTER]",
          "Print the cases of the built programs, what each is for, and the variants' ideas"),
    Entry("baseline show", "baseline.show", "FILE|KEY", "Print what a baseline holds, case by case"),
    Entry("baseline diff", "baseline.diff", "[FILE|KEY...]", "Print how far baselines have moved in all, worst case first"),
    Entry("baseline lint", "baseline.lint", "[FILE...]", "Check baseline files: one line per file"),
    Entry("baseline retire", "baseline.retire", "FILE|KEY GLOB...", "Take cases out of a baseline by name"),
    Entry("baseline record", "baseline.record", "PROGRAM...", "Measure comparisons and store what moved beyond its band"),
    Entry("baseline adopt", "baseline.adopt", "RESULTS...", "Add the times of gates to the sessions of a baseline"),
    Entry("baseline merge", "baseline.merge", "FILE...", "Add the sessions of baselines that other hosts recorded"),
    Entry("begin", "run.begin", "", "Begin a run: make the folder of its results and clear what an earlier run left there"),
    Entry("settle", "run.settle", "", "Settle a run's suspects by pairs of processes of a base build and this one"),
    Entry("results", "run.results_command", "",
          "End a run: merge what its tests left into results.json, junit.xml, summary.md and report/"),
    Entry("report", "report.report", "", "Print what a run measured of a comparison, or make the page of a whole run"),
    Entry("compare", "report.compare", "A.json B.json [FILTER]",
          "Print how two runs' results differ, as ratios with intervals and verdicts"),
    Entry("occupancy", "predict.occupancy", "[FILTER]", "Print the occupancy of each launch, and what limits it"),
    Entry("code", "run.show_code", "[FILTER]", "Print what nvcc generated for each case: registers, spills, instructions"),
    Entry("import", "run.import_command", "FILE...", "Gate what nvbench or google-benchmark measured, by a stored baseline"),
    Entry("judge", "run.judge", "FILE", "Judge what another tool measured, as converted by `kernelgate import`"),
    Entry("selftest", "run.selftest", "PROGRAM", "Prove the gate: kernels of known duration, made slower by a known extent"),
    Entry("tune", "tune.tune", "[FILTER]", "Search the launches of every variant for the best time, bandwidth, occupancy"),
    Entry("predict", "predict.predict", "[FILTER]", "Predict the minimum time of kernels on a GPU, which need not be installed"),
)

HELP = ("--help", "-h")

OVERVIEW = """\
usage: kernelgate COMMAND [OPTION...]

{commands}
`kernelgate help COMMAND` explains one; `kernelgate help --man` is the manual page,
`kernelgate --version` the version.
"""

MANUAL = r""".TH KERNELGATE 1 "" "kernelgate" "User Commands"
.SH NAME
kernelgate \- a gate for CUDA kernels
.SH SYNOPSIS
\fBkernelgate\fR \fICOMMAND\fR [\fIOPTION\fR...]
.br
\fBkernelgate help\fR [\fICOMMAND\fR]
.SH DESCRIPTION
A kernel that got slower, or wrong, does not reach main. CTest runs the gate; this
command keeps its baselines, sums up its runs, compares, tunes and reports.
.SH COMMANDS
"""

# What the commands have in common, and no help of theirs has.
ENVIRONMENT = {
    "KG_STRICT": "1: whatever kept the gate from judging fails too. 0, empty or not set: not.",
    "KG_FILTER": "Globs on case ids, separated by commas, in which * crosses slashes.",
    "KG_OUT": "The folder of a run's results; out where it is not set.",
    "KG_BASELINES": "The folder of the baselines; baselines where it is not set.",
    "NO_COLOR": "Set to anything: no color, on no terminal.",
    "CLICOLOR_FORCE": "Set to anything but 0: color even where the output is not a terminal. NO_COLOR is stronger.",
}
EXIT_STATUS = {
    "0": "All that was judged is neither slower nor wrong.",
    "1": "Slower or wrong; with KG_STRICT=1 also environment, noisy, no-baseline and vanished.",
    "2": "An error: a crash, a bad file, no such case, a bad call.",
    "77": "Nothing was judged: no GPU, or all was filtered out; or a target has no baseline yet.",
}


def module_of(entry):
    return importlib.import_module(f"kernelgate.{entry.module}")


def usage_of(entry):
    """The first lines of a program's help."""
    words = filter(None, ("usage: kernelgate", entry.name, "[OPTION...]", entry.operands))
    return f"{' '.join(words)}\n\n{entry.summary}.\n\n"


def help_of(entry):
    """All that a command says of itself."""
    return usage_of(entry) + module_of(entry).COMMAND.help()


def list_commands(entries):
    """A line for each command."""
    return "".join(f"  {entry.name:<16} {entry.summary}\n" for entry in entries)


def overview():
    return OVERVIEW.format(commands=list_commands(COMMANDS))


def escaped(text):
    """A text of the page: a backslash, and what begins a line as a request does, would steer the formatter; a hyphen of an
    option must stay one that can be copied."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def manual():
    """kernelgate(1), in the macros of man(7)."""
    page = [MANUAL]
    for entry in COMMANDS:
        usage, text = help_of(entry).split("\n\n", 1)
        summary, *more = text.split("\n\n", 1)
        page.append(f".SS {escaped(usage[len('usage: '):])}\n{escaped(summary.rstrip())}\n")
        page += [f".PP\n.nf\n{escaped(lines)}.fi\n" for lines in more]
    for title, items in (("ENVIRONMENT", ENVIRONMENT), ("EXIT STATUS", EXIT_STATUS)):
        page.append(f".SH {title}\n")
        page += [f".TP\n\\fB{escaped(term)}\\fR\n{escaped(meaning)}\n" for term, meaning in items.items()]
    return "".join(page)


def find_command(arguments):
    """The command that the arguments begin with, and those that follow its name; None where there is none."""
    for entry in COMMANDS:
        words = entry.name.split(" ")
        if arguments[: len(words)] == words:
            return entry, arguments[len(words) :]
    return None, arguments


def refuse(arguments):
    """Refuses an unknown command, and names the one that may have been meant."""
    names = [entry.name for entry in COMMANDS]
    given = arguments[0]
    nearest = None
    if len(arguments) > 1 and not arguments[1].startswith("-"):
        nearest = nearest_name(" ".join(arguments[:2]), names)
    # Where no command of two words is like these, the second may be an operand of the first.
    if nearest is not None and " " in nearest:
        given = " ".join(arguments[:2])
    else:
        # The first word of a command is nearer than a similar name.
        nearest = next((name for name in names if name.startswith(given + " ")), None) or nearest_name(given, names)
    hint = f'; did you mean "{nearest}"? See' if nearest else ": see"
    raise Failure(f'unknown command "{given}"{hint} `kernelgate help`')


def print_help(arguments):
    """Prints the help of the command, or of the group of commands, that the arguments name."""
    entry, _ = find_command(arguments)
    group = [entry for entry in COMMANDS if entry.name.startswith(arguments[0] + " ")]
    if entry is not None:
        print_output("help", help_of(entry))
    elif group:
        print_output("help", f"usage: kernelgate {arguments[0]} COMMAND [OPTION...]\n\n{list_commands(group)}")
    else:
        refuse(arguments)


def run_command(entry, arguments):
    common.USAGE = usage_of(entry)
    if not set(HELP) & set(arguments[:1]):
        check_settings()
    return module_of(entry).main(arguments)


def main(arguments):
    if not arguments:
        sys.stderr.write(overview())
        return 2
    if arguments[0] in ("help", *HELP):
        if arguments[1:] == ["--man"]:
            print_output("help", manual())
        elif len(arguments) > 1:
            print_help(arguments[1:])
        else:
            print_output("help", overview())
        return 0
    if arguments == ["--version"]:
        print_output("version", f"kernelgate {VERSION}\n")
        return 0
    entry, rest = find_command(arguments)
    if entry is None and len(arguments) == 2 and arguments[1] in HELP:
        print_help(arguments)
    elif entry is None:
        refuse(arguments)
    else:
        return run_command(entry, rest)
    return 0
