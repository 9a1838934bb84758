# SPDX-License-Identifier: MIT
"""Tests of the words of a run's results, and of what its end adds to them."""

import os
import unittest
from unittest import mock

from merge_fixture import Merges, part, timed, verdicts

from kernelgate.run import expected as run_expected, merge as run_merge, results_command as run_results, texts as run_texts
from kernelgate.base.errors import Failure

STRICT = "NOTHING JUDGED (exit 2, because of KG_STRICT=1: 2 no-baseline"
CASE_LINE = "cmake --build build/gpu && {}ctest --test-dir build/gpu -R '^gpu\\.a\\.time$' --output-on-failure"


def document(code=0, strict=False, cases=(), vanished=0, errors=0, coverage=None, unrecorded=(), **tally):
    counts = {name.replace("_", "-") if name == "no_baseline" else name: count for name, count in tally.items()}
    return {"tally": {**run_merge.make_tally(), **counts}, "exit_code": code, "strict": strict, "unlisted": [],
            "unrecorded": unrecorded, "cases": [{"target": target} for target in cases], "vanished": [{}] * vanished, "errors": [{}] * errors,
            **({"coverage": coverage} if coverage else {})}


def covered(**more):
    return {"tests": {"expected": 32, "reported": 4}, "cases": {"expected": 626, "reported": 9}, **more}


class Lines(unittest.TestCase):
    def test_outcomes(self):
        for facts, outcome in (
                (document(**{"pass": 2}), "PASS (exit 0)"),
                (document(**{"pass": 2}, noisy=1, no_baseline=3, unlisted=4),
                 "PASS (exit 0), but not with KG_STRICT=1: 1 noisy, 3 no-baseline, 4 unlisted"),
                (document(strict=True, **{"pass": 2}, noisy=1), "PASS (exit 0)"),
                (document(1, vanished=1, **{"pass": 2}), "FAIL (exit 1)"), (document(1, vanished=1), "FAIL (exit 1)"),
                (document(coverage=covered(filter="a/*"), **{"pass": 1}), "PASS (exit 0), filtered: 9 of 626 cases"),
                (document(coverage=covered(partial=True), **{"pass": 9}), "PASS (exit 0), partial: 4 of 32 tests"),
                (document(coverage=covered(), **{"pass": 9}), "PASS (exit 0)"),
                (document(coverage=covered(filter="a/*", baselines="b"), **{"pass": 1}),
                 "PASS (exit 0), filtered: 9 of 626 cases, by the baselines in b"),
                (document(**{"pass": 2}, unavailable=1), "PASS (exit 0); 1 test had nothing to judge"),
                (document(1, slower=2, unavailable=3), "FAIL (exit 1); 3 tests had nothing to judge"),
                (document(2, error=2), "ERROR (exit 2)"), (document(2, errors=1), "ERROR (exit 2)"),
                (document(77, no_baseline=2, unavailable=1), "NOTHING JUDGED (exit 77)"),
                (document(77, **{"pass": 1}), "NOTHING JUDGED (exit 77)"),
                (document(0, no_baseline=2, checked=2), "PASS (exit 0), but not with KG_STRICT=1: 2 no-baseline"),
                (document(77, unrecorded=["t"], no_baseline=2, checked=2, **{"pass": 1}), "NO BASELINE (exit 77)"),
                (document(77, unrecorded=["t"], no_baseline=2), "NO BASELINE (exit 77)"),
                (document(2, True, unrecorded=["t"], no_baseline=2), "NO BASELINE" + STRICT.removeprefix("NOTHING JUDGED") + ")"),
                (document(2, unrecorded=["t"], error=1), "ERROR (exit 2)"),
                (document(1, no_baseline=2, failed_claims=1), "FAIL (exit 1)"), (document(), "NOTHING JUDGED (exit 0)"),
                (document(2, True, no_baseline=2), f"{STRICT})"),
                (document(2, True, no_baseline=2, unavailable=1), f"{STRICT}, 1 test had nothing to judge)"),
                (document(2, True, **{"pass": 2}, unavailable=3),
                 "ERROR (exit 2, because of KG_STRICT=1: 3 tests had nothing to judge)"),
                (document(2, True, no_baseline=2, error=1), "ERROR (exit 2)"),
                (document(2, True, filtered_out=1, errors=1), "ERROR (exit 2)"),
                (document(1, True, **{"pass": 2}, noisy=1, unlisted=1), "FAIL (exit 1, because of KG_STRICT=1: 1 noisy, 1 unlisted)"),
                (document(1, True, **{"pass": 2}, environment=1), "FAIL (exit 1, because of KG_STRICT=1: 1 environment)"),
                (document(1, True, slower=1, noisy=1), "FAIL (exit 1)"), (document(1, True, vanished=1, noisy=1), "FAIL (exit 1)")):
            summary = run_texts.Summary(facts)
            self.assertEqual(summary.outcome() + summary.reservations(), outcome)
            self.assertEqual(summary.document()["headline"], summary.headline() + summary.reservations())

    def test_changes(self):
        """Of a run with --changed the line always comes, also where nothing could be left alone."""
        changed, alone = {"parts": ["time"], "verdict": "pass"}, {"parts": ["time"], "verdict": "unchanged", "same_code": "baseline"}
        sampled = {**alone, "verdict": "pass", "metrics": {"time_ns": {}}}
        checked = {"parts": ["check"], "verdict": "pass"}
        both = {**alone, "parts": ["check", "time"], "metrics": {"error_max": {}}}
        for setting, cases, line in (
                ("1", [changed, alone, both, checked], "1 of 3 cases changed; 2 unchanged, not timed"),
                ("1", [changed, alone, sampled], "1 of 3 cases changed; 2 unchanged, 1 of them not timed"),
                ("1", [changed, changed], "2 of 2 cases changed"), ("1", [checked], None), ("", [changed, sampled], None)):
            with mock.patch.dict(os.environ, KG_CHANGED=setting):
                self.assertEqual(run_texts.Summary({**document(), "cases": cases}).changes(), line)

    def test_headlines(self):
        for facts, headline in (
                (document(), "no case was judged"), (document(cases=["t"], **{"pass": 1}), "1 case on t"),
                (document(cases=["t", "t", "u"], slower=1, error=2), "2 error, 1 slower of 3 cases: 2 on t, 1 on u"),
                (document(cases=["t"], faster=1, vanished=2), "1 faster of 1 case on t, 2 vanished cases"),
                (document(failed_claims=1, vanished=1, errors=1),
                 "no case was judged, 1 failed claim, 1 vanished case, 1 error outside of cases"),
                (document(failed_claims=2, errors=3), "no case was judged, 2 failed claims, 3 errors outside of cases")):
            self.assertEqual(run_texts.Summary(facts).headline(), headline)
        last = run_texts.Summary(document(1, True, ["t"], noisy=1, coverage=covered(partial=True))).verdict()
        self.assertEqual(last, "FAIL  1 noisy of 1 case on t, because of KG_STRICT=1: 1 noisy, partial: 4 of 32 tests")

    def test_unlisted(self):
        self.assertIsNone(run_texts.Summary(document()).unlisted())
        for count, named in ((1, "1 checked case (a/0)"), (6, "6 checked cases (a/0, a/1, a/2, a/3, a/4, ...)")):
            facts = {**document(), "unlisted": [{"case": f"a/{number}", "target": "cpu-model"} for number in range(count)]}
            self.assertEqual(run_texts.Summary(facts).unlisted(),
                             f"{named} not listed in baselines/cpu-model.json, so that their "
                             "removal would go unnoticed: list them with kernelgate rebaseline --target model")

    def test_reproduction_quotes_what_a_shell_would_read(self):
        odd, built = "it's; $(reboot)\n", {"build": "my build"}
        for facts, test, case, strict, line in (
                ({}, "gpu.a.time", "a/b/1/-", False, CASE_LINE.format("KG_FILTER='a/b/1/-' ")),
                ({}, "gpu.a.time", "a/b/1/-", True, "kernelgate gate --strict --target gpu --filter 'a/b/1/-'"),
                ({}, "sm_90.a", "a/b/1/-", True, "kernelgate gate --strict --target sm --filter 'a/b/1/-'"),
                ({}, "gpu.a.time", None, False, CASE_LINE.format("")), ({}, None, None, False, None),
                ({}, "import.t", "a", False, None),
                ({}, "model.a+b[c].check", None, False, "cmake --build build/cpu && ctest --test-dir build/cpu -R "
                 "'^model\\.a\\+b\\[c\\]\\.check$' --output-on-failure"),
                (built, "model.a.check", odd, False, "cmake --build 'my build' && KG_FILTER='it'\\''s; $(reboot) ' ctest --test-dir "
                 "'my build' -R '^model\\.a\\.check$' --output-on-failure")):
            self.assertEqual(run_texts.reproduce_test(facts, test, case, strict), line)

    def test_baselines(self):
        file = {"state": "unchanged", "no_longer_gated": 0, "retired": 0, "widened": 0, "slower": 0, "new": 0, "sentinels_moved": 0}
        changed = {**file, "target": "n", "state": "changed"}
        gates = {"target": "a", "at_2_percent": 160, "wider": 56, "reported_only": 61}
        for changes, sentence in (
                ({}, None), ({"gates": [], "by_hand": 0}, None), ({"gates": [], "by_hand": 1}, ": 1 band set by hand"),
                ({"gates": [gates]}, ": 160 times gated at 2 %, 56 wider, 61 reported only"),
                ({"gates": [gates, {**gates, "target": "b", "at_2_percent": 1}]},
                 ": a 160 times gated at 2 %, 56 wider, 61 reported only; b 1 time gated at 2 %, 56 wider, 61 reported only"),
                ({"since": "main", "files": [file]}, " since main: unchanged"),
                ({"since": "main", "files": [file, {**changed, "widened": 12, "new": 1, "sentinels_moved": 2}], "gates": [gates]},
                 " since main: n changed; loosened: 12 limits widened; 1 new; 2 sentinels moved; 160 times gated at 2 %, "
                 "56 wider, 61 reported only"),
                ({"since": "v1", "files": [{**changed, "slower": 1, "retired": 1},
                                           {**changed, "why": "w", "no_longer_gated": 1, "retired": 1}]},
                 " since v1: n changed, n changed (w); loosened: 1 metric no longer gated, 2 retired, 1 worse value"),
                ({"since": "v1", "files": [{**changed, "sentinels_moved": 1}]},
                 " since v1: n changed; nothing is loosened; 1 sentinel moved"),
                ({"since": "v1", "files": [{**changed, "why": "nvcc 2, was 1"}]}, " since v1: n changed (nvcc 2, was 1)")):
            self.assertEqual(run_texts.baselines_sentence(changes), sentence)

    def test_what_is_loosened(self):
        entry = {"target": "n", "case": "a/b/1/-", "metric": "time_ns", "before": 0.02, "after": 0.12}
        for members, line in (({"kind": "widened"}, "a/b/1/- time_ns on n: limit from 2.0 % to 12.0 %"),
                              ({"kind": "slower", "before": 1000, "after": 2000},
                               "a/b/1/- time_ns on n: value from 1 000 ns to 2 000 ns"),
                              ({"kind": "no_longer_gated"}, "a/b/1/- time_ns on n: no longer gated"),
                              ({"kind": "retired", "metric": None}, "a/b/1/- on n: retired")):
            self.assertEqual(run_texts.loosened_lines({"loosened": [{**entry, **members}]}), [line])
        for count, last in ((10, "a/b/1/- time_ns on n: no longer gated"), (12, "and 2 more")):
            lines = run_texts.loosened_lines({"loosened": [{**entry, "kind": "no_longer_gated"}] * count})
            self.assertEqual((len(lines), lines[-1]), (min(count, 11), last))
        self.assertEqual(run_texts.loosened_lines({}), [])


class Described(Merges):
    def test_which_cases_are_reproduced(self):
        """Strictly, where they would pass else; what was imported is imported again."""
        for verdict, strict, plainly in (("pass", True, None), ("faster", True, None), ("no-baseline", True, False),
                                         ("noisy", True, False),
                                         ("environment", True, False), ("slower", True, True), ("wrong", True, True),
                                         ("error", True, True),
                                         ("noisy", False, True)):
            results = self.results(verdicts("gpu.a.time", timed(verdict, reason="r"), timed(verdict, case="a/c/1/-", imported={
                "from": "nvbench", "name": "x", "files": ["c d.json"], **({"target": "t"} if strict else {})})), strict=strict)
            lines = [entry.get("reproduce") for entry in results["cases"]]
            self.assertEqual([line is None for line in lines], [plainly is None] * 2, verdict)
            self.assertEqual(results["cases"][0].get("reason"), None if verdict == "pass" else "r")
            if plainly is not None:
                self.assertEqual(["STRICT=1 " in line or " --strict " in line for line in lines], [not plainly] * 2, verdict)
                self.assertEqual(lines[1], f"{'' if plainly else 'KG_STRICT=1 '}KG_FILTER='a/c/1/-' kernelgate import --from nvbench "
                                 f"{'--target t ' if strict else ''}'c d.json'")

    def test_what_else_is_described(self):
        claims = [{"claim": "a/x", "holds": False}, {"claim": "a/y", "holds": True}]
        results = self.results(verdicts("gpu.a.time", timed(), errors=["e"], claims=claims, vanished=["a/o/1/-"]))
        line = CASE_LINE.format("")
        self.expect_members(results, {"errors.0.reproduce": line, "claims.0.reproduce": line, "claims.1.reproduce": None})
        self.assertIn("(baselines/nvidia-h200.json)", results["vanished"][0]["why"])
        self.expect_members(results["summary"], {"outcome": "ERROR (exit 2)", "unlisted": None, "baselines": None, "loosened": None})
        self.assertNotIn("reproduce", self.results()["errors"][0])

    def test_cases_that_failed_alike(self):
        groups = (("x", "wrong"), (None, "slower"), ("x", "wrong"), ("y", "wrong"), ("x", "wrong"), ("z", "error"), ("z", "error"))
        results = self.results(verdicts("t", *(part("check", verdict, case=f"m/a/{size}/b8", **({"group": group} if group else {}))
                                               for size, (group, verdict) in enumerate(groups))))
        self.assertEqual(results["failure_groups"], [
            {"target": "nvidia-h200", "verdict": verdict, "cases": [f"m/a/{size}/b8" for size in sizes], "fails": True}
            for verdict, sizes in (("error", (5, 6)), ("wrong", (0, 2, 4)), ("wrong", (3,)), ("slower", (1,)))])
        self.assertEqual(len({entry.get("group") for entry in results["cases"]}), 4)


class Ends(Merges):
    def test_ctest_and_verdicts_have_to_agree(self):
        skip, fail = '<skipped message="SKIP_RETURN_CODE=77"/>', '<failure message="Timeout"/><system-out/>'
        for status, inner, written, code, told in (
                ("run", "", 0, 0, None), ("run", "", 1, 0, "exit code 1"), ("fail", "", 1, 8, None), ("fail", "", 2, 8, None),
                ("fail", fail, 0, 8, '"fail" (Timeout)'), ("notrun", skip, 77, 0, None), ("notrun", skip, 0, 0, "exit code 0"),
                ("fail", "", 77, 8, "exit code 77"), ("notrun", "", 77, 8, '"notrun" for'), ("run", "", 77, 0, "exit code 77"),
                ("run", "", None, 0, None), ("notrun", skip, None, 0, None), ("fail", fail, None, 8, "failed (Timeout): see"),
                ("notrun", "", None, 8, "was not run: see"), ("disabled", "", None, 8, "was not run: see"),
                ("run", "", 0, 8, "ctest ended with code 8, though no test failed"), ("notrun", skip, 77, 8, "though no test failed")):
            merged = self.merged(verdicts("import.a", timed(), exit_code=written))
            self.write("report", f'<testsuite><properties/><testcase name="import.a" status="{status}">{inner}</testcase></testsuite>')
            run_results.check_report(merged, "report", code)
            errors = merged.document["errors"]
            self.assertEqual(len(errors), told is not None, (status, written, errors))
            if told:
                self.assertIn(told, errors[0]["why"])
                self.assertEqual(errors[0].get("test"), None if "though" in told else "import.a")
        merged = self.merged(verdicts("import.a", timed(), errors=["e"]))
        self.write("report", '<testsuite><testcase name="import.a" status="fail"/></testsuite>')
        run_results.check_report(merged, "report", 8)
        self.assertEqual(len(merged.document["errors"]), 1, "it has said so")
        for text in (None, "", "<a>", '<?xml version="1.0" encoding="shift_jis"?><a/>', '<?xml version="1.0" encoding="foo"?><a/>'):
            if text is not None:
                self.write("bad", text)
            with self.assertRaisesRegex(Failure, "^bad: ctest ended with code 8 and left no report"):
                run_results.check_report(merged, "bad", 8)

    def test_what_the_baselines_let_pass(self):
        def time(band, gated=True, value=10000):
            return {"commit": "c", "time_ns": {"value": value, "band": band, "band_by": "hand", "gated": gated}}

        # The floor is 5 % of the third, and 2 % of the last.
        metrics = (time(0.02), time(0.021), time(0.02, value=1000), time(0.5, False), time(0.02, False), time(0.01, value=2500))
        counts = {"target": "nvidia-h200", "at_2_percent": 2, "wider": 2, "reported_only": 2}
        merged = self.merged(verdicts("gpu.a.time", timed(), target={"key": "nvidia-h200"}))
        for cases, expected in ((None, None), (metrics, [counts])):
            run_expected.stored_baseline.cache_clear()
            if cases is not None:
                self.write("baselines/nvidia-h200.json", {
                    "schema": "kernelgate-baseline/2", "target": {"key": "nvidia-h200", "name": "NVIDIA H200"},
                    "cases": {f"a/b/{number}/-": entry for number, entry in enumerate(cases)}})
            run_results.add_baselines(merged, None)
            found = merged.document.get("baselines")
            self.assertEqual(found and found["gates"], expected)
        self.assertEqual(found["by_hand"], len(metrics))
        self.assertEqual((found["files"], found["loosened"]), ([], []))
        del merged.document["baselines"]
        with mock.patch.object(run_results, "loosened", lambda since: {"since": since, "files": [1]}):
            run_results.add_baselines(merged, "main")
        self.expect_members(merged.document["baselines"], {"since": "main", "files": [1], "gates": [counts]})
        del merged.document["baselines"]
        with mock.patch.object(run_results, "complain") as complain:
            run_results.add_baselines(merged, "no-such-commit")
        self.assertIn("--since no-such-commit", complain.call_args[0][0])
        self.assertEqual((len(merged.document["errors"]), merged.document.get("baselines")), (1, None))

    def test_the_code_of_ctest(self):
        self.assertEqual([run_results._code_of_ctest(text) for text in ("0", "8", "255")], [0, 8, 255])
        for text in ("256", "-1", "x", "1x", "9" * 5000, "٣", "1\n"):
            with self.assertRaisesRegex(Failure, "expected an exit code from 0 to 255"):
                run_results._code_of_ctest(text)
