# SPDX-License-Identifier: MIT
"""The strict reader of baselines in Python: by the documents that test the programs' reader too, and by what only one of both has."""

import json
import os
import random
import unittest

import jsonschema
from own_folder import read_json, read_json_lines

from command_run import TREE
from kernelgate.base import schema_form
from kernelgate.base.errors import Failure
from kernelgate.base.schemas import BASELINE
from kernelgate.baseline.reading import SCHEMA, read_document
from mutations import mutated_text

HEAD = '{{"schema": "kernelgate-baseline/2",\n {}}}'
CASES = '"target": {{"key": "{}"}}, "provenance": {{"model": "1"}},\n "cases": {{\n  {},\n  "z/good/1/-": {{"barriers": {{"value": 3}}}}\n }}'


def made(kind, text):
    """The name and the text of the file that a line of documents.jsonl means: of the file itself, of what follows its schema, of a
    case before a good one, or of the members of that case."""
    key = "cpu-model" if kind.startswith("model") or kind == "counters" else "nvidia-h200"
    if kind in ("metric", "counters"):
        text = f'"a/b/530/b16": {{{text}}}'
    if kind in ("case", "metric", "counters"):
        text = CASES.format(key, text)
    return f"{key}.json", text if kind.endswith("whole") else HEAD.format(text)


def rows():
    return read_json_lines(os.path.join(TREE, "harness", "tests", "baseline", "documents.jsonl"))


class Reading(unittest.TestCase):
    def fault(self, name, data):
        try:
            read_document("label", name, data if isinstance(data, bytes) else data.encode())
        except Failure as failure:
            self.assertTrue(str(failure).startswith("label:"), failure)
            self.assertNotIn("\n", str(failure))
            return str(failure).removeprefix("label")
        return None

    def test_documents(self):
        for row in rows():
            name, text = made(row["as"], row["text"])
            with self.subTest(text):
                fault = self.fault(name, text)
                if row["at"] is None:
                    self.assertIsNone(fault)
                else:
                    self.assertTrue((fault or "none").startswith(row["at"]), f"{fault}: expected {row['at']}")

    def test_the_schema_is_as_jsonschema_reads_it(self):
        validator, fit = jsonschema.Draft202012Validator(SCHEMA), []
        for row in rows():
            try:
                document = json.loads(made(row["as"], row["text"])[1])
            except ValueError:
                continue
            with self.subTest(document):
                fit.append(schema_form.fits(document, BASELINE))
                self.assertEqual(fit[-1], validator.is_valid(document))
        self.assertGreater(fit.count(False), 50)
        self.assertGreater(fit.count(True), 20)

    def test_lines_are_those_of_the_key(self):
        """The same names stand in other places and in texts before, and behind escapes."""
        fault = self.fault("nvidia-h200.json", HEAD.format("""\
"provenance": {"cases": "a\\"b{[", "a/b/1/-": 1},
 "target": {"key": "nvidia-h200"},
 "cases"
:
{
  "a/a/1/-": {"barriers": {"value": 1}, "code": {"registers": 1, "fingerprint": "0123456789abcdef"}},
  "a/b/1/-": {
   "b\\u0061rriers": {"value":
     -1.5}}}"""))
        self.assertTrue(fault.startswith(":9: cases: a/b/1/-: barriers: value: -1.5 is less than"), fault)
        fault = self.fault(*made("case", '"a/b/1/-\\n": {"barriers": {"value": 1}}'))
        self.assertTrue(fault.startswith(":4: cases: a/b/1/- : is"), fault)

    def test_damaged_files(self):
        """Every error is one line that names the file."""
        document = read_json(os.path.join(TREE, "baselines", "nvidia-h200.json"))
        document["cases"] = dict(list(document["cases"].items())[:3])
        chance = random.Random(1)
        good = sum(self.fault("nvidia-h200.json", mutated_text(document, chance)) is None for _ in range(100))
        self.assertLess(good, 70)
        for data in (b"\xff", b'{"schema": "\xff"}', b"[" * 100000, b"", b" \n", b'{"schema": "\\u0000"}', b'{"a": 1e999}', b'{"a": NaN}'):
            self.assertIsNotNone(self.fault("nvidia-h200.json", data), data)
