# SPDX-License-Identifier: MIT
"""Tests of what the page of a run holds: its data, plots and parts, without a browser."""

import html.parser
import json
import os
import unittest
from unittest import mock

from own_folder import OwnFolder
from results_fixture import GPU, MODEL, a_bit_of_everything, case, copied, counted, results, timed

from kernelgate.report import page as report_page, plots
from kernelgate.report.comparisons import Table
from kernelgate.base.results import Run


def of_table(*cases, target=GPU):
    """The plots of comparison m, by title."""
    return {plot["title"]: plot for plot in plots.of_table(Table(Run(results(*cases)), "m", target))}


def values(plot):
    return {series["name"]: series["values"] for series in plot["series"]}


class Plots(unittest.TestCase):
    def test_times(self):
        """Sizes from small to large; each variant at its fastest launch; hot and cold where most variants have both."""
        found = of_table(timed("m/a/64x64/b8", 8000), timed("m/a/512/b8", 4000, 6000), timed("m/a/512/b16", 2000, 3000),
                         timed("m/b/512/b16", 1000, 1500), timed("m/c/512/b16", 500, verdict="wrong"))
        plot = found["Time by size, hot, at the fastest launch"]
        self.assertEqual((plot["kind"], plot["place_title"]), ("curves", "elements: the product of the size"))
        self.assertEqual({series["name"]: series["points"] for series in plot["series"]},
                         {"a": [[512, 2, "512"], [4096, 8, "64x64"]], "b": [[512, 1, "512"]]})
        plot = found["Time by launch, hot, at size 512"]
        self.assertEqual((plot["places"], values(plot)), (["b8", "b16"], {"a": [4, 2], "b": [None, 1]}))
        plot = found["Variants side by side at size 512"]
        self.assertEqual((plot["kind"], plot["places"], values(plot)),
                         ("bars", ["a", "b"], {"hot in the caches": [2, 1], "cold from device memory": [3, 1.5]}))

    def test_a_variant_keeps_its_style(self):
        found = of_table(copied("m/a/1/-", 2000, "host"), copied("m/a/2/-", 2000, "host"), timed("m/b/1/-", 1000),
                         timed("m/b/2/-", 1000))
        self.assertEqual([series["style"] for series in found["Roofline, hot, at the fastest launch"]["series"]], [1])

    def test_sizes_have_their_places(self):
        """Sizes of one number are the axis; the limit and the roofline are drawn where the GPU's limits are known."""
        found = of_table(timed("m/a/256/-", 1000), timed("m/a/530/-", 2000))
        curves, roof = found["Time by size, hot, at the fastest launch"], found["Roofline, hot, at the fastest launch"]
        self.assertEqual((curves["place_title"], [point[0] for point in curves["series"][0]["points"]]), ("size", [256, 530]))
        self.assertEqual([point[0] for point in curves["marks"][0]["points"]], [256, 530])
        left, ridge, right = roof["marks"][0]["points"]
        self.assertTrue(left[0] < ridge[0] < right[0] and left[1] < ridge[1] == right[1])
        self.assertEqual([point[2] for point in roof["series"][0]["points"]], ["a/256/-", "a/530/-"])

    def test_no_plot_misleads(self):
        """Sizes of one product have no axis. Left of the ridge or right of it, the limit has both its parts; no rate is above it."""
        self.assertNotIn("Time by size, hot, at the fastest launch", of_table(timed("m/a/8x0/-", 1000), timed("m/a/9x0/-", 2000)))
        for time, shown in ((1000, True), (0.5, False)):
            found = of_table(timed("m/a/256/-", time), timed("m/a/530/-", 2000))
            self.assertEqual("Roofline, hot, at the fastest launch" in found, shown, time)

    def test_a_wide_range_has_a_logarithmic_axis(self):
        for hot, log_from in ((20000, None), (21000, 0.1)):
            plot = of_table(timed("m/a/1/b8", 1000), timed("m/a/1/b16", hot))["Time by launch, hot, at size 1"]
            self.assertEqual(plot.get("log_from"), log_from)

    def test_nothing_to_compare(self):
        for cases in ((timed("m/a/1/-", 1000),), (timed("m/a/1/-", verdict="wrong"), timed("m/a/2/-", verdict="error"))):
            self.assertEqual(of_table(*cases), {})

    def test_more_variants_than_a_plot_can_show(self):
        for variants, shown in ((32, True), (33, False)):
            found = of_table(*(timed(f"m/v{number}/{size}/-", 1000 + number) for number in range(variants) for size in (1, 2)))
            self.assertEqual("Time by size, hot, at the fastest launch" in found, shown, variants)

    def test_counters(self):
        """Those in which variants differ, at the last row that most variants have."""
        found = of_table(*(counted(f"m/{variant}/{size}/b8", global_load_requests=count, barriers=4)
                           for size in (1, 2) for variant, count in (("a", 10 * size), ("b", 30))), counted("m/a/3/b8"),
                         target=MODEL)
        self.assertEqual(list(found), ["Global load requests at 2/b8"])
        self.assertEqual(values(found["Global load requests at 2/b8"]), {"Global load requests": [20, 30]})

    def test_samples(self):
        """Of each process beside the baseline's sessions and the limit, or of both builds; None: no strip."""
        slower = {"verdict": "slower", "baseline": 1000, "limit": 0.02, "samples_ns": [[1080, "x", 1100], [1090], "y"]}
        ends, sessions = {"baseline": 10, "limit": 206}, {"time_ns": [1000, 1010]}
        rows = {"baseline": ("M10.0,4h0M108.0,7h0", "1 000 ns"), "limit": ("", "1 020 ns"),
                "now, process 1": ("M794.0,4h0M990.0,7h0", "1 090 ns"), "now, process 2": ("M892.0,4h0", "1 090 ns")}
        pairs = {"base_ns": [10, "x"], "head_ns": [20, 30]}
        compared = {"main": ("M10.0,4h0", "10 ns"), "now": ("M500.0,4h0M990.0,7h0", "25 ns")}
        for metric, more, recorded, expected in (
                (slower, {}, sessions, (rows, ends)),
                (slower, {}, {}, ({**rows, "baseline": ("", "1 000 ns")}, ends)),
                (slower, {"pairs": {"time_ns": pairs}, "base": {"ref": "main"}}, sessions, (compared, {})),
                (slower, {"pairs": {"time_ns": {**pairs, "head_ns": 1}}}, sessions, (rows, ends)),
                ({**slower, "verdict": "pass"}, {}, sessions, None),
                ({**slower, "samples_ns": []}, {}, sessions, None)):
            with self.subTest(metric=metric, more=more):
                entry = case("m/a/1/-", verdict="slower", metrics={"time_ns": metric}, **more)
                strips = [({row["name"]: (row["dots"], row["figure"]) for row in strip["rows"]}, strip["marks"])
                          for strip in plots.strips_of(entry, lambda name, of=recorded: of.get(name, []))]
                self.assertEqual(strips, [expected] if expected else [])


class Elements(html.parser.HTMLParser):
    """The elements of a page, and the text of each script."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.names, self.scripts, self.text = [], [], text
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.names and self.names[-1] == "script":
            self.scripts[-1] += data


class Page(OwnFolder):
    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(os.environ, KG_CHART_JS=os.path.abspath("chart.js")))
        self.write("chart.js", "/*! Chart.js v3.9.1 */ var Chart;")

    def test_no_text_ends_its_element(self):
        page = Elements(report_page.write(Run(a_bit_of_everything())))
        self.assertFalse({"img", "b", "iframe", "object", "form"} & set(page.names))
        self.assertEqual([page.names.count(name) for name in ("title", "style", "script")], [1, 1, 3])
        self.assertEqual(len(json.loads(page.scripts[0])), page.names.count("canvas"))
        self.assertIn("Chart.js v3", page.scripts[1])

    def test_what_comes_first(self):
        entries = [case(f"m/a/{number}/-", verdict="slower") for number in range(25)] + [
            case("m/b/1/-", verdict="wrong"), case("m/b/2/-", verdict="wrong"), case("m/c/1/-", verdict="noisy")]
        groups = [{"target": GPU, "verdict": "wrong", "cases": ["m/b/1/-", "m/b/2/-"]}]
        data = report_page.data_of(Run(results(*entries, failure_groups=groups)))
        self.assertEqual([(group["anchor"], group["name"], group["members"]) for group in data["failed"]],
                         [("group-1", "m/b", "2 of 2 cases, first 1/-"), ("group-2", "m/a", "25 of 25 cases, first 0/-")])
        self.assertEqual([[group["verdict"] for group in data[part]] for part in ("groups", "excused")], [["wrong", "slower"], ["noisy"]])

    def test_chart_js(self):
        """Without it, or with another file in its place, the page says so and has tables alone."""
        document = results(timed("m/a/1/-", 1000), timed("m/b/1/-", 2000))
        for text in ("another's", "/* Chart.js v3.9 */ '</SCRIPT>'", "/* Chart.js v3.9 */ '<!--'", " " * 300 + "Chart.js v3.9",
                     None):
            if text is None:
                os.unlink("chart.js")
            else:
                self.write("chart.js", text)
            page = Elements(report_page.write(Run(document)))
            self.assertEqual(([script.strip() for script in page.scripts[:2]], page.names.count("canvas")), (["[]", ""], 0))
            self.assertIn(f"No plots, tables alone: {'Chart.js is not at ' if text is None else ''}{os.environ['KG_CHART_JS']}", page.text)

    def test_a_comparison_without_a_table(self):
        data = report_page.data_of(Run(results(timed("m/a/1", 1000), timed("n/a/1/-", 1000))))
        self.assertEqual([name for name, _ in data["comparisons"]], ["n"])
        self.assertIn('A comparison has no table: "m/a/1" is not a case id', data["remarks"][0])

    def test_a_table_of_very_many_cells_is_cut(self):
        with mock.patch.object(report_page, "MOST_CELLS", 30):
            data = report_page.data_of(Run(results(*(timed(f"m/a/{size}/b8", 1000) for size in range(12)))))
        column = data["comparisons"][0][1][0]["columns"][0]
        self.assertEqual((len(column["rows"]), column["more"]), (10, 2))
