# SPDX-License-Identifier: MIT
"""Observers under compute-sanitizer: what tools/dev/sanitize-observer makes of the reports of a stand-in for it, and that a
comparison's test fails by them."""

import os
import subprocess

from run_fixture import SOUND_GPU, TREE, Runs

OBSERVER = os.path.join(TREE, "tools", "dev", "sanitize-observer")

# Takes the options as the real one does, runs the program, writes the report of the file named in STAND_IN_REPORT, and ends with
# STAND_IN_CODE where that is set, else with the program's code.
STAND_IN = """#!/bin/sh
echo "$@" >"$0.called"
while :; do
    case $1 in
    --log-file) log=$2 ;;
    --*) ;;
    *) break ;;
    esac
    shift 2
done
"$@"
code=$?
if [ -e "$STAND_IN_REPORT" ]; then cp "$STAND_IN_REPORT" "$log"; fi
exit "${STAND_IN_CODE:-$code}"
"""

NO_ERRORS = ("ERROR SUMMARY: 0 errors",)
INVALID_READ = ("Invalid __global__ read of size 4 bytes", "    at matmul_f32_tiled_kernel+0x190 in tiled.cu:19",
                "    by thread (5,0,0) in block (1,0,0)", "    Access at 0x7f0000000400 is out of bounds",
                "    and is 1 bytes after the nearest allocation at 0x7f0000000000 of size 4 bytes",
                "    Saved host backtrace up to driver entry point at kernel launch time",
                "        Host Frame: matmul_f32_tiled [0x8ae3] in matmul_f32.gpu", "")
READ_FOUND = "Invalid __global__ read of size 4 bytes at matmul_f32_tiled_kernel+0x190 in tiled.cu:19"
LAUNCH_FAILED = "Program hit cudaErrorLaunchFailure (error 719) on CUDA API call to cudaDeviceSynchronize."
UNSEEN = "Error: Target application terminated before first instrumented API call"


def race(kind, second, hazards):
    return (f"{kind}: Race reported between Write access at k+0xf0 in pairs.cu:12", f"    and {second} [{hazards} hazards]")


# The tool; its report (None: it leaves none); the observer's own exit code, the tool's; the exit code and the result.
RESULTS = (
    ("initcheck", NO_ERRORS, 0, "", 0, "clean\n"),
    ("racecheck", ("RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)",), 0, "", 0, "clean\n"),
    # What the observer ended with is its own business.
    ("memcheck", NO_ERRORS, 3, "", 3, "clean\n"),
    # One line per finding, with its place, and equal ones once.
    ("memcheck", (*INVALID_READ, *INVALID_READ, LAUNCH_FAILED, "    Saved host backtrace up to driver entry point at error", "",
                  "ERROR SUMMARY: 3 errors"), 0, "99", 1, f"{READ_FOUND} (2 times)\n{LAUNCH_FAILED}\n"),
    ("racecheck", (*race("Error", "Read access at k+0xd0 in pairs.cu:14", 32), "",
                   "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)"), 0, "99", 1,
     "Error: Race reported between Write access at k+0xf0 in pairs.cu:12 and Read access at k+0xd0 in pairs.cu:14 [32 hazards]\n"),
    # Warnings leave the sanitizer's exit code as it is.
    ("racecheck", (*race("Warning", "Write access at k+0xf0 in pairs.cu:12", 2),
                   "RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)"), 0, "", 1, "Warning: Race reported"),
    ("memcheck", ("ERROR SUMMARY: 1 error",), 0, "", 1, "ERROR SUMMARY: 1 error, without details in the report\n"),
    # An observer that nobody watched must never look clean.
    ("memcheck", None, 0, "", 2, "error: compute-sanitizer ended with code 0 and left no report"),
    ("memcheck", (UNSEEN,), 0, "255", 2, "error: compute-sanitizer saw no CUDA call of the observer"),
    ("memcheck", (UNSEEN, *NO_ERRORS), 0, "", 2, "error: compute-sanitizer saw no CUDA call of the observer"),
    ("memcheck", (), 0, "", 2, "error: compute-sanitizer's report has no summary"),
    ("memcheck", ("Error: Device not supported", *NO_ERRORS), 0, "", 2,
     "error: compute-sanitizer found nothing but says: Error: Device not supported"),
    ("memcheck", NO_ERRORS, 0, "99", 2, "error: compute-sanitizer's exit code reports findings"))


class Sanitize(Runs):
    def setUp(self):
        super().setUp()
        self.write_script("compute-sanitizer", STAND_IN)
        self.set(COMPUTE_SANITIZER=self.at("compute-sanitizer"), STAND_IN_REPORT=self.at("report"), STAND_IN_CODE="")

    def write_report(self, lines):
        self.write("report", "".join(f"========= {line}\n" for line in ("COMPUTE-SANITIZER", *lines)))

    def test_results(self):
        for tool, report, own_code, tools_code, code, result in RESULTS:
            with self.subTest(report=report, tool=tool):
                if report is not None:
                    self.write_report(report)
                elif os.path.exists("report"):
                    os.remove("report")
                self.expect_program(code, "", OBSERVER, tool, "sh", "-c", f"exit {own_code}", "--records", self.at("observer.jsonl"),
                                    STAND_IN_CODE=tools_code)
                self.assertIn(f"--tool {tool} ", self.read("compute-sanitizer.called"))
                self.assertTrue(self.read(f"observer.{tool}.result").startswith(result), self.read(f"observer.{tool}.result"))

    def test_bad_arguments(self):
        for arguments in (("leakcheck", "true", "--records", "r.jsonl"), ("memcheck",), ("memcheck", "true"),
                          ("memcheck", "true", "--records", "r"), ()):
            self.expect_program(2, "see tools/dev/sanitize-observer --help", OBSERVER, *arguments)

    def test_nothing_is_run_for_a_test_that_ended(self):
        with subprocess.Popen(["true"]) as test:
            test.wait()
        self.expect_program(2, str(test.pid), OBSERVER, "memcheck", "true", "--records", self.at("observer.jsonl"), KG__PARENT=str(test.pid))
        self.assertFalse(os.path.exists("compute-sanitizer.called"))

    def test_a_check_fails_by_findings(self):
        """Every case may be right: what the sanitizer found fails the test."""
        self.set(KG_FILTER="fake/plain/*", KG_WRAPPER=f"setpriv --pdeathsig TERM {OBSERVER} memcheck")
        for report, code, told in (
                (NO_ERRORS, 0, "Passing: 1"),
                ((*INVALID_READ, "ERROR SUMMARY: 1 error"), 2,
                 ("sanitize-observer memcheck: exit code 1, although the observer had finished",
                  f"memcheck: gpu.fake.check.plain: {READ_FOUND}\n"))):
            self.write_report(report)
            self.expect_program(code, told, SOUND_GPU, "--filter=fake/check")
            self.assertTrue(os.path.exists("out/records/gpu.fake.check.plain.memcheck.log"))
