# SPDX-License-Identifier: MIT
"""Tests of tools/dev/validate.py."""

import csv
import json
import math
import os
import re
import subprocess
import sys
from unittest import mock

from command_run import TREE
from own_folder import OwnFolder, read_json

import validate as tool
from kernelgate.base import command_line

TOOL = os.path.join(TREE, "tools", "dev", "validate.py")

COUNTERS = [part.counter for part in tool.COUNTERPARTS]
LOADS, LOAD_SECTORS, STORES, STORE_SECTORS = COUNTERS[:4]
METRICS = {LOADS: "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", STORES: "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
           LOAD_SECTORS: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
           STORE_SECTORS: "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
           "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "opcodes": tool.OPCODES}
HEADER = '"ID","Process Name","Kernel Name","Block Size",' + ",".join(f'"{metric}"' for metric in METRICS.values())
UNITS = '"","","","",' + ",".join('"request"' for _ in METRICS)
PLAIN = "copy/plain/1000/b256"
NAIVE = "matmul_f32/naive/530/b16"
TILED = "matmul_f32/tiled/530/b16"
DONE = {"event": "done"}


def counts(loads=12, load_sectors=12, stores=12, store_sectors=12, **more):
    """What was counted of a case, by counter."""
    return {LOADS: loads, LOAD_SECTORS: load_sectors, STORES: stores, STORE_SECTORS: store_sectors, **more}


def kernel(number, counted, wavefronts="0", opcodes="1 (NOP: 1)", block="(16, 16, 1)"):
    """A row of a kernel of 256 threads per block, as the profiler prints it."""
    fields = [str(number), "matmul_f32.gpu", 'naive(const ""float"" *, int)', block,
              *(f"{counted[name]:,}" if isinstance(counted[name], int) else counted[name] for name in (LOADS, STORES, LOAD_SECTORS,
                                                                                                STORE_SECTORS)), wavefronts, opcodes]
    return ",".join(f'"{field}"' for field in fields)


def launched(case, kernels=1):
    return {"event": "launched", "case": case, "kernels": kernels}


def measured(case, counted, **more):
    """A record of what the model counted of a case."""
    return {"event": "measured", "case": case, "metrics": {name: {"value": counted.get(name, 0)} for name in COUNTERS}, **more}


def records(*list_of_records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in list_of_records)


def table(*rows):
    return "".join(f"{row}\n" for row in (HEADER, UNITS, *rows)).encode()


BOTH = {NAIVE: counts(9550600, 22432515, 9248, 35112), TILED: counts(612680, 3305548, 9248, 35112, barriers=78608)}
ROWS = (kernel(0, BOTH[NAIVE], opcodes="900 (FFMA: 900)"),
        kernel(1, BOTH[TILED], "35,000", "628,965 (BAR: 628,864; FFMA: 1; LDS: 100)"))


class Validate(OwnFolder):
    def setUp(self):
        super().setUp()
        self.write_good()

    def write_good(self):
        self.write("model.jsonl", records(*(measured(case, counted) for case, counted in BOTH.items()), DONE))
        self.write("launches.jsonl", records(*map(launched, BOTH), DONE))
        self.write("ncu.csv", table(*ROWS))

    def write_one(self, case, counted, *rows, kernels=1, **more):
        self.write("model.jsonl", records(measured(case, counted, **more), DONE))
        self.write("launches.jsonl", records(launched(case, kernels), DONE))
        self.write("ncu.csv", table(*rows))

    def run_tool(self, *options):
        """The exit code and what is printed."""
        with mock.patch.object(tool, "print_output") as print_output:
            code = tool.main(["--model=model.jsonl", "--launches=launches.jsonl", "--hardware=ncu.csv", *options])
        return code, print_output.call_args.args[1]

    def refuses(self, fragment, *options):
        with self.assertRaises(command_line.Failure) as caught:
            self.run_tool(*options)
        self.assertIn(fragment, str(caught.exception))

    def figures(self, code, case):
        """The figures of a case that either side has, by counter."""
        self.assertEqual(self.run_tool()[0], code)
        _, figures = tool.compare_files("model.jsonl", "launches.jsonl", "ncu.csv")
        return {figure.part.counter: figure for figure in figures[case] if not figure.is_nothing}

    def tally(self, code):
        """How many figures are judged, equal, within, known and beyond."""
        seen, text = self.run_tool()
        self.assertEqual(seen, code, text)
        return tuple(map(int, re.search("([0-9]+) figures judged: ([0-9]+) .* ([0-9]+) within .* ([0-9]+) known .* ([0-9]+) beyond", text).groups()))


class Findings(Validate):
    def test_counters_are_those_of_the_model(self):
        schema = read_json(os.path.join(TREE, "baselines", "schemas", "kernelgate-baseline.schema.json"))
        self.assertLessEqual(set(COUNTERS), set(schema["$defs"]["counter"]["enum"]))

    def test_equal_counts(self):
        self.assertEqual(self.tally(0), (8, 8, 0, 0, 0))
        figures = self.figures(0, TILED)
        for name, *found in ((LOAD_SECTORS, "equal", 3305548, 3305548, 0), ("shared_load_requests", "shown", 0, 100, -1)):
            figure = figures[name]
            self.assertEqual([figure.finding, figure.model, figure.hardware, figure.difference], found)
        # Barriers are of a block, which has 8 warps. What neither side has is left out.
        self.assertEqual(figures["barriers"].hardware, 78608)
        self.assertNotIn("shuffles", figures)

    def test_every_judged_counter_has_its_limit(self):
        for name in (LOADS, LOAD_SECTORS, STORES, STORE_SECTORS):
            for model, finding, code in ((1001000, "within", 0), (999000, "within", 0), (1000000, "equal", 0), (1001001, "beyond", 1),
                                         (998999, "beyond", 1), (0, "beyond", 1)):
                self.write_one(PLAIN, {**counts(), name: model}, kernel(0, {**counts(), name: 1000000}))
                self.assertEqual(self.figures(code, PLAIN)[name].finding, finding)
                self.assertEqual(self.tally(code)[4], code)
        self.write_one(PLAIN, counts(), kernel(0, counts(loads=0)))
        self.assertEqual(self.figures(1, PLAIN)[LOADS].difference, math.inf)

    def test_shared_memory_is_shown_and_not_judged(self):
        # A modifier behind a point belongs to the opcode; another opcode that begins alike does not.
        self.write_one(PLAIN, counts(barriers=4), kernel(0, counts(), "77", "25 (BAR.SYNC: 16; BARRED: 5; LDS: 3; LDSM.16: 1)"))
        figures = self.figures(0, PLAIN)
        self.assertEqual([figures[name].hardware for name in ("shared_load_wavefronts", "shared_load_requests", "barriers")],
                         [77, 4, 2])
        self.assertEqual(figures["barriers"].finding, "shown")

    def test_what_a_chip_does_not_count_is_unknown(self):
        # Neither the wavefronts nor the opcodes: a sum without its instances tells no opcode.
        self.write_one(PLAIN, counts(barriers=4), kernel(0, counts(), "n/a", "17"))
        self.assertTrue(math.isnan(self.figures(0, PLAIN)["barriers"].hardware))
        self.write_one(PLAIN, counts(), kernel(0, counts(load_sectors="n/a")))
        self.refuses(f"{PLAIN}: there is no {METRICS[LOAD_SECTORS]}, which is judged")
        self.write("ncu.csv", '"ID","Block Size","Kernel Name"\n"0","(32, 1, 1)","plain"\n')
        self.refuses(f"there is no {METRICS[LOADS]}, which is judged")

    def test_known_differences_have_their_figure(self):
        for case, counter, model, finding in (
                ("hardware_rows/unequal/1000/b256", LOADS, 1270, "known"), ("hardware_rows/unequal/1000/b256", LOADS, 1281, "beyond"),
                ("hardware_rows/unequal/1000/b256", LOAD_SECTORS, 1270, "beyond"),
                ("hardware_rows/breakable/1000/b256", LOADS, 1270, "beyond"),
                ("hardware_select/both/1000/b256", LOAD_SECTORS, 1002, "known"), ("pair_means/warp_shuffle/9/b32", LOADS, 570, "known"),
                ("pair_means/warp_shuffle/9/b32", LOAD_SECTORS, 880, "known"),
                ("hardware_wide/by_warp/100/b96", LOADS, 750, "known"), ("hardware_wide/by_warp/100/b96", LOADS, 730, "beyond"),
                ("hardware_wide/by_warp/100/b96", LOAD_SECTORS, 959, "known")):
            self.write_one(case, {**counts(), counter: model}, kernel(0, {**counts(), counter: 1000}), sampled={"blocks": 120, "of": 16384})
            figure = self.figures(1 if finding == "beyond" else 0, case)[counter]
            self.assertEqual(figure.finding, finding, case)

    def test_the_kernels_of_one_launch_are_summed(self):
        self.write_one(PLAIN, counts(loads=100, barriers=3), kernel(0, counts(40, 6, 6, 6), opcodes="8 (BAR: 8)"),
                       kernel(1, counts(60, 6, 6, 6), opcodes="8 (BAR: 8)", block="(128, 1, 1)"), kernels=2)
        self.assertEqual(self.figures(0, PLAIN)["barriers"].hardware, 3)
        self.assertEqual(self.tally(0), (4, 4, 0, 0, 0))
        self.write("ncu.csv", table(kernel(0, counts())))
        self.refuses("ncu.csv: holds 1 kernels, where 2 were launched (launches.jsonl)")


class Texts(Validate):
    def test_lines(self):
        self.write("model.jsonl", records(measured(NAIVE, BOTH[NAIVE]), measured(TILED, {**BOTH[TILED], LOADS: 613000},
                                                                                 sampled={"blocks": 120, "of": 16384}), DONE))
        code, text = self.run_tool()
        self.assertEqual((code, text.splitlines()), (0, [
            f"ok       {NAIVE}                     global_load_requests            9 550 600       9 550 600  equal",
            f"ok       {NAIVE}                     global_load_sectors            22 432 515      22 432 515  equal",
            f"ok       {NAIVE}                     global_store_requests               9 248           9 248  equal",
            f"ok       {NAIVE}                     global_store_sectors               35 112          35 112  equal",
            f"sampled  {TILED}: the model counted 120 of 16384 blocks",
            f"ok       {TILED}                     global_load_requests              613 000         612 680  +0.052 %",
            f"ok       {TILED}                     global_load_sectors             3 305 548       3 305 548  equal",
            f"ok       {TILED}                     global_store_requests               9 248           9 248  equal",
            f"ok       {TILED}                     global_store_sectors               35 112          35 112  equal",
            f"ok       {TILED}                     shared_load_requests                    0             100  -100 %  shown, not judged",
            f"ok       {TILED}                     shared_load_wavefronts                  0          35 000  -100 %  shown, not judged",
            f"ok       {TILED}                     barriers                           78 608          78 608  equal  shown, not judged",
            "kernelgate: 2 cases, 8 figures judged: 7 equal to the hardware's, 1 within 0.1 %, 0 known to be further off, 0 beyond"]))
        self.write_one("hardware_rows/unequal/9/b32", counts(1270, 9), kernel(0, counts(1000, 0), "n/a"))
        code, text = self.run_tool()
        self.assertEqual(code, 1)
        self.assertIn("+27.0 %  up to 28.0 % is known: lanes leave a loop", text)
        self.assertRegex(text, r"differs  hardware_rows/unequal/9/b32 +global_load_sectors +9 +0  none on hardware\n")

    def test_csv(self):
        wrong = {**BOTH[TILED], LOAD_SECTORS: 2 * BOTH[TILED][LOAD_SECTORS], "shuffles": 4}
        self.write_one(TILED, wrong, kernel(0, BOTH[TILED], "35,000", "7"), sampled={"blocks": 120, "of": 16384})
        code, text = self.run_tool("--csv")
        (row,) = csv.DictReader(text.splitlines())
        self.assertEqual((code, {name: cell for name, cell in row.items() if cell}), (1, {
            "case": TILED, LOADS: "612680", LOAD_SECTORS: "6611096/3305548", STORES: "9248", STORE_SECTORS: "35112",
            "shared_load_wavefronts": "0/35000", "shuffles": "4/unknown", "barriers": "78608/unknown"}))

    def test_figures(self):
        for value, text in ((0, "0"), (7.5, "7.500"), (12.345, "12.35"), (123.456, "123.5"), (1234.5, "1 234"), (1e16, "1e+16")):
            self.assertEqual(tool.show_figure(value), text)
        for value, text in ((0, "0.0 %"), (0.27, "+27.0 %"), (-1, "-100 %"), (0.0005, "+0.050 %"), (12.345, "+1 234 %")):
            self.assertEqual(tool.show_percent(value, True), text)

    def test_metrics(self):
        with mock.patch.object(tool, "print_output") as print_output:
            self.assertEqual(tool.main(["--metrics"]), 0)
        lines = print_output.call_args.args[1].splitlines()
        self.assertEqual({line for line in lines if line.endswith(" judged")},
                         {f"{METRICS[name]} judged" for name in (LOADS, LOAD_SECTORS, STORES, STORE_SECTORS)})
        self.assertEqual(len(lines), 14)


class Tables(Validate):
    def test_counts(self):
        for field, value in (("1,234,567", 1234567), ("1234567", 1234567), ("123.00", 123), ("12 (34", 12), ("9007199254740992", 2**53)):
            self.write_one(PLAIN, counts(value), kernel(0, counts(field)))
            self.assertEqual(self.figures(0, PLAIN)[LOADS].hardware, value)
        for field in ("1.234.567", "12 request", "0x10", "(3"):
            self.write_one(PLAIN, counts(), kernel(0, counts(field)))
            self.refuses(f'ncu.csv: {METRICS[LOADS]} is "{field}", which is not a count: print it with LC_ALL=C ncu')

    def test_opcodes(self):
        for field in ("12 (BAR)", "12 (BAR: )", "12 (BAR: 12;)", "12 (BAR: 12) more"):
            self.write_one(PLAIN, counts(), kernel(0, counts(), opcodes=field))
            self.refuses(f'ncu.csv: {tool.OPCODES} is "{field}"')
        self.write_one(PLAIN, counts(), kernel(0, counts(), opcodes="0 ()"))
        self.assertEqual(self.tally(0), (4, 4, 0, 0, 0))

    def test_block_sizes(self):
        for field in ("", "256", "(16, 16)", "(a, b, c)"):
            self.write_one(PLAIN, counts(), kernel(0, counts(), block=field))
            self.refuses(f'ncu.csv: "Block Size" is "{field}"')

    def test_a_table_that_is_damaged(self):
        for rows, fragment in (
                ([], "ncu.csv: holds no table"),
                (["==PROF== Connected", "No kernels were profiled."], "ncu.csv: holds no table"),
                (["==PROF== Connected", "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"],
                 "ncu.csv: the profiler failed: ERR_NVGPUCTRPERM - The user does not have permission: fix"),
                ([HEADER, *ROWS, "==ERROR== The application returned an error code (2)."], "ncu.csv: the profiler failed: The application"),
                ([HEADER, ROWS[0], '"1","4711","matmul'], "ncu.csv: a row has more or fewer fields"),
                ([HEADER, ROWS[0], '"1","4711"'], "ncu.csv: a row has more or fewer fields"),
                ([HEADER, ROWS[0], ROWS[1] + ',"1"'], "ncu.csv: a row has more or fewer fields")):
            self.write("ncu.csv", "\n".join(rows))
            self.refuses(fragment)

    def test_what_is_said_around_a_table(self):
        around = [f'==PROF== Profiling "naive" - {number}: 0%....50%....100% - 7 passes' for number in range(4000)]
        self.write("ncu.csv", "\n".join([*around, HEADER, UNITS, ROWS[0], "==PROF== Profiling", "", ROWS[1], "==PROF== Disconnected"]))
        self.assertEqual(self.tally(0), (8, 8, 0, 0, 0))
        self.write("ncu.csv", table(*ROWS).replace(b"\n", b"\r\n"))
        self.assertEqual(self.tally(0), (8, 8, 0, 0, 0))
        bare = [",".join(("ID", "Block Size", *(METRICS[name] for name in counts()))), "", '0,"(16, 16, 1)",9550600,22432515,9248,35112',
                '"1","(16, 16, 1)","612,680","3,305,548","9,248","35,112"', ""]
        self.write("ncu.csv", "\r\n".join(bare))
        self.assertEqual(self.tally(0), (8, 8, 0, 0, 0))
        self.write("ncu.csv", table(ROWS[0].replace("naive(", "na\xffive\n("), ROWS[1]).decode().encode("latin-1"))
        self.assertEqual(self.tally(0), (8, 8, 0, 0, 0))


class Records(Validate):
    def test_records_that_tell_of_trouble(self):
        done = records(DONE)
        case = launched("a/b/1/-")
        for name, data, fragment in (
                ("launches", records({"event": "unavailable", "why": "no GPU"}), "jsonl: no GPU"),
                ("launches", records({"event": "broken", "why": "no driver"}), "jsonl: no driver"),
                ("launches", records({"event": "checked", "case": "a/b/1/-", "right": False, "why": "c[1]"}, DONE), "a/b/1/-: c[1]"),
                ("launches", records({"event": "failed", "case": "a/b/1/-", "why": "launching"}, DONE), "a/b/1/-: launching"),
                ("launches", done, "launches.jsonl: no case was launched"),
                ("launches", b"", "launches.jsonl: ends before its observer was done"),
                ("launches", b"not JSON\n" + done, "launches.jsonl: no case was launched"),
                ("launches", done + records(case), "launches.jsonl: ends before its observer was done"),
                ("launches", records(launched(NAIVE), DONE), f"model.jsonl: {TILED}: was counted and not launched"),
                ("model", done, f"{NAIVE}: was launched, and model.jsonl has no count of it"),
                ("model", records({"event": "failed", "case": "a/b/1/-", "why": "too large"}, DONE), "model.jsonl: a/b/1/-: too large")):
            self.write_good()
            self.write(f"{name}.jsonl", data)
            self.refuses(fragment)

    def test_refused_cases_are_no_trouble(self):
        with open("model.jsonl", "rb") as file:
            model = file.read()
        self.write("model.jsonl", records({"event": "refused", "case": "matmul_f32/tiled/0/b16", "why": "empty"}) + model)
        self.assertEqual(self.tally(0), (8, 8, 0, 0, 0))

    def test_gpu_only_cases_are_launched_and_not_counted(self):
        refused = {"event": "refused", "case": NAIVE, "why": "for GPUs alone", "gpu_only": True}
        self.write("model.jsonl", records(refused, measured(TILED, BOTH[TILED]), DONE))
        self.assertEqual(self.tally(0), (4, 4, 0, 0, 0))

    def test_files_that_are_missing(self):
        for name in ("model.jsonl", "launches.jsonl", "ncu.csv"):
            self.write_good()
            os.remove(name)
            self.refuses(f"{name}: cannot be ")
            os.mkfifo(name)
            self.refuses("it is not a regular file")
            os.remove(name)


class Front(Validate):
    def run_command(self, *arguments, **more):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("KG_")}
        return subprocess.run([sys.executable, "-B", TOOL, *arguments], text=True, check=False, env=environment,
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})

    FILES = ("--model", "model.jsonl", "--launches", "launches.jsonl", "--hardware", "ncu.csv")

    def test_the_command(self):
        done = self.run_command(*self.FILES)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.run_tool()[1])
        self.assertEqual(self.run_command(*self.FILES, "--csv").stdout, self.run_tool("--csv")[1])
        self.write_one(PLAIN, counts(loads=1), kernel(0, counts()))
        self.assertEqual(self.run_command(*self.FILES).returncode, 1)
        self.assertEqual(self.run_command("--metrics").stdout.count(" judged\n"), 4)

    def test_refusals(self):
        for arguments, told in (((), "needs --model, --hardware and --launches"), (self.FILES[:4], "needs --model, --hardware"),
                                ((*self.FILES[:-1], "no.csv"), "no.csv: cannot be read: No such file")):
            done = self.run_command(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(told, done.stderr)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.run_command("--metrics", stdout=full)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "kernelgate: validate: the standard output cannot be written: redirect it elsewhere\n"))
