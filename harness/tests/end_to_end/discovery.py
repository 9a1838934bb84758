# SPDX-License-Identifier: MIT
"""Discovery: CTest finds the tests of the programs when it runs, with their labels and what the exit code 77 means; a program
that cannot be asked fails the run."""

import json

from run_fixture import COMMAND, GPU, MODEL, MODEL_CLAIMS, MODULES, TREE, Runs

SKIPPING = "SKIP_RETURN_CODE 77 TIMEOUT 60"
NO_TESTS = "--no-tests=error"


def property_of(test, name):
    return next((entry["value"] for entry in test["properties"] if entry["name"] == name), None)


def slots_of(test):
    """How many slots of a board a test takes."""
    groups = property_of(test, "RESOURCE_GROUPS") or []
    return sum(need["slots"] for group in groups for need in group["requirements"])


class Discovery(Runs):
    def include(self, program, properties=SKIPPING, labels="gpu;fake", whole=""):
        """Makes the folder one that CTest runs: a program's tests, as kg__discover_tests() has it. `whole` names the program's one
        test where it may be run whole."""
        self.write("CTestTestfile.cmake", "\n".join((
            f'set(program "{program}")', 'set(prefix "gpu.")', f"set(properties {properties})", f'set(labels "{labels}")', "set(list_seconds 10)",
            "set(board_slots 8)", f'set(whole "{whole}")', "set(whole_timeout 60)",
            f'include("{MODULES}/KgDiscoverTests.cmake")', "")))

    def include_script(self, *lines, **more):
        self.write_script("program", "\n".join(("#!/bin/sh", *lines, "")))
        self.include(self.at("program"), **more)

    def ctest(self, passes, told, *options, **settings):
        """What ctest prints where it passes, or fails, so."""
        code, printed = self.run_program("ctest", "--test-dir", ".", *options, CTEST_PARALLEL_LEVEL="1", **settings)
        self.assertEqual(code == 0, passes, printed)
        for text in (told,) if isinstance(told, str) else told:
            self.assertIn(text, printed)
        return printed

    def tests(self, **settings):
        """The tests that ctest finds, by name, in its order."""
        printed = self.ctest(True, "", "--show-only=json-v1", **settings)
        return {test["name"]: test for test in json.loads(printed)["tests"]}

    def test_names_choose_a_comparison_or_a_part(self):
        """The names that docs/reference.md gives for a comparison, a part of it and a claim; and labels."""
        self.include(GPU)
        self.assertEqual(set(self.tests()), {f"gpu.fake.{part}" for part in ("check", "defects", "time", "claim_quick_beats_plain")})
        for expression, total in ((r"\.fake\.", 4), (r"^gpu\.fake\.", 4), (r"^gpu\.fake\.check$", 1), (r"^gpu\.fake\.claim_", 1),
                                  (r"^model\.fake\.", 0)):
            self.ctest(True, f"Total Tests: {total}", "-N", "-R", expression)
        self.ctest(True, "  fake\n  gpu\n", "--print-labels")
        self.ctest(True, "No tests were found", "-LE", "^fake$")

    def test_a_filter_reaches_a_single_case(self):
        self.include(GPU)
        printed = self.ctest(True, "pass         nvidia-fake  fake/plain/64/b32", "-V", "-R", "check$",
                             KG_FILTER="fake/plain/64/b32")
        self.assertEqual(printed.count("nvidia-fake  fake/"), 1, printed)

    def test_the_parts_depend_on_each_other(self):
        """Claims read what the parts before them recorded, and what is wrong is told first."""
        self.include(GPU)
        printed = self.ctest(True, "Start 1: gpu.fake.check", "-V", KG_FILTER="nothing/*")
        starts = [printed.index(part) for part in ("Start 1: gpu.fake.check", ": gpu.fake.time\n",
                                                   ": gpu.fake.claim_quick_beats_plain\n")]
        self.assertEqual(starts, sorted(starts), printed)

    def test_claims_come_after_what_they_speak_of(self):
        """A claim of either program waits for the checks and for what it speaks of."""
        for program, part, expected in ((MODEL_CLAIMS, "gpu.fake.count", 14), (GPU, "gpu.fake.time", 1)):
            self.include(program, labels="fake")
            claims = [test for name, test in self.tests().items() if name.startswith("gpu.fake.claim_")]
            self.assertEqual(len(claims), expected)
            for test in claims:
                self.assertLessEqual({"gpu.fake.check", part}, set(property_of(test, "DEPENDS")), test["name"])

    def test_exit_codes_become_outcomes(self):
        """Without what makes 77 a skip it is a failure: nothing judged never looks like success."""
        for properties, filtered, passes, told in (
                (SKIPPING, "fake/plain/*", True, "100% tests passed, 0 tests failed"), (SKIPPING, "fake/wrong/*", False, "(Failed)"),
                (SKIPPING, "fake/crashes/*", False, "(Failed)"), (SKIPPING, "nothing/*", True, "gpu.fake.check (Skipped)"),
                ("TIMEOUT 60", "nothing/*", False, "(Failed)")):
            self.include(MODEL, properties, "model;fake")
            self.ctest(passes, told, "-R", "check", KG_FILTER=filtered)

    def test_programs_that_cannot_be_asked(self):
        self.include(self.at("missing.gpu"))
        self.ctest(False, "not-built (Not Run)", NO_TESTS)
        for line, told in (("echo 'no such library' >&2; exit 127", "--list failed (127): no such library"),
                           ("kill -SEGV $$", "--list failed (Segmentation fault)"),
                           ("sleep 100", "--list failed (Process terminated due to timeout)"), ("exit 0", "lists no test")):
            self.include_script(line)
            self.ctest(False, told, NO_TESTS)

    def test_listings_of_several_suites(self):
        """Whatever is in a name of a test's tree, as Criterion draws it."""
        self.include_script("printf 'one: 2 tests\\n|-- a\\n`-- b_2\\ntwo: 1 test\\n`-- c\\n'")
        self.assertEqual(list(self.tests()), ["gpu.one.a", "gpu.one.b_2", "gpu.two.c"])

    def test_whole_programs(self):
        """A program that is run whole is one test, and its exit code is the test's; one without tests and one that is never run
        whole are what they are otherwise."""
        lines = ("[ \"$1\" = --jobs=1 ] && echo '[FAIL] one::b' && exit 1", "printf 'one: 2 tests\\n|-- a\\n`-- b\\n'")
        whole = {"whole": "harness.one", "labels": "harness;one", "properties": "TIMEOUT 20"}
        self.include_script(*lines, **whole)
        self.assertEqual(len(self.tests(KG_WHOLE_PROGRAMS="0")), 2)
        self.assertEqual(list(self.tests(KG_WHOLE_PROGRAMS="1")), ["harness.one"])
        self.ctest(False, "[FAIL] one::b", "--output-on-failure", KG_WHOLE_PROGRAMS="1")
        self.include(self.at("program"), "TIMEOUT 20", "model;one")
        self.assertEqual(len(self.tests(KG_WHOLE_PROGRAMS="1")), 2)
        self.include_script("exit 0", **whole)
        self.ctest(False, "lists no test", NO_TESTS, KG_WHOLE_PROGRAMS="1")

    def test_tests_take_boards(self):
        """Checks share a board, times have one to themselves, claims need none; and times come first, which is why what they wait
        for does, the longest first."""
        self.include(GPU)
        tests = self.tests(KG_FILTER="fake/plain/*")
        for part, slots, cost in (("check", 1, 10004), ("defects", 1, 15000), ("time", 8, 20004), ("claim_quick_beats_plain", 0, None)):
            test = tests[f"gpu.fake.{part}"]
            self.assertEqual((slots_of(test), property_of(test, "COST")), (slots, cost), part)

    def test_ctest_hands_out_boards(self):
        """A run with a resource spec: every test runs on a board of it, which it names; the spec is of the boards that the program
        itself lists. One that is in the spec may be there no longer."""
        boards = ",".join(f"GPU-{board}=NVIDIA Fake" for board in ("00000000-1111-2222-3333-444444444444",
                                                                  "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"))
        self.include(GPU)
        self.set(KG_FILTER="fake/plain/64/*")
        self.write("gpus.json", self.expect_program(0, "", GPU, "--resource-spec", FAKE_BOARDS=boards))
        options = ("-j4", "-V", "-R", "check|time", "--resource-spec-file", "gpus.json")
        printed = self.ctest(True, "", *options, FAKE_BOARDS=boards)
        self.assertEqual(printed.count(" runs on GPU-"), 2, printed)
        self.ctest(False, "CUDA does not show the board", *options, FAKE_BOARDS="GPU-1=NVIDIA Fake")

    def make_gate(self, program):
        """A gate of one program for CTest, between the two ends of a run."""
        self.include(program, "FIXTURES_REQUIRED gate " + SKIPPING)
        self.write("programs", program)
        self.write("CTestTestfile.cmake", f"""\
add_test(gate.begin "{COMMAND}" begin)
set_tests_properties(gate.begin PROPERTIES FIXTURES_SETUP gate)
add_test(gate.results "{COMMAND}" results --programs "{self.at('programs')}")
set_tests_properties(gate.results PROPERTIES FIXTURES_CLEANUP gate SKIP_RETURN_CODE 77)
{self.read("CTestTestfile.cmake")}""")

    def test_every_test_of_a_run_has_to_report(self):
        """CTest alone is the gate too: what left no verdict fails it, unless its command line asked for less."""
        self.set(KG_FILTER="fake/plain/64/*")
        self.write_script("dead.gpu", f'#!/bin/sh\ncase $1 in --filter*) exit 0 ;; esac\nexec {GPU} "$@"\n')
        for program, ignored, options, passes, reported, missing in (
                (GPU, "", (), True, 4, []), (GPU, "gpu.fake.time", (), False, 3, ["gpu.fake.time"]),
                (GPU, "", ("-R", "check"), True, 1, []), (GPU, "", ("-E", "time"), True, 3, []),
                (self.at("dead.gpu"), "", (), False, 0, [""])):
            with self.subTest(options=options, ignored=ignored, program=program):
                self.make_gate(program)
                self.write("CTestCustom.cmake", f"set(CTEST_CUSTOM_TESTS_IGNORE {ignored})")
                self.ctest(passes, "", *options)
                results = self.load("out/results.json")
                self.assertEqual(results["coverage"]["tests"], {"expected": 4, "reported": reported})
                self.assertEqual([error.get("test", "") for error in results["errors"]], missing)

    def test_a_path_that_cannot_be_built_in_is_refused_first(self):
        """Characters of a build folder's path, those that a build cannot have and others."""
        self.write("CMakeLists.txt", f'cmake_minimum_required(VERSION 3.25)\ninclude("{MODULES}/KgPaths.cmake")\n'
                                     "project(paths LANGUAGES NONE)\n")
        for name, holds in (("a;b", "';'"), ("a#b", "'#'"), ('a"b', "'\"'"), ("a[b]", "'['"), ("a]b", "']'"), ("a*b", "'*'"),
                            ("a?b", "'?'"), ("a<b", "'<'"), ("a>b", "'>'"), ("a|b", "'|'"), ("a${b}", "'${'"),
                            ("a$ENV{b}", "'$ENV{'"), ("a\nb", "control"), ("a\tb", "control"), ("a b", None), ("a$b", None),
                            ("a'b", None), ("a(b){c}", None), ("a:b,c=d%e&f", None)):
            with self.subTest(name):
                printed = self.expect_program(1 if holds else 0, holds or "", "cmake", "-G", "Ninja", "-S",
                                              TREE if holds else self.folder, "-B", self.at(name))
                self.assertNotIn("identification", printed)
