# SPDX-License-Identifier: MIT
"""kernelgate pair: runs two benchmark commands by turns, and judges each benchmark by its pairs of runs."""

import os
import random
import secrets
import shlex
import time

from kernelgate.base.case_id import target_key
from kernelgate.base.command_line import read_number
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import member, text_of
from kernelgate.base.judging import ask_of, records_of
from kernelgate.base.nvidia_driver import ask_smi
from kernelgate.base.progress import Progress
from kernelgate.base.settings import results_folder
from kernelgate.base.steps import told_when_stopped
from kernelgate.imports.benchmark_command import FILE, BenchmarkCommand
from kernelgate.imports.import_command import TOOLS, is_same_benchmark
from kernelgate.run.judge import add_publishing, publish_verdicts
from kernelgate.run.run_files import begun

MOST_PAIRS, SECONDS, TIMEOUT, LIMIT = 24, 3600.0, 600.0, 1.0
MOST_SECONDS = 1e6
BASE, HEAD = "base", "head"
VISIBLE = "CUDA_VISIBLE_DEVICES"
GPUS = 64  # of one machine, at most


def choose_board():
    """Makes the first GPU the only one that the commands see, unless the user chose: pairs are of one board."""
    gpus = ask_smi(GPUS).gpus if VISIBLE not in os.environ else ()
    if len(gpus) > 1 and gpus[0].uuid:
        os.environ[VISIBLE] = gpus[0].uuid


def foreign_processes():
    """The number of processes that compute on the chosen GPU while no command runs; 0 if unknown."""
    chosen = os.environ.get(VISIBLE, "0").partition(",")[0]
    return max((gpu.foreign_processes for index, gpu in enumerate(ask_smi(GPUS).gpus)
                if chosen == str(index) or chosen != "" and gpu.uuid.startswith(chosen)), default=0)


class Pairs:
    """The runs so far of both commands."""

    def __init__(self, options):
        timeout = read_number("pair: --timeout", options.timeout, 0.001, MOST_SECONDS)
        self.commands = {BASE: BenchmarkCommand("--base", options.base, timeout), HEAD: BenchmarkCommand("--head", options.head, timeout)}
        self._named = TOOLS.get(options.tool)
        self._binaries = {BASE: options.base_binary, HEAD: options.head_binary}
        self._judges_all = options.all
        self._margin = read_number("pair: --limit", options.limit.removesuffix("%"), 0, 99) / 100
        self.ref = options.ref or "the base"
        self.most = int(read_number("pair: --pairs", options.pairs, 1, MOST_PAIRS))
        self.seconds = read_number("pair: --seconds", options.seconds, 0.001, MOST_SECONDS)
        self.seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
        self._random = random.Random(self.seed)
        self._code = None
        self._tool = self._target = self._board = self._provenance = None
        self._runs = {BASE: [], HEAD: []}
        self._names = {}
        self.busy = 0  # other processes on the GPU, at most
        self.pair_seconds = 0.0

    @property
    def count(self):
        return len(self._runs[HEAD])

    def _convert(self, path, document):
        """The one device of a run's document."""
        tool = self._named or next((tool for tool in TOOLS.values() if tool.looks_like(document)), None)
        if tool is None:
            raise Failure(f"{path}: its JSON is of no tool known here: let the command write that of {', '.join(TOOLS)}")
        devices = [device for device in tool.convert(path, document) if device.records]
        if len(devices) != 1:
            raise Failure(f"{path}: holds benchmarks of {len(devices)} devices: run at least one benchmark, on one GPU ({VISIBLE})")
        key = text_of(devices[0].target, "key")
        target = {**devices[0].target, "key": target_key(f"{key} {tool.NAME}" if key else tool.NAME)}
        if self._target is not None and (self._target, self._board) != (target, devices[0].id):
            raise Failure(f"{path}: is of {target['key']}, and the first run was of {self._target['key']}, or of another board of it: run "
                          "both commands with one tool on one GPU")
        self._tool, self._target, self._board, self._provenance = tool, target, devices[0].id, self._provenance or devices[0].provenance
        return devices[0]

    def run_pair(self):
        """Runs both commands, in random order: what drifts, or what the first run does to the second, is then as likely to
        favor either."""
        began = time.monotonic()
        devices = {}
        for side in self._random.sample((BASE, HEAD), 2):
            self.busy = max(self.busy, foreign_processes())
            devices[side] = self.commands[side].run(self._convert)
        for side in (BASE, HEAD):
            for case, name in devices[side].names.items():
                first = self._names.setdefault(case, name)
                if not is_same_benchmark(first, name):
                    raise Failure(f"pair: --{side}: {name} would be case {case}, as {first} is: name them so that a value tells them apart")
            self._runs[side].append(devices[side].records)
        self.pair_seconds = time.monotonic() - began
        common = {case for runs in self._runs[BASE] for case in runs} & {case for runs in self._runs[HEAD] for case in runs}
        if not common:
            raise Failure(f"pair: the commands have no benchmark in common ({next(iter(self._runs[BASE][0]))} and "
                          f"{next(iter(self._runs[HEAD][0]))}): run the same ones")

    def _find_code(self):
        """The files of both sides that may hold different kernels; {} if nothing is known of them."""
        # One program with other arguments, or two of which each has its own, may compare anything.
        if self._judges_all or None in self._binaries.values() and not BenchmarkCommand.are_alike(*self.commands.values()):
            return {}
        files = {side: command.code_files(self._binaries[side]) for side, command in self.commands.items()}
        for side, binary in self._binaries.items():
            if binary is not None and not files[side]:
                raise Failure(f"pair: --{side}-binary {binary}: is no program or library that can be read: name the file with its kernels")
        if not all(files.values()):
            return {}
        # A library that both load from one place is the same file.
        return {side: [path for name, path in of_side.items() if not name or files[BASE].get(name) != files[HEAD].get(name)]
                for side, of_side in files.items()}

    def ask(self, ended=""):
        """What kernelgate-judge says of the pairs; `ended` says why there are no more."""
        if self._code is None:
            self._code = self._find_code()
        cases = {case: {"imported": {"from": self._tool.NAME, "name": name, "files": []},
                        **{side: [run.get(case) for run in runs] for side, runs in self._runs.items()}} for case, name in self._names.items()}
        return ask_of("pair", records_of("pairs", test=f"pair.{self._target['key']}", target=self._target, provenance=self._provenance,
                                         ref=self.ref, margin=self._margin, ended=ended, pairs=self.count, code=self._code, cases=cases))

    def notes(self):
        """What a reader should know of the pairs."""
        yield f"{self.count} pairs, in the order of --seed {self.seed}, of {self.commands[BASE].text} and {self.commands[HEAD].text}"
        if self.busy:
            yield f"{self.busy} other processes computed on the GPU: free it for narrower intervals"

    def reproduce(self):
        return " ".join(["kernelgate pair", *(f"--{side} {shlex.quote(command.text)}" for side, command in self.commands.items()),
                         f"--limit {100 * self._margin:g}%"])


def judge_pairs(pairs):
    """Runs pairs until all is decided, or none is left; the verdicts."""
    progress = Progress("pair")
    began = time.monotonic()
    wanted = 1
    while True:
        while pairs.count < wanted:
            pairs.run_pair()
            left = (wanted - pairs.count) * pairs.pair_seconds
            progress.show(pairs.count / max(wanted, 1), left, f"pair {pairs.count} of {max(wanted, pairs.count)} before the next look")
        answer = pairs.ask()
        wanted = answer["pairs"]
        if wanted == 0:
            return answer["verdicts"]
        if pairs.most < answer["useful"]:
            raise Failure(f"pair: --pairs {pairs.most}: finds nothing slower among {len(answer['verdicts']['cases'])} benchmarks: "
                          f"give {answer['useful']} or more, or fewer benchmarks")
        ended = ""
        if wanted > pairs.most:
            ended = f"--pairs {pairs.most} allows no more"
        # Without the pairs of the first useful look nothing can be found.
        elif time.monotonic() - began + (max(wanted, answer["useful"]) - pairs.count) * pairs.pair_seconds > pairs.seconds:
            ended = f"there is no time for {wanted} within {pairs.seconds:g} s (a pair takes {pairs.pair_seconds:.1f} s): --seconds allows more"
        if ended:
            return pairs.ask(ended)["verdicts"]


def add_arguments(parser):
    parser.add_argument("--base", required=True, metavar="CMD", help=f"the base's benchmark; it prints its JSON, or leaves it in the file {FILE}")
    parser.add_argument("--head", required=True, metavar="CMD", help="the same of this tree")
    parser.add_argument("--from", dest="tool", choices=TOOLS, metavar="TOOL", help=f"whose JSON it is: {', '.join(TOOLS)} (default: by its form)")
    parser.add_argument("--limit", default=f"{LIMIT:g}", metavar="PERCENT",
                        help=f"what is slower by no more than this counts as equal (default: {LIMIT:g})")
    parser.add_argument("--pairs", default=str(MOST_PAIRS), metavar="N", help=f"at most N pairs of runs (default, and most: {MOST_PAIRS})")
    parser.add_argument("--seconds", default=f"{SECONDS:g}", metavar="N", help=f"the time limit of all (default: {SECONDS:g})")
    parser.add_argument("--timeout", default=f"{TIMEOUT:g}", metavar="N", help=f"the time limit of one run, in seconds (default: {TIMEOUT:g})")
    parser.add_argument("--base-binary", metavar="FILE", help="the program or library with the base's kernels (default: the command's program)")
    parser.add_argument("--head-binary", metavar="FILE", help="the same of this tree")
    parser.add_argument("--all", action="store_true", help="also judge where the kernels' machine code is the base's")
    parser.add_argument("--seed", type=int, metavar="N", help="of the order within each pair (default: a new one each time)")
    parser.add_argument("--ref", metavar="NAME", help="what the base is called (default: the base)")
    add_publishing(parser)
    parser.epilog = f"""\
Runs CMD of both sides by turns, in random order within each pair, on one GPU, and judges
each benchmark that both measure: slower where the median of its pairs is beyond --limit.
If nothing is slower, anything is called so with a probability of 0.7 % at most, however
many benchmarks there are. It ends as soon as all is decided, after 10 pairs or more.
CMD is split into words as by a shell, but run without one; {FILE} in it is the name of a
file for its JSON. Benchmarks that only one side has are notes. results.json, junit.xml,
summary.md and the page are written to the folder of the results, which is cleared first.

exit: 0 judged, and nothing worse; 1 slower (with --strict also what could not be
decided); 2 an error: a command that fails, hangs or prints something else
"""


def main(options):
    pairs = Pairs(options)
    folder = results_folder(options.out)
    with told_when_stopped(), begun(folder):
        choose_board()
        verdicts = judge_pairs(pairs)
        verdicts["notes"] = [*(member(verdicts, "notes") or []), *pairs.notes()]
        return publish_verdicts([verdicts], folder, options, base_ref=options.ref, reproduce=pairs.reproduce())
