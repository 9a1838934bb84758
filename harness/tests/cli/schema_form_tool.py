"""Tests of how a document is held against a schema. usage: schema_form_tool.py TREE KERNELGATE"""

import json
import os
import sys
import unittest

from merge_fixture import TREE, Merges, part, verdicts

from kernelgate.base import schema_form
from kernelgate.base.common import Failure


class Forms(Merges):
    def setUp(self):
        super().setUp()
        found = schema_form.own_file
        schema_form.own_file = lambda *places: found(os.path.abspath(places[0]), *places)
        self.addCleanup(setattr, schema_form, "own_file", found)
        self.addCleanup(schema_form._load.cache_clear)

    def misfit(self, document, schema):
        self.write("test.schema.json", schema)
        schema_form._load.cache_clear()
        return schema_form.misfit(document, "test.schema.json")

    def test_keywords(self):
        """For each keyword what fits, and what does not, of which the fault says the keyword."""
        for keyword, wanted, fitting, others in (
                ("type", "object", [{}], [[], "", 1, True, None]), ("type", "array", [[]], [{}, "", 1]),
                ("type", "string", [""], [1, None, [], {}]), ("type", "boolean", [True, False], [0, 1, None, "true"]),
                ("type", "number", [0, 1.5, -1], [True, "1", None]), ("type", "integer", [1, 1.0, -2**60], [1.5, True, "1"]),
                ("type", "null", [None], [0, False, ""]), ("type", ["number", "null"], [1, None], ["", True]),
                ("const", True, [True], [1, "true", False]), ("const", "a", ["a"], ["b", ["a"]]), ("const", 1, [1, 1.0], [True, 2]),
                ("enum", [0, 77, "x"], [0, 77.0, "x"], [False, 1, "0", None]),
                ("minimum", 0, [0, 5, "x"], [-1, -0.5]), ("maximum", 1, [1, 0, [], "y"], [2, 1.01]),
                ("exclusiveMinimum", 0, [1e-300, "x"], [0, -1]), ("minLength", 1, ["a", 0, []], [""]),
                ("maxLength", 2, ["é€", "", 100], ["abc"]), ("minItems", 1, [[0], "", {}], [[]]),
                ("maxItems", 1, [[], [0], "abc"], [[0, 1]]),
                ("pattern", "^0x[0-9a-f]+$", ["0x1f", 5], ["0x", "00x1", "0x1g", "0x1\n"]), ("pattern", "b", ["abc"], ["a"])):
            for value in fitting:
                self.assertIsNone(self.misfit([value], {"items": {keyword: wanted}}), (keyword, wanted, value))
            for value in others:
                self.assertEqual(self.misfit([value], {"items": {keyword: wanted}}), f"[0] is not {json.dumps({keyword: wanted})}")

    def test_every_keyword_of_the_schemas_is_known(self):
        """One that was not would be believed to hold; propertyNames and minProperties were never held."""
        structure = {"$schema", "$id", "$defs", "$ref", "title", "description", "properties", "additionalProperties", "required",
                     "dependentRequired", "items", "propertyNames", "minProperties"}

        def keywords(schema):
            if isinstance(schema, dict):
                yield from schema
                for key in ("properties", "$defs"):
                    for inner in schema.get(key, {}).values():
                        yield from keywords(inner)
                for key in ("items", "additionalProperties"):
                    yield from keywords(schema.get(key))

        for path in ("tools/kernelgate/verdicts.schema.json", "baselines/schemas/kernelgate-results.schema.json"):
            with open(os.path.join(TREE, path), encoding="utf-8") as file:
                self.assertEqual(set(keywords(json.load(file))) - structure - set(schema_form._KEYWORDS), set())

    def test_members(self):
        name = {"type": "string", "minLength": 1}
        self.write("other.json", {"$defs": {"name": name, "entry": {"required": ["id"], "properties": {
            "id": {"$ref": "#/$defs/name"}, "n": {"type": "number"}}, "dependentRequired": {"n": ["m"]}}}})
        schema = {"type": "object", "required": ["a"], "dependentRequired": {"b": ["c"]}, "additionalProperties": False,
                  "properties": {"a": {"$ref": "other.json#/$defs/name"}, "b": {}, "c": {"enum": [1]}, "d": {"$ref": "#/$defs/figures"},
                                 "e": {"type": "array", "items": {"$ref": "other.json#/$defs/entry", "required": ["id", "k"],
                                                                  "properties": {"k": {"type": "boolean"}}}}},
                  "$defs": {"figures": {"additionalProperties": {"type": ["number", "null"]}}}}
        for members, fault in (
                ({}, None), ({"a": None}, 'a is not {"type": "string", "minLength": 1}'), ({"a": ""}, "a is not"),
                ({"a": 5}, 'a is not {"type": "string", "minLength": 1}'), ({"x": 1}, "x is not a known member"),
                ({"b": 1, "c": 1}, None),
                ({"b": 1}, 'c is not {"enum": [1]}'), ({"d": {"x": 1, "y": None}}, None),
                ({"d": {"x": 1, "y": ""}}, 'd.y is not {"type": ["number", "null"]}'), ({"e": [{"id": "i", "k": True, "z": 0}]}, None),
                ({"e": [{"id": "i", "k": True}, {"id": "i"}]}, 'e[1].k is not {"type": "boolean"}'),
                ({"e": [{"k": True}]}, 'e[0].id is not {"type": "string", "minLength": 1}'),
                ({"e": [{"id": "", "k": True}]}, "e[0].id is not"),
                ({"e": [{"id": "i", "k": 1}]}, "e[0].k is not"),
                ({"e": [{"id": "i", "k": True, "n": 1}]}, "e[0].m is not a known member"),
                ({"e": [{"id": "i", "k": True, "n": 1, "m": 2}]}, None), ({"e": [[]]}, None)):
            document = {key: value for key, value in {"a": "x", **members}.items() if value is not None}
            found = self.misfit(document, schema)
            self.assertEqual(found is None, fault is None, (members, found))
            self.assertTrue(found is None or found.startswith(fault), found)
        self.assertEqual(self.misfit([], schema), 'the document is not {"type": "object"}')

    def test_a_schema_that_is_not_there(self):
        with self.assertRaisesRegex(Failure, "none.json: cannot be found: install kernelgate again"):
            schema_form.misfit({}, "none.json")

    def test_verdicts(self):
        """The ways to get to a member of the schema of verdicts."""
        one = [part("time", metrics={})]
        for members, fault in (
                ({"seconds": "3"}, 'seconds is not {"type": "number", "minimum": 0}'), ({"seconds": -1}, "seconds is not"),
                ({"target": {"key": ""}}, 'target.key is not {"type": "string", "minLength": 1}'),
                ({"skipped": "no GPU"}, "skipped_by is not"),
                ({"skipped": "no GPU", "skipped_by": "whim"}, "skipped_by is not"), ({"errors": ["e", 1]}, "errors[1] is not"),
                ({"refused": [{"case": "a", "why": 1}]}, "refused[0].why is not"),
                ({"claims": [{"holds": True}]}, "claims[0].claim is not"),
                ({"complete": None}, 'complete is not {"type": "boolean"}'), ({"test": None}, "test is not"),
                ({"exit_code": 3}, "exit_code is"),
                ({"findings": [{"kind": "none"}]}, "cases[0].findings[0].kind is not"),
                ({"suspect": False}, 'cases[0].suspect is not {"const"'),
                ({"failure": {"kind": "k", "new": 1}}, "cases[0].failure.new is not a known member"),
                ({"part": 0}, "cases[0].part is not"),
                ({"kernel": {"fingerprint": "x"}}, "cases[0].kernel.fingerprint is not"),
                ({"work": {"bytes": 1}}, "cases[0].work.operations is"),
                ({"kernel": {"occupancy": 2}}, "cases[0].kernel.occupancy is not"), ({"more_findings": 1}, "cases[0].findings is not"),
                ({"metrics": {"time_ns": {"change": "6 %"}}}, 'cases[0].metrics.time_ns.change is not {"type": ["number", "null"]}'),
                ({"gpu_state": {"foreign_processes": -1}}, "cases[0].gpu_state.foreign_processes is"), ({"reason": 1}, "cases[0].reason is not")):
            at_top = not fault.startswith("cases")
            document = verdicts("t", *one)
            if at_top:
                document = {key: value for key, value in {**document, **members}.items() if value is not None}
            else:
                document["cases"][0] = {**one[0], **members}
            self.assertTrue(str(schema_form.misfit(document, "verdicts.schema.json")).startswith(fault), (members, fault))
        self.assertIsNone(schema_form.misfit(verdicts("t", *one), "verdicts.schema.json"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
