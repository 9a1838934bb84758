# SPDX-License-Identifier: MIT
"""The comparisons of harness/tests/hardware/ on the CPU model, without a GPU: every kernel is right and clean, and the counts are
those that follow from its accesses by hand."""

import json
import os
import re

from command_fixture import BUILD
from run_fixture import Runs

HARDWARE = os.path.join(BUILD, "hardware")

# What follows from each kernel's source, by comparison and case.
COUNTS = {
    # 1000 floats are 4000 bytes: 125 sectors of 32. A warp of 32 floats reads 4 of them, the last warp, of 8 floats, one.
    "hardware_copy": {
        "coalesced/1000/b96": {"global_load_requests": 32, "global_load_sectors": 125, "global_store_requests": 32,
                               "global_store_sectors": 125, "unique_bytes_read": 4000, "unique_bytes_written": 4000,
                               "global_atomic_requests": 0, "barriers": 0},
        # 500 pairs are 16 warps' worth, 250 quads 8, 4000 bytes 125.
        "pairs/1000/b256": {"global_load_requests": 16, "global_load_sectors": 125},
        "quads/1000/b256": {"global_load_requests": 8, "global_store_sectors": 125},
        "doubles/1000/b256": {"global_load_requests": 16},
        "bytes/1000/b96": {"global_load_requests": 125, "global_load_sectors": 125},
        # 99991 = 4 x 24997 + 3: 24997 quads by 782 warps, and three floats one after the other.
        "quads/99991/b256": {"global_load_requests": 782 + 3, "global_load_sectors": 12499 + 3},
        "reversed/1000/b96": {"global_load_requests": 32, "global_load_sectors": 125},
        # Each lane its own sector: as many as there are elements.
        "strided/1000/b96": {"global_load_requests": 32, "global_load_sectors": 1000},
        # Warp w has elements 32 w - 3 to 32 w + 28: five sectors; the first 4, the last, of 11, 2.
        "misaligned/1000/b96": {"global_load_requests": 32, "global_load_sectors": 4 + 30 * 5 + 2},
        # 50 warps of 20 floats: 80 bytes, which begin at a sector or in its middle: 3 each.
        "partial_warps/1000/b96": {"global_load_requests": 50, "global_load_sectors": 150},
        "grid_stride/1000/b96": {"global_load_requests": 32, "global_load_sectors": 125},
        # Two accesses per warp, to every other float each, which touch all of its sectors.
        "early_return/1000/b96": {"global_load_requests": 64, "global_load_sectors": 250},
        "inlined/1000/b96": {"global_load_requests": 32},
        # Eleven blocks of 96, four of 256.
        "through_shared/1000/b96": {"shared_store_requests": 32, "shared_store_wavefronts": 32, "shared_load_wavefronts": 32,
                                    "barriers": 11},
        "through_shared/1000/b256": {"barriers": 4},
        "shuffled/1000/b96": {"shuffles": 33, "global_load_requests": 32, "global_load_sectors": 125},
        "exchanged/1000/b96": {"global_atomic_requests": 32, "global_atomic_sectors": 125, "global_store_requests": 32}},
    # 1000 elements are 32 warps. All of a warp take part in all 16 taps but the last, whose 8 lanes have left after 8.
    "hardware_filter": {
        "uniform/1000/b256": {"global_load_requests": 31 * 16 + 8, "constant_load_requests": 31 * 16 + 8,
                              "constant_load_words": 31 * 16 + 8, "global_store_requests": 32},
        "divergent/1000/b256": {"global_store_sectors": 125}},
    # 530 numbers are 17 warps, and 67 sectors; 12 blocks of two warps reach each other's tile.
    "hardware_cluster": {
        "pull/530/b64": {"global_load_requests": 17, "global_load_sectors": 67, "global_store_sectors": 67,
                         "shared_store_requests": 24, "shared_load_requests": 24, "shared_load_wavefronts": 24, "barriers": 0},
        "push/530/b64": {"shared_store_requests": 48, "shared_load_requests": 17},
        "add/530/b64": {"shared_atomic_requests": 24, "shared_store_requests": 24}},
    # 32 x 32 outputs are 32 warps, of one row each, in either type. Each step loads one element of a row for all lanes, a sector,
    # and one of 32 others, 64 bytes apart: 32 sectors. By pairs there are half as many steps.
    "hardware_half": {
        "naive/32/b96": {"global_load_requests": 2 * 32 * 32 * 2, "global_load_sectors": 2 * 32 * 32 * 33,
                         "global_store_requests": 2 * 32, "global_store_sectors": 2 * 32 * 2, "launches": 2,
                         "unique_bytes_read": 4 * 32 * 32 * 2},
        "pairs/32/b96": {"global_load_requests": 2 * 32 * 16 * 2, "global_load_sectors": 2 * 32 * 16 * 33}},
    # 32 x 32 x 32 are four tiles of 16 x 16, of two steps each, in three kernels. A step loads four times from either operand,
    # from eight rows of 16 bytes each. A tile is stored, loaded and stored: four times eight rows, of 32 bytes, or 16 of halves.
    # From shared memory a step's two operands are 32 x 16 bytes: an instruction for each of halves, in which rows 0 and 4 of each
    # of four blocks meet in a bank; four of bfloat16, in which they do, too.
    "hardware_wmma": {
        "row_col_square/32/b32": {"global_load_requests": 3 * 4 * (2 * 8 + 4), "global_load_sectors": 3 * 4 * (2 * 8 + 4) * 8,
                                  "global_store_requests": 3 * 4 * 8, "global_store_sectors": 3 * 4 * 8 * 8,
                                  "shared_load_requests": 0, "launches": 3},
        "staged_row_col_square/32/b32": {"global_store_requests": 3 * 4 * 8, "shared_load_requests": 4 * 2 * (2 + 2 + 8),
                                         "shared_load_wavefronts": 4 * 2 * (2 * 2 * 8 + 8 * 2)},
        # Columns of a and c: floats are then loaded and stored one by one.
        "col_row_square/32/b32": {"global_load_requests": 3 * 4 * 2 * 8 + 4 * (8 + 4 + 8),
                                  "global_store_requests": 4 * 2 * (8 + 4 + 8)}},
    # Four tiles of bytes, four of tf32 in four steps of 8, 16 of doubles in eight steps of 4.
    "hardware_wmma_more": {
        "row_col_square/32/b32": {"global_load_requests": 4 * (2 * 4 + 4) + 4 * (4 * 8 + 4) + 16 * (8 * 2 + 1),
                                  "global_store_requests": 4 * 8 + 4 * 8 + 16 * 2},
        "col_row_square/32/b32": {"global_load_requests": 4 * (2 * 16 + 8) + 4 * (4 * 8 + 8) + 16 * (8 * 2 + 2)}},
    # 32 x 16 outputs are four warps' tiles. Each of four steps copies 16 rows of a and 8 of b, 32 bytes each, by one request
    # each, and loads four matrices of a and two of b, whose eight rows of 48 bytes touch each bank once, of 32 bytes twice.
    "hardware_ptx": {
        "padded/32x16x64/b64": {"global_load_requests": 4 * 4 * 2, "global_load_sectors": 4 * 4 * 24,
                                "global_store_requests": 4 * 2, "global_store_sectors": 4 * 16, "shared_store_requests": 0,
                                "shared_load_requests": 4 * 4 * 2, "shared_load_wavefronts": 4 * 4 * 6},
        "packed/32x16x64/b64": {"shared_load_requests": 4 * 4 * 2, "shared_load_wavefronts": 4 * 4 * 12},
        # 512 outputs are 16 warps, each of two rows of a and 16 of b, and eight steps.
        "vectors/32x16x64/b64": {"global_load_requests": 16 * 8 * 2, "global_load_sectors": 16 * 8 * 18,
                                 "global_store_requests": 16, "global_store_sectors": 64}},
    # 16 boxes of 16 rows, which no warp loads or stores, but for the copy in shared memory.
    "hardware_bulk": {
        "boxes/64x128/b32": {"global_load_requests": 0, "global_store_requests": 0, "unique_bytes_read": 61 * 124 * 4,
                             "unique_bytes_written": 64 * 128 * 4, "shared_load_requests": 16 * 16, "shared_store_requests": 16 * 16},
        "swizzled/64x128/b32": {"shared_load_wavefronts": 16 * 16, "shared_store_wavefronts": 16 * 16, "barriers": 32, "fences": 0}},
    "hardware_rows": {
        "by_warp/1000/b96": {"shuffles": 5000, "global_store_requests": 1000, "global_store_sectors": 1000},
        "unequal/1000/b96": {"global_store_requests": 32}},
    "hardware_select": {
        # Flags, and both of two inputs: of 32 random flags some are odd, some even.
        "branch/1000/b96": {"global_load_requests": 96, "global_store_requests": 32},
        "both/1000/b96": {"global_load_requests": 96, "global_load_sectors": 375},
        "loop/1000/b96": {"global_store_requests": 64}},
    # The fill of the scratch and the copy of 17 sums are bytes copied; each warp of 32 threads adds to one element of scratch.
    "hardware_two_pass": {
        "parts/17x1000/threads64parts1": {"launches": 2, "copied_bytes": 17 * 4 + 17 * 4, "global_atomic_requests": 17 * 2},
        "parts/17x1000/threads32parts7": {"launches": 2, "copied_bytes": 17 * 7 * 4 + 17 * 4, "global_atomic_requests": 17 * 7}},
    # A row of 33 doubles takes two loads, its integers one, of eight sectors. A quarter of the rows begin at a sector.
    "hardware_wide": {
        "by_warp/100/b96": {"global_load_requests": 300, "global_load_sectors": 25 * 8 + 75 * 9 + 100 + 800,
                            "global_store_requests": 200, "global_store_sectors": 900}}}


class Hardware(Runs):
    def observe(self, comparison, part, is_wanted):
        """The records of a part of a comparison with some of its own list of cases."""
        program = os.path.join(HARDWARE, f"{comparison}.instrumented")
        cases = self.expect_program(0, comparison, program, "--cases", part).splitlines(keepends=True)
        self.write("cases", "".join(filter(is_wanted, cases)))
        self.expect_program(0, "", program, "--observe", "cases", "--part", part, "--records", "records")
        return [json.loads(line) for line in self.read("records").splitlines()]

    def test_kernels_are_right_and_clean(self):
        for comparison in COUNTS:
            with self.subTest(comparison):
                # The largest sizes, which take two thirds of the time, are for GPUs.
                records = self.observe(comparison, "check", lambda case: int(re.match("[0-9]*", case.split("/")[2])[0]) <= 1000)
                checked = [record for record in records if record["event"] == "checked"]
                self.assertTrue(checked)
                self.assertEqual([record for record in checked if record["right"] is not True], [])
                self.assertNotIn("failed", [record["event"] for record in records])

    def test_uninitialized_variables_are_wrong_whatever_they_hold(self):
        self.expect_program(0, "", os.path.join(HARDWARE, "hardware_rows.model"), "--filter=hardware_rows/defects")

    def test_counts_are_those_that_the_sources_say(self):
        for comparison, cases in COUNTS.items():
            records = self.observe(comparison, "count", lambda case, cases=cases: case.strip().partition("/")[2] in cases)
            measured = {record["case"]: record["metrics"] for record in records if record["event"] == "measured"}
            for case, expected in cases.items():
                with self.subTest(comparison=comparison, case=case):
                    metrics = measured[f"{comparison}/{case}"]
                    self.assertEqual({counter: metrics[counter]["value"] for counter in expected}, expected)

    def test_wrong_uses_of_scratch_and_scalars_are_found(self):
        program = os.path.join(HARDWARE, "hardware_two_pass.instrumented")
        for defect, symbol in (("unfilled", "partial"), ("beyond_scratch", "partial"), ("unscaled", "copy")):
            with self.subTest(defect):
                case = f"hardware_two_pass/{defect}/3x33/threads32parts7"
                self.write("cases", case + "\n")
                self.expect_program(0, "", program, "--observe", "cases", "--part", "defects", "--records", f"{defect}.records")
                checked = [json.loads(line) for line in self.read(f"{defect}.records").splitlines() if '"checked"' in line]
                self.assertEqual([(record["case"], record["right"]) for record in checked], [(case, False)])
                self.assertIn(symbol, checked[0]["why"])
