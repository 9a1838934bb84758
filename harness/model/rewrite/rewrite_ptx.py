# SPDX-License-Identifier: MIT
"""Inline PTX as C++: an asm statement's operands and code become calls of functions in
harness/model/include/kg_model_ptx.h.

A register is its bits: an unsigned integer of its width, or a bool. Each instruction reads its operands as its type,
and its result is converted to the width of the destination register."""

import itertools
import re
import struct

import ptx_bulk
import ptx_carries
import ptx_instructions
import ptx_wgmma
from ptx_instructions import TYPES, Unsupported

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TOKEN = re.compile(r"""
    \s*(?: (?P<number>0[fF][0-9a-fA-F]{8}(?!\w)|0[dD][0-9a-fA-F]{16}(?!\w)|0[xX][0-9a-fA-F]+U?
                     |\d+\.\d*(?:[eE][+-]?\d+)?|\d+U?(?!\w))
         | %(?P<operand>\d+)
         | (?P<word>%{0,2}[A-Za-z_$.][\w$]*(?:(?:\.|::)[\w$]+)*|%{1,2}\w+)
         | (?P<mark>[^\s]))
    """, re.VERBOSE)
SELECTOR = re.compile(r"\.(?:b[0-3]|h[01])")
# For each constraint letter: the type of the C++ value, and the bits of its register.
CONSTRAINTS = {"h": ("unsigned short", 16), "r": ("unsigned int", 32), "l": ("unsigned long long", 64), "f": ("float", 32),
               "d": ("double", 64), "n": ("unsigned long long", 64)}
PREDICATE = 1

ptx_instructions.WRITERS.update({**ptx_bulk.WRITERS, **ptx_carries.WRITERS, **ptx_wgmma.WRITERS})

# Constraints that nvcc supports.
CONSTRAINT = re.compile(r"[=+]?&?(?:[hrlfdnqC]|\d+)")


def is_code(text):
    """Whether the text of an asm statement is more than comments."""
    return COMMENT.sub("", text).strip() != ""


def register_type(bits):
    return "bool" if bits == PREDICATE else f"uint{bits}_t"


class Register:
    """A register: its name in C++ and its bits."""

    def __init__(self, name, bits):
        self.name = name
        self.bits = bits

    def read(self, kind):
        """Its value as one of TYPES, in C++."""
        if kind == "pred" or self.bits == PREDICATE:
            return self.name
        return f"kg__ptx::of<{TYPES[kind][0]}>({self.name})"

    def write(self, value):
        """The statement that assigns a value to it."""
        return f"{self.name} = {value};" if self.bits == PREDICATE else f"kg__ptx::set({self.name}, {value});"


class Sink(Register):
    """The register _, which is never read."""

    def __init__(self):
        super().__init__("_", 32)

    def write(self, value):
        return f"static_cast<void>({value});"


class Part:
    """A byte or a half of a register, which scalar video instructions read: extended as their type says."""

    def __init__(self, whole, selector):
        self.whole = whole
        self.bits = 8 if selector[1] == "b" else 16
        self.shift = self.bits * int(selector[2])

    def read(self, kind):
        return f"static_cast<{TYPES[kind[0] + str(self.bits)][0]}>({self.whole.read('u32')} >> {self.shift})"


class Constant:
    """A number, or another value known by a C++ expression."""

    def __init__(self, text):
        self.text = text

    def number(self):
        """Its value as a whole number; None if it is not one."""
        text = self.text.rstrip("U")
        return int(text, 0) if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)", text) else None

    def read(self, kind):
        text = self.text
        name, bits = TYPES[kind]
        number = self.number()
        if text[:2].lower() in ("0f", "0d") and len(text) in (10, 18):
            number = int(text[2:], 16)
            if len(text) == 18 and bits == 32:
                number = struct.unpack("<I", struct.pack("<f", struct.unpack("<d", struct.pack("<Q", number))[0]))[0]
        elif kind in ("f32", "f64"):
            form = "<fI" if bits == 32 else "<dQ"
            number = struct.unpack("<" + form[2], struct.pack(form[:2], float(text)))[0]
        if number is None:
            return f"kg__ptx::of<{name}>({text})"
        return f"kg__ptx::of<{name}>({number % (1 << 64)}ull)"


class Not:
    """A negated predicate."""

    def __init__(self, register):
        self.register = register

    def read(self, _kind):
        return f"!{self.register.name}"


class Address:
    """An address [base + offset] or [base, {coordinates}]: the base is a register or a number."""

    def __init__(self, base, offset, coordinates):
        self.base = base
        self.offset = offset
        self.coordinates = coordinates

    def read(self, space):
        """The pointer, in C++. space: the instruction's."""
        wide = isinstance(self.base, Register) and self.base.bits == 64
        function = "at" if space != "shared" else "shared_at_any" if wide else "shared_at"
        return f"kg__ptx::{function}({self.base.read('u64')}, {self.offset})"


class Instruction:
    """An instruction: its name, the parts of the name, and its operands; a list is {a, b}, a tuple a|b."""

    def __init__(self, name, operands):
        self.name = name
        self.parts = name.split(".")
        self.operands = operands


class Statement:
    """An asm statement: its operands are bound, then it is written."""

    numbers = itertools.count()  # of unsupported statements

    def __init__(self, code, is_volatile, clobbers_memory, around=None):
        self.code = code
        # The registers of the scopes that earlier statements of the function have opened; None: none may be left open.
        self.around = around
        self.lasting = ""  # declarations of registers in such scopes
        self.is_volatile = is_volatile
        self.clobbers_memory = clobbers_memory
        self.operands = []
        self.outputs = []  # name of the place, C++ type, register
        self.unsupported = None

    def bind(self, constraint, expression, is_output):
        """The declaration of an operand's register."""
        number = len(self.operands)
        name = f"kg__r{number}"
        tied = re.sub(r"\D", "", constraint)
        letter = constraint.lstrip("=+&%")
        if tied and not is_output and int(tied) < number:
            register = self.operands[int(tied)]
            self.operands.append(register)
            kind = next(kind for place, kind, output in self.outputs if output is register)
            return f"{register.name} = kg__ptx::take<{kind}>({expression});"
        if letter not in CONSTRAINTS:
            self.unsupported = f"constraint '{constraint}'"
            letter = "l"
        kind, bits = CONSTRAINTS[letter]
        register = Register(name, bits)
        self.operands.append(register)
        if not is_output:
            # Code may write to it, as CUTLASS's does: the register changes, and not what it was loaded from.
            return f"[[maybe_unused]] auto {name} = kg__ptx::take<{kind}>({expression});"
        self.outputs.append((f"kg__p{number}", kind, register))
        before = f"kg__ptx::take<{kind}>(kg__p{number})" if "+" in constraint else f"{register_type(bits)}(~0ull)"
        return f"auto &&kg__p{number} = {expression}; {register_type(bits)} {name} = {before};"

    def write(self, line):
        """The statement's code, including its outputs. line: a marker of its line."""
        fence = '__asm__ volatile("" : : : "memory");' if self.clobbers_memory else ""
        body = Parser(self).write()
        if self.unsupported:
            text = (f"the CPU model does not support the PTX {self.unsupported} (docs/model.md): "
                    "name the file in GPU_ONLY to gate it on GPUs alone").replace("\\", "\\\\").replace('"', '\\"')
            name = f"kg__model_unsupported_ptx_{next(self.numbers)}"
            body = f'extern void {name}() __attribute__((error("{text}")));\n{line}{name}();'
        outputs = "".join(f" kg__ptx::give<{kind}>({place}, {register.name});" for place, kind, register in self.outputs)
        return f"{line}{fence}{body}{outputs}{fence}"


class Malformed(Unsupported):
    """Code that the model cannot parse."""


class Parser:
    """Parses the code of a statement, and writes C++."""

    numbers = itertools.count()  # of statements

    def __init__(self, statement):
        self.statement = statement
        code = COMMENT.sub(" ", statement.code)
        self.tokens = [(match.lastgroup, match.group(match.lastgroup)) for match in TOKEN.finditer(code)]
        self.at = 0
        self.scopes = [{}] if statement.around is None else statement.around
        self.depth = 0  # of scopes that end in this statement
        self.declared = 0
        self.number = next(self.numbers)

    def write(self):
        try:
            body = ""
            while self.at < len(self.tokens):
                body += self.write_one()
            return body
        except Unsupported as error:
            self.statement.unsupported = str(error)
        except (AttributeError, LookupError, ValueError):
            self.statement.unsupported = f"code '{self.rest()}'"
        return ""

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ("mark", "")

    def expect(self, text):
        if self.take()[1] != text:
            raise Malformed(f"code '{self.rest()}', which has no '{text}' there")

    def rest(self):
        return " ".join(text for _, text in self.tokens[max(self.at - 2, 0):self.at + 4])

    def write_one(self):
        """A scope, a declaration or an instruction."""
        kind, text = self.take()
        if text == ";":
            return ""
        if text == "{":
            return self.write_scope()
        if text == "}" and len(self.scopes) > 1:
            self.scopes.pop()
            return ""
        if text.split(".")[:2] == ["", "reg"]:
            return self.declare(text[5:] or self.take()[1].lstrip("."))
        guard = ""
        if text == "@":
            negated = self.peek() == "!"
            self.at += negated
            guard = f"if ({'!' if negated else ''}{self.read_operand().name}) "
            kind, text = self.take()
        if kind == "word" and self.peek() == ":" and not text.startswith("."):
            self.at += 1
            return f"[[maybe_unused]] {self.label(text)}: ; "
        if kind != "word" or text.startswith("."):
            raise Unsupported(f"directive '{text}'")
        if text in ("bra", "bra.uni"):
            return f"{guard}goto {self.label(self.take()[1])}; "
        return guard + "{ " + self.write_instruction(text) + " }"

    def label(self, name):
        """A label's name in C++: another asm statement of the function may have the same in PTX."""
        return f"kg__label{self.number}_{name.lstrip('$')}"

    def write_scope(self):
        marks = [text for _, text in self.tokens[self.at:] if text in ("{", "}")]
        self.scopes.append({})
        if self.statement.around is not None and marks.count("{") >= marks.count("}"):
            return ""
        self.depth += 1
        body = ""
        while self.peek() != "}":
            if self.at >= len(self.tokens):
                raise Unsupported("code that has no '}'")
            body += self.write_one()
        self.at += 1
        self.depth -= 1
        self.scopes.pop()
        return f"{{ {body} }}"

    def declare(self, kind):
        if kind != "pred" and kind not in TYPES:
            raise Unsupported(f"register type '.{kind}'")
        bits = PREDICATE if kind == "pred" else TYPES[kind][1]
        names = []
        while True:
            name = self.take()[1]
            if self.peek() == "<":
                self.at += 1
                names += [f"{name}{i}" for i in range(int(self.take()[1]))]
                self.expect(">")
            else:
                names.append(name)
            if self.take()[1] != ",":
                break
        body = ""
        for name in names:
            self.declared += 1
            register = Register(f"kg__v{self.number}_{self.declared}", max(bits, 16) if bits > 1 else bits)
            self.scopes[-1][name.lstrip("%")] = register
            first = "false" if bits == PREDICATE else f"{register_type(register.bits)}(~0ull)"
            body += f"[[maybe_unused]] {register_type(register.bits)} {register.name} = {first}; "
        if self.depth == 0 and len(self.scopes) > 1:
            self.statement.lasting += body
            return ""
        return body

    def write_instruction(self, name):
        operands = []
        try:
            if self.peek() != ";" and self.at < len(self.tokens):
                operands.append(self.read_operand())
                while self.peek() == ",":
                    self.at += 1
                    operands.append(self.read_operand())
            if self.at < len(self.tokens):
                self.expect(";")
        except Malformed as error:
            raise Unsupported(f"instruction '{name}'") from error
        return ptx_instructions.write(Instruction(name, operands), self.statement.is_volatile)

    def read_operand(self):
        operand = self.read_one()
        if self.peek() == "|":
            self.at += 1
            return operand, self.read_one()
        return operand

    def read_one(self):
        kind, text = self.take()
        if text == "{":
            operands = [self.read_one()]
            while self.peek() == ",":
                self.at += 1
                operands.append(self.read_one())
            self.expect("}")
            return operands
        if text == "[":
            return self.read_address()
        if text == "!":
            return Not(self.read_one())
        if text == "-":
            return Constant("-" + self.take()[1])
        if kind == "number":
            while self.peek() in ("+", "-") and self.tokens[self.at + 1][0] == "number":
                sign, added = self.take()[1], self.take()[1]
                text = str(Constant(text).number() + int(f"{sign}1") * Constant(added).number())
            return Constant(text)
        if kind == "operand":
            if int(text) >= len(self.statement.operands):
                raise Unsupported(f"operand %{text}, which the statement does not have")
            operand = self.statement.operands[int(text)]
            return Part(operand, self.take()[1]) if SELECTOR.fullmatch(self.peek() or "") else operand
        return self.find(text)

    def read_address(self):
        base = self.read_one()
        offset = "0"
        if self.peek() in ("+", "-"):
            sign = self.take()[1]
            offset = self.read_one()
            offset = ("-" if sign == "-" else "") + f"static_cast<int64_t>({offset.read('u64')})"
        coordinates = []
        if self.peek() == ",":
            self.at += 1
            coordinates = self.read_one()
        self.expect("]")
        return Address(base, offset, coordinates)

    def find(self, name):
        """The register, or the value of the special register of that name."""
        if name == "_":
            return Sink()
        name = name.lstrip("%")
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        special = ptx_instructions.SPECIAL.get(name)
        if special is None:
            raise Unsupported(f"register '%{name}'")
        return Constant(special)
