# SPDX-License-Identifier: MIT
"""The commands of kernelgate, a module each: finds the requested command, runs it, and prints help."""

import argparse
import functools
import importlib
import os
import sys
from typing import NamedTuple

from kernelgate.base.command_line import Parser, print_output
from kernelgate.base.run_facts import full_version
from kernelgate.base.settings import check_settings


class Command(NamedTuple):
    """Its module has add_arguments(parser) and main(options), which returns the exit code."""

    name: str
    module: str
    summary: str
    is_raw: bool = False  # main_raw(words) takes the words that follow as they are


COMMANDS = (
    Command("gate", "run.gate", "Gate a project: build it, run its tests, and print every failure and the verdict"),
    Command("rebaseline", "run.rebaseline", "Record this machine's baselines, and print the command that commits them"),
    Command("doctor", "run.doctor", "Check what this machine needs for a gate, with advice"),
    Command("list", "report.list_cases", "Print the cases of the built programs, what each is for, and the variants' ideas"),
    Command("report", "report.report", "Print what a run measured of a comparison, or make the page of a whole run"),
    Command("merge", "run.merge_runs", "Make one verdict of several runs: shards, GPU models, hosts"),
    Command("compare", "report.compare", "Print how two runs' results differ, as ratios with intervals and verdicts"),
    Command("baseline show", "baseline.show", "Print what a baseline holds, case by case"),
    Command("baseline diff", "baseline.diff", "Print how far baselines have moved in all, worst case first"),
    Command("baseline lint", "baseline.lint", "Check baseline files: one line per file"),
    Command("baseline retire", "baseline.retire", "Remove cases from a baseline by name"),
    Command("baseline record", "baseline.record", "Measure comparisons and store what moved beyond its band"),
    Command("baseline adopt", "baseline.adopt", "Add the times of gates to the sessions of a baseline"),
    Command("baseline merge", "baseline.merge", "Add the sessions of baselines that other hosts recorded"),
    Command("history add", "history.add", "Add runs to the history: results.json of any host, or artifacts"),
    Command("history show", "history.show", "Print a case's metrics over commits, with baseline, limit and verdict"),
    Command("history creep", "history.creep", "Print slowdowns that new baselines accepted step by step, beyond the limit in sum"),
    Command("history export", "history.export", "Print figures for Bencher, github-action-benchmark or Prometheus"),
    Command("history page", "history.page", "Make a page of a history: each metric over commits, with baseline and limit"),
    Command("bisect", "history.bisect", "Find the first commit that made a case wrong or slower"),
    Command("tune", "tune.tune", "Search the launches of every variant for the best time, bandwidth, occupancy"),
    Command("predict", "predict.predict", "Predict the minimum time of kernels on a GPU, which need not be installed"),
    Command("code", "run.show_code", "Print what nvcc generated for each case: registers, spills, occupancy, instructions"),
    Command("import", "imports.import_command", "Gate what another benchmark tool measured, by a stored baseline"),
    Command("pair", "imports.pair", "Judge two benchmark commands, of a base and of this tree, by pairs of their runs"),
    Command("comment", "pulls.comment", "Print results as a comment in a pull request, or post it on GitHub"),
    Command("nvcc", "programs.nvcc", "Build a CUDA program for the CPU model: a compiler with nvcc's command line", True),
    Command("run", "programs.run_program", "Run a program that `kernelgate nvcc` built, and print its kernels' counters"),
    Command("selftest", "run.selftest", "Prove the gate: kernels of known duration, made slower by a known extent"),
)
# Called by CTest, ci/ and the commands above.
PLUMBING = (
    Command("begin", "run.begin", "Begin a run: make the directory of its results and clear what an earlier run left there"),
    Command("settle", "run.settle", "Settle a run's suspects by pairs of processes of a base build and this one"),
    Command("results", "run.results_command",
            "End a run: merge what its tests left into results.json, junit.xml, summary.md and report/"),
    Command("judge", "run.judge", "Judge what another tool measured, as converted by `kernelgate import`"),
)

EPILOG = """\
commands:
{commands}
called by CTest and ci/:
{plumbing}
`kernelgate help COMMAND` explains one command, `kernelgate --version` is the version.
"""


def _declare(command, parser):
    module = importlib.import_module(f"kernelgate.{command.module}")
    module.add_arguments(parser)
    parser.set_defaults(main=module.main)


def _rows(commands):
    return "".join(f"  {command.name:<16} {command.summary}\n" for command in commands)


def _subparsers(parser):
    return parser.add_subparsers(prog=parser.prog, metavar="COMMAND", required=True, help=argparse.SUPPRESS)


def make_parsers(word):
    """The parser of the command line, and that of each command by its name: only of those whose first word is `word`, if
    there are any, because the parsers of all commands take a third of the time to start."""
    commands = COMMANDS + PLUMBING
    commands = [command for command in commands if command.name.split()[0] == word] or commands
    parser = Parser(prog="kernelgate", usage="kernelgate COMMAND [OPTION...]",
                    epilog=EPILOG.format(commands=_rows(COMMANDS), plumbing=_rows(PLUMBING)))
    groups, parsers = {"": _subparsers(parser)}, {}
    for command in commands:
        group, _, name = command.name.rpartition(" ")
        if group not in groups:
            members = [other for other in COMMANDS if other.name.startswith(f"{group} ")]
            groups[group] = _subparsers(groups[""].add_parser(group, usage=f"kernelgate {group} COMMAND [OPTION...]",
                                                              epilog=f"commands:\n{_rows(members)}"))
        parsers[command.name] = groups[group].add_parser(name, description=f"{command.summary}.",
                                                         declare=functools.partial(_declare, command))
    return parser, parsers


def complete(parser, parsers):
    """Answers the shell's request for completions, if argcomplete is installed; ends the process."""
    words = os.environ["COMP_LINE"].split()
    for name, command in parsers.items():
        if set(name.split()) <= set(words):
            command.declare()
    try:
        import argcomplete  # pylint: disable=import-outside-toplevel
    except ImportError:
        sys.exit(1)
    argcomplete.autocomplete(parser)


def main(arguments):
    raw = next((command for command in COMMANDS if command.is_raw and arguments[:1] == [command.name]), None)
    if raw is not None and "_ARGCOMPLETE" not in os.environ:
        return importlib.import_module(f"kernelgate.{raw.module}").main_raw(arguments[1:])
    parser, parsers = make_parsers("" if "_ARGCOMPLETE" in os.environ or not arguments else arguments[0])
    if "_ARGCOMPLETE" in os.environ:
        complete(parser, parsers)
    if not arguments:
        sys.stderr.write(parser.format_help())
        return 2
    if arguments == ["--version"]:
        print_output("version", f"kernelgate {full_version()}\n")
        return 0
    if arguments[0] == "help":
        arguments = [*arguments[1:], "--help"]
    options = parser.parse_args(arguments)
    check_settings()
    return options.main(options) or 0
