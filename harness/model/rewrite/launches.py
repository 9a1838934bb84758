# SPDX-License-Identifier: MIT
"""Rewrites launches with <<<>>>, and gives each kernel that they name a function that stands for it, as nvcc does."""

import re

from syntax import GLOBAL, called_in, function_in, leaves, name_in

# Prefix of these functions.
LAUNCHED = b"kg__launched_"
QUALIFIERS = (b"const", b"volatile", b"__restrict__", b"__restrict")
SIZES = {b"unsigned", b"long", b"short"}  # which need no int


def _pointer_type(names):
    """The type of a pointer to a kernel, where its parameters have these names."""
    return b"void (*)(%s)" % b", ".join(b"decltype(%s)%s" % (one.rstrip(b"."), one[len(one.rstrip(b".")):]) for one in names)


def _name_parameters(source, node, prefix, hidden=b""):
    """A list of parameters, each named: their texts, with their defaults, and their names. One that would hide the
    name `hidden` gets another."""
    texts, names = [], []
    for number, part in enumerate(child for child in node.named_children if child.type != "comment"):
        default = next((child for child in part.children if child.type == "="), None)
        name = name_in(part)
        before = source.copy[part.start_byte:default.start_byte if default else part.end_byte]
        after = source.copy[default.start_byte if default else part.end_byte:part.end_byte]
        if before.split() == [b"void"]:
            continue
        if name is None:
            names.append(b"%s%d" % (prefix, number))
            place = re.search(rb"\(\s*[*&]+()\s*\)|()\[", before)
            place = place.start(1 if place[1] is not None else 2) if place else len(before)
            before = before[:place] + b" " + names[-1] + b" " + before[place:]
        elif source.of(name) == hidden:
            names.append(b"%s%d" % (prefix, number))
            start = name.start_byte - part.start_byte
            before = before[:start] + names[-1] + before[start + len(hidden):]
        else:
            names.append(source.of(name))
        is_pack = any(node.type.startswith("variadic") for node in (part, *part.named_children[-1:]))
        names[-1] += b"..." if is_pack else b""
        texts.append(b" ".join((before + after).split()))
    return texts, names


def rewrite(source, node):
    """Registers the replacement of a launch."""
    kernel, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    marks = next(child for child in node.children if child.type == "kernel_call_syntax")
    opened, closed = marks.children[0].end_byte, marks.children[-1].start_byte
    name = called_in(kernel)
    function = source.enclosing(node)
    outer = name_in(function_in(function)) if function is not None and function_in(function) is not None else None
    # A kernel that launches itself is declared there, but what stands for it is not. A function of the host may have its name.
    launches_itself = name is not None and outer is not None and source.of(outer) == source.of(name) and \
        GLOBAL in source.attributes(function)
    if name is not None and not source.is_shadowed(node, source.of(name)):
        source.launched.add(source.of(name))

    def write():
        configuration = b"kg__model_configure(" + source.render(opened, closed) + b")"
        before, behind = source.lines_of(node.start_byte, marks.start_byte), source.lines_of(marks.end_byte, arguments.start_byte)
        given = behind + source.render(arguments.start_byte, arguments.end_byte)
        if name is None or launches_itself or source.of(name) not in source.kernels or source.is_shadowed(node, source.of(name)):
            started = source.flat(kernel)
            if launches_itself and kernel.type == "identifier":
                _, names = _name_parameters(source, function_in(function).child_by_field_name("parameters"), b"kg__a")
                started = b"static_cast<%s>(%s)" % (_pointer_type(names), started)
            return b"kg__model_starter(%s, %s)%s%s" % (configuration, started, before, given)
        called = b" ".join((LAUNCHED if leaf.start_byte == name.start_byte else b"") + source.of(leaf)
                           for leaf in leaves(kernel))
        return b"kg__model_run(%s, %s%s%s)" % (configuration, before, called, given)

    source.edit(node, write)


def _signature(source, node, words):
    """A text that distinguishes functions of one name by the types of their parameters."""
    parts = []
    for part in node.named_children if node is not None else ():
        name = name_in(part)
        default = next((child.start_byte for child in part.children if child.type == "="), part.end_byte)
        kept = [source.of(leaf) for leaf in leaves(part)
                if leaf.start_byte < default and (name is None or leaf.start_byte != name.start_byte) and source.of(leaf) != b"typename"]
        if b"[" in kept and b"(" not in kept:  # a pointer
            kept[kept.index(b"["):kept.index(b"]") + 1] = [b"*"]
        kept = [text for text in kept if text != b"int" or SIZES.isdisjoint(kept)]
        # What qualifies the parameter itself, behind its last * or &, is no part of the function's type.
        depths = [kept[:i].count(b"<") - kept[:i].count(b">") for i in range(len(kept))]
        own = max((i for i, text in enumerate(kept) if text in (b"*", b"&", b"&&", b"(", b"[") and depths[i] == 0), default=-1)
        parts.append(tuple(words.get(text, text) for i, text in enumerate(kept)
                           if i < own or depths[i] > 0 or text not in QUALIFIERS))
    return tuple(parts)


def stand_in(source, node):
    """Adds a function after a kernel's declaration that stands for the kernel in launches: a call resolves
    exactly like the kernel's, including overloads, templates and defaults."""
    function = function_in(node)
    name = function.child_by_field_name("declarator")
    whole = node.parent if node.parent.type == "template_declaration" else node
    if name.type != "identifier" or source.of(name) not in source.launched or \
            source.enclosing(whole, ("compound_statement", "field_declaration_list")):
        return
    head = whole.child_by_field_name("parameters") if whole is not node else None
    if head is not None and not head.named_children:
        return  # a specialization, whose template has a stand-in
    scope, around = [], whole.parent
    while around is not None:
        scope += [source.of(around.child_by_field_name("name") or around.children[0])] if "namespace" in around.type else []
        around = around.parent
    words = {source.of(named): b"#%d" % i for i, named in enumerate(map(name_in, head.named_children if head else ())) if named}
    parameters = function.child_by_field_name("parameters")
    result = node.child_by_field_name("type")
    # Overloads may differ in what enables them.
    enabled = tuple(words.get(source.of(leaf), source.of(leaf)) for leaf in leaves(result))
    key = (source.of(name), *scope, enabled, _signature(source, head, words), _signature(source, parameters, words))
    if key in source.stubs:
        return
    source.stubs.add(key)
    texts, names = _name_parameters(source, parameters, b"kg__a", source.of(name))
    kernel, template = source.of(name), b""
    if head:
        heads, arguments = _name_parameters(source, head, b"kg__t")
        if enabled not in ((b"void",), (b"auto",)):
            heads.append(b"std::enable_if_t<std::is_void<%s>::value, int> = 0" % source.flat(result))
        template = b"template <%s> " % b", ".join(heads)
        kernel += b"<%s>" % b", ".join(arguments)
    kernel = b"static_cast<%s>(%s)" % (_pointer_type(names), kernel)
    bound = b"%s(%s)" % (b"_known<%s>" % kernel if source.side_by_side else b"", b", ".join([kernel, *names]))
    text = b"%s[[maybe_unused]] static inline auto %s%s(%s) { return kg__model_bind%s; }" % (
        template, LAUNCHED, source.of(name), b", ".join(texts), bound)
    if source.enclosing(whole, ("linkage_specification",)):
        text = b'extern "C++" { %s }' % text
    source.insert(whole.end_byte, b"\n%s%s\n%s" % (source.where(name.start_byte), text, source.where(whole.end_byte)))
