# SPDX-License-Identifier: MIT
"""Tests of `kernelgate report`."""

import json
import os
import random
import subprocess
from unittest import mock

from command_fixture import COMMAND
from results_fixture import GPU, MODEL, case, copied, counted, refused, results, timed

import command_run
import mutations
from own_folder import OwnFolder, write_file

from kernelgate import commands
from kernelgate.base import command_line, text as base_text
from kernelgate.report import report as tool

TRANSFERS = (copied("transfers/pageable/8x8/-", 4000, "host"), copied("transfers/pinned/8x8/-", 2000, "graph"),
             timed("transfers/global_to_shared/8x8/-", 1000, 2000), copied("transfers/pageable/768x768/-", 8000, "host"),
             copied("transfers/pinned/768x768/-", 4000, "graph"))
REFUSED = (refused("transfers/global_to_shared/768x768/-", "above the | 64 KiB"),
           refused("transfers/global_to_shared/530x530/-", "of no row"), refused("transfers/never_timed/8x8/-", "of no column"))


def products():
    return [
        case("matmul_f32/naive/15/b8"), timed("matmul_f32/naive/256/b8", 8000, 9000),
        timed("matmul_f32/tiled/256/b8", 4000, 6000),
        timed("matmul_f32/naive/256/b16", 6000), timed("matmul_f32/tiled/256/b16", 3000, 4000, verdict="wrong",
                                                       why="c[1]: a | b"),
        timed("matmul_f32/naive/530/b16", 60000, 70000, verdict="noisy"), timed("matmul_f32/tiled/530/b16", 45000, 50000),
        timed("matmul_f32/naive/530/b32", 60000, 70000),
        counted("matmul_f32/naive/530/b16", global_load_requests=1000, global_load_sectors=3000, barriers=4),
        {**counted("matmul_f32/tiled/530/b16", global_load_requests=100, global_load_sectors=600, shared_load_requests=50,
                   shared_load_wavefronts=75, constant_load_requests=10, constant_load_words=160),
         "sampled": {"blocks": 3, "of": 64}}]


def sums():
    return [timed("sums/strided/1024/b256g1056", 3000, 4000), timed("sums/strided/1024/b256g2112", 2000, 2500),
            timed("sums/unstrided/1024/b256", 6000, 8000), timed("sums/strided/1024/b512g264", 5000, 5000),
            timed("sums/unstrided/1024/b512", 10000, 5000)]


class Report(OwnFolder):
    def setUp(self):
        super().setUp()
        os.mkdir("out")
        self.write(*products(), *sums(), *TRANSFERS, refused=list(REFUSED))

    def write(self, *cases, **more):
        write_file("out/results.json", results(*cases, **more))

    def run_tool(self, *options):
        with mock.patch.object(tool, "print_output") as print_output:
            self.assertEqual(commands.main(["report", *options]), 0)
        return print_output.call_args.args[1] if print_output.called else ""

    def expect(self, options, *fragments, absent=()):
        text = self.run_tool(*options)
        for fragment in fragments:
            self.assertIn(fragment, text)
        for fragment in absent:
            self.assertNotIn(fragment, text)
        return text

    def refuses(self, fragment, *options):
        with self.assertRaises(command_line.Failure) as caught:
            self.run_tool(*options)
        self.assertIn(fragment, str(caught.exception))

    def test_times(self):
        text = self.expect(
            ("--table=matmul_f32", "--target", GPU),
            "\n\n### Time, cold from device memory (µs)\n\n| size | launch | naive |      tiled |\n| ---- | ------ | ----: | "
            "---------: |\n"
            "| 256  | b8     |     9 |  6 (1.50×) |\n| 256  | b16    |     - |      wrong |\n",
            # 2000 bytes in 8000 ns are 0.25 GB/s; at the limits they take 2 ns of 9000 ns cold, or of 6000 ns hot.
            "### Bandwidth (GB/s)\n\n| size | launch | naive | tiled |\n| ---- | ------ | ----: | ----: |\n| 256  | b8     | "
            "0.250 | 0.500 |\n",
            "| 256  | b8     |  0.022 % |  0.033 % |\n| 256  | b16    |  0.033 % |    wrong |\n",
            "| 256  | b8     | 50.0 % | 50.0 % |\n",
            "\n- In brackets: how many times as fast as `naive` at the same size and threads per block.\n",
            "\n- **wrong**: `tiled/256/b16`: c\\[1\\]: a \\| b\n", "\n- noisy: `naive/530/b16`.\n",
            absent=("It is omitted", "/15/", "| 15"))
        self.assertTrue(text.startswith(
            "## matmul_f32 on nvidia-h200\n\nNVIDIA H200, driver 580.1. Its limits, measured in the same run: it copies 1 000 "
            "GB/s, "
            "and computes 1 000 GFLOP/s of multiply-adds in floats, and moves 50 GB/s over the bus.\n\n"
            "### Time, hot in the caches (µs)\n\n"
            "| size | launch | naive |      tiled |\n| ---- | ------ | ----: | ---------: |\n| 256  | b8     |     8 |  4 "
            "(2.00×) |\n"
            "| 256  | b16    |     6 |      wrong |\n| 530  | b16    |    60 | 45 (1.33×) |\n| 530  | b32    |    60 |          "
            "- |\n"), text)

    def test_counts(self):
        self.expect(
            ("--table=matmul_f32", "--target", MODEL), "| 530  | b16    | 1 000 | 100 (0.10×) |\n", "| 3 000 | 600 (0.20×) |\n",
            "### Global load sectors per request\n\n| size | launch | naive | tiled |\n| ---- | ------ | ----: | ----: |\n"
            "| 530  | b16    |     3 |     6 |\n",
            "### Shared load wavefronts\n\n| size | launch | naive | tiled |\n| ---- | ------ | ----: | ----: |\n| 530  | b16   "
            " |     0 |    75 |\n",
            "### Constant load words per request\n\n| size | launch | tiled |\n| ---- | ------ | ----: |\n| 530  | b16    |    "
            "16 |\n",
            "- `tiled/530/b16` was counted on 3 of its 64 blocks.\n", absent=("Global store", "Time"))
        self.assertLess(self.run_tool("--table=matmul_f32").find(f"on {GPU}"),
                        self.run_tool("--table=matmul_f32").find(f"on {MODEL}"))

    def test_launches(self):
        """Launches that differ in blocks alone have rows of their own; one with a single launch is in the row of its threads."""
        self.expect(("--table=sums",), "| 1024 | b256g1056 |       3 |  6 (0.50×) |\n| 1024 | b256g2112 |       2 |          - "
                                       "|\n"
                    "| 1024 | b512      |       5 | 10 (0.50×) |\n",
                    "- `strided` is launched as b256g1056, b256g2112, b512g264.\n")
        self.write(timed("s/unstrided/64/b32", 6000), timed("s/strided/64/b32g8", 3000), timed("s/strided/64/b32g16", 2000))
        self.expect(("--table=s",), "| 64   | b32g8  |         6 | 3 (2.00×) |\n| 64   | b32g16 |         - | 2 (3.00×) |\n")

    def test_copies(self):
        self.expect(
            ("--table=transfers",), "| 768x768 |        8 | 4 (2.00×) |          refused |\n", "| size    | global_to_shared |\n",
            "It is omitted where the bus is the limit", "\n- Refused: `global_to_shared/768x768/-`: above the \\| 64 KiB\n",
            "- Timed by the host's clock, around calls and the wait for their end: `pageable`; the others as launches in a CUDA "
            "graph.\n",
            absent=("of no row", "never_timed"))

    def test_what_is_wrong(self):
        """It has no figures, and is not what others are compared with; the order of variants is the comparison's."""
        self.write(timed("m/first/1/b8", 100, 100, verdict="wrong"), timed("m/second/1/b8", 50), case("o/first/1/b8"),
                   timed("o/second/64/b8", 1000), timed("o/first/64/b16", 1000),
                   timed("n/first/1/b8", verdict="wrong"), timed("n/first/2/b8", verdict="wrong"),
                   timed("n/second/1/b8", verdict="error", why="it crashed"),
                   failure_groups=[{"target": GPU, "verdict": "wrong", "cases": ["n/first/1/b8", "n/first/2/b8"]}])
        self.expect(("--table=m",), "| 1    | b8     | wrong |  0.050 |\n")
        self.expect(("--table=o",), "| size | launch | first | second |\n")
        text = self.expect(("--table=n",), "| 1    | b8     | wrong |  error |\n",
                           "- **wrong**: `first/1/b8`: its reason; also 2/b8\n",
                           "- **error**: `second/1/b8`: it crashed\n")
        self.assertEqual(text.count("###"), 1)

    def test_without_limits(self):
        self.write(*TRANSFERS, provenance={GPU: {}})
        self.expect(("--table=transfers",), "\n- Share of the limit: unknown", absent=("### Share", "Its limits"))

    def test_csv(self):
        text = self.run_tool("--table=matmul_f32", "--format=csv", "--target", GPU)
        self.assertEqual(text.split("\n")[:5], [
            "target,comparison,variant,size,launch,verdict,clock,limited_by,time_ns,time_low_ns,time_high_ns,speedup,"
            "cold_time_ns,"
            "cold_speedup,bandwidth_gb_per_s,arithmetic_gflop_per_s,share_of_limit,occupancy,registers,shared_bytes,local_bytes,"
            "blocks_per_multiprocessor,operations,bytes",
            "nvidia-h200,matmul_f32,naive,256,b8,pass,graph,bytes,8000,7999,8001,1,9000,1,0.25,0.125,0.0002222222222,0.5,40,"
            "2048,0,4,"
            "1000,2000",
            "nvidia-h200,matmul_f32,tiled,256,b8,pass,graph,bytes,4000,3999,4001,2,6000,1.5,0.5,0.25,0.0003333333333,0.5,40,"
            "2048,0,4,"
            "1000,2000",
            "nvidia-h200,matmul_f32,naive,256,b16,pass,graph,bytes,6000,5999,6001,1,,,0.3333333333,0.1666666667,0.0003333333333,"
            "0.5,40,"
            "2048,0,4,1000,2000",
            "nvidia-h200,matmul_f32,tiled,256,b16,wrong" + "," * 18])
        whole = self.expect(("--format=csv",), ",global_load_sectors_of_first,", "\ncpu-model,matmul_f32,tiled,530,b16,pass,,,,,",
                            "\nnvidia-h200,transfers,global_to_shared,768x768,-,refused,,,")
        self.assertEqual(len({line.count(",") for line in whole.splitlines()}), 1)

    def test_json(self):
        self.write(timed("o/first/64/b8", 1000, 2000), timed("o/second/64/b8", 500))
        (table,) = json.loads(self.run_tool("--table=o", "--json"))["tables"]
        first, second = table["cases"]
        self.assertEqual((table["target"], first["case"], first["verdict"], first["figures"]["time_ns"],
                          second["figures"]["speedup"]),
                         (GPU, "o/first/64/b8", "pass", 1000, 2))
        self.assertNotIn("cold_time_ns", second["figures"])

    def test_odd_members_cost_their_figures_alone(self):
        bare = timed("odd/bare/1/b8", 100)
        odd = timed("odd/odd/1/b8", 100)
        odd["metrics"]["time_ns"] = {"value": None, "clock": 7}
        for name in ("work", "kernel", "parts"):
            del bare[name]
        self.write(bare, timed("odd/null/1/b8"), odd)
        self.expect(("--table=odd",), "| size | launch |  bare |\n")

    def test_filter(self):
        with mock.patch.dict(os.environ, KG_FILTER="*/256/*"):
            self.expect(("--table=matmul_f32", "--target", GPU), "| 256  | b8     |", absent=("530",))
        with mock.patch.dict(os.environ, KG_FILTER="matmul_f32/*/15/*"):
            self.refuses("KG_FILTER=matmul_f32/*/15/* leaves no case of matmul_f32 that was timed", "--table=matmul_f32")

    def test_what_is_not_there(self):
        for fragment, *options in (
                ('has no comparison "matmul"; did you mean "matmul_f32"? It has matmul_f32, sums, transfers', "--table=matmul"),
                ('has no comparison "zzz": it has matmul_f32', "--table=zzz"),
                ('has no target "nvidia-h20"; did you mean "nvidia-h200"?', "--table=matmul_f32", "--target=nvidia-h20"),
                ("--format html is of a whole run: with --table use markdown, csv, json", "--table=matmul_f32", "--format=html"),
                ("name what to print: --table COMPARISON",),
                ("--results names the file, --out its folder", "--table=x", "--results=a", "--out=b"),
                ("nowhere/results.json: cannot be read: No such file or directory: run ctest", "--table=x", "--out=nowhere")):
            self.refuses(fragment, *options)
        self.write(case("only/checked/1/b8"))
        self.refuses("no case of only was timed or counted in out/results.json, only checked: run ctest", "--table=only")
        self.write()
        self.refuses("out/results.json holds no case: run ctest first", "--table=only")

    def test_ids_that_are_not_a_case(self):
        self.write(timed("odd/a/1/b8", 100), timed("odd/a/1", 100))
        self.refuses("is not a case id (comparison/variant/size/launch)", "--table=odd")
        self.write(timed("odd/a/1/b8", 100), timed("odd/a/1/b8", 200))
        self.refuses("odd/a/1/b8 appears twice in the results of nvidia-h200", "--table=odd")

    def test_files_that_are_not_results(self):
        for fragment, text in (("bad.json:1: is not JSON", "{"), ("is not a JSON object", "[]"), ("its schema is \"\", not", "{}"),
                               ("'tests' is a required property", json.dumps({key: value for key, value in results().items() if key != "tests"})),
                               ("strict: 1 is not of type 'boolean'", json.dumps({**results(), "strict": 1})),
                               ("errors[0]: 'why' is a required property", json.dumps({**results(), "errors": [{}]}))):
            write_file("bad.json", text)
            self.refuses(fragment, "--format=junit", "--results=bad.json")

    def test_damaged_documents(self):
        """Whatever a document holds, every form of it is made, or there is one line."""
        chance = random.Random(5)
        good = 0
        for number in range(400):
            write_file("bad.json", mutations.mutated_text(results(*products(), *TRANSFERS, refused=list(REFUSED)), chance))
            try:
                self.run_tool(*(("--table=matmul_f32",) if number % 5 == 0 else (f"--format={list(tool.PRINTERS)[number % 6]}",
                                                                                 )),
                              "--results=bad.json")
                good += 1
            except command_line.Failure as failure:
                self.assertNotIn("\n", base_text.fit(str(failure), 1024))
        self.assertGreater(good, 40)

    def test_the_command(self):
        def call(*arguments, **options):
            done = command_run.run([COMMAND, *arguments], stderr=subprocess.PIPE, encoding="utf-8", check=False,
                                  **{"stdout": subprocess.PIPE, **options})
            return done.returncode, done.stdout, done.stderr

        self.assertEqual(call("report", "--table", "sums")[:2], (0, self.run_tool("--table=sums")))
        code, text, error = call("report", "--table", "none")
        self.assertEqual((code, text, error.count("\n")), (2, "", 1), error)
        with open("/dev/full", "wb") as full:
            self.assertIn("report: the standard output cannot be written", call("report", "--table=sums", stdout=full)[2])
        self.assertIn("--table COMPARISON", call("help", "report")[1])
