# SPDX-License-Identifier: MIT
"""Tests of `kernelgate list`, on programs made of a script, and on a real one."""

import json
import os

from command_fixture import MODEL, Folder

BYTES = {"bytes_read": 8000, "bytes_written": 4000, "bytes_to_device": 0, "bytes_to_host": 0}
ADD = {"comparison": "add",
       "variants": [{"variant": "plain", "idea": "one each"}, {"variant": "strided", "idea": "a grid-stride loop"},
                    {"variant": "none"}],
       "cases": [{"case": "add/plain/9/b32", "purposes": ["check"], "work": {"bytes": 12000, "operations": 1000}, **BYTES,
                  "type": "float32", "kernels": 1, "blocks": 1},
                 {"case": "add/strided/9/b64", "purposes": ["check", "time", "count"], **BYTES}],
       "refused": [{"case": "add/none/0/b32", "why": "size 0 has nothing to do"}]}
MUL = {"comparison": "mul", "variants": [{"variant": "plain", "idea": 'a, "quoted"'}],
       "cases": [{"case": "mul/plain/5/b8", "purposes": ["count"], **BYTES}], "refused": []}


class List(Folder):
    def make_program(self, name, answer, code=0):
        self.write(f"programs/{name}", '#!/bin/sh\n[ "$1" = --work ] || exit 9\n'
                                       f"cat <<'END'\n{json.dumps(answer)}\nEND\nexit {code}\n")
        os.chmod(f"programs/{name}", 0o755)

    def setUp(self):
        super().setUp()
        self.make_program("add.model", ADD)
        self.make_program("mul.model", MUL)

    def listed(self, *arguments, **settings):
        return self.expect(0, "", "list", "--build", "programs", *arguments, **settings)

    def cases(self, *arguments, **settings):
        document = json.loads(self.listed("--json", *arguments, **settings))
        return [entry["case"] for comparison in document["comparisons"] for entry in comparison["cases"] + comparison["refused"]]

    def test_text(self):
        self.assertTrue(self.listed().startswith("""\
add: 2 cases

variant  idea
plain    one each
strided  a grid-stride loop
none

case               check  time  count   bytes  operations
add/plain/9/b32    check               12 000       1 000
add/strided/9/b64  check  time  count       -           -
refused: add/none/0/b32: size 0 has nothing to do

mul: 1 case
"""))

    def test_filter(self):
        for filters, setting, expected in (
                (("add/strided",), "", ["add/strided/9/b64"]), ((), "mul/*", ["mul/plain/5/b8"]), ((), "mul", ["mul/plain/5/b8"]),
                (("*/9/b64",), "mul/*", ["add/strided/9/b64"]), (("add/none",), "", ["add/none/0/b32"]),
                (("add/plain,mul",), "", ["add/plain/9/b32", "mul/plain/5/b8"])):
            self.assertEqual(self.cases(*filters, KG_FILTER=setting), expected)

    def test_formats(self):
        document = self.small_document(0, "list", "--build", "programs", "--json", "add/plain,mul")
        add, mul = document["comparisons"]
        self.assertEqual((add["program"], add["variants"], add["refused"]), ("programs/add.model", ADD["variants"][:1], []))
        self.assertEqual((add["cases"], mul["cases"]), (ADD["cases"][:1], MUL["cases"]))
        self.assertEqual(self.listed("--format", "csv", "mul,add/plain"),
                         'case,check,time,count,bytes,operations,idea\nadd/plain/9/b32,check,,,12000,1000,one each\n'
                         'mul/plain/5/b8,,,count,,,"a, ""quoted"""\n')
        self.assertIn("| add/strided/9/b64 | check | time | count | - | - |\n", self.listed("--format=markdown", "add"))

    def test_programs_for_a_gpu_where_there_are_no_others(self):
        for name in ("add", "mul"):
            os.rename(f"programs/{name}.model", f"programs/{name}.gpu")
        self.assertEqual(len(self.cases()), 4)

    def test_refusals(self):
        for told, *arguments in (
                ('list: there is no comparison "ad" among the cases; did you mean "add"?', "ad"),
                ('there is no variant "plan" among the cases; did you mean "plain"?', "add/plan"),
                ('there is no launch "b3" among the cases; did you mean "b32"?', "add/plain/9/b3"),
                ('there is no launch "b64" among the cases of the programs in programs', "add/plain/9/b64"),
                ("contains no glob", ",")):
            self.refuse(told, "list", "--build", "programs", *arguments)
        self.refuse("list: there is no program *.model or *.gpu in nowhere: build it", "list", "--build", "nowhere")

    def test_programs_that_do_not_answer(self):
        for answer, code, told in (({"cases": []}, 0, "does not list its cases: the document: 'comparison' is a required property"),
                                   (ADD, 2, "does not list its cases (exit code 2)"),
                                   ({"comparison": "add", "cases": [{"purposes": []}]}, 0, "cases[0]: 'case' is a required property"),
                                   ({"comparison": "add", "cases": []}, 0, "have no case")):
            self.make_program("add.model", answer, code)
            self.make_program("mul.model", {"comparison": "mul", "cases": []})
            self.refuse(told, "list", "--build", "programs")

    def test_a_real_program(self):
        os.mkdir("real")
        os.symlink(MODEL, "real/fake.model")
        (fake,) = self.document(0, "list", "--build", "real", "--json")["comparisons"]
        self.assertEqual(fake["comparison"], "fake")
        self.assertTrue(fake["cases"] and any(variant.get("idea") for variant in fake["variants"]))
