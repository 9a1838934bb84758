# SPDX-License-Identifier: MIT
"""kernelgate tune: searches the launches of every variant for the best ones."""

import os
import tempfile
import time

from kernelgate.base.command_line import add_filter, add_format, print_output
from kernelgate.base.errors import Failure, Unavailable, complain, failures_of
from kernelgate.base.json_io import json_text, list_of, member, number_of, text_of
from kernelgate.base.figures import plural
from kernelgate.tune.launch_choice import TIME, Tuning
from kernelgate.base.observers import Observation, stoppable
from kernelgate.base.programs import GPU, MODEL, NOTHING, Answers, Query, find_build, globs_take, instrumented_program
from kernelgate.base.progress import Progress
from kernelgate.base.results import COUNTERS
from kernelgate.base.settings import is_strict
from kernelgate.tune.tune_report import Search, Tables, document_of

MANY_CANDIDATES = 50  # a smaller search starts without a message
COUNT_STEPS = 5  # a count takes about this many times as long as the check before it
STEP_OF_WORK = 1e5  # operations or words of a candidate per step on the CPU model
MOST_WORK = 1e9  # a larger job is sampled


def no_gpu(why=""):
    return Unavailable(f"tune needs a GPU{why}; --by COUNTER ranks by exact counters of the CPU model, such as --by global_load_sectors")


class Programs:
    """The programs of a folder with their candidates that the filter selects."""

    def __init__(self, build, globs, tuning):
        suffix = GPU if tuning.timed else MODEL
        self.folder, paths = find_build(build, suffix)
        query = Query("tune", "--candidates", "candidate")
        if not paths and tuning.timed and find_build(build, MODEL)[1]:
            raise no_gpu(", and the build has no program for one")
        if not paths:
            raise Failure(f"tune: there is no program *{suffix} of a comparison in {self.folder}: build it, or name its folder "
                          "with --build")
        try:
            answers = Answers(query, self.folder, paths)
        except SystemExit as end:
            if end.code == NOTHING and tuning.timed:
                raise no_gpu() from None
            raise
        globs = answers.complete(globs)
        self.target = answers.answers[0].document["target"]
        self.candidates = []  # of each program: its answer, and the selected ones
        self.axes = {}
        for answer in answers.answers:
            with failures_of(answer.path):
                taken = [tuning.add(case, why) for case, why in answer.ids() if not globs or globs_take(globs, case)]
            if taken:
                self.candidates.append((answer, taken))
                self.axes[taken[0].comparison] = [axis for axis in list_of(answer.document, "axes") if isinstance(axis, str)]
        if not tuning.candidates:
            raise Failure(f"tune: the programs in {self.folder} offer no candidate: see their --candidates")


def work_steps(answer, candidate):
    """The steps to check a candidate on the CPU model, by the work of its size."""
    work = member(member(answer.document, "work"), candidate.size)
    operations, words = (max(0.0, number_of(work, key)) for key in ("operations", "bytes"))
    return 1 + min(operations + words / 4, MOST_WORK) / STEP_OF_WORK


class Run:
    """The observation of all candidates. A step of progress is a timed candidate, or the model's work to check a
    small one."""

    def __init__(self, tuning, programs):
        self._tuning = tuning
        self._programs = programs
        self.target = None
        self.provenance = None
        self._steps = {}  # by candidate
        for answer, candidates in programs.candidates:
            self._steps.update({candidate.id: 1.0 if tuning.timed else work_steps(answer, candidate) for candidate in candidates})
        self._all = sum(self._steps.values()) * (1 if tuning.timed else 1 + COUNT_STEPS)
        self._before = 0.0  # of the observers that ended
        self._part = 0.0  # of the running observer
        self._done = 0.0  # of these
        self._factor = 0  # a finished candidate adds this times its steps; 0: the observer reports its progress
        self._progress = Progress("tune")

    def _show(self, left, what):
        done = self._before + self._done
        elapsed = self._progress.elapsed()
        if left is not None and done > 0:  # the observer's own, and the other programs at the same rate
            left += (self._all - self._before - self._part) * elapsed / done
        elif done > 0:
            left = elapsed * (self._all - done) / done
        self._progress.show(done / self._all, left, what)

    def _take_progress(self, record):
        done, total, left = (number_of(record, key) for key in ("done", "of", "seconds_left"))
        if done >= 0 and total > 0:
            self._done = max(self._done, self._part * min(done / total, 1))
            self._show(left if left >= 0 else None, f"{text_of(record, 'comparison')} {text_of(record, 'size')}")

    def _take(self, record):
        event, case = text_of(record, "event"), text_of(record, "case")
        candidate = self._tuning.take(record)
        if event == "progress":
            self._take_progress(record)
        elif event == "waiting":
            self._progress.clear()
            complain(text_of(record, "why"))
        elif event == "target" and self.target is None:
            self.target, self.provenance = member(record, "target"), member(record, "provenance")
        elif self._factor and (candidate or event == "checked"):
            self._done = min(self._done + self._factor * self._steps.get(case, 0), self._part)
            self._show(None, case)

    def _observe(self, program, part, candidates, factor, folder):
        """Observes the candidates that have no record yet."""
        self._part = sum(self._steps[candidate.id] for candidate in candidates) * (factor or 1)
        self._done, self._factor = 0.0, factor
        cases = [candidate.id for candidate in candidates if candidate.fate == "untried"]
        try:
            Observation(program, part, cases, self._take, self._progress.settings()).run(folder)
        except Unavailable as failure:
            raise no_gpu(f": {failure}") from None
        except Failure as failure:
            raise Failure(f"tune: {program}: {failure}") from None
        finally:
            self._progress.clear()
        self._before += self._part

    def _announce(self):
        count = len(self._tuning.candidates)
        if count >= MANY_CANDIDATES:
            complain(f"tune: {count} candidates of {plural(len(self._programs.candidates), 'comparison')} to check and "
                     f"{'time' if self._tuning.timed else 'count'}: a FILTER selects fewer")

    def observe_all(self, folder):
        self._announce()
        for number, (answer, candidates) in enumerate(self._programs.candidates):
            place = os.path.join(folder, str(number))
            os.mkdir(place)
            if self._tuning.timed:
                self._observe(answer.path, "tune", candidates, 0, place)
                continue
            # A wrong candidate could win with fewer accesses.
            with failures_of("tune"):
                instrumented = instrumented_program(answer.path)
            self._observe(answer.path, "check", candidates, 1, place)
            self._observe(instrumented, "count", candidates, COUNT_STEPS, place)
        for candidate in self._tuning.candidates.values():
            if candidate.fate == "untried":
                candidate.settle("failed", "its observer left no record of it")


def choose_exit_code(tuning):
    fates = {candidate.fate for candidate in tuning.candidates.values()}
    if "failed" in fates:
        return 2
    if "wrong" in fates:
        return 1
    if "measured" not in fates:
        complain("tune: every candidate was refused: see the reasons above, and widen the filter")
        return 2
    return 0


def search(options, globs):
    """Searches, prints and saves the results; the exit code."""
    form, tuning = options.format, Tuning(options.by)
    began = time.monotonic()
    programs = Programs(options.build, globs, tuning)
    observation = Run(tuning, programs)
    try:
        with tempfile.TemporaryDirectory(prefix="kernelgate-tune.") as folder:
            observation.observe_all(folder)
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}: set TMPDIR to a folder that can be written to") from None
    found = Search(tuning, observation.target or programs.target, observation.provenance, programs.axes, globs,
                   time.monotonic() - began)
    if form != "json":
        print_output("tune", Tables(found, form == "markdown").write(options.table))
    code = choose_exit_code(tuning)
    if form == "json":
        print_output("tune", json_text(document_of(found, code)))
    return code


def add_arguments(parser):
    add_filter(parser)
    parser.add_argument("--build", metavar="DIR", help="the folder of the comparisons' programs (default: this command's build)")
    parser.add_argument("--by", metavar="METRIC", choices=(TIME, *COUNTERS), default=TIME,
                        help="rank by time_ns (the default), or by a counter of the CPU model")
    parser.add_argument("--table", metavar="TABLE", choices=("best", "launches"), default="best",
                        help="best (the default), or launches: each by variant")
    add_format(parser, ("text", "markdown", "json"))
    parser.epilog = """\
FILTER is a list of globs on case ids, separated by commas; it replaces KG_FILTER:
matmul_i32, 'invert_red/*/960x1280x1/*'. Every candidate is checked before it is timed;
a wrong one is named, and never wins. A race drops slow candidates; the best of each
variant are then timed in turn, which gives their ratios. --by COUNTER
(global_load_sectors) needs no GPU.
exit: 0 searched; 1 a candidate was wrong; 2 an error, or a candidate crashed; 77 no GPU
"""


def main(options):
    if options.filter == "":
        raise Failure('tune: the filter "" contains no glob: omit it to select all')
    with stoppable():
        try:
            return search(options, options.filter or os.environ.get("KG_FILTER", ""))
        except Unavailable as failure:
            complain(str(failure))
            return 2 if is_strict() else NOTHING
