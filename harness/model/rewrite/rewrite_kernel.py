# SPDX-License-Identifier: MIT
"""Rewrites a kernel's preprocessed source for g++, by its syntax tree: launches with <<<>>> (launches.py), inline PTX
(rewrite_ptx.py), `extern __shared__` arrays, qualifiers that g++ does not accept with __shared__, clusters, and shifts.

Only the kernel author's text is rewritten, not that of the system's and the model's headers. Lines keep their
numbers: the preprocessor's line markers stay, and more are added. Qualifiers such as __device__ are marked by attributes of the
model's cuda_runtime.h that g++ ignores."""

import bisect
import os
import re

import addresses
import launches
import refusals
import rewrite_ptx
import two_sides
from syntax import DEVICE, FUNCTIONS, GLOBAL, HOST, LITERALS, MARKER, PARAMETERS, function_in, is_member, leaves, name_in, walk

DIRECTIVE = re.compile(rb"^[ \t]*#[^\n]*", re.MULTILINE)
SYSTEM_HEADER = b"3"
SYSTEM = (b"/usr/include/", b"/usr/lib/", b"/usr/local/include/")
# Constructs that the grammar does not know and does not need.
NESTED = rb"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
UNKNOWN = re.compile(rb"\b(?:__constinit|__extension__|__restrict(?:__)?)\b|(?<=\])(?:\s*__attribute__\s*%s)+(?=\s*[({])" % NESTED)
# A conversion in the form of a call, whose type the grammar takes for the start of a declaration.
CONVERTED = re.compile(rb"\bunsigned(?=\s*\(\s*[^*&\s)])")
# Between operands of inline PTX, where nvcc needs no comma.
NO_COMMA = re.compile(rb"(?<=\))\s(?=\s*\"[=+]?&?[hrlfdn]\"\s*\()")
# Strings, which the grammar does not accept side by side everywhere; raw strings and characters, which must not be joined.
RAW = rb'R"(?P<end>[^()\s\\]{0,16})\((?s:.*?)\)(?P=end)"'
STRING = rb'"(?:[^"\\\n]|\\.)*"'
STRINGS = re.compile(rb"%s|'(?:[^'\\\n]|\\.)*'|(?P<strings>%s(?:\s*%s)*)" % (RAW, STRING, STRING))
LITERAL = re.compile(rb"%s|%s" % (RAW, STRING))
# A launch as some formatters write it.
OPENED = re.compile(rb"(?<!operator)(?:<<\s+<|<\s+<<|<<<)")
CLOSED = re.compile(rb"(?:>>\s+>|>\s+>>|>\s+>\s+>|>>>)(?=\s*\()")
SHARED, CONSTANT = b"kg__shared", b"kg_constant"
CLUSTER = re.compile(rb"kg__cluster_dims\s*\((.*)\)\s*\)\s*\)\s*\)", re.DOTALL)
CALLABLE = ("function_definition", "lambda_expression", "template_declaration")
BLOCKS = ("compound_statement", "for_statement", "for_range_loop", "if_statement", "while_statement", "switch_statement")
NAMES = ("identifier", "qualified_identifier")
CLASSES = ("class_specifier", "struct_specifier")
SHIFTS = {b"<<": b"kg__model_shift_left", b">>": b"kg__model_shift_right",
          b"<<=": b"kg__model_shift_left_by", b">>=": b"kg__model_shift_right_by"}
# Calls whose error is a defect where the source drops it and nothing asks for it later.
MUST_WORK = re.compile(rb"cuda(?:Malloc(?:3D|3DArray|Array|Async|Host|Managed|Pitch)?|HostAlloc|Free(?:Array|Async|Host)?|GraphLaunch"
                       rb"|Memcpy(?:2D|3D)?(?:To|From)?(?:Symbol|Array)?(?:Async)?|Memset(?:2D|3D)?(?:Async)?"
                       rb"|Launch(?:Kernel(?:ExC?)?|CooperativeKernel)|(?:Device|Stream|Event)Synchronize|EventElapsedTime|Stream(?:Begin|End)Capture"
                       rb"|GraphInstantiate\w*)|cublas(?:[SDCZH]gem|Gemm|LtMatmul)\w*|cub::Device\w+::\w+")


def decode(text):
    """The value of string literals."""
    known = {b"n": b"\n", b"t": b"\t", b"v": b"\v", b"f": b"\f", b"r": b"\r", b"0": b"\0"}
    plain = []
    for literal in (match[0] for match in LITERAL.finditer(DIRECTIVE.sub(b"", text))):
        if literal.startswith(b"R"):
            plain.append(literal[literal.index(b"(") + 1:literal.rindex(b")")])
        else:
            plain.append(re.sub(rb"\\(.)", lambda match: known.get(match[1], match[1]), literal[1:-1], flags=re.DOTALL))
    return b"".join(plain).decode(errors="surrogateescape")


class Source:
    """A preprocessed source. parser: of the grammar; folder: the model's headers, whose text is not the author's;
    recursive: names of the __device__ functions that cannot be inlined; lacking: those of refusals.OPTIONS that are not given."""

    def __init__(self, parser, text, folder, recursive=(), lacking=()):
        self.lacking = lacking
        self.recursive = {name.encode() for name in recursive}
        self.edits = []
        # Of each function's asm statements: braces that are not closed, as [count], and the scopes of registers that are open.
        self.assembled = {}
        self.kernels = set()
        self.launched = set()
        self.stubs = set()
        self.clusters = {}
        self.refused = 0
        self.text, self.others = self.take_own(text, folder)
        # Whether blocks may run side by side, as the model's headers say.
        self.side_by_side = any(b"kg__model_bind_known" in text and b"kg__model_own_dynamic" in text for _, text in self.others)
        self.markers = list(MARKER.finditer(self.text))
        self.starts = [marker.start() for marker in self.markers]
        self.copy = self._join_marks(self._prepare(self.text))
        self.tree = parser.parse(self.copy)

    @staticmethod
    def take_own(text, folder):
        """The author's own text, and the text between its parts with its positions."""
        markers = list(MARKER.finditer(text))
        # Definitions of a system header are marked as the system's where they are used, too.
        files = {marker[2] for marker in markers if SYSTEM_HEADER not in marker[3].split()}
        own, others, size = [], [], 0
        for marker, last in zip(markers, [*(marker.start() for marker in markers[1:]), len(text)]):
            piece = text[marker.start():last]
            if (marker[2] in files or not marker[2].startswith(SYSTEM)) and not marker[2].startswith((folder, b"<")):
                own.append(piece)
                size += len(piece)
            elif others and others[-1][0] == size:
                others[-1][1].append(piece)
            else:
                others.append((size, [piece]))
        return b"".join(own), [(at, b"".join(pieces)) for at, pieces in others]

    @staticmethod
    def _prepare(text):
        """The text for the grammar, with everything in its place."""
        spaces = lambda match: b" " * len(match[0])  # noqa: E731
        text = UNKNOWN.sub(spaces, DIRECTIVE.sub(spaces, text))
        text = NO_COMMA.sub(b",", CONVERTED.sub(b"uint32_t", text))
        return STRINGS.sub(lambda match: match[0] if not match["strings"] else b'"%s"' % (b"_" * (len(match[0]) - 2)), text)

    @staticmethod
    def _join_marks(text):
        """The text with the marks of launches in the grammar's form, in the same places."""
        changed = bytearray(text)
        for opened in OPENED.finditer(text):
            changed[opened.start():opened.end()] = b"<<<".rjust(len(opened[0]))
            depth, at = 0, opened.end()
            while at < len(text) and depth >= 0:
                closed = CLOSED.match(text, at) if depth == 0 else None
                if closed:
                    changed[at:closed.end()] = b">>>".ljust(len(closed[0]))
                    break
                depth += (text[at] in b"([{") - (text[at] in b")]}")
                at += 1
        return bytes(changed)

    def where(self, at):
        """The line marker for a position."""
        marker = self.markers[bisect.bisect_right(self.starts, at) - 1]
        return b'# %d "%s"\n' % (int(marker[1]) + self.text.count(b"\n", marker.end(), max(at, marker.end())), marker[2])

    def of(self, node):
        return self.text[node.start_byte:node.end_byte]

    def flat(self, node):
        """A node's tokens on one line."""
        return b" ".join(self.of(leaf) for leaf in leaves(node))

    def lines_of(self, start, end):
        """The line ends and markers in a part of the text, which preserve the line numbers of the text after it."""
        return b"".join(re.findall(rb"\n#[^\n]*|\n", self.text[start:end]))

    def edit(self, node, make):
        """Registers a node's replacement, made when it is rendered."""
        self.edits.append((node.start_byte, node.end_byte, make))

    def insert(self, at, text):
        self.edits.append((at, at, lambda: text))

    def render(self, start, end):
        """A part of the text, rewritten."""
        pieces = []
        for first, last, make in self.sorted[bisect.bisect_left(self.sorted, start, key=lambda edit: edit[0]):]:
            if first >= end and end < len(self.text):
                break
            # Edits inside a rendered one are done.
            if first >= start and last <= end:
                pieces += [self.text[start:first], make()]
                start = last
        return b"".join([*pieces, self.text[start:end]])

    def render_all(self):
        """The whole text, rewritten."""
        self.sorted = sorted([*self.edits, *((at, at, lambda text=text: text) for at, text in self.others)],
                             key=lambda edit: (edit[0], edit[0] != edit[1], -edit[1]))
        return self.render(0, len(self.text))

    def attributes(self, node):
        """The text of the attributes of a declaration."""
        return b" ".join(self.of(child) for child in node.children if child.type == "attribute_specifier")

    def enclosing(self, node, kinds=("function_definition",)):
        while node is not None and node.type not in kinds:
            node = node.parent
        return node

    def is_device_code(self, node):
        """Whether a node is in a device-only function."""
        function = self.enclosing(node)
        attributes = self.attributes(function) if function is not None else b""
        return GLOBAL in attributes or DEVICE in attributes and HOST not in attributes

    def refuse(self, node, why):
        """An expression that the compiler refuses if it compiles it."""
        self.refused += 1
        name = f"kg__model_unsupported_{self.refused}"
        why = why.replace("\\", "\\\\").replace('"', '\\"')
        # The compiler points near the line's beginning.
        text = f'__extension__ ({{ extern void {name}() __attribute__((error("{why}")));\n'
        return text.encode() + self.where(node.start_byte) + b"%s(); })" % name.encode() + \
            self.lines_of(node.start_byte, node.end_byte)

    def is_shadowed(self, node, name):
        """Whether a name is shadowed at a node: by a variable, or by a parameter of a function or of its template."""
        function = self.enclosing(node)
        if function is not None and function.parent.type == "template_declaration":
            function = function.parent
        for one in walk(function) if function is not None else ():
            is_parameter = one.type in PARAMETERS or one.type.endswith("type_parameter_declaration")
            if not is_parameter and one.type != "declaration":
                continue
            named = map(name_in, [one] if is_parameter else one.children_by_field_name("declarator"))
            if any(declared is not None and self.of(declared) == name for declared in named):
                scope = self.enclosing(one, CALLABLE if is_parameter else BLOCKS)
                if one.end_byte <= node.start_byte and scope is not None and node.end_byte <= scope.end_byte:
                    return True
        return False

    # Declarations.

    def shared(self, node):
        """A declaration with __shared__: an extern array is the block's dynamic shared memory, with the maximum
        alignment."""
        kept = [child for child in node.children if not (
            child.type in ("storage_class_specifier", "attribute_specifier") or self.of(child).startswith(b"alignas"))]
        dropped = [child for child in node.children if self.of(child).startswith(b"alignas")]
        storage = [child for child in node.children if child.type == "storage_class_specifier"]
        if all(self.of(child) != b"extern" for child in storage):
            for child in dropped + [child for child in storage if self.of(child) == b"static"][1:]:
                self.edit(child, lambda: b"")
            return
        declarators = node.children_by_field_name("declarator")
        base = b" ".join(self.flat(child) for child in kept if child not in declarators and child.is_named)
        storage, memory = b"static ", b"kg__model_dynamic_memory"
        # Each thread of the host has its own.
        if self.side_by_side:
            storage = b"" if self.enclosing(node, ("compound_statement",)) else b"static thread_local "
            memory = b"*kg__model_own_dynamic"
        text = b""
        for declarator in declarators:
            name = name_in(declarator)
            if name is None:
                return
            kind = b" ".join((base + b" " + self.text[declarator.start_byte:name.start_byte]).split())
            extents = b" ".join(self.text[name.end_byte:declarator.end_byte].split())
            text += b"[[maybe_unused]] %s%s (&%s)%s = reinterpret_cast<%s (&)%s>(%s);" % (
                storage, kind, self.of(name), extents, kind, extents, memory)
        self.edit(node, lambda: text + self.lines_of(node.start_byte, node.end_byte))

    def constant(self, node):
        """A const __constant__ variable, which g++ cannot put in one section with others: an array loses const, since loads of const memory
        have no hook; a scalar loses __constant__."""
        words = {self.of(child): child for child in node.children if child.type in ("type_qualifier", "storage_class_specifier")}
        declarators = [child.child_by_field_name("declarator") or child for child in node.children_by_field_name("declarator")]
        if b"const" in words and all(child.type == "array_declarator" for child in declarators):
            linkage = b"" if {b"static", b"extern"} & set(words) else b"static"
            self.edit(words[b"const"], lambda: linkage)
        elif b"const" in words and all(child.type == "identifier" for child in declarators):
            for child in node.children:
                if child.type == "attribute_specifier" and CONSTANT in self.of(child):
                    self.edit(child, lambda: b"")

    def undeclared(self, node, places, host):
        """A template of device code alone that uses undeclared names: an error where the template is used, as with nvcc."""
        body = node.child_by_field_name("body")
        if body is None or not self.is_device_code(body) or self.of(body) in host or \
                self.enclosing(node, ("template_declaration",)) is None:
            return
        first, last = (MARKER.match(self.where(at)) for at in (body.start_byte, body.end_byte))
        for (file, line), why in places.items():
            if os.fsencode(file) == first[2] and int(first[1]) <= line <= int(last[1]):
                self.edit(body, lambda: b"{ %s; __builtin_unreachable(); }" % self.refuse(body, why))
                return

    def untyped(self, node, types):
        """A dependent type, which g++ takes for a value where `typename` is missing."""
        name, marker = name_in(node), MARKER.match(self.where(node.start_byte))
        if name is not None and node.parent.type not in ("qualified_identifier", "dependent_type") and \
                (marker[2], int(marker[1]), self.of(name)) in types:
            self.insert(node.start_byte, b"typename ")

    def function(self, node):
        attributes = self.attributes(node)
        function = function_in(node)
        name = name_in(function)
        # Without a body it is in another file, which only the host can call.
        if DEVICE in attributes and name is not None and self.of(name) in (self.bodies if HOST not in attributes else self.recursive):
            for child in node.children:
                if child.type == "attribute_specifier" and b"always_inline" in self.of(child):
                    self.edit(child, lambda child=child: self.of(child).replace(b"always_inline", b"noinline"))
        if GLOBAL not in attributes or name is None:
            return
        self.kernels.add(self.of(name))
        refusals.refuse_result(self, node)
        launches.stand_in(self, node)
        cluster = next((child for child in node.children if child.type == "attribute_specifier" and b"kg__cluster_dims" in self.of(child)),
                       None)
        if cluster:
            self.clusters[self.of(name)] = b" ".join(DIRECTIVE.sub(b"", CLUSTER.search(self.of(cluster))[1]).split())
            # g++ takes the first word of an attribute that it does not know for a name alone.
            self.edit(cluster, lambda: self.lines_of(cluster.start_byte, cluster.end_byte))
        body = node.child_by_field_name("body")
        if body is not None and self.of(name) in self.clusters:
            self.insert(body.start_byte + 1, b" [[gnu::used]] static constexpr kg__model_cluster kg__cluster = { %s };" %
                        self.clusters[self.of(name)])

    # Calls.

    def dropped(self, node):
        """A statement that is a call of cudart, a product of cuBLAS, or an algorithm of CUB, in code of the host."""
        called = node.child_by_field_name("function")
        if node.parent.type == "expression_statement" and called.type in NAMES and MUST_WORK.fullmatch(self.of(called)) and \
                not self.is_device_code(node) and not self.is_shadowed(node, self.of(called)):
            self.insert(node.start_byte, b"kg__model_call_dropped(")
            self.insert(node.end_byte, b', "%s")' % self.of(called))

    def default(self, node):
        """A default argument `n = n`: nvcc looks the value up in the enclosing class."""
        value, name, around = node.child_by_field_name("default_value"), name_in(node), self.enclosing(node, CLASSES)
        if name is None or self.of(value) != self.of(name):
            return
        while around is not None:
            members = (name_in(one) for field in around.child_by_field_name("body").named_children
                       if field.type == "field_declaration" for one in field.children_by_field_name("declarator"))
            if any(member is not None and self.of(member) == self.of(name) for member in members):
                self.insert(value.start_byte, self.of(name_in(around.child_by_field_name("name"))) + b"::")
                return
            around = self.enclosing(around.parent, CLASSES)

    # Shifts.

    def shift(self, node):
        """A shift by a variable in device code. x86 takes the low bits of a count beyond the value's width; a GPU does not."""
        operator, count = (node.child_by_field_name(field) for field in ("operator", "right"))
        sign = self.of(operator) if operator is not None else b""
        if sign not in SHIFTS or count.type == "number_literal" or not self.is_device_code(node) or \
                self.enclosing(node, refusals.UNEVALUATED) is not None:
            return
        self.insert(node.start_byte, SHIFTS[sign] + b"(")
        self.edit(operator, lambda: b",")
        self.insert(node.end_byte, b")")

    # Inline PTX.

    def operands(self, node, field):
        listed = node.child_by_field_name(field)
        # One that no comma precedes is not the grammar's.
        for one in (one for one in (listed.named_children if listed else ()) if one.child_by_field_name("constraint")):
            yield decode(self.of(one.child_by_field_name("constraint"))), one.child_by_field_name("value")

    def assembly(self, node):
        code = node.child_by_field_name("assembly_code")
        # The compiler refuses what the grammar cannot read.
        if node.has_error or code.type not in (*LITERALS, "concatenated_string") or \
                any(child.type == "identifier" for child in code.children):
            return
        text = decode(self.of(code))
        outputs, inputs = (list(self.operands(node, field)) for field in ("output_operands", "input_operands"))
        listed = node.child_by_field_name("clobbers")
        clobbers = [decode(self.of(one)) for one in listed.named_children] if listed else []
        has_lists = any(node.child_by_field_name(field) for field in ("output_operands", "input_operands", "clobbers"))
        # A compiler barrier, a declared function's assembler name, or the host's own assembly.
        if not rewrite_ptx.is_code(text) and not outputs and not inputs or \
                not has_lists and re.fullmatch(r"[\w.$]+", text) or \
                not self.is_device_code(node) and not all(rewrite_ptx.CONSTRAINT.fullmatch(constraint) for constraint, _ in outputs + inputs):
            return
        is_volatile = any(b"volatile" in self.of(child) for child in node.children if child.type == "gnu_asm_qualifier")
        unclosed, scopes = self.assembled.setdefault(getattr(self.enclosing(node), "id", None), ([0], [{}]))
        unclosed[0] += text.count("{") - text.count("}")
        line, last = (self.where(at).decode(errors="surrogateescape") for at in (node.start_byte, node.end_byte - 1))

        def write():
            # A scope that no statement of the function ends is an error.
            statement = rewrite_ptx.Statement(text, is_volatile, "memory" in clobbers, scopes if unclosed == [0] else None)
            bound = ""
            for number, (constraint, value) in enumerate(outputs + inputs):
                expression = self.render(value.start_byte, value.end_byte).decode(errors="surrogateescape")
                bound += statement.bind(constraint, expression, number < len(outputs))
            written = statement.write(line)
            return f"{statement.lasting}do {{ {bound}\n{written}\n{last}}} while (false)".encode(errors="surrogateescape")

        self.edit(node, write)

    def rewrite(self, undeclared=None, untyped=frozenset(), host=b""):
        """The whole text, rewritten; the arguments as of rewrite()."""
        nodes = list(walk(self.tree.root_node))
        sides = refusals.find_sides(self, nodes)
        for node in nodes:
            if node.type == "call_expression" and any(child.type == "kernel_call_syntax" for child in node.children):
                launches.rewrite(self, node)
            elif node.type == "call_expression":
                refusals.refuse_call(self, node, sides, self.lacking)
                self.dropped(node)
            elif node.type in ("binary_expression", "assignment_expression"):
                self.shift(node)
            elif node.type in ("template_method", "template_function") and is_member(node) and \
                    self.enclosing(node, ("template_declaration",)) is not None:
                # nvcc takes a dependent member for a template without this word.
                self.insert(node.start_byte, b"template ")
            elif node.type == "gnu_asm_expression":
                self.assembly(node)
            elif node.type in ("try_statement", "throw_statement"):
                refusals.refuse_exception(self, node)
            elif node.type == "optional_parameter_declaration":
                self.default(node)
            elif node.type == "qualified_identifier":
                refusals.refuse_object(self, node, self.lacking)
                if untyped:
                    self.untyped(node, untyped)
            elif node.type == "declaration" and SHARED in self.attributes(node):
                self.shared(node)
            elif node.type == "declaration" and CONSTANT in self.attributes(node):
                self.constant(node)
        refusals.refuse_lambdas(self)
        addresses.rewrite(self, nodes)
        functions = [node for node in nodes if node.type in FUNCTIONS and function_in(node) is not None]
        names = [name_in(function_in(node)) for node in functions if node.child_by_field_name("body") is not None]
        self.bodies = {self.of(name) for name in names if name is not None} & self.recursive
        for node in functions:
            self.function(node)
            if undeclared:
                self.undeclared(node, undeclared, host)
        return self.render_all()


def rewrite(parser, text, host, folder, lacking, recursive, undeclared, untyped, declares):
    """The text of a source, rewritten. host: its text without __CUDA_ARCH__, or None; undeclared: the messages of g++ about names that are
    not declared, by file and line; untyped: file, line and name of types that it takes for values; declares: as two_sides.merge() has it;
    the others as in Source."""
    source = Source(parser, text, folder, recursive, lacking)
    own = Source.take_own(host, folder)[0] if host is not None else b""
    merged = two_sides.merge(source, own, declares) if host is not None else None
    return (Source(parser, merged, folder, recursive, lacking) if merged is not None else source).rewrite(undeclared, untyped, own)
