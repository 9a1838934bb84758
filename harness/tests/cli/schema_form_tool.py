"""Tests of how a document is held against a schema. usage: schema_form_tool.py TREE KERNELGATE"""

import os
import sys
import unittest
from unittest import mock

from merge_fixture import Merges, part, verdicts

from kernelgate.base import schema_form, schemas
from kernelgate.base.errors import Failure


class Forms(Merges):
    def test_references_and_ends_of_texts(self):
        self.write("other.json", {"$defs": {"name": {"pattern": "^a$"}, "entry": {"properties": {"id": {"$ref": "#/$defs/name"}}}}})
        self.write("test.json", {"$schema": "https://json-schema.org/draft/2020-12/schema", "items": {"$ref": "#/$defs/named"},
                                 "$defs": {"named": {"$ref": "other.json#/$defs/entry", "required": ["id"]}}})
        with mock.patch.object(schemas, "own_file", lambda *places: os.path.basename(places[0])):
            for document, fault in (([], None), ([{"id": "a"}], None), ([{}], "[0]: 'id' is a required property"),
                                    ([{"id": "a"}, {"id": "a\n"}], "[1].id: ")):
                self.assertEqual((schema_form.misfit(document, "test.json") or "None")[:len(str(fault))], str(fault))

    def test_a_schema_that_is_not_there(self):
        with self.assertRaisesRegex(Failure, "none.json: cannot be found: install kernelgate again"):
            schema_form.misfit({}, "none.json")

    def test_verdicts(self):
        one = [part("time", metrics={})]
        for members, fault in (
                ({"seconds": "3"}, "seconds: '3' is not of type 'number'"), ({"target": {"key": ""}}, "target.key: "),
                ({"skipped": "no GPU"}, "the document: 'skipped_by' is a dependency"), ({"errors": ["e", 1]}, "errors[1]: "),
                ({"test": None}, "the document: 'test' is a required property"), ({"exit_code": 3}, "exit_code: "),
                ({"findings": [{"kind": "none"}]}, "cases[0].findings[0].kind: "), ({"suspect": False}, "cases[0].suspect: "),
                ({"failure": {"kind": "k", "new": 1}}, "cases[0].failure: Additional properties"),
                ({"kernel": {"occupancy": 2}}, "cases[0].kernel.occupancy: ")):
            document = verdicts("t", *one)
            if "cases" in fault:
                document["cases"][0] = {**one[0], **members}
            else:
                document = {key: value for key, value in {**document, **members}.items() if value is not None}
            self.assertEqual(schema_form.misfit(document, "verdicts.schema.json")[:len(fault)], fault)
        self.assertIsNone(schema_form.misfit(verdicts("t", *one), "verdicts.schema.json"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
