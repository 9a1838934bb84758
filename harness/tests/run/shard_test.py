# SPDX-License-Identifier: MIT
"""How a run's tests are split over machines."""

import json
import os
import random
import subprocess
import sys
import unittest

from own_folder import OwnFolder

from kernelgate.base.errors import Failure
from kernelgate.run import expected, shard

ADDED = ("model.prog.main", "gpu.prog.main", "model.prog.Suite.one", "model.prog.Suite.two")
OWN = ("other_test", "unit.tests.of.its.own")
PARTS = ("model.{}.check", "model.{}.count", "model.{}.claim_x", "gpu.{}.time", "sm_90.{}.code")


def tests_of(comparisons):
    return [part.format(f"c{number}") for number in range(comparisons) for part in PARTS] + [*ADDED, *OWN]


def costs_of(names, seed):
    chance = random.Random(seed)
    return {name: chance.choice((0, 1, 100, chance.randrange(100000))) for name in names}


class Split(unittest.TestCase):
    def test_each_test_is_in_one_shard(self):
        for comparisons in (0, 1, 7):
            names = tests_of(comparisons)
            for of in (*range(1, len(names) + 3), shard.MOST):
                costs = costs_of(names, of)
                shards = shard.split(costs, of, ADDED)
                self.assertEqual(shards.keys(), set(names))
                self.assertLessEqual(set(shards.values()), set(range(1, of + 1)))
                loads = [sum(cost for name, cost in costs.items() if shards[name] == index) for index in range(1, min(of, 50) + 1)]
                for number in range(comparisons):
                    self.assertEqual(len({shards[part.format(f"c{number}")] for part in PARTS}), 1)
                units = [sum(costs[part.format(f"c{number}")] for part in PARTS) for number in range(comparisons)] + [*map(costs.get, names)]
                # The bound of this rule: no shard has more than another by more than the last unit that it got.
                self.assertLessEqual(max(loads) - min(loads), max(*units, costs[ADDED[0]] + costs[ADDED[1]]))

    def test_tests_without_cost_are_spread(self):
        shards = shard.split({f"model.c{number}.check": 0 for number in range(9)}, 3)
        self.assertEqual([list(shards.values()).count(index) for index in (1, 2, 3)], [3, 3, 3])

    def test_a_program_is_split_by_its_tests(self):
        shards = shard.split(dict.fromkeys(ADDED, 5), 3, ADDED)
        self.assertEqual(shards["model.prog.main"], shards["gpu.prog.main"])
        self.assertEqual(len(set(shards.values())), 3)

    def test_every_machine_has_the_same_partition(self):
        code = ("import sys, random; sys.path.insert(0, sys.argv[1]); from kernelgate.run import shard\n"
                "costs = list(eval(sys.argv[2]).items()); random.Random(int(sys.argv[3])).shuffle(costs)\n"
                "print(sorted(shard.split(dict(costs), 5, {'model.prog.main', 'gpu.prog.main'}).items()))")
        words = [os.path.join(sys.argv[1], "tools"), repr(costs_of(tests_of(9), 3))]
        found = {subprocess.run([sys.executable, "-B", "-c", code, *words, seed], capture_output=True, text=True, check=True,
                                env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in ("1", "2", "3")}
        self.assertEqual(len(found), 1)


class InFolder(OwnFolder):
    def setUp(self):
        super().setUp()
        os.mkdir("baselines")
        expected.stored_baseline.cache_clear()
        os.environ.pop("KG_FILTER", None)


class Costs(InFolder):
    TABLES = {"model.a.check": ["a/v/1/-", "a/v/2/-"], "model.a.claim_x": [], "gpu.a.time": ["a/v/1/-"] * 3, "sm_90.a.code": ["a/v/1/-"],
              "gpu.a.check": ["a/v/1/-"]}

    def estimate(self, earlier=None):
        return shard.estimate([*self.TABLES, "other"], self.TABLES, "baselines", earlier)

    def test_what_is_known_of_a_test(self):
        guessed = {"model.a.check": 200, "model.a.claim_x": 0, "gpu.a.time": 1390, "sm_90.a.code": 10, "gpu.a.check": 20, "other": 1000}
        self.assertEqual(self.estimate(), guessed)
        self.write("baselines/cpu-model.json", {
            "schema": "kernelgate-baseline/2", "target": {"key": "cpu-model", "compiler": "gcc 12.2.0"}, "provenance": {"model": "4"},
            "cases": {"a/v/1/-": {"commit": "c", "threads": 3000000, "global_load_requests": 1000000, "busiest_block_requests": 9999999,
                                  "global_load_sectors": 9999999}}})
        expected.stored_baseline.cache_clear()
        self.assertEqual(self.estimate(), {**guessed, "model.a.check": 2100})
        earlier = {"tests": [{"name": "gpu.a.time", "seconds": 1.5}, {"name": "gpu.a.time", "seconds": 2.5}, {"name": "other", "seconds": None}]}
        self.assertEqual(self.estimate(earlier), {**guessed, "model.a.check": 2100, "gpu.a.time": 2500, "other": 0})
        os.environ["KG_FILTER"] = "*/2/-"
        self.assertEqual(self.estimate(), {**dict.fromkeys(guessed, 0), "model.a.check": 100, "other": 1000})
        self.assertEqual(self.estimate({"tests": [{"name": "model.a.check", "seconds": 3}]})["model.a.check"], 1500)


class Shares(InFolder):
    def test_what_ctest_lists(self):
        def test(name, **properties):
            return {"name": name, "properties": [{"name": key, "value": value} for key, value in properties.items()]}

        listing = {"tests": [test("gate.begin", FIXTURES_SETUP=["gate"]), test("a", FIXTURES_REQUIRED=["gate"]), test("b"),
                             test("end", FIXTURES_CLEANUP=["gate"]), {"name": "c"}, test("b")]}
        self.assertEqual(shard.tests_in(json.dumps(listing)), {"a": [2], "b": [3, 6], "c": [5]})
        with self.assertRaisesRegex(Failure, "does not list the tests"):
            shard.tests_in("CMake Error")

    def choose(self, index=1, of=2, names=("model.a.check", "model.b.check"), gpus=("x",)):
        self.write("kernelgate.programs", "")
        return shard.choose(index, of, list(names), ".", [], None, set(gpus))[0]

    def test_a_plan_is_that_of_one_partition(self):
        share, other = self.choose(), self.choose(2)
        self.assertEqual((share.plan, {*share.tests, *other.tests}), (other.plan, {"model.a.check", "model.b.check"}))
        plans = {share.plan, self.choose(of=3).plan, self.choose(names=("model.a.check",)).plan, self.choose(gpus=("y",)).plan}
        os.environ["KG_FILTER"] = "a/*"
        plans.add(self.choose().plan)
        self.assertEqual(len(plans), 5)

    def test_a_share_is_read_as_it_was_written(self):
        self.assertIsNone(shard.read_share(None))
        share = self.choose()
        shard.write_share("share.json", share)
        self.assertEqual(shard.read_share("share.json"), share)
        good = {**share.facts(), "tests": []}
        for change in ({"index": 0}, {"index": 3}, {"of": "2"}, {"plan": ""}, {"tests": [5]}, {"of": 10000}):
            self.write("share.json", {**good, **change})
            with self.assertRaisesRegex(Failure, "share.json: is not a shard's share"):
                shard.read_share("share.json")
