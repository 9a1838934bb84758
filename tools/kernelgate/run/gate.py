# SPDX-License-Identifier: MIT
"""kernelgate gate: the gate, from a checkout to an exit code.

Gates the project in the current folder, or in KG_PROJECT: installs what is missing,
builds, runs ctest for every target that this machine has, prints one line per
comparison, every failure and the verdict, and leaves out/.

--target model is the CPU model: results, accesses to memory, and exact counters.
--target sm is the code that nvcc generates: spills, occupancy and 128-bit loads,
without a GPU. --target all is the CPU model; with nvcc also the generated code; with a
GPU also that.

Several GPUs: the tests are spread over those that CUDA shows; CUDA_VISIBLE_DEVICES
chooses among them. Further environment: KG_OUT (where results go, out/ by default),
KG_CASE_TIMEOUT (seconds a case may be silent, 60 by default), KG_CASE_SECONDS (seconds
it may be sampled for on a GPU, 0.5 by default), CUDACXX (the nvcc to use),
CTEST_PARALLEL_LEVEL, and CI=true, which makes compiler warnings errors.

exit: 0 pass; 1 slower or wrong (strict: or not judged); 2 error: the build failed, a
crash, a bad file, no such case; 77 nothing was judged, or a target has no baseline yet
(strict: 2)
"""

import contextlib
import glob
import importlib
import os
import random
import re
import shutil
import subprocess
import time

from kernelgate.base import run_lock
from kernelgate.base.contents import refuse_stale
from kernelgate.base.errors import Failure, complain
from kernelgate.base.programs import GPU, NOTHING, call_program
from kernelgate.base.results import load
from kernelgate.base.settings import is_strict, refuse_hidden_filter, setting
from kernelgate.base.steps import Console, elapsed, pass_on_errors, run_step, told_when_stopped
from kernelgate.run.base_build import Base
from kernelgate.run.build import OTHERWISE, Build, read_lines
from kernelgate.run.last_run import filter_of_failures, load_last
from kernelgate.run.gpu import NVCC_ADVICE, find_gpu, find_nvcc
from kernelgate.run.project import Project, need_baselines
from kernelgate.run.run_files import clear, make_folder, refuse_source

NAME = "kernelgate gate"
TARGETS = ("all", "model", "gpu", "sm")
SHOWN_LOG_LINES = 20
# Only the gate settles suspects, so only the gate may create any.
OWN_SETTINGS = ("KG_BASE", "KG_BASE_REF", "KG_BASE_COMMIT", "KG_PAIRED", "KG_FILTER_GIVEN", "KG_CHANGED", "KG_SAMPLE", "KG__CALLER")
PULL_REQUESTS = ("pull_request", "pull_request_target", "merge_group")
SHARE = "shard.json"  # in the build folder: the tests of a shard


def add_arguments(parser):
    parser.add_argument("--target", choices=TARGETS, default="all", metavar="TARGET", help="all (the default), model, gpu or sm")
    parser.add_argument("--strict", action="store_true",
                        help="for CI: cases that could not be judged fail too (the same as KG_STRICT=1)")
    parser.add_argument("--filter", metavar="GLOB",
                        help="only the cases whose id matches, such as 'matmul_f32/tiled/*' (the same as KG_FILTER)")
    parser.add_argument("--last-failed", action="store_true", dest="last_failed",
                        help="only what failed in the last run, by the results that it left in KG_OUT; all if it left none")
    parser.add_argument("--changed", action="store_true",
                        help="leave out what is unchanged: the times of cases whose launch and machine code are the base's, else "
                             "the baseline's, and comparisons whose program, settings and baseline are those of a run that "
                             "passed, on a GPU without timing any of them (the default in a pull request of GitHub Actions)")
    parser.add_argument("--all", action="store_true", help="test and time everything: the default elsewhere")
    parser.add_argument("--sample", metavar="N", help="with --changed, also time N cases chosen at random")
    parser.add_argument("--base", metavar="REF",
                        help="show how the baselines changed since the commit REF; on a GPU, compare slower cases with REF, "
                             "by pairs of processes of both builds")
    parser.add_argument("--paired", action="store_true", help="with --base: compare every timed case, slower or not")
    parser.add_argument("--seconds", metavar="N", help="the time limit of that comparison (default: 300, with --paired 3600)")
    parser.add_argument("--shard", metavar="I/N", help="run only part I of N of the tests; `kernelgate merge` makes one verdict of all")
    parser.add_argument("--costs", metavar="FILE",
                        help="with --shard or --slurm: split the tests by the seconds that they took in these results, a results.json "
                             "that is the same for all shards (default: by what the baseline counts)")
    parser.add_argument("--slurm", metavar="N", help="run N shards as an array job of Slurm, wait for it, and merge their results")
    parser.add_argument("sbatch", nargs="*", metavar="-- OPTION", help="with --slurm: options of sbatch, such as -- --gres=gpu:1 --time=30")
    parser.add_argument("-v", "--verbose", action="store_true", help="print one line per case as well, and per test as it ends")
    parser.add_argument("-q", "--quiet", action="store_true", help="print only the verdict's line")
    parser.epilog = __doc__.partition("\n\n")[2]


def _parse_shard(text):
    """The numbers in I/N."""
    found = re.fullmatch("([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", text)
    if not found or int(found[1]) > int(found[2]):
        raise Failure(f"gate: --shard '{text}': expected I/N, shard I of N, such as 1/4")
    return int(found[1]), int(found[2])


def _parse_slurm(options):
    """The number of shards; 0 without --slurm."""
    if options.slurm is None:
        if options.sbatch:
            raise Failure(f'gate: unexpected argument "{options.sbatch[-1]}": see `kernelgate gate --help`')
        return 0
    if not re.fullmatch("[1-9][0-9]{0,3}", options.slurm):
        raise Failure(f"gate: --slurm '{options.slurm}': expected a number of shards, from 1 to 9999")
    return int(options.slurm)


class NothingToJudge(Exception):
    """There is nothing to judge here, which is an error only in a strict run."""


class Gate:
    """A run of the gate with valid, consistent options."""

    def __init__(self, options):
        for name in OWN_SETTINGS:
            os.environ.pop(name, None)
        if options.last_failed and setting("KG_FILTER") is not None:
            raise Failure("gate: --last-failed and KG_FILTER exclude each other: unset KG_FILTER")
        if options.filter is not None:
            os.environ.update(KG_FILTER=options.filter, KG_FILTER_GIVEN=options.filter)
        quiet, self.verbose = options.quiet, options.verbose
        self.detail = ["--quiet"] if quiet else ["--verbose"] if self.verbose else []
        self.console = Console(quiet)
        self.project, self.options = Project(), options
        self.target = options.target
        self.since = options.base
        self.base = Base(self.project, self.since) if self.since is not None else None
        self._choose_times(options)
        if options.strict:
            os.environ["KG_STRICT"] = "1"
        self.strict = is_strict()
        refuse_hidden_filter(self.strict)
        self.shard = _parse_shard(options.shard) if options.shard is not None else None
        self.slurm = _parse_slurm(options)
        if options.costs is not None and not self.shard and not self.slurm:
            raise Failure("gate: --costs requires --shard I/N or --slurm N: a whole run is not split")
        # Read before this run clears the results of the last one.
        self.costs = load(options.costs) if options.costs is not None else None
        self._choose_folders()
        self.preset, self.labels, self.tested, self.gpu = "cpu", [], "CPU model", ""
        self.command, self.folder, self.only = "", "", []  # known after the build
        self.errors, self.notes = [], []
        self.last, self.last_failed = None, options.last_failed
        self.kept = None

    def _choose_times(self, options):
        for one, other in (("changed", "all"), ("changed", "paired"), ("verbose", "quiet"), ("last_failed", "filter"),
                           ("last_failed", "shard"), ("last_failed", "slurm"), ("shard", "slurm")):
            if getattr(options, one) and getattr(options, other):
                raise Failure(f"gate: --{one.replace('_', '-')} and --{other} exclude each other: give one of them")
        self.changed = options.changed or (os.environ.get("GITHUB_EVENT_NAME") in PULL_REQUESTS and not options.all
                                              and not options.paired)
        for name, form, what in (("seconds", "[1-9][0-9]{0,5}", "a whole number from 1 to 999999"),
                                 ("sample", "[0-9]{1,6}", "a number of cases")):
            if getattr(options, name) is not None and not re.fullmatch(form, getattr(options, name)):
                raise Failure(f"gate: --{name} is {what}, not '{getattr(options, name)}'")
        self.sample = int(options.sample or 0)
        if self.sample and not self.changed:
            raise Failure("gate: --sample needs --changed: without it all cases are timed")
        self.paired = options.paired
        self.settling = (["--seconds", options.seconds] if options.seconds else []) + (["--paired"] if self.paired else [])
        if self.settling and (self.base is None or self.target in ("model", "sm")):
            raise Failure(f"gate: {self.settling[0]} requires --base REF, and times, which a GPU alone has")

    def _choose_folders(self):
        """Tests run in folders of their own, so their paths must not depend on the current one."""
        if setting("KG_BASELINES") is not None:
            os.environ["KG_BASELINES"] = need_baselines()
        self.out = os.path.abspath(setting("KG_OUT") or os.path.join(self.project.root, "out"))
        os.environ["KG_OUT"] = self.out
        if re.search("[\x00-\x1f\x7f]", self.out):
            raise Failure(f"KG_OUT='{self.out}' holds a control character: set it to another folder")
        os.chdir(self.project.root)
        refuse_source(self.out)

    def _take_last(self):
        """Takes from the last run what failed and how long its tests took, before its results are cleared."""
        try:
            self.last = load_last(self.out)
        except Failure:
            if self.last_failed:
                raise
        if not self.last_failed:
            return
        where = self.project.shown(self.out)
        found = filter_of_failures(self.last) if self.last is not None else None
        if found == "":
            raise NothingToJudge(f"nothing was judged: nothing failed in the last run, by {where}/results.json")
        if found is None:
            self.console.say(f"--last-failed: everything runs: {'the last run failed as a whole' if self.last else f'{where} has no results'}")
            return
        self.console.say(f"--last-failed: only what failed in the last run ({found.count(',') + 1} names)")
        os.environ.update(KG_FILTER=found, KG_FILTER_GIVEN=found)

    def run(self, held):
        """Runs the gate; the exit code. `held` is the stack of resources that are released at the end."""
        make_folder(self.out)
        held.enter_context(run_lock.held(self.out, NAME))
        self._take_last()
        # From here on, an earlier run's results must never pass for this one's. A filter that matches no case makes no
        # run, but that is known only after the build.
        with contextlib.ExitStack() as forgetting:
            if setting("KG_FILTER") is None:
                clear(self.out)
            else:
                forgetting.callback(clear, self.out)
            setup(self.project, self.console)
            if self.slurm:
                clear(self.out)
                forgetting.pop_all()
                return importlib.import_module("kernelgate.run.slurm").run(self)
            if shutil.which("ctest") is None:
                raise Failure("ctest is not on the PATH: install the package cmake, 3.25 or newer, which brings it")
            self._build(held)
            forgetting.pop_all()
        self._begin()
        if self.base is not None:
            self._prepare_base()
        if self.changed and self.preset == "gpu":
            self._choose_sample()
        return self._test()

    def _choose_preset(self):
        if self.target == "model":
            self.labels = ["--label-regex", "^(model|gate)$"]
            return
        nvcc = find_nvcc()
        if self.target == "sm":
            self.labels, self.tested = ["--label-regex", "^(sm|gate)$"], "generated code"
            if not nvcc:
                raise NothingToJudge(f"nothing was judged for --target sm: no nvcc to generate code: {NVCC_ADVICE}")
            return
        gpu = find_gpu()
        if gpu.state == "usable" and nvcc:
            self.console.say(f"GPU: {gpu.text}; nvcc: {nvcc}")
            self.preset, self.tested, self.gpu = "gpu", "GPU and CPU model", gpu.text
            if self.target == "gpu":
                self.labels, self.tested = ["--label-regex", "^(gpu|gate)$"], "GPU"
        elif gpu.state == "none":
            if self.target == "gpu":
                raise NothingToJudge(f"{gpu.text}, so nothing was judged for --target gpu")
            self.console.say(f"{gpu.text}: no times are gated")
        else:
            why = (f"GPU found ({gpu.text}), but no nvcc to build for it: {NVCC_ADVICE}" if gpu.state == "usable" else
                   f"GPU unusable: {gpu.text}; reinstall or load the NVIDIA driver")
            if self.target == "gpu" or self.strict:
                raise Failure(f"{why} (or choose --target model)")
            self.console.say(f"{why}; until then no times are gated")

    def _build(self, held):
        self._choose_preset()
        build = Build(self.project, self.preset, self.console)
        held.enter_context(run_lock.held(build.folder, NAME, OTHERWISE))
        build.build(*(["kg_command"] if self.target == "sm" else []))
        self.command = self.project.command(self.preset)
        self.folder = f"build/{self.preset}"
        for name in ("ctest.log", "ctest.xml"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(f"{self.folder}/{name}")
        code = self._build_code(build)
        self.only = [] if self.target == "all" and code else [
            word for kind in (("model", "gpu") if self.target == "all" else (self.target,)) for word in ("--target", kind)]

    def _build_code(self, build):
        """Whether the generated code is judged; if so, compiles the kernels for each architecture. --target all
        leaves it out if there is no baseline for this nvcc, and the results say so."""
        if self.target in ("model", "gpu"):
            return False
        recorded = glob.glob("baselines/sm_*.json")  # a project without any need not be told each time
        if self.target == "all" and not os.path.exists(f"{self.folder}/kernelgate.code"):
            if recorded:
                self.notes.append("the generated code is not judged: there is no nvcc here that knows its architectures")
            return False
        said = []
        if run_step([self.command, "code", "--build", self.folder, "--ready"], said.append, stderr=subprocess.STDOUT):
            why = said[0].removeprefix("kernelgate: ") if said else "kernelgate code --ready failed"
            if self.target == "sm":
                raise NothingToJudge(f"nothing was judged for --target sm: {why}")
            if recorded:
                self.notes.append(f"the generated code is not judged: {why}")
            self.labels = ["--label-exclude", "^sm$"]
            return False
        build.build("kernel_code")
        if self.target != "sm":
            self.tested += " and generated code"
        return True

    def _call(self, *words):
        """Runs a command of kernelgate, whose errors may come from the tests' programs."""
        return run_step([self.command, *words], stderr=subprocess.PIPE)

    def _begin(self):
        code = self._call("begin", "--build", self.folder, "--programs", f"{self.folder}/kernelgate.programs", *self.only)
        if code:
            raise SystemExit(2)

    def _prepare_base(self):
        if self.preset != "gpu":
            self.console.say(f"the base {self.since} is not built: the counters of the CPU model are exact")
            self.base = None
        elif self.base.build(self.console):
            os.environ.update(KG_BASE=self.base.folder, KG_BASE_REF=self.since, KG_BASE_COMMIT=self.base.commit[:10])
            refuse_stale(self.folder)  # the base's build takes minutes
            if self.paired:
                os.environ["KG_PAIRED"] = "1"
        else:
            # The change may have written the baseline, so the baseline alone must not leave anything untimed.
            self.base, self.changed = None, False

    def _choose_sample(self):
        os.environ["KG_CHANGED"] = "1"
        cases = []
        for program in self.project.programs("gpu", GPU) if self.sample else ():
            cases += call_program(program, "--cases", "time", lists="cases", filtered=True).stdout.decode().split()
        if cases:
            os.environ["KG_SAMPLE"] = ",".join(random.sample(cases, min(self.sample, len(cases))))

    def _test(self):
        begun_ns = time.time_ns()
        # Imported here because this run may have installed their dependencies.
        ctest = importlib.import_module("kernelgate.run.ctest")
        boards = ctest.list_boards(self.project, self.console) if self.preset == "gpu" else ctest.Boards()
        if boards.error:
            self.errors.append(f"the boards could not be listed: {boards.error}")
        tests, chosen = self._choose_tests(ctest)
        begun, log, report = time.monotonic(), f"{self.folder}/ctest.log", f"{self.folder}/ctest.xml"
        if tests is not None and not tests:
            return self._results(None, 0)
        code = ctest.run_tests(self.preset, boards, self.labels + chosen, self.console, self.verbose, self.last)
        ended = ctest.ended_tests(report, code)
        if setting("KG_FILTER") is None:
            # A run that chose its tests has the digests of their programs.
            kept = self.kept or importlib.import_module("kernelgate.run.kept_verdicts").of_ended_tests(self.folder, self.out, self.command)
            kept.store(ended, begun_ns)
        ctest.show_unexplained(ended, self.out, self.console, self.verbose)
        self.console.say(f"{self.tested} tests: {elapsed(begun)} (log: {log}; the command kernelgate: {self.command})")
        if not os.path.exists(report) and os.path.exists(log):  # without a report, ctest has at least logged the reason
            pass_on_errors(read_lines(log)[-SHOWN_LOG_LINES:])
        if self.base is not None and self._settle():
            self.errors.append(f"suspects could not be settled against {self.since}: they were judged by one observation alone")
        return self._results(report, code)

    def _restores(self):
        """Whether the verdicts of unchanged programs are taken from earlier runs."""
        return self.changed and setting("KG_FILTER") is None

    def _choose_tests(self, ctest):
        """The tests that have to run, and the options of ctest that choose them; None and none if that is all of them."""
        if not self.shard and not self._restores():
            return None, []
        shard = importlib.import_module("kernelgate.run.shard")
        listed = shard.tests_in(ctest.list_tests(self.preset, self.labels))
        tests = self._take_share(shard, list(listed)).tests if self.shard else list(listed)
        if self._restores():
            self.kept = importlib.import_module("kernelgate.run.kept_verdicts").Kept(self.folder, self.out, self.command, tests)
            tests = self.kept.remaining()
            self.kept.leave()
            for why in self.kept.damaged:
                self.console.say(why)
        if len(tests) == len(listed):
            return None, []
        # No first, no last, no step, and then numbers: a regular expression of CTest holds 32 KB.
        return tests, ["--tests-information", ",".join(map(str, (0, 0, 0, *(number for name in tests for number in listed[name]))))]

    def _take_share(self, shard, names):
        """Chooses this shard's tests, and leaves them for the results."""
        gpus = {re.sub("^[0-9]+ x ", "", name) for name in self.gpu.split(", ")}
        share, costs = shard.choose(*self.shard, names, self.folder, self.only[1::2], self.costs, gpus)
        self.console.say(shard.describe(share, costs))
        shard.write_share(f"{self.folder}/{SHARE}", share)
        return share

    def _settle(self):
        return run_step([self.command, "settle", "--base", self.base.folder, "--head", self.folder, "--out", self.project.shown(self.out),
                         *self.settling], self.console.pass_on, stderr=subprocess.STDOUT)

    def _results(self, report, code):
        """Prints the verdict, as the only step; its exit code is the run's."""
        words = ["--out", self.project.shown(self.out), "--build", self.folder, "--programs", f"{self.folder}/kernelgate.programs",
                 *(["--ctest", report, "--ctest-code", str(code)] if report is not None else []), *self.only, *self.detail]
        words += ["--shard", f"{self.folder}/{SHARE}"] if self.shard else []
        words += ["--since", self.since] if self.since is not None else []
        words += [word for note in self.notes for word in ("--note", note)]
        words += [word for error in self.errors for word in ("--error", error)]
        ended = self._call("results", *words, *(["--strict"] if self.strict else []))
        if not os.path.exists(os.path.join(self.out, "results.json")):
            raise Failure(f"ctest ended with code {code}, and there are no results in {self.out}")
        return ended


def setup(project, console):
    """Installs the requirements of a gate that this machine lacks."""
    os.environ["KG_PROJECT"] = project.root
    code = run_step([os.path.join(project.home, "ci", "setup"), "--for", "gate"], console.pass_on, group=False)
    del os.environ["KG_PROJECT"]
    if code:
        raise SystemExit(code)


def main(options):
    with told_when_stopped(), contextlib.ExitStack() as held:
        gate = Gate(options)
        try:
            return gate.run(held)
        except NothingToJudge as nothing:
            complain(str(nothing))
            return 2 if gate.strict else NOTHING
