# SPDX-License-Identifier: MIT
"""Tests of what the Python commands know of results."""

import json
import tempfile
import unittest

from kernelgate.base import errors, results

CASE = {"case": "a/v/1/-", "target": "gpu", "verdict": "pass", "why": "", "metrics": {"time_ns": {"value": 1}}}
DOCUMENT = {"schema": results.SCHEMA, "run": {}, "targets": {"gpu": {}}, "provenance": {}, "cases": [CASE]}


class Results(unittest.TestCase):
    def test_metrics_of_interest(self):
        zero, same, moved, gone, alone = ({"value": 0, "baseline": 0}, {"value": 5, "baseline": 5}, {"value": 5, "baseline": 4},
                                          {"value": 0, "baseline": 4}, {"value": 5})
        metrics = [("time_ns", zero), ("shares", same), ("global_load_requests", same), ("barriers", alone), ("shuffles", moved),
                   ("unique_bytes_read", gone), ("global_load_requests", zero), ("barriers", zero), ("shuffles", alone)]
        self.assertEqual([results.is_shown(*metric) for metric in metrics], [True] * 6 + [False] * 3)

    def loaded(self, document):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(document, file)
            file.flush()
            return results.load_figures(file.name)

    def test_the_earlier_form(self):
        earlier = {key: value for key, value in DOCUMENT.items() if key != "run"} | {"schema": results.EARLIER}
        for members, run in (({}, {}), ({"host": "h", "ended": "2026-01-31T12:00:00Z"}, {"host": "h", "ended": "2026-01-31T12:00:00Z"}),
                             ({"commit": "0123456789"}, {"commit": "0123456789", "dirty": False}),
                             ({"commit": "0123456789-dirty", "base": {"ref": "main", "commit": "abcdef0123"}},
                              {"commit": "0123456789", "dirty": True, "base_ref": "main", "base": "abcdef0123"})):
            self.assertEqual(self.loaded({**earlier, **members}), {**DOCUMENT, "run": run})
        cases = [{**CASE, "case": name, "target": target, "verdict": verdict} for name, target, verdict in (
            ("a/v/1/-", "gpu", "wrong"), ("a/v/2/-", "gpu", "wrong"), ("a/v/3/-", "gpu", "wrong"), ("a/v/1/-", "other", "wrong"), ("a/v/2/-", "gpu", "error"))]
        found = self.loaded({**earlier, "cases": cases, "failure_groups": [{"target": "gpu", "verdict": "wrong", "cases": ["a/v/1/-", "a/v/2/-"]}]})
        self.assertNotIn("failure_groups", found)
        self.assertEqual([entry.get("group") for entry in found["cases"]], [results.digest("a/v/1/-")] * 2 + [None] * 3)
        for members, told in (({"commit": 5}, "run.commit: 5 is not of type 'string'"),
                              ({"schema": "kernelgate-results/0"}, "its schema is")):
            with self.assertRaisesRegex(errors.Failure, told):
                self.loaded({**earlier, **members})

    def test_forms(self):
        self.assertEqual(self.loaded(DOCUMENT), DOCUMENT)
        for change, told in (
                ({"schema": "x"}, 'its schema is "x"'), ({"targets": []}, "targets: \\[\\] is not of type 'object'"),
                ({"run": {"commit": 5}}, "run.commit: 5 is not of type 'string'"),
                ({"cases": [{**CASE, "target": ""}]}, r"cases\[0\].target: '' "),
                ({"cases": [{**CASE, "verdict": "x"}]},
                 r"cases\[0\].verdict: 'x' is not one of \['pass', 'unchanged', 'more-accurate', 'faster'"),
                ({"cases": [{**CASE, "metrics": {"time_ns": {"low": "x"}}}]}, "metrics.time_ns.low: 'x' is not of type")):
            with self.assertRaisesRegex(errors.Failure, told):
                self.loaded({**DOCUMENT, **change})
