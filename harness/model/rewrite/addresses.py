# SPDX-License-Identifier: MIT
"""Rewrites addresses of __device__ functions that the host takes. On a GPU they are the host's, and no kernel can call them."""

import re

from syntax import DEVICE, FUNCTIONS, GLOBAL, PARAMETERS, function_in, name_in

# Where a name of a function is its address.
TAKERS = ("argument_list", "assignment_expression", "binary_expression", "cast_expression", "conditional_expression", "init_declarator",
          "initializer_list", "initializer_pair", "parenthesized_expression", "pointer_expression", "return_statement")
# What is no code of the host alone, or no address.
OTHERS = ("template_argument_list", "template_parameter_list", "sizeof_expression", "decltype", "alignof_expression", "field_declaration",
          "static_assert_declaration")


def _device_functions(source, nodes):
    """The names of __device__ functions, without those of several functions or of anything else; and whether each is a template."""
    names, others, defined = {}, set(), set()
    for node in nodes:
        declarator = function_in(node) if node.type in FUNCTIONS else None
        # An operator has no such name.
        name = name_in(declarator) if declarator is not None else None
        if name is not None:
            name = source.of(name)
            attributes = source.attributes(node)
            is_template = node.parent.type == "template_declaration"
            parameters = declarator.child_by_field_name("parameters")
            what = (is_template, parameters.named_child_count if parameters is not None else 0)
            has_body = node.child_by_field_name("body") is not None
            if DEVICE not in attributes or GLOBAL in attributes or b"noexcept" in source.of(declarator) or \
                    source.enclosing(node.parent, ("field_declaration_list", "function_definition")) is not None or \
                    names.setdefault(name, what) != what or has_body and name in defined:
                others.add(name)
            if has_body:
                defined.add(name)
        elif node.type in (*PARAMETERS, "enumerator"):
            others.add(source.of(name_in(node) or node.child_by_field_name("name") or node))
        elif node.type in ("declaration", "field_declaration"):
            others.update(source.of(name) for name in map(name_in, node.children_by_field_name("declarator")) if name is not None)
    return {name: is_template for name, (is_template, _) in names.items() if name not in others}


def _is_of_device(source, node):
    """Whether a node is in code that a GPU may run, or in a variable of one."""
    while node is not None:
        if node.type in OTHERS:
            return True
        if node.type in ("function_definition", "lambda_expression"):
            head = source.text[node.start_byte:node.child_by_field_name("body").start_byte] if node.child_by_field_name("body") else b""
            if DEVICE in head or GLOBAL in head or b"constexpr" in head:
                return True
        elif node.type == "declaration":
            words = {source.of(child) for child in node.children if child.type in ("type_qualifier", "storage_class_specifier")}
            if source.attributes(node) or b"constexpr" in words:
                return True
        node = node.parent
    return False


def _is_of_headers(source, name):
    return any(re.search(rb"\b%s\s*\(" % name, text) for _, text in source.others)


def rewrite(source, nodes):
    """Registers the replacements."""
    functions = _device_functions(source, nodes)
    if not functions:
        return
    for found in re.finditer(rb"\b(?:%s)\b(?!\s*\()" % b"|".join(map(re.escape, functions)), source.copy):
        node = source.tree.root_node.descendant_for_byte_range(found.start(), found.end())
        if functions[found[0]]:
            node = node.parent
        if node.type != ("template_function" if functions[found[0]] else "identifier") or node.parent.type not in TAKERS or \
                _is_of_device(source, node) or _is_of_headers(source, found[0]):
            continue
        text = source.text[node.start_byte:node.end_byte]
        source.edit(node, lambda text=text: b"kg__model_host_address<decltype(%s), %s>::call" % (text, text))
