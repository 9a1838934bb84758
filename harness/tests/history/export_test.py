# SPDX-License-Identifier: MIT
"""The exports of a history, each read by its consumer's own parser or by the form that the consumer publishes, and its page."""

import importlib.util
import json
import math
from xml.etree import ElementTree

import jsonschema

from history_fixture import BEGUN, CASE, GPU, Histories, counted, failed, results, timed

OTHER = "m/naive/530/b16"
# Bencher Metric Format, as bencher.dev/bmf.json has it, and the lengths of its reference.
BMF = {"type": "object", "propertyNames": {"maxLength": 1024},
       "additionalProperties": {"type": "object", "propertyNames": {"maxLength": 64}, "additionalProperties": {
           "type": "object", "required": ["value"], "additionalProperties": False,
           "properties": dict.fromkeys(("value", "lower_value", "upper_value"), {"type": "number"})}}}
# What README of github-action-benchmark says of customSmallerIsBetter; its program reads these members.
BENCHMARK = {"type": "array", "items": {
    "type": "object", "required": ["name", "unit", "value"], "additionalProperties": False,
    "properties": {"value": {"type": "number"}, **dict.fromkeys(("name", "unit", "range", "extra"), {"type": "string", "minLength": 1})}}}


def parse_openmetrics(text):
    """The families by name, by Prometheus's own parser of the format."""
    parser = importlib.import_module("prometheus_client.openmetrics.parser")
    return {family.name: family for family in parser.text_string_to_metric_families(text)}


class Export(Histories):
    def setUp(self):
        super().setUp()
        self.add(results(timed(1000), timed(2000, 2000, case=OTHER), counted(8), at=0, commit="a" * 40),
                 results(timed(1030, verdict="slower"), timed(2004, 2000, case=OTHER), at=60, commit="b" * 40),
                 results(counted(8, tensor_multiply_adds=64), at=70, commit="b" * 40, host="runner-2"))

    def export(self, form, *arguments):
        return self.expect(0, "", "history", "export", "--format", form, *arguments)

    def test_bencher(self):
        report = json.loads(self.export("bmf", "--target", GPU))
        jsonschema.validate(report, BMF)
        self.assertEqual(report, {CASE: {"latency": {"value": 1030, "lower_value": 1028, "upper_value": 1032}},
                                  OTHER: {"latency": {"value": 2004, "lower_value": 2002, "upper_value": 2006}}})
        self.assertEqual(json.loads(self.export("bmf", OTHER, "--commit", "aaaa"))[OTHER]["latency"]["value"], 2000)
        counters = json.loads(self.export("bmf", "--target", "cpu-model"))
        jsonschema.validate(counters, BMF)
        self.assertEqual(counters[CASE], {"barriers": {"value": 8}, "shuffles": {"value": 4}, "tensor_multiply_adds": {"value": 64}})
        self.refuse("Bencher has one testbed, and the commit had cpu-model, nvidia-h200", "history", "export", "--format", "bmf")

    def test_lengths(self):
        self.add(results(timed(1, case=f"m/{'v' * 1020}/1/-"), at=90, commit="c" * 40))
        self.refuse("too long a name for Bencher", "history", "export", "--format", "bmf")

    def test_github_action_benchmark(self):
        entries = json.loads(self.export("github-action-benchmark"))
        jsonschema.validate(entries, BENCHMARK)
        named = {entry["name"]: entry for entry in entries}
        self.assertEqual(sorted(named), [f"{OTHER} time_ns on nvidia-h200", *(f"{CASE} {what}" for what in (
            "barriers on cpu-model", "shuffles on cpu-model", "time_ns on nvidia-h200"))])
        self.assertEqual(named[f"{CASE} time_ns on nvidia-h200"], {
            "name": f"{CASE} time_ns on nvidia-h200", "unit": "ns", "value": 1030, "range": "± 2",
            "extra": "slower\ncommit bbbbbbbbbb\nbaseline 1000, limit 2.0 %"})
        self.assertNotIn("range", named[f"{CASE} barriers on cpu-model"])

    def test_openmetrics(self):
        """Every run with its time, in seconds; backfilling needs each set of labels in order."""
        try:
            families = parse_openmetrics(self.export("openmetrics"))
        except ModuleNotFoundError:
            self.skipTest("python3-prometheus-client is not installed")
        family = families["kernelgate_time_seconds"]
        self.assertEqual((family.type, family.unit), ("gauge", "seconds"))
        samples = [sample for sample in family.samples if sample.labels["case"] == CASE]
        self.assertEqual([(float(sample.timestamp), round(sample.value * 1e9)) for sample in samples], [(BEGUN, 1000), (BEGUN + 60, 1030)])
        self.assertEqual(samples[0].labels, {"case": CASE, "target": GPU, "branch": "main", "host": "runner-1"})
        values = {name: [sample.value for sample in found.samples if sample.labels["case"] == CASE] for name, found in families.items()}
        self.assertEqual(values["kernelgate_time_failed"], [0, 1])
        self.assertEqual(values["kernelgate_time_limit_ratio"], [0.02, 0.02])
        self.assertEqual([round(value * 1e9) for value in values["kernelgate_time_baseline_seconds"]], [1000, 1000])
        self.assertEqual(families["kernelgate_barriers"].samples[1].labels["host"], "runner-2")

    def test_hostile_labels(self):
        self.add(results(timed(1, case="m/n/1/-"), at=90, branch='a"b\\c\nd', host="\u2028"))
        text = self.export("openmetrics", "m/n/*")
        try:
            sample = parse_openmetrics(text)["kernelgate_time_seconds"].samples[0]
        except ModuleNotFoundError:
            self.skipTest("python3-prometheus-client is not installed")
        self.assertEqual((sample.labels["branch"], sample.labels["host"]), ('a"b\\c\nd', "\u2028"))

    def test_runs_without_a_figure(self):
        """A case that failed has none, and no export makes one up."""
        self.add(results(failed(), timed(2000, 2000, case=OTHER), at=120, commit="d" * 40))
        self.assertEqual(list(json.loads(self.export("bmf"))), [OTHER])
        self.assertEqual(len(json.loads(self.export("github-action-benchmark"))), 1)
        self.assertFalse(any(math.isnan(float(line.split()[-2])) for line in self.export("openmetrics").splitlines() if line[0] != "#"))


class Page(Histories):
    def setUp(self):
        super().setUp()
        if importlib.util.find_spec("jinja2") is None:
            self.skipTest("python3-jinja2 is not installed")

    def test_page(self):
        """One file without scripts: a row and a plot for each metric that moved, whatever names it has."""
        hostile = '"><script>x</script>'
        self.add(*(results(timed(1000 + 10 * number, verdict="slower" if number == 3 else "pass"), counted(8), at=60 * number, host=hostile,
                           branch=hostile) for number in range(4)))
        self.expect(0, "", "history", "page", "--output", "pages/history.html")
        page = self.read("pages/history.html")
        self.assertEqual(page, self.expect(0, "", "history", "page"))
        self.assertNotIn("<script", page)
        self.assertEqual((page.count("<polyline"), page.count("<circle"), page.count('data-verdict="slower"')), (3, 4, 1))
        self.assertIn("2 metrics never moved", page)
        root = ElementTree.fromstring(page.partition("<main>")[2].partition("</main>")[0].join(("<main>", "</main>")))
        self.assertEqual([cell.text for cell in root.iter("td")],
                         ["time_ns", GPU, "4", "1 000 ns", "1 030 ns", "+3.0 %", "slower"])
        self.refuse("history page: pages: cannot be written", "history", "page", "--output", "pages")

    def test_places(self):
        """From zero, unless moves could not be seen."""
        from kernelgate.history.page import draw  # pylint: disable=import-outside-toplevel
        for values, low, heights in (([0, 50, 100], "0", (114, 60, 6)), ([100, 101, 102], "100", (114, 60, 6)), ([7, 7], "0", (6, 6)),
                                     ([40, None, 100], "0", (70.8, 6))):
            plot = draw({"value_title": "", "places": ["a"] * len(values), "series": [{"name": "value", "values": values}]})
            self.assertEqual((plot["low"], tuple(height for _, _, height in plot["lines"]["value"])), (low, heights), values)
