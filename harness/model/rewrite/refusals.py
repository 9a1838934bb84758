# SPDX-License-Identifier: MIT
"""Refuses what nvcc refuses and g++ compiles: calls from the device's side to the host's and back, functions of the C and C++
libraries in device code, exceptions there, and kernels that return a value."""

import re
from typing import NamedTuple

from syntax import DEVICE, FUNCTIONS, GLOBAL, HOST, function_in, name_in

# nvcc's options that allow what it refuses otherwise, by its macros of them.
OPTIONS = RELAXED, EXTENDED = "RELAXED_CONSTEXPR", "EXTENDED_LAMBDA"
REMEDY = "name the file in GPU_ONLY to gate it on GPUs alone"
UNEVALUATED = ("sizeof_expression", "decltype", "alignof_expression", "static_assert_declaration", "template_argument_list")
# Calls of cudart that kernels cannot make; and those that they can on a GPU.
OF_CUDART = frozenset(b"""cudaDeviceSynchronize cudaThreadSynchronize cudaStreamSynchronize cudaEventSynchronize cudaStreamCreate
    cudaEventCreate cudaEventElapsedTime cudaMemcpy cudaMemcpy2D cudaMemset cudaMallocManaged cudaMallocHost cudaHostAlloc cudaFreeHost
    cudaMemcpyToSymbol cudaMemcpyFromSymbol cudaLaunchHostFunc cudaDeviceReset cudaSetDevice""".split())
HERE_ALONE = frozenset(b"cudaStreamWaitEvent cudaEventCreateWithFlags cudaEventRecord cudaEventDestroy cudaGraphLaunch".split())
# Functions that nvcc 13 refuses in device code: those of the C library always, those of C++'s without --expt-relaxed-constexpr.
OF_C = frozenset(b"""rand srand random drand48 puts putchar fprintf sprintf snprintf fflush scanf exit abort getenv time calloc realloc
    strlen strcmp strcpy memmove memcmp atoi usleep""".split())
CONSTEXPR = frozenset(b"""max min minmax clamp swap exchange get make_pair make_tuple gcd distance advance begin size addressof sort fill
    fill_n copy accumulate find lower_bound reverse iota rotate""".split())
OF_STD = re.compile(rb"(?:::)?std::(?:(numeric_limits)<.*>::)?(\w+)(?:<.*>)?", re.DOTALL)
# Objects of the host's library, and types, whose constructors may be constexpr in C++20.
OBJECT = re.compile(rb"(?:::)?std::(?:(cout|cerr)|(?:vector|string|map|set|unordered_map|unordered_set|list|deque)(?:<.*>)?)", re.DOTALL)
# The text of what may be refused in device code.
SUSPECT = re.compile(r"\bstd\s*::\s*(?:numeric_limits|cout|cerr|vector|string|map|set|unordered_map|unordered_set|list|deque|"
                     rf"{'|'.join(sorted(name.decode() for name in OF_C | CONSTEXPR))})\b|\b(?:try|throw)\b")
# The end of a lambda's captures, its attributes, parameters and result, and where its body begins.
LAMBDA = re.compile(rb"\]\s*(?:__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*)+"
                    rb"(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)[^;{}]*)?\{")
# Names that the host has of its libraries where the device's side has its own.
OVERLOADED = frozenset(b"max min abs fabs sqrt rsqrt pow exp log floor ceil round sin cos tan fma fmax fmin swap clamp".split())


class Sides(NamedTuple):
    """Names of functions outside of classes that are of one side alone."""

    host: set
    constexpr: set  # of the host, and constexpr
    device: set


def find_sides(source, nodes):
    """The sides of the functions that the author's text declares; without names that headers define functions of."""
    kinds = {}
    for node in nodes:
        if node.type not in FUNCTIONS or function_in(node) is None or source.enclosing(node.parent) is not None:
            continue
        name = name_in(function_in(node))
        words = {source.of(child) for child in node.children if child.type in ("type_qualifier", "storage_class_specifier")}
        attributes = source.attributes(node)
        if source.enclosing(node, ("field_declaration_list",)) is not None or b"consteval" in words or GLOBAL in attributes:
            side = ""
        elif DEVICE in attributes:
            side = "" if HOST in attributes else "device"
        else:
            side = "constexpr" if b"constexpr" in words else "host"
        kinds.setdefault(source.of(name) if name else None, set()).add(side)
    headers, of_device = set(), set()
    for _, text in source.others:
        headers.update(re.findall(rb"\b(\w+)\s*\(", text))
        of_device.update(re.findall(rb"%s\b[^;{}]*?\b(\w+)\s*\((?!\()" % DEVICE, text))
    host, constexpr, device = ({name for name, sides in kinds.items() if sides == {side}} - headers for side in ("host", "constexpr", "device"))
    return Sides(host | ((OF_CUDART | HERE_ALONE | OF_C) - set(kinds) - of_device), constexpr, device - OVERLOADED)


def refuse_call(source, node, sides, lacking):
    """Refuses a call that crosses the sides. lacking: as in rewrite_kernel.Source."""
    called = node.child_by_field_name("function")
    if called.type == "template_function":
        called = called.child_by_field_name("name")
    function = source.enclosing(node)
    if called.type not in ("identifier", "qualified_identifier") or function is None or source.enclosing(node, UNEVALUATED) is not None:
        return
    of_std = OF_STD.fullmatch(b"".join(source.of(called).split()))
    name = of_std[2] if of_std else source.of(called)
    on_device = source.is_device_code(node)
    refused = []
    if on_device and (name in OF_C if of_std else name in sides.host):
        refused = ["__host__", ""]
    elif on_device and RELAXED in lacking and (of_std[1] or name in CONSTEXPR if of_std else name in sides.constexpr):
        refused = ["constexpr __host__", " without --expt-relaxed-constexpr"]
    # A lambda of the device's in it is not told from the function's own code; a member may be declared as the device's.
    elif not of_std and name in sides.device and source.of(name_in(function_in(function))) in sides.host and DEVICE not in source.of(function):
        refused = ["__device__", ""]
    if not refused or called.type == "identifier" and source.is_shadowed(node, name):
        return
    kind = "__host__" if not on_device else "__global__" if GLOBAL in source.attributes(function) else "__device__"
    names = [source.of(one).decode(errors="replace") for one in (called, name_in(function_in(function)))]
    why = f'calling a {refused[0]} function ("{names[0]}") from a {kind} function ("{names[1]}") is not allowed{refused[1]}'
    if name in HERE_ALONE:
        why = f"the CPU model does not support {names[0]}() in kernels (docs/model.md): {REMEDY}"
    refusal = source.refuse(called, why)
    source.insert(node.start_byte, b"(" + refusal + b", ")
    source.insert(node.end_byte, b")")


def refuse_object(source, node, lacking):
    """Refuses an object of the host's library in device code, or a variable of one of its types."""
    found = OBJECT.fullmatch(b"".join(source.of(node).split()))
    if not found or not source.is_device_code(node) or source.enclosing(node, UNEVALUATED) is not None:
        return
    name = source.of(node).decode(errors="replace")
    if found[1]:
        source.insert(node.start_byte, b"(" + source.refuse(node, f'"{name}" is undefined in device code') + b", ")
        source.insert(node.end_byte, b")")
    elif node.parent.type == "declaration" and RELAXED in lacking:
        source.insert(node.parent.start_byte, source.refuse(node, f'"{name}" has no constructor in device code') + b"; ")


def refuse_exception(source, node):
    """Refuses `try` and `throw` in device code."""
    if source.is_device_code(node):
        source.insert(node.start_byte, source.refuse(node.children[0], "device code does not support exception handling") + b"; ")


def refuse_lambdas(source):
    """Refuses lambdas that say on which side they are, where they are called. The grammar knows no lambda with attributes."""
    for found in LAMBDA.finditer(source.text) if EXTENDED in source.lacking else ():
        node = source.tree.root_node.descendant_for_byte_range(found.start(), found.start() + 1)
        if DEVICE in found[0]:
            why = "__host__ or __device__ annotation on lambda requires --extended-lambda nvcc flag"
            source.insert(found.end(), b" " + source.refuse(node, why) + b"; ")


def refuse_result(source, node):
    """Refuses a kernel that returns a value."""
    kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    if body is not None and kind is not None and kind.type == "primitive_type" and source.of(kind) != b"void":
        why = "a __global__ function must have a void return type"
        source.insert(body.start_byte + 1, b" " + source.refuse(kind, why) + b"; ")
