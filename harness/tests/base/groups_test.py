# SPDX-License-Identifier: MIT
"""Tests of groups of failures: their members and their order."""

import os
import tempfile
import unittest

from own_folder import write_file

from kernelgate.base.groups import Move, groups_of
from kernelgate.base.results import Run


def case(name, verdict, change=None, target="t", **more):
    """A case; with `change` its time is what failed."""
    metrics = {} if change is None else {"time_ns": {"value": 1000 * (1 + change), "baseline": 1000, "change": change, "limit": 0.02,
                                                     "verdict": verdict}}
    return {"case": name, "target": target, "verdict": verdict, "why": "its reason", "metrics": metrics, **more}


# The document, and of each group verdict, target, cases, whether it fails, name and members.
ALIKE = (
    ({"cases": [case("a/v/1/-", "pass"), case("a/v/2/-", "unchanged")]}, []),
    ({"cases": [case("a/v/1/-", "slower", 0.05), case("a/v/2/-", "slower", 0.1), case("a/v/3/-", "pass"), case("a/w/1/-", "slower", 0.07),
                case("a/v/1/-", "slower", 0.2, "u")]},
     [("slower", "u", ["a/v/1/-"], True, "a/v/1/-", ""), ("slower", "t", ["a/v/2/-", "a/v/1/-"], True, "a/v", "2 of 3 cases: 2/- +10.0 %, 1/- +5.0 %"),
      ("slower", "t", ["a/w/1/-"], True, "a/w/1/-", "")]),
    ({"cases": [*(case(f"a/v/{size}/-", "wrong", group=group) for size, group in enumerate("xyx")), case("a/v/3/-", "wrong"), case("a/v/4/-", "wrong")]},
     [("wrong", "t", ["a/v/0/-", "a/v/2/-"], True, "a/v", "2 of 5 cases: 0/-, 2/-"), ("wrong", "t", ["a/v/1/-"], True, "a/v/1/-", ""),
      ("wrong", "t", ["a/v/3/-"], True, "a/v/3/-", ""), ("wrong", "t", ["a/v/4/-"], True, "a/v/4/-", "")]),
    ({"cases": [case("a/v/1/-", "wrong", group="x"), case("a/v/2/-", "wrong", group="x")]},
     [("wrong", "t", ["a/v/1/-", "a/v/2/-"], True, "a/v", "2 of 2 cases, first 1/-")]),
    ({"cases": [case(f"p/test{number}/-/-", "wrong", group="x") for number in range(12)]},
     [("wrong", "t", [f"p/test{number}/-/-" for number in range(12)], True, "p",
       "p/test0, p/test1, p/test2, p/test3, p/test4, p/test5, p/test6, p/test7 and 4 more")]),
    ({"cases": [case("a/v/1/-", "faster", -0.5), case("a/v/2/-", "noisy"), case("a/v/3/-", "noisy", same_code="x"), case("a/v/4/-", "error"),
                case("a/v/5/-", "no-baseline", target="u")], "strict": True, "unrecorded": ["u"]},
     [("error", "t", ["a/v/4/-"], True, "a/v/4/-", ""), ("noisy", "t", ["a/v/2/-"], True, "a/v/2/-", ""), ("noisy", "t", ["a/v/3/-"], False, "a/v/3/-", ""),
      ("faster", "t", ["a/v/1/-"], False, "a/v/1/-", "")]),
    ({"cases": [case("a/v/1/-", "less-accurate", 9), case("a/v/2/-", "slower", 0.1), case("a/v/3/-", "noisy")], "strict": True},
     [("slower", "t", ["a/v/2/-"], True, "a/v/2/-", ""), ("less-accurate", "t", ["a/v/1/-"], True, "a/v/1/-", ""),
      ("noisy", "t", ["a/v/3/-"], True, "a/v/3/-", "")]),
    ({"cases": [case("a/v/1/-", "no-baseline"), case("a/w/1/-", "no-baseline"), case("b/v/1/-", "no-baseline")]},
     [("no-baseline", "t", ["a/v/1/-", "a/w/1/-"], False, "a", "a/v, a/w"), ("no-baseline", "t", ["b/v/1/-"], False, "b/v/1/-", "")]),
    ({"errors": [{"why": "x", "test": "gpu.a"}, {"why": "y"}, {"why": "x", "test": "gpu.b"}, {"why": "y"}],
      "claims": [{"claim": "gpu.a.claim_b", "target": "t", "holds": False}, {"claim": "c", "holds": True}, {"claim": "d", "reported_only": True}],
      "vanished": [{"case": f"a/v/{size}/-", "target": "t"} for size in (1, 2)] + [{"case": "a/v/1/-", "target": "u"}],
      "unlisted": [{}], "summary": {"unlisted": "list"},
      "tests": [{"name": "gpu.a", "target": "t", "skipped": "no GPU", "exit_code": 77}, {"name": "gpu.b", "target": "t", "skipped": "no GPU", "exit_code": 77},
                {"name": "gpu.c", "skipped": "x", "skipped_by": "filter"}, {"name": "gpu.d", "target": "t", "skipped": "no GPU", "exit_code": 2}]},
     [("error", "", ["gpu.a", "gpu.b"], True, "gpu.a", "also gpu.b"), ("error", "", ["kernelgate"], True, "kernelgate", ""),
      ("claim", "t", ["gpu.a.claim_b"], True, "gpu.a.claim_b", ""), ("vanished", "t", ["a/v/1/-", "a/v/2/-"], True, "a/v", "2 cases: 1/-, 2/-"),
      ("vanished", "u", ["a/v/1/-"], True, "a/v/1/-", ""), ("skipped", "t", ["gpu.d"], True, "gpu.d", ""),
      ("unlisted", "", ["baseline"], False, "baseline", ""), ("skipped", "t", ["gpu.a", "gpu.b"], False, "gpu.a", "also gpu.b")]),
)


class Groups(unittest.TestCase):
    def test_which_are_alike_and_in_which_order(self):
        for document, expected in ALIKE:
            found = groups_of(Run(document))
            self.assertEqual([(group.verdict, group.target, group.cases, group.fails, group.name, group.members()) for group in found], expected)
            self.assertEqual([group.document() for group in found],
                             [dict(zip(("verdict", "target", "cases", "fails"), members)) for members in expected])

    def test_what_a_group_tells(self):
        entries = [case("a/v/1/-", "slower", 0.05), case("a/v/2/-", "slower", 0.1, explanation="registers 32 -> 40", reproduce="again")]
        group, = groups_of(Run({"cases": entries}))
        self.assertEqual((group.reason, group.reproduce, group.entry, group.sizes),
                         ("2/- takes 1.100 µs, was 1 µs (+10.0 %, limit 2.0 %); registers 32 -> 40", "again", entries[1], 2))
        self.assertEqual(group.moves, [Move("a/v/2/-", "time_ns", 1100, 1000, 0.1, 0.02), Move("a/v/1/-", "time_ns", 1050, 1000, 0.05, 0.02)])
        entries = [case("a/v/1/-", "slower", 0.05, pairs={}), case("a/v/2/-", "slower", 0.04, pairs={})]
        self.assertEqual([groups_of(Run({"cases": entries[:count]}))[0].reason for count in (2, 1)], ["1/-: its reason", "its reason"])

    def test_places(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in (("kernels/a/v.cu", "\n__global__ void v()\n"), ("suites/a.c", "\n\nKG_CLAIM(a, b)\n"), ("baselines/t.json", '\n"a/v/1/-"')):
                write_file(os.path.join(folder, path), text)
            for document, place in (
                    ({"cases": [case("a/v/1/-", "wrong")]}, ("kernels/a/v.cu", 2)), ({"cases": [case("b/v/1/-", "wrong")]}, None),
                    ({"cases": [case("a/v/1/-", "wrong", at={"file": "kernels/a/v.cu", "line": 1})]}, ("kernels/a/v.cu", 1)),
                    ({"cases": [case("a/v/1/-", "wrong", findings=[{"file": "suites/a.c", "line": 1}])]}, ("suites/a.c", 1)),
                    ({"cases": [case("a/v/1/-", "wrong", at={"file": "../x.cu", "line": 1})]}, ("kernels/a/v.cu", 2)),
                    ({"claims": [{"claim": "gpu.a.claim_b"}]}, ("suites/a.c", 3)), ({"errors": [{"why": "x"}]}, None),
                    ({"vanished": [{"case": "a/v/1/-", "target": "t"}]}, ("baselines/t.json", 2))):
                self.assertEqual([group.place for group in groups_of(Run(document, folder))], [place], document)

    def test_documents_of_any_shape(self):
        for document in ({}, {"cases": 3, "claims": "x", "tests": [{"skipped": "x"}], "errors": [1, None, []], "vanished": [1]},
                         {"cases": [1, {}, {"case": 3, "target": [], "verdict": "great", "metrics": []}, {"verdict": "slower", "metrics": {"m": 3}}]}):
            for group in groups_of(Run(document)):
                self.assertTrue(group.cases, document)
                self.assertIsInstance(group.members() + group.reason + group.reproduce, str)
