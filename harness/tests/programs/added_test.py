# SPDX-License-Identifier: MIT
"""Tests of kg_add_program(): how a program's runs are judged, recorded and shown, from CMake to the results, and what CMake
refuses."""

import json
import os
import re
import shutil
import subprocess
import unittest
from unittest import mock
from typing import NamedTuple

from command_fixture import CMAKE, COMMAND, TREE
from own_folder import read_json
from program_fixture import ProgramTest

from kernelgate.base import added_programs

CTEST = os.path.join(os.path.dirname(CMAKE), "ctest")
HAS = {name: any(os.path.exists(f"/usr/include/{path}") for path in paths) for name, paths in {
    "gtest": ("gtest/gtest.h",), "catch2": ("catch2/catch.hpp", "catch2/catch_all.hpp")}.items()}

# What find_package() gives, of the build that is tested.
CONFIG = f"""\
enable_language(C)
enable_language(CXX)
add_executable(kernelgate::command IMPORTED)
set_target_properties(kernelgate::command PROPERTIES IMPORTED_LOCATION {COMMAND})
set_property(GLOBAL PROPERTY KG_TOOLKIT {os.path.dirname(COMMAND)}/toolkit)
include({TREE}/cmake/KgComparison.cmake)
"""
HEAD = """\
cmake_minimum_required(VERSION 3.25)
project(programs LANGUAGES CXX)
enable_testing()
find_package(kernelgate REQUIRED)
"""

# How it ends is the first argument's choice.
OUTCOMES = """\
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
__global__ void fill(int *x, int blocks) { x[blockIdx.x * blockDim.x + threadIdx.x] = blocks; }
__global__ void race(int *x) { if (threadIdx.x < 32) x[0] = threadIdx.x; }
__global__ void wait(int *x) { while (*(volatile int *)x == 0) { } }
static int deep(volatile char *below) { volatile char own[4096]; own[0] = *below; return deep(own) + own[0]; }
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int *x, blocks = std::getenv("BLOCKS") != nullptr ? std::atoi(std::getenv("BLOCKS")) : 2;
    if (std::strcmp(how, "idle") == 0) return 0;
    cudaMalloc(&x, 1024 * sizeof(int));
    cudaMemset(x, 0, 1024 * sizeof(int));
    if (std::strcmp(how, "race") == 0) race<<<1, 64>>>(x);
    if (std::strcmp(how, "stuck") == 0) wait<<<1, 32>>>(x);
    if (std::getenv("NONE") == nullptr) fill<<<blocks, 64>>>(x, blocks);
    if (std::strcmp(how, "unchecked") == 0) fill<<<1, 4096>>>(x, 1);
    else if (cudaDeviceSynchronize() != cudaSuccess) return 5;
    if (std::strcmp(how, "fails") == 0) { std::printf("first\\nouter.cu:7: sum is 3\\n"); return 4; }
    if (std::strcmp(how, "aborts") == 0) std::abort();
    if (std::strcmp(how, "overflows") == 0) { race<<<1, 64>>>(x); return deep((const char *)how == nullptr ? nullptr : argv[0]); }
    if (std::strcmp(how, "handles") == 0) std::signal(SIGTERM, [](int) { std::exit(0); });
    if (std::strcmp(how, "sleeps") == 0 || std::strcmp(how, "handles") == 0) sleep(100);
    if (std::strcmp(how, "starts") == 0) return std::system((std::string(argv[0]) + " race").c_str()) != 0;
    if (std::strcmp(how, "leaves") == 0) _exit(0);
    if (std::strcmp(how, "a b,c") == 0) std::printf("%d words, %s\\n", argc, argv[2]);
    if (std::FILE *file = std::fopen("data/in.txt", "r")) { std::printf("file: %d\\n", std::fgetc(file)); std::fclose(file); }
    cudaFree(x);
    return 0;
}
#ifdef __SANITIZE_THREAD__
#error "a kernel that asks for a sanitizer would be checked as another than the one that is used"
#endif
"""
LINES = {text: number for number, line in enumerate(OUTCOMES.splitlines(), 1)
         for text in ("void race", "void wait", "fill<<<1, 4096", "aborts", "sleeps") if text in line}
FAST = "TIMEOUT 2"


class Row(NamedTuple):
    name: str
    words: str  # of kg_add_program()
    code: int = 0
    verdict: str = "pass"
    why: str = "^$"  # a pattern
    at: tuple = ()


ROWS = (
    Row("right", ""),
    Row("race", "ARGS race", 1, "wrong", "^outcomes.cu:.*data race on .*kernel race$", ("outcomes.cu", LINES["void race"])),
    Row("unchecked", "ARGS unchecked", 1, "wrong", "^unchecked launch: ", ("outcomes.cu", LINES["fill<<<1, 4096"])),
    Row("fails", "ARGS fails", 1, "wrong", "^it ended with exit code 4: sum is 3$", ("outer.cu", 7)),
    Row("matches", "ARGS fails PASS_REGEX \"sum is [0-9]+\" no"),
    Row("differs", "ARGS fails PASS_REGEX \"sum is [a-z]+\"", 1, "wrong", '^its output does not match PASS_REGEX "sum is', ("outer.cu", 7)),
    Row("no_regex", "PASS_REGEX \"(\"", 2, "error", r'^PASS_REGEX "\(": .*: correct it in kg_add_program', ("outcomes.cu", None)),
    Row("aborts", "ARGS aborts", 2, "error", r"^it crashed: signal 6 \(Aborted\)", ("outcomes.cu", LINES["aborts"])),
    Row("overflows", "ARGS overflows", 2, "error", "data race on .*; it crashed: signal 11", ("outcomes.cu", LINES["void race"])),
    Row("sleeps", f"ARGS sleeps {FAST}", 2, "error", r"^it did not end within 2 s, and was ended: .*TIMEOUT", ("outcomes.cu", LINES["sleeps"])),
    Row("handles", f"ARGS handles {FAST}", 2, "error", r"^it did not end within 2 s", ("outcomes.cu", None)),
    Row("starts", "ARGS starts", 1, "wrong", "^it ended with exit code 1: error: data race", ("outcomes.cu", LINES["void race"])),
    Row("stuck", f"ARGS stuck {FAST}", 2, "error", r"^it did not end within 2 s", ("outcomes.cu", LINES["void wait"])),
    Row("idle", "ARGS idle", 2, "error", "^it launched no kernel", ("outcomes.cu", None)),
    Row("leaves", "ARGS leaves", 2, "error", "^it left no report", ("outcomes.cu", None)),
    Row("words", "ARGS \"a b,c\" \"it's \\\"x\\\"\" PASS_REGEX \"^3 words, it's \\\"x\\\"\""),
    Row("files", "FILES data/in.txt PASS_REGEX \"file: 65\""),
)

GTEST = """\
#include <gtest/gtest.h>
__global__ void fill(int *x, int by) { x[threadIdx.x] = by; }
template <class T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }
class Sizes : public ::testing::TestWithParam<int> {};
TEST_P(Sizes, Fill) { int *x; cudaMalloc(&x, 1024); fill<<<1, GetParam()>>>(x, 1); EXPECT_EQ(cudaFree(x), cudaSuccess); }
INSTANTIATE_TEST_SUITE_P(All, Sizes, ::testing::Values(32, 64));
TEST(Host, Alone) { EXPECT_EQ(1 + 1, 2); }
TEST(Host, DISABLED_Not) { EXPECT_EQ(1, 2); }
TEST(Kernel, Beyond) { int *x; cudaMalloc(&x, 32); fill<<<1, 32>>>(x, 1); twice<float><<<1, 8>>>((float *)x); cudaDeviceSynchronize(); }
TEST(Kernel, Unequal) { EXPECT_EQ(1, 2) << "numbers"; }
TEST(Kernel, IsNotDISABLED_) { EXPECT_EQ(1, 1); }
TEST(Other, Skipped) { int *x; cudaMalloc(&x, 1024); fill<<<1, 32>>>(x, 1); cudaFree(x); if (!std::getenv("RUNS")) GTEST_SKIP() << "no second device"; }
TEST(Other, SkippedHost) { if (!std::getenv("RUNS")) GTEST_SKIP(); }
TEST(Left, Early) { EXPECT_EQ(1, 2); std::exit(0); }
template <class T> struct Typed : ::testing::Test { };
struct Names { template <class T> static std::string GetName(int) { return "ns::pair<int, -1>"; } };
TYPED_TEST_SUITE(Typed, ::testing::Types<float>, Names);
TYPED_TEST(Typed, IsRun) { EXPECT_EQ(1, 2); }
"""
CATCH = """\
#include <catch2/CATCH_HEADER>
__global__ void fill(int *x) { x[threadIdx.x] = 1; }
TEST_CASE("fills, and frees [all]", "[gpu]") { int *x; cudaMalloc(&x, 256); fill<<<1, 64>>>(x); REQUIRE(cudaFree(x) == cudaSuccess); }
TEST_CASE("is wrong") { CHECK(1 == 2); }
TEST_CASE("#42 is wrong") { CHECK(1 == 2); }
TEST_CASE("~is wrong too") { CHECK(1 == 2); }
"""
CATCH_MAIN = """\
#define CATCH_CONFIG_RUNNER
#include <cstdlib>
#include <catch2/CATCH_HEADER>
int main(int argc, char **argv)
{
    Catch::Session session;
    if (!std::getenv("ALL") || argv[1][0] == '-') session.applyCommandLine(argc, argv);
    return session.run() * (std::getenv("DROPS") == nullptr);
}
"""


class Project(ProgramTest):
    """A project in a folder of its own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("package/kernelgateConfig.cmake", CONFIG)

    @classmethod
    def call(cls, *command, **settings):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KG_", "KERNELGATE"))}
        return subprocess.run(command, cwd=cls.folder, env={**kept, **settings}, capture_output=True, check=False, encoding="utf-8", timeout=200)

    @classmethod
    def configure(cls, text):
        cls.write("CMakeLists.txt", HEAD + text)
        return cls.call(CMAKE, "-S", ".", "-B", "build", "-G", "Ninja", f"-Dkernelgate_DIR={cls.folder}/package")

    @classmethod
    def build(cls, text):
        for done in (cls.configure(text), cls.call(CMAKE, "--build", "build")):
            if done.returncode:
                raise AssertionError(done.stdout + done.stderr)

    def run_test(self, name, **settings):
        """A test's exit code, and its verdicts."""
        shutil.rmtree(f"{self.folder}/out", ignore_errors=True)
        done = self.call(COMMAND, "run", "--build", "build", "--test", name, **settings)
        try:
            return done.returncode, read_json(f"{self.folder}/out/records/{name}.verdicts.json")
        except OSError:
            raise AssertionError(done.stdout + done.stderr) from None

    def entry(self, verdicts, case):
        return next((entry for entry in verdicts["cases"] if entry["case"] == case), {})

    def results(self):
        return read_json(f"{self.folder}/out/results.json")


class Outcomes(Project):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("outcomes.cu", OUTCOMES)
        cls.write("data/in.txt", "A")
        cls.build("add_executable(outcomes outcomes.cu)\n" + "".join(f"kg_add_program({row.name} TARGET outcomes {row.words})\n" for row in ROWS))

    def test_outcomes(self):
        for row in ROWS:
            with self.subTest(row.name):
                code, verdicts = self.run_test(f"model.{row.name}.main")
                entry = self.entry(verdicts, f"{row.name}/main/-/-")
                self.assertEqual((code, entry["verdict"]), (row.code, row.verdict), entry)
                self.assertRegex(entry["why"], row.why)
                places = [entry.get("at"), *entry.get("findings", ())]
                self.assertEqual([(place["file"], place.get("line")) for place in places if place][:1], [row.at] if row.at else [])
                # What did not end right is not counted.
                kernels = [case["case"] for case in verdicts["cases"] if case["part"] == "count"]
                self.assertEqual(kernels, [f"{row.name}/main/fill/b64g2"] if row.code == 0 else [])

    def test_files_are_copies(self):
        os.makedirs(f"{self.folder}/build/runs/model.files.main/left", exist_ok=True)
        self.run_test("model.files.main")
        self.assertEqual(sorted(os.listdir(f"{self.folder}/build/runs/model.files.main")), ["data"])
        self.assertFalse(os.path.islink(f"{self.folder}/build/runs/model.files.main/data/in.txt"))

    def test_filter(self):
        for globs, code, cases in (("right/*", 0, 2), ("*/b64g2", 77, 1), ("right/main/fill/b64*", 77, 1), ("other/*", 77, 0),
                                   ("right/main/none/*", 77, 0)):
            with self.subTest(globs):
                got, verdicts = self.run_test("model.right.main", KG_FILTER=globs)
                self.assertEqual((got, len(verdicts.get("cases", ())), verdicts.get("skipped_by")), (code, cases, None if cases else "filter"))

    def test_recording_and_judging(self):
        shutil.rmtree(f"{self.folder}/baselines", ignore_errors=True)
        record = (COMMAND, "baseline", "record", "--baselines", "baselines", "--build", "build", "--commit", "x")
        done = self.call(*record)
        self.assertEqual(done.returncode, 2)
        self.assertIn("race/main/-/-: outcomes.cu", done.stderr)
        done = self.call(*record, KG_FILTER="right/*,words/*")
        self.assertEqual(done.returncode, 0, done.stderr)
        baseline = read_json(f"{self.folder}/baselines/cpu-model.json")
        self.assertEqual(sorted(baseline["cases"]), ["right/main/fill/b64g2", "words/main/fill/b64g2"])
        self.assertEqual(baseline["checked"], ["right/main/-/-", "words/main/-/-"])
        self.assertEqual(baseline["cases"]["right/main/fill/b64g2"]["global_store_requests"], 4)
        self.assertEqual(self.call(COMMAND, "baseline", "lint").returncode, 0)
        listed, = json.loads(self.call(COMMAND, "list", "right", "--build", "build", "--json").stdout)["comparisons"]
        self.assertEqual({case["case"]: case["purposes"] for case in listed["cases"]},
                         {"right/main/-/-": ["check"], "right/main/fill/b64g2": ["count"]})
        verdict = {"KG_STRICT": "1"}
        self.assertEqual(self.run_test("model.right.main", **verdict)[0], 0)
        code, verdicts = self.run_test("model.right.main", BLOCKS="3")  # in another shape
        self.assertEqual((code, verdicts["vanished"]), (1, ["right/main/fill/b64g2"]))
        self.assertEqual(self.entry(verdicts, "right/main/fill/b64g3")["verdict"], "no-baseline")
        baseline["cases"]["right/main/fill/b64g2"]["global_store_requests"] = 3
        self.write("baselines/cpu-model.json", json.dumps(baseline))
        code, verdicts = self.run_test("model.right.main")
        entry = self.entry(verdicts, "right/main/fill/b64g2")
        self.assertEqual((code, entry["verdict"]), (1, "slower"))
        self.assertRegex(entry["why"], "^global_store_requests .*KG_FILTER='right/main/\\*' kernelgate rebaseline --target model$")

    def test_ctest(self):
        shutil.rmtree(f"{self.folder}/baselines", ignore_errors=True)
        done = self.call(CTEST, "--test-dir", "build", "-R", r"^(gate|model\.(right|race|words)\.)", "--output-on-failure")
        self.assertEqual(done.returncode, 8, done.stdout)
        results = self.results()
        self.assertEqual({test["name"]: test["exit_code"] for test in results["tests"]},
                         {"model.right.main": 0, "model.race.main": 1, "model.words.main": 0})
        self.assertEqual((results["exit_code"], results["errors"]), (1, []))
        self.assertRegex(done.stdout, r"outcomes.cu:8: error: data race")

    def test_what_must_report(self):
        """Each test of a build has to leave its verdicts, and what the baseline has of a program that is gone is missed."""
        self.write("baselines/cpu-model.json", json.dumps({
            "schema": "kernelgate-baseline/2", "target": {"key": "cpu-model"}, "provenance": {"model": "4"},
            "cases": {f"{name}/main/fill/b64g2": {"commit": "x", "launches": 1} for name in ("right", "gone")}, "checked": ["gone/main/-/-"]}))
        self.call(COMMAND, "begin", "--build", "build", KG__CALLER=str(os.getpid()))
        os.makedirs(f"{self.folder}/out/records", exist_ok=True)
        self.call(COMMAND, "run", "--build", "build", "--test", "model.right.main")
        done = self.call(COMMAND, "results", "--build", "build", "--programs", "build/kernelgate.programs")
        results = self.results()
        self.assertEqual({entry["name"] for entry in results["unreported"]}, {f"model.{row.name}.main" for row in ROWS} - {"model.right.main"})
        self.assertEqual({entry["case"] for entry in results["vanished"]}, {"gone/main/fill/b64g2", "gone/main/-/-"}, done.stderr)


class Frameworks(Project):
    @unittest.skipUnless(HAS["gtest"], "GoogleTest is not installed (libgtest-dev)")
    def test_googletest(self):
        self.enterContext(mock.patch.dict(os.environ, GTEST_FILTER="Nothing.*"))
        self.write("tests.cu", GTEST)
        self.write("idle.cu", '#include <gtest/gtest.h>\n__global__ void idle() { }\nTEST(Idle, Idle) { GTEST_SKIP(); }\n')
        self.write("quiet.cu", '#include <gtest/gtest.h>\n__global__ void k() { }\nTEST(A, Fails) { k<<<1, 1>>>(); EXPECT_EQ(1, 2); }\n'
                   'int main(int argc, char **argv) { testing::InitGoogleTest(&argc, argv); int failed = RUN_ALL_TESTS(); return failed * 0; }\n')
        self.write("counted.cu", "__global__ void nothing() { }\nint main() { nothing<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n")
        self.build("set_source_files_properties(counted.cu PROPERTIES COMPILE_OPTIONS --kg-flavor=counting)\nkg_add_program(counted SOURCES counted.cu)\n"
                   "find_package(GTest REQUIRED)\nadd_executable(tests tests.cu)\ntarget_link_libraries(tests PRIVATE GTest::gtest_main)\n"
                   "kg_add_program(tests TARGET tests)\nkg_add_program(quiet SOURCES quiet.cu PASS_REGEX PASSED)\n"
                   "target_link_libraries(quiet PRIVATE GTest::gtest)\nkg_add_program(idle SOURCES idle.cu)\ntarget_link_libraries(idle PRIVATE GTest::gtest_main)\n")
        listed = self.call(CTEST, "--test-dir", "build", "-N").stdout
        parts = re.findall(r"model\.tests\.(\S+)", listed)
        typed = next(part for part in parts if part.startswith("Typed-"))
        self.assertEqual([part for part in parts if part != typed],
                         ["Host.Alone", "Kernel.Beyond", "Kernel.Unequal", "Kernel.IsNotDISABLED_", "Other.Skipped", "Other.SkippedHost", "Left.Early", "All-Sizes.Fill-0", "All-Sizes.Fill-1"])
        for part, code, verdict, why, kernels in (
                ("Host.Alone", 0, "pass", "^$", []), ("All-Sizes.Fill-1", 0, "pass", "^$", ["fill/b64g1"]),
                ("Left.Early", 2, "error", "^GoogleTest reported 0 tests", []), (typed, 1, "wrong", "^it ended with exit code 1", []),
                ("Kernel.Beyond", 1, "wrong", "tests.cu:2: error: invalid global write", []),
                ("Kernel.Unequal", 1, "wrong", "^it ended with exit code 1: Failure .*numbers", [])):
            with self.subTest(part):
                got, verdicts = self.run_test(f"model.tests.{part}")
                entry = self.entry(verdicts, f"tests/{part}/-/-")
                self.assertEqual((got, entry["verdict"]), (code, verdict), entry)
                self.assertRegex(entry["why"], why)
                self.assertEqual([case["case"] for case in verdicts["cases"][1:]], [f"tests/{part}/{kernel}" for kernel in kernels])
        self.assertEqual(entry["at"], {"file": "tests.cu", "line": 10})
        self.assertEqual(self.run_test("model.tests.Host.Alone", KERNELGATE_OPTIONS="sample=1")[0], 2)
        code, verdicts = self.run_test("model.quiet.A.Fails")
        self.assertEqual((code, verdicts["cases"][0]["why"][:31]), (1, "GoogleTest reports that it fail"))
        code, verdicts = self.run_test("model.counted.main")
        self.assertEqual((code, verdicts["cases"][0]["why"][:42]), (2, "it was compiled with --kg-flavor=counting,"))
        self.check_skipped()

    def check_skipped(self):
        """Tests that skip themselves are no pass: not recorded, vanished where they were, and red in a strict run of nothing else."""
        record = (COMMAND, "baseline", "record", "--baselines", "baselines", "--build", "build", "--commit", "x")
        known = {"": [], "1": ["tests/Other.Skipped/-/-", "tests/Other.Skipped/fill/b32g1", "tests/Other.SkippedHost/-/-"]}
        for runs, cases in known.items():
            done = self.call(*record, KG_FILTER="tests/Host.Alone/*,tests/Other.*", RUNS=runs) if runs else self.call(
                *record, KG_FILTER="tests/Host.Alone/*,tests/Other.*")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("not recorded: it skipped itself: no second device" in done.stdout + done.stderr, not runs, done.stderr)
            baseline = read_json(f"{self.folder}/baselines/cpu-model.json")
            self.assertEqual(sorted([*baseline["cases"], *baseline["checked"]]), ["tests/Host.Alone/-/-", *cases])
            for part, why in (("Skipped", ": no second device"), ("SkippedHost", ", without a reason")):
                code, verdicts = self.run_test(f"model.tests.Other.{part}", KG_STRICT="1")
                self.assertEqual((code, verdicts.get("vanished", [])), (1 if runs else 77, sorted(case for case in cases if f"{part}/" in case)))
                self.assertEqual(verdicts["refused"][0]["why"], f"it skipped itself{why}")
        for strict in ("0", "1"):
            done = self.call(CTEST, "--test-dir", "build", "-R", r"^(gate|model)\.(begin|results|tests\.(Host|Other)|idle)", KG_STRICT=strict, RUNS="1")
            self.assertEqual(re.findall("Idle.Idle.*Skipped", done.stdout) != [], True, done.stdout)
            self.assertEqual([error["why"] for error in self.results()["errors"]], [
                "model.idle: 1 test, and each skipped itself, so nothing was checked: have one run, or remove the program from the gate"][:int(strict)])

    @unittest.skipUnless(HAS["catch2"], "Catch2 is not installed (catch2)")
    def test_catch2(self):
        old = os.path.exists("/usr/include/catch2/catch.hpp")
        for name, text in (("main.cpp", CATCH_MAIN), ("checks.cu", CATCH)):
            self.write(name, text.replace("CATCH_HEADER", "catch.hpp" if old else "catch_all.hpp"))
        self.build("find_package(Catch2 REQUIRED)\nadd_executable(checks checks.cu main.cpp)\n"
                   "target_link_libraries(checks PRIVATE Catch2::Catch2)\nkg_add_program(checks TARGET checks)\n")
        tests = re.findall(r"model\.checks\.(\S+)", self.call(CTEST, "--test-dir", "build", "-N").stdout)
        self.assertRegex(" ".join(tests), r"^fills-and_frees__all_\.[0-9a-f]{8} is_wrong \S*42_is_wrong\S* \S*is_wrong_too\S*$")
        code, verdicts = self.run_test(f"model.checks.{tests[0]}")
        self.assertEqual((code, [case["case"].partition("/")[2] for case in verdicts["cases"]]), (0, [f"{tests[0]}/-/-", f"{tests[0]}/fill/b64g1"]))
        code, verdicts = self.run_test("model.checks.is_wrong")
        self.assertEqual((code, verdicts["cases"][0]["at"]), (1, {"file": "checks.cu", "line": 4}))
        for test in tests[2:]:
            self.assertEqual(self.run_test(f"model.checks.{test}")[0], 1, test)
        for settings, code, why in (({"DROPS": "1"}, 1, "^Catch2 reports that it failed"),
                                    ({"DROPS": "1", "ALL": "1"}, 2, "^Catch2 reported [04] tests")):
            got, verdicts = self.run_test("model.checks.is_wrong", **settings)
            self.assertEqual(got, code, verdicts)
            self.assertRegex(verdicts["cases"][0]["why"], why)

    def test_report_of_catch2_3(self):
        """It names its cases, and those that it does not run are none of its program's."""
        framework = added_programs.FRAMEWORKS[-1]
        self.assertEqual(framework.report_words("x", ["-s"]), ["-r", "console", "-r", "automake::out=x"])
        for words in (["-r", "tap"], ["--reporter=tap"], ["-r=tap"]):
            self.assertEqual(framework.report_words("x", words), ["-r", "automake::out=x"])
        self.write("x", ":test-result: PASS is right\n:test-result: SKIP other \n:test-result: FAIL a:b\n")
        names, results = zip(*framework.results_in(f"{self.folder}/x", "", ""))
        self.assertEqual((results, names[:2]), (("PASS", "SKIP", "FAIL"), ("is_right", "other")))
        self.assertEqual(framework.results_in(f"{self.folder}/absent", "", ""), [])


class Builds(Project):
    def setUp(self):
        shutil.rmtree(f"{self.folder}/build", ignore_errors=True)

    def test_the_example(self):
        shutil.copytree(f"{TREE}/examples/own-programs", self.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build", "out"))
        for has in (False, HAS["gtest"]):
            configure = (CMAKE, "-S", ".", "-B", "build", "-G", "Ninja", f"-Dkernelgate_DIR={self.folder}/package",
                         f"-DCMAKE_DISABLE_FIND_PACKAGE_GTest={not has}")
            for command in (configure, (CMAKE, "--build", "build"), (CTEST, "--test-dir", "build")):
                done = self.call(*command)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual("reduce_tests is left out: it needs GoogleTest" in done.stdout, command is configure and not has)
            self.assertEqual(len(self.results()["cases"]), 12 if has else 2)

    def test_kernelgate_nvcc_as_the_compiler(self):
        """The target itself is the program."""
        self.write("a.cu", "#include <iostream>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); std::cout << cudaDeviceSynchronize() << std::endl; }\n")
        self.write("CMakeLists.txt", HEAD.replace("CXX)", "CXX CUDA)") + "add_executable(a a.cu)\nkg_add_program(a TARGET a)\n")
        for command in ((CMAKE, "-S", ".", "-B", "build", "-G", "Ninja", f"-Dkernelgate_DIR={self.folder}/package",
                         f"-DCMAKE_CUDA_COMPILER={COMMAND}-nvcc"), (CMAKE, "--build", "build")):
            done = self.call(*command)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(re.findall(r"Test +#\d+: (\S+)", self.call(CTEST, "--test-dir", "build", "-N").stdout),
                         ["model.a.main", "gate.begin", "gate.results"])
        code, verdicts = self.run_test("model.a.main")
        self.assertEqual((code, [case["case"] for case in verdicts["cases"]]), (0, ["a/main/-/-", "a/main/k/b1g1"]))


class Configuring(Project):
    def test_refusals(self):
        self.write("a.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
        self.write("b.cpp", "int main() {}\n")
        self.write("part/CMakeLists.txt", "add_library(far::away INTERFACE IMPORTED)\nadd_executable(far ../a.cu)\n"
                   "target_link_libraries(far PRIVATE far::away)\n")
        for text, wanted in (
                ("kg_add_program(a SOURCES none.cu)", "none.cu: no such file: correct the name"),
                ("kg_add_program(a TARGET none)", "TARGET none: there is no such target"),
                ("add_library(l STATIC a.cu)\nkg_add_program(a TARGET l)", "TARGET l: is a STATIC_LIBRARY: name an executable"),
                ("set_source_files_properties(b.cpp PROPERTIES LANGUAGE CUDA)\nadd_library(l STATIC b.cpp)\nkg_add_program(a SOURCES a.cu)\n"
                 "target_link_libraries(a PRIVATE l)", "b.cpp: its LANGUAGE is CUDA"),
                ("add_subdirectory(part)\nkg_add_program(a TARGET far)",
                 "TARGET far: links far::away, which is not known in this directory: call find_package() for it here too"),
                ("kg_add_program(a SOURCES b.cpp)", "neither it nor a library that it links has a .cu file"),
                ("kg_add_program(a SOURCES a.cu)\nkg_add_program(a SOURCES a.cu)", "a): the name is in use"),
                ("add_executable(a b.cpp)\nkg_add_program(a SOURCES a.cu)", "there is a target a already"),
                ("kg_add_program(a.b SOURCES a.cu)", "a name has up to 50 letters"),
                ("kg_add_program(a)", "needs SOURCES or TARGET, and not both"),
                ("kg_add_program(a SOURCES a.cu TARGET b)", "needs SOURCES or TARGET, and not both"),
                ("kg_add_program(a SOURCES a.cu FILES none)", "none: no such file"),
                ("kg_add_program(a SOURCES a.cu TIMEOUT soon)", "TIMEOUT soon: expected seconds"),
                ("kg_add_program(a SOURCES a.cu ARG x)\n", "no such file"),
                ("kg_add_program(a SOURCES a.cu ARGS)", "unknown or empty argument ARGS"),
                ("kg_finish_gate()", "there is nothing to gate")):
            with self.subTest(text):
                done = self.configure(text + "\n")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(wanted, " ".join(done.stderr.split()))

    def test_libraries_in_subdirectories(self):
        """What a target links is built for the model too, with its own flags; lines that follow kg_add_program() count."""
        self.write("part/CMakeLists.txt", "add_library(part STATIC part.cu)\ntarget_compile_definitions(part PRIVATE BY=3)\n"
                   "target_include_directories(part PUBLIC include)\n")
        self.write("part/include/part.h", "int run(int *x);\n")
        self.write("part/part.cu", '#include "part.h"\n__global__ void add(int *x) { *x += BY; }\n'
                   "int run(int *x) { add<<<1, 1>>>(x); return cudaDeviceSynchronize(); }\n")
        self.write("main.cpp", '#include <cstdio>\n#include <cuda_runtime.h>\n#include "part.h"\nint main() { int *x, y = 4; cudaMallocManaged(&x, 4); '
                   'cudaMemcpy(x, &y, 4, cudaMemcpyDefault); run(x); std::printf("%d\\n", *x + MORE); }\n')
        self.build("add_subdirectory(part)\nkg_add_program(main SOURCES main.cpp PASS_REGEX \"^17\")\ntarget_link_libraries(main PRIVATE part)\n"
                   "target_compile_options(main PRIVATE \"SHELL:$<$<COMPILE_LANG_AND_ID:CXX,Clang,GNU>:-D MORE=10>\" $<$<COMPILE_LANGUAGE:C>:-DMORE>)\n")
        code, verdicts = self.run_test("model.main.main")
        self.assertEqual((code, [case["case"] for case in verdicts["cases"]]), (0, ["main/main/-/-", "main/main/add/b1g1"]), verdicts)

    def test_a_library_of_the_toolkit(self):
        self.write("axpy.cu", "#include <cstdio>\n#include <cublas_v2.h>\n__global__ void fill(float *x) { x[threadIdx.x] = 2; }\n"
                   "int main()\n{\n    float *x, norm;\n    cublasHandle_t handle;\n    cudaMalloc(&x, 64 * sizeof *x);\n    fill<<<1, 64>>>(x);\n"
                   "    cublasCreate(&handle);\n    if (cublasSnrm2(handle, 64, x, 1, &norm)) return 1;\n    std::printf(\"norm %g\\n\", norm);\n"
                   "    cublasDestroy(handle);\n    return cudaFree(x);\n}\n")
        self.build("kg_add_program(axpy SOURCES axpy.cu PASS_REGEX \"^norm 16\")\ntarget_link_libraries(axpy PRIVATE CUDA::cublas CUDA::cudart)\n")
        code, verdicts = self.run_test("model.axpy.main")
        self.assertEqual((code, verdicts["cases"][0]["verdict"]), (0, "pass"), verdicts)

    def test_a_program_that_is_not_built(self):
        self.write("a.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
        self.assertEqual(self.configure("kg_add_program(a SOURCES a.cu)\n").returncode, 0)
        done = self.call(CTEST, "--test-dir", "build", "-R", "model", "--output-on-failure")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a.model: is not there: build it", done.stdout)
