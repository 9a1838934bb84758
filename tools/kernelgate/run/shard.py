# SPDX-License-Identifier: MIT
"""The part of a run that one of several machines tests: kernelgate gate --shard I/N.

Each machine computes the same partition, from what the commit has or what --costs names, so none has to ask another.
A comparison stays on one machine: its claims read the records of its other tests, and its counters explain its times."""

import hashlib
import heapq
import json
import os
from typing import NamedTuple

from kernelgate.base.added_programs import added_tests
from kernelgate.base.errors import Failure
from kernelgate.base.files import replace_file
from kernelgate.base.json_io import integer_of, json_text, list_of, number_of, parse_json, read_json, text_of
from kernelgate.base.figures import plural
from kernelgate.base.programs import filter_takes
from kernelgate.base.results import MODEL_KEY
from kernelgate.base.settings import CODE, GPU, MODEL, setting
from kernelgate.baseline.file import default_folder
from kernelgate.run.expected import kind_of_test, list_tests, split_test, stored_baseline

MOST = 9999
DIGITS = 12  # of a plan
REMEDY = "run kernelgate gate again, which writes it"
# What a case costs. On H200s a test that times took 1 s and 130 ms per case, and of the other tests, which run side by side, a
# case added 20 ms. Of the CPU model's checks and counts 1.1 s per million threads and requests together was the mean over this
# project's comparisons, from 0.5 to 3 s.
CASE_MS = {(GPU, "time"): 130, (GPU, "check"): 20, (GPU, "defects"): 20, (CODE, "code"): 10}
TIMES_MS = 1000
OTHER_CASE_MS = 100
MS_PER_COUNT = 0.0005
OTHER_TEST_MS = 1000  # one without cases that the tables list


class Share(NamedTuple):
    index: int
    of: int
    plan: str  # the same for all shards of one partition, and for no other
    tests: tuple

    def facts(self):
        return {"index": self.index, "of": self.of, "plan": self.plan}


def _is_fixture(test):
    return any(text_of(entry, "name") in ("FIXTURES_SETUP", "FIXTURES_CLEANUP") for entry in list_of(test, "properties"))


def tests_in(listing):
    """The tests in the output of `ctest --show-only=json-v1`, by name, with their numbers: a project may have a name twice.
    A test that prepares others runs wherever one of those does."""
    try:
        listed = list_of(parse_json(listing.encode("utf-8", "replace")), "tests")
    except ValueError as error:
        raise Failure(f"ctest --show-only=json-v1 does not list the tests: {error}: see what it prints") from None
    numbers = {}
    for number, test in enumerate(listed, 1):
        if not _is_fixture(test):
            numbers.setdefault(text_of(test, "name"), []).append(number)
    return numbers


def _seconds_in(results):
    """How long each test took in a run; of several hosts or GPU models the longest."""
    seconds = {}
    for test in list_of(results, "tests"):
        seconds[test["name"]] = max(seconds.get(test["name"], 0.0), number_of(test, "seconds"))
    return seconds


def _case_ms(test, case, counted):
    kind = kind_of_test(test)
    known = counted.get(case) if kind == MODEL else None
    if known is None:
        return CASE_MS.get((kind, split_test(test)[2]), OTHER_CASE_MS)
    return MS_PER_COUNT * sum(metric.value for name, metric in known.metrics.items()
                              if name == "threads" or name.endswith("_requests") and not name.startswith("busiest"))


def estimate(names, tables, baselines, earlier):
    """The cost of each test in whole milliseconds, whose sums are the same in any order. `tables` has the cases that a
    test runs, `earlier` are a run's results or None."""
    seconds, baseline = _seconds_in(earlier), stored_baseline(baselines, MODEL_KEY)
    counted = baseline.cases if baseline else {}
    costs = {}
    for name in names:
        listed = tables.get(name, ())
        chosen = list(filter(filter_takes, listed))
        if name in seconds:
            costs[name] = round(1000 * seconds[name] * (len(chosen) / len(listed) if listed else 1))
        elif name in tables:
            start = TIMES_MS if chosen and split_test(name)[2] == "time" else 0
            costs[name] = round(start + sum(_case_ms(name, case, counted) for case in chosen))
        else:
            costs[name] = OTHER_TEST_MS
    return costs


def _unit(test, added):
    """The tests of one unit have the same: those of a comparison, or of a test of a program on all targets."""
    kind, comparison, part = split_test(test)
    if kind_of_test(test) not in (MODEL, GPU, CODE) or not part:
        return kind, comparison, part
    return (comparison, part) if test in added else (comparison,)


def split(costs, of, added=()):
    """The shard, from 1, of each test: the units in descending order of cost, each to the shard that has the least."""
    units = {}
    for test in costs:
        units.setdefault(_unit(test, added), []).append(test)
    loads = [(0, 0, index) for index in range(1, of + 1)]
    shards = {}
    for cost, _, tests in sorted((-sum(costs[test] for test in tests), unit, tests) for unit, tests in units.items()):
        load_of, count, index = loads[0]
        heapq.heapreplace(loads, (load_of - cost, count + 1, index))
        shards.update(dict.fromkeys(tests, index))
    return shards


def choose(index, of, names, build, kinds, earlier, gpus):
    """A shard's share of the tests of these names, and the costs of all. Shards with other tests, costs, filters or GPU
    models have another plan."""
    costs = estimate(names, list_tests(os.path.join(build, "kernelgate.programs"), kinds), default_folder(), earlier)
    shards = split(costs, of, added_tests(build))
    plan = json.dumps([of, sorted(gpus), setting("KG_FILTER"), sorted(shards.items())])
    return Share(index, of, hashlib.sha256(plan.encode("utf-8", "surrogateescape")).hexdigest()[:DIGITS],
                 tuple(test for test in names if shards[test] == index)), costs


def describe(share, costs):
    mine, whole = sum(costs[test] for test in share.tests), sum(costs.values())
    return (f"shard {share.index} of {share.of}: {len(share.tests)} of {plural(len(costs), 'test')}, "
            f"about {mine / 1000:.0f} of {whole / 1000:.0f} s")


def write_share(path, share):
    replace_file(path, json_text({**share.facts(), "tests": list(share.tests)}))


def read_share(path):
    """What write_share() wrote; None without a path."""
    if path is None:
        return None
    document = read_json(path, REMEDY)
    tests = list_of(document, "tests")
    share = Share(integer_of(document, "index"), integer_of(document, "of"), text_of(document, "plan"), tuple(tests))
    if not (1 <= share.index <= share.of <= MOST and share.plan and all(isinstance(test, str) for test in tests)):
        raise Failure(f"{path}: is not a shard's share: {REMEDY}")
    return share
