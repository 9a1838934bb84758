# SPDX-License-Identifier: MIT
"""Ladders: a comparison's variants, its rungs, in the order of its suite, with their times on GPUs and what explains each step."""

import math
import os
import re
import sys
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
# pylint: disable=wrong-import-position
from kernelgate.base.case_id import parse_case_id
from kernelgate.base.json_io import member, object_of
from kernelgate.base.programs import globs_take
from kernelgate.base.results import KEPT
from kernelgate.baseline.file import Baseline
from kernelgate.predict.bounds import MIB, Job, predict
from kernelgate.predict.gpu_specs import read_gpus

COPY = "copy"  # the variant that only moves a comparison's bytes
MOST_SIZES = 4  # columns of a GPU, the last of the suite's table
LEAST_GAIN = 0.01  # of a rung that pays, over the fastest before it
LEAST_FALL, LEAST_RISE = 1.1, 1.5  # of a counter that explains a step
REASON = re.compile("(?!busiest|unique|copied|printf|threads|shared_bytes|shared_(load|store)_requests)")  # those that may
NAMES = {"cublas": "cuBLAS", "cub": "CUB"}


def is_library(comparison, variant):
    return os.path.exists(f"{ROOT}/kernels/{comparison}/library/{variant}.cu")


def show_time(time):
    return f"{time / 1000:.{1 if time < 99950 else 0}f}" if time < math.inf else ""


def show_share(part, whole):
    return f"{100 * part / whole:.0f} %"


def bytes_of(work):
    """The bytes that a size moves at least, by what a program says of it; 0 if unknown."""
    return object_of(work, "work").get("bytes", 0)


class Gpu:
    """A GPU model's times in ns, and the launches that have them, by comparison, variant and size: of the baseline's launches the
    fastest, else, as in `turns`, those of a run with libraries. `works` is what suites say of a comparison's sizes."""

    def __init__(self, baseline, libraries, works):
        self.baseline, self.name = baseline, baseline.target["name"].removeprefix("NVIDIA ").split()[0]
        gpu = read_gpus().get(baseline.target["key"])
        self._figures = gpu.figures if gpu else {}
        self.times, self.launches, self.turns = {}, {}, {}
        stored = {case.id: case.metrics["time_ns"].value for case in baseline.cases.values() if "time_ns" in case.metrics}
        for times, found in ((self.times, sorted(stored.items(), key=lambda item: item[1])), (self.turns, libraries.items())):
            for case, time in ((parse_case_id(text), time) for text, time in found if parse_case_id(text)):
                key = (case.comparison, case.variant, case.size)
                times.setdefault(key, time)
                self.launches.setdefault(key, case.launch)
        self.times = {**self.turns, **self.times}
        copies = [(bytes_of(works.get((name, size))), time) for (name, variant, size), time in self.times.items()
                  if variant == COPY]
        self._copied = max((moved / time for moved, time in copies if not self._fits_l2(moved)), default=0)

    def _fits_l2(self, moved):
        """Whether L2 keeps half of a launch's bytes or more for the next one, which no copy from memory limits."""
        return moved < 2 * MIB * self._figures.get("l2_mib", math.inf)

    def limit(self, work):
        """The least time for some work, and the name of what takes it; None if unknown."""
        if not member(work, "work") or not self._copied:
            return None
        job = Job(work["type"], work["work"]["operations"], bytes_of(work))
        bounds = predict(self._figures, job, False, 0).bounds
        if bounds.get("compute", 0) > bounds["DRAM"]:
            return bounds["compute"], "arithmetic"
        return None if self._fits_l2(job.bytes) else (job.bytes / self._copied, "a copy of as many bytes")


def explain(before, now):
    """The three largest changes of counters, at most one each of sectors, requests to global memory, shared memory, and anything
    else: of what falls, else of what rises. What begins has no ratio, and is left out, except for tensor cores."""
    units = {}
    for name in sorted(filter(REASON.match, before.keys() | now.keys())):
        old, new, words = before.get(name, 0), now.get(name, 0), name.replace("_", " ")
        ratio = max(old, new) / min(old, new) if old and new else math.inf
        fell = new < old
        if ratio < (LEAST_FALL if fell else LEAST_RISE) or (name == "blocks" if fell else not old and name != KEPT):
            continue
        if not old or not new:
            text = f"no {words}" if old else "on tensor cores"
        elif fell and ratio < 2:
            text = f"{show_share(old - new, old)} fewer {words}"
        else:
            text = f"{ratio:.{0 if ratio >= 9.95 else 1}f} times {'fewer' if fell else 'as many'} {words}"
        unit = next((unit for unit in ("sectors", "global", "shared") if unit in name), "")
        units.setdefault(unit, []).append((not fell, -ratio, text))
    chosen = {unit: min(changes) for unit, changes in units.items()}
    if "sectors" in chosen and chosen.get("global", ())[:2] == chosen["sectors"][:2]:
        del chosen["global"]
    return [text for *_, text in sorted(chosen.values())[:3]]


@dataclass
class Facts:
    """What is known of all comparisons: their variants' ideas and their sizes' work, each in the suite's order, and baselines."""

    ideas: dict  # by comparison and variant
    works: dict  # by comparison and size
    gpus: list
    counted: Baseline  # the CPU model's


class Ladder:
    """`columns` are GPUs with sizes; `without` are globs of variants that are no rungs."""

    def __init__(self, name, facts, without=""):
        self._name, self._facts = name, facts
        keys = [key for gpu in facts.gpus for key in gpu.times if key[0] == name]
        counted = {parse_case_id(text): case for text, case in facts.counted.cases.items()}
        self._counted = {case: found for case, found in counted.items()
                         if case and case.comparison == name and (name, case.size) in facts.works}
        timed = {variant for _, variant, _ in keys}
        self.libraries = sorted(variant for variant in timed if is_library(name, variant))
        self.rungs = [variant for variant in facts.ideas[name] if variant in timed | {case.variant for case in self._counted}
                      and variant not in (COPY, *self.libraries) and not globs_take(without, variant)]
        known = [size for of, size in facts.works if of == name]
        sizes = sorted({size for *_, size in keys}, key=lambda size: (known.index(size) if size in known else len(known), len(size), size))
        self.columns = [(gpu, size) for gpu in facts.gpus for size in sizes[-MOST_SIZES:] if self.best(gpu.times, size) < math.inf]

    def time(self, gpu, variant, size):
        return gpu.times.get((self._name, variant, size), math.inf)

    def best(self, times, size, rungs=None):
        """The shortest time of some rungs, or of all."""
        rungs = self.rungs if rungs is None else rungs
        return min((times.get((self._name, variant, size), math.inf) for variant in rungs), default=math.inf)

    def _cell(self, gpu, size, variant):
        time = self.time(gpu, variant, size)
        fastest = math.inf > time == self.best(gpu.times, size, (*self.rungs, *self.libraries))
        return f"**{show_time(time)}**" if fastest else show_time(time)

    def _library(self, gpu, size, variant):
        time, beside = self.time(gpu, variant, size), self.best(gpu.turns, size)
        beside = beside if beside < math.inf else self.best(gpu.times, size)
        return f"{self._cell(gpu, size, variant)} ({show_share(time, beside)})" if time < math.inf else ""

    def rows(self):
        """The rows of the table: rungs that are timed, libraries and the limit, with the best rung's share of their speed."""
        for variant in self.rungs:
            cells = [self._cell(*column, variant) for column in self.columns]
            if any(cells):
                yield f"`{variant}`", *cells
        yield from ((NAMES.get(variant, variant), *(self._library(*column, variant) for column in self.columns))
                    for variant in self.libraries)
        limits = [(self.time(gpu, COPY, size), "a copy") if self.time(gpu, COPY, size) < math.inf
                  else gpu.limit(self._facts.works.get((self._name, size))) for gpu, size in self.columns]
        if any(limits):
            yield ("limit: " + ", ".join(dict.fromkeys(limit[1] for limit in limits if limit)),
                   *(f"{show_time(limit[0])} ({show_share(limit[0], self.best(gpu.times, size))})" if limit else ""
                     for limit, (gpu, size) in zip(limits, self.columns)))

    def _worth(self, variant):
        """Where a rung is not faster than all before it."""
        before, found = self.rungs[:self.rungs.index(variant)], {}
        for gpu in self._facts.gpus:
            sizes = [size for of, size in self.columns if of is gpu and self.time(gpu, variant, size) < math.inf]
            gains = [size for size in sizes
                     if self.time(gpu, variant, size) * (1 + LEAST_GAIN) < self.best(gpu.times, size, before)]
            if gains != sizes:
                found.setdefault(f"pays only at {' and '.join(gains)}" if gains else "does not pay", []).append(gpu.name)
        return [text + (f" on the {' and '.join(names)}" if len(names) < len(self._facts.gpus) else "") for text, names in found.items()]

    def _counts(self, variant, size):
        """The counters, at a size, of the rung's launch that is fastest there, or else at the last column's."""
        counted = {case.launch: found for case, found in self._counted.items() if (case.variant, case.size) == (variant, size)}
        fastest = [gpu.launches.get((self._name, variant, at))
                   for at in (size, *(at for _, at in self.columns[::-1])) for gpu in self._facts.gpus]
        launch = next((launch for launch in fastest if launch in counted), min(counted, default=None))
        return {name: metric.value for name, metric in counted[launch].metrics.items()} if counted else None

    def steps(self):
        """Each rung with its idea, what explains it, at the largest counted size, and where it does not pay."""
        size = max((case.size for case in self._counted), key=lambda size: bytes_of(self._facts.works[self._name, size]), default="")
        before = None
        for variant in self.rungs:
            now, reasons = self._counts(variant, size), []
            if now:
                reasons, before = explain(before or now, now), now
            yield variant, self._facts.ideas[self._name][variant], "; ".join(filter(None, (", ".join(reasons), *self._worth(variant))))
