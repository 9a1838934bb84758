# SPDX-License-Identifier: MIT
"""What a run leaves for CI systems, end to end: programs that pass, fail, crash, hang and skip, and the JUnit file, the summary
and the annotations that come of them."""

import os
import resource

from run_fixture import COMMAND, MODEL, TREE, Runs

SCHEMA = os.path.join(TREE, "harness", "tests", "report", "junit.xsd")
CASES = "fake/plain/*,fake/wrong/64/*,fake/crashes/64/*,fake/hangs/64/*"
SUITE = '<testsuites><testsuite name="a" tests="{}" failures="0" errors="0"{}>{}</testsuite></testsuites>'.format

# Four times as many failures, or reasons four times as long, are about four times the work; by the square they would be sixteen
# times as much.
MOST_GROWTH = 8


class CiFiles(Runs):
    def leave(self, test, **more):
        """The verdicts of a test."""
        self.write(f"out/records/{test}.verdicts.json", {"schema": "kernelgate-verdicts/1", "test": test, "complete": True, **more})

    def results(self, code, *options):
        return self.expect_program(code, "", COMMAND, "results", *options)

    def check(self):
        """A run of every kind, and verdicts whose texts break whoever does not escape them, one of a test that was skipped, and of
        one that was killed."""
        self.set(KG_CASE_TIMEOUT=1, KG_FILTER=CASES, KG_VERBOSE=None)
        self.expect_program(2, "", MODEL, "--filter=fake/check")
        why = "<a href='x'> & ]]> &amp; <![CDATA[ \x01\x1b[31m\x1f\x7f \ufffe \r\n::error::x 100 %"
        self.leave("gpu.other.time", exit_code=0, target={"key": "t"},
                   cases=[{"case": "other/v/1/-", "target": "t", "verdict": "wrong", "why": why}])
        self.leave("gpu.skips.time", exit_code=77, skipped="no <GPU> & ]]>", skipped_by="unavailable")
        self.leave("gpu.killed.time", complete=False)
        self.write("out/records/gpu.torn.time.verdicts.json", '{"schema": ')

    def validate(self, code, told):
        self.expect_program(code, told, "xmllint", "--noout", "--schema", SCHEMA, "out/junit.xml")

    def test_a_run_of_every_kind(self):
        self.check()
        self.results(2)
        self.validate(0, "junit.xml validates")
        junit = self.read("out/junit.xml")
        for part in ('name="fake/plain/64/b32"', '<failure type="wrong" message="wrong: kernels/fake/wrong.cu: ',
                     "crashed: the observer died of signal 11", "hung: no record for 1 s", '<skipped message="7 is an unlucky size"',
                     '<skipped message="no &lt;GPU&gt; &amp; ]]&gt;"', "&lt;a href='x'&gt; &amp; ]]&gt; &amp;amp; &lt;![CDATA[  ",
                     "gpu.killed.time", "gpu.torn.time"):
            self.assertIn(part, junit)
        summary = self.read("out/summary.md")
        self.assertIn("KG_FILTER='fake/wrong/64/b32' ctest --test-dir build/cpu -R '^model\\.fake\\.check$'", summary)
        for variant in ("crashes", "hangs"):
            self.assertIn(f"KG_FILTER='fake/{variant}/64/b32' ctest", summary)
        self.set(GITHUB_ACTIONS="true")
        text = self.results(2)
        self.assertEqual(text.count("\n::error"), 6, text)
        for part in ("title=error%3A fake/hangs/64/b32 on cpu-model::kernels/fake/hangs.cu: hung",
                     "\n::error title=wrong%3A other/v/1/- on t::<a href='x'> & ]]> &amp; ", "::error::x 100 %25%0Areproduce: "):
            self.assertIn(part, text)
        self.assertNotIn("\n::error::x", text, "no text is a command of its own")

    def test_a_run_that_left_nothing(self):
        os.makedirs("out/records")
        self.results(2)
        self.validate(0, "junit.xml validates")

    def test_the_schema_refuses_what_readers_do(self):
        case = '<testcase name="b" time="0">{}</testcase>'.format
        for wrong in ('<testsuites skipped="1"/>', '<testsuites time="1e3"/>', SUITE(0, "", ""),
                      SUITE(1, ' skipped="0"', case('<system-out/><failure type="x"/>')), SUITE(1, ' skipped="0"', case("<failure/>"))):
            self.write("out/junit.xml", wrong)
            self.validate(3, "")

    def test_only_annotations_are_workflow_commands(self):
        """Whoever reads what a job prints takes no text of a run for a command of ours."""
        self.write("out/records/gpu.other.verdicts.json", {
            "schema": "kernelgate-verdicts/1", "test": "::error::test", "complete": True, "target": {"key": "t"},
            "notes": ["::error::a note", "\n\t ::notice::another, ##[error]x"], "errors": ["::error::an error"],
            "refused": [{"case": "::error::a/b/1/-", "why": "##[error]y"}],
            "claims": [{"claim": "::error::claim", "holds": False, "why": "::error::why"}],
            "cases": [{"case": "::error::other/v/1/-", "target": "t", "verdict": "wrong", "why": "##[error]z ::error::z"}]})
        self.assertEqual(self.workflow_commands(self.results(2)), [])
        text = self.results(2, "--json")
        self.assertIn("\\u0023#[error]z", text)
        self.assertEqual(self.workflow_commands(text), [])
        self.set(GITHUB_ACTIONS="true")
        commands = self.workflow_commands(self.results(2))
        self.assertEqual([command.startswith("::error title=") for command in commands], [True] * 3, commands)

    def leave_failures(self, count, target, verdict, length, variants):
        timed = target == "t"
        figures = {"time_ns" if timed else "global_loads": {"value": 2.0, "baseline": 1.0, "verdict": verdict}}
        self.leave(f"{target}.other", target={"key": target}, cases=[
            {"case": f"other/v{number % variants}/{number + 1 + (0 if timed else count)}/b8", "target": target, "verdict": verdict,
             "why": "a" * length, "metrics": figures} for number in range(count)])

    def time_failures(self, count, verdict, length, variants, counted):
        """The seconds of the processor that it takes to sum up so many failures."""
        self.leave_failures(count, "t", verdict, length, variants)
        if counted:
            self.leave_failures(count, "cpu-model", "pass", length, variants)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.results(1)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_many_failures_are_summed_up_in_proportion(self):
        """Of kinds that once took time by the square of something. How many; their verdict, the length of each reason, how many
        variants the cases are of, and whether other sizes of these were counted on the CPU model."""
        self.set(KG_CHART_JS=self.at("none"))
        for small, large in (((60, "wrong", 3000, 60, False), (60, "wrong", 12000, 60, False)),
                             ((300, "slower", 10, 300, False), (1200, "slower", 10, 1200, False)),
                             ((750, "slower", 10, 1, True), (3000, "slower", 10, 1, True))):
            self.assertLess(self.time_failures(*large), MOST_GROWTH * self.time_failures(*small), small)
