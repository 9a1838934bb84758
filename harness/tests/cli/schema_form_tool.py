# SPDX-License-Identifier: MIT
"""Tests of how a document is held against a schema."""

import glob
import json
import os
from unittest import mock

import jsonschema
from command_run import TREE
from merge_fixture import Merges, part, verdicts

from kernelgate.base import schema_form, schemas
from kernelgate.base.errors import Failure

import validate_documents

# Each keyword of the schemas, what it leaves open, and where JSON's types and Python's differ.
KEYWORDS = (
    *({"type": word} for word in ("array", "boolean", "integer", "null", "number", "object", "string", ["string", "null"])),
    {"enum": ["a", 1, None]}, {"const": True}, {"const": 1}, {"const": 0}, {"const": 0.5}, {"minimum": 1}, {"maximum": 1},
    {"exclusiveMinimum": 0}, {"exclusiveMaximum": 1}, {"minLength": 1}, {"maxLength": 2}, {"pattern": "^a"}, {"minItems": 1},
    {"maxItems": 1}, {"uniqueItems": True}, {"items": {"type": "string"}}, {"prefixItems": [{"type": "number"}]},
    {"prefixItems": [{"type": "number"}, {}], "items": {"type": "string"}}, {"minProperties": 1}, {"required": ["a"]},
    {"dependentRequired": {"a": ["b"]}}, {"properties": {"a": {"type": "number"}}}, {"propertyNames": {"pattern": "^a"}},
    {"additionalProperties": False, "properties": {"a": {}}, "patternProperties": {"^b": {"type": "string"}}},
    {"properties": {"ab": {"type": "number"}}, "patternProperties": {"b$": {"minimum": 2}}, "additionalProperties": {"const": "a"}},
    {"not": {"type": "object"}}, {"not": {}}, {"anyOf": [{"type": "string"}, {"minimum": 1}]},
    {"allOf": [{"type": "number"}, {"minimum": 1}]}, {"oneOf": [{"type": "number"}, {"minimum": 1}]},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"if": {"type": "object"}, "else": {"type": "number"}},
    {"$ref": "#/$defs/none", "$defs": {"none": {"type": "null"}}},
    {"$ref": "#/$defs/short", "minLength": 2, "$defs": {"short": {"maxLength": 3}}})
VALUES = (*validate_documents.VALUES, 1.0, -0.0, "ab", "abcd", ["a"], [1, "b"], [1, 2, "b"], ["a", "a"], [{"a": 1}, {"a": 1}], {"a": 1},
          {"a": "x"}, {"b": 1}, {"b": "x"}, {"ab": 1}, {"ab": 2}, {"a": 1, "b": "x"}, {"a": None, "c": "a"})


def keywords_of(schema):
    """The keywords in a schema and in the schemas that it contains."""
    for keyword, argument in schema.items() if isinstance(schema, dict) else ():
        yield keyword
        if keyword in ("$defs", "properties", "patternProperties"):
            argument = list(argument.values())
        elif keyword in ("const", "default", "dependentRequired", "enum") or keyword.startswith("x-"):
            argument = None  # no schema
        for inner in argument if isinstance(argument, list) else [argument]:
            yield from keywords_of(inner)


class Forms(Merges):
    def schemas_here(self):
        """The schemas are in this folder, and none was read."""
        # pylint: disable-next=protected-access
        for kept in (schemas.load_schema, schema_form._schema_at, schema_form._validator):
            kept.cache_clear()
            self.addCleanup(kept.cache_clear)
        return mock.patch.object(schemas, "own_file", lambda *places: os.path.basename(places[0]))

    def test_references_and_ends_of_texts(self):
        self.write("other.json", {"$defs": {"name": {"pattern": "^a$"}, "entry": {"properties": {"id": {"$ref": "#/$defs/name"}}}}})
        self.write("test.json", {"$schema": "https://json-schema.org/draft/2020-12/schema", "items": {"$ref": "#/$defs/named"},
                                 "$defs": {"named": {"$ref": "other.json#/$defs/entry", "required": ["id"]}}})
        with self.schemas_here():
            for document, fault in (([], None), ([{"id": "a"}], None), ([{}], "[0]: 'id' is a required property"),
                                    ([{"id": "a"}, {"id": "a\n"}], "[1].id: ")):
                self.assertEqual((schema_form.misfit(document, "test.json") or "None")[:len(str(fault))], str(fault))

    def test_a_schema_that_is_not_there(self):
        with self.assertRaisesRegex(Failure, "none.json: cannot be found: install kernelgate again"):
            schema_form.misfit({}, "none.json")

    def test_functions_and_jsonschema_agree(self):
        for schema in KEYWORDS:
            with self.subTest(schema):
                self.write("test.json", schema)
                validator = jsonschema.Draft202012Validator(schema)
                with self.schemas_here():
                    fit = [schema_form.fits(value, "test.json") for value in VALUES]
                self.assertEqual(fit, [validator.is_valid(value) for value in VALUES])
                self.assertIn(False, fit)

    def test_every_keyword_of_the_schemas_is_known(self):
        folders = (os.path.join(TREE, "baselines", "schemas"), os.path.join(TREE, "tools", "kernelgate", "run"))
        for path in (path for folder in folders for path in glob.glob(os.path.join(folder, "*.schema.json"))):
            with open(path, encoding="utf-8") as file:
                keywords = {keyword for keyword in keywords_of(json.load(file)) if not keyword.startswith("x-")}
            # pylint: disable-next=protected-access
            self.assertEqual(keywords - schema_form._KEYWORDS.keys(), set(), path)
        self.write("test.json", {"properties": {"a": {"contains": {}}}})
        with self.schemas_here(), self.assertRaises(KeyError):
            schema_form.fits({"a": 1}, "test.json")

    def test_changed_documents(self):
        changed = verdicts("t", part("time", metrics={}), claims=[{"claim": "c", "holds": True, "why": ""}])
        # pylint: disable-next=protected-access
        validator = schema_form._validator("verdicts.schema.json")
        fit = [(schema_form.fits(changed, "verdicts.schema.json"), validator.is_valid(changed), json.dumps(changed))
               for _ in validate_documents.changes(changed)]
        self.assertEqual([text for fits, valid, text in fit if fits != valid], [])
        self.assertGreater(sum(not fits for fits, _, _ in fit), len(fit) / 2)

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
