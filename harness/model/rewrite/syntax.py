# SPDX-License-Identifier: MIT
"""Reads syntax trees of preprocessed CUDA C++: their nodes in order, and the names that declarations and calls have."""

import re

# A line marker: line, file, flags; flag 3 means a system header.
MARKER = re.compile(rb'^# (\d+) "((?:[^"\\\n]|\\.)*)"((?: \d)*)\n', re.MULTILINE)
# Marks of the model's cuda_runtime.h after preprocessing.
GLOBAL, DEVICE, HOST = b"kg__global", b"kg__device", b"kg__host"
LITERALS = ("string_literal", "raw_string_literal", "char_literal")
FUNCTIONS = ("function_definition", "declaration", "field_declaration")
PARAMETERS = ("parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration")


def walk(node):
    """The node and all nodes in it, in the text's order."""
    nodes = [node]
    while nodes:
        node = nodes.pop()
        yield node
        nodes.extend(reversed(node.children))


def leaves(node):
    """The tokens of a node."""
    if node.child_count == 0 or node.type in LITERALS:
        return [node]
    return [leaf for child in node.children for leaf in leaves(child)]


def name_in(node):
    """The node of the name that a declaration or a declarator declares; None if it has none."""
    if node is None or node.type in ("identifier", "type_identifier", "field_identifier"):
        return node
    if node.type in ("qualified_identifier", "template_function"):
        return name_in(node.child_by_field_name("name"))
    if node.type in PARAMETERS or node.type == "init_declarator":
        return name_in(node.child_by_field_name("declarator"))
    if node.type == "optional_type_parameter_declaration":
        return node.child_by_field_name("name")
    if node.type.endswith("_declarator") and "abstract" not in node.type or \
            node.type.endswith(("type_parameter_declaration", "template_parameter_declaration")):
        for child in reversed(node.named_children) if node.type.startswith("template_template") else node.named_children:
            if child.type not in ("parameter_list", "type_qualifier", "ms_based_modifier", "attribute_specifier"):
                return name_in(child)
    return None


def function_in(node):
    """The declarator of a function's definition or declaration; None for anything else."""
    node = node.child_by_field_name("declarator")
    while node is not None and node.type != "function_declarator":
        node = node.child_by_field_name("declarator") if node.type != "reference_declarator" else node.named_children[-1]
    return node


def called_in(node):
    """The node of the last name in an expression that names a function; None for any other expression."""
    while node is not None:
        if node.type == "identifier":
            return node
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            node = node.named_children[0]
        elif node.type in ("template_function", "qualified_identifier"):
            node = node.child_by_field_name("name")
        elif node.type in ("dependent_name", "template_method"):
            node = node.named_children[-1]
        else:
            return None
    return None


def is_member(node):
    """Whether the name of a template is asked of an object, or called in a class with template arguments."""
    around = node.parent
    if around.type == "field_expression":
        return node.type == "template_method"
    scope = around.child_by_field_name("scope")
    while around.type == "qualified_identifier":
        around = around.parent
    return scope is not None and scope.type == "template_type" and around.type == "call_expression"
