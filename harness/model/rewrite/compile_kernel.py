# SPDX-License-Identifier: MIT
"""Compiles a kernel's source for the CPU model. usage: compile_kernel.py COMPILER ARGUMENT..., as a compiler's launcher

Calls the compiler unchanged, unless the source or a header that it includes has constructs that no macro can turn into C++: those
are rewritten (rewrite_kernel.py). Then makes the object's device code local to it (object_file.py). Headers of a CUDA Toolkit
that the model lacks are refused by name.
"""

import os
import re
import subprocess
import sys

import block_heads
import object_file
import refusals
from refusals import REMEDY
from syntax import MARKER

SOURCES = (".cpp", ".cc", ".cxx", ".cu")
# In a class, a name that its definition uses with its outer meaning, as in `using Array = Array<T>;`: an error of g++ alone.
RENAMED = r"\busing\s+(\w+)\s*=\s*\1\s*<"
# Constructs to rewrite: arrays, clusters, launches, and calls that are statements; inline PTX.
WANTED = re.compile(r"\bextern\b[^;{}\"]*\b__shared__\b|\bstatic\b[^;{}()\"]*\b__shared__\b"
                    r"|\b__shared__\b[^;={}]*\b(?:static|extern|alignas)\b|\b__cluster_dims__\b|<<<"
                    rf"|{RENAMED}|#[ \t]*define[^\n]*[ \t]#[ \t]*pragma\b"
                    r"|[;{})\n]\s*cuda(?:Free|Launch|Malloc|Mem(?:cpy|set))\w*\s*\("
                    r"|\]\s*__(?:host__\s*__)?device__"
                    r"|\b__constant__[^;={}]*\bconst\b|\bconst\b[^;={}()\"]*\b__constant__\b|(?<!operator)<<\s+<|<\s+<<")
# Of device code: a shift by a variable.
SHIFT = re.compile(r"[^<]<<=?\s*[^\s\d<=]|[^>]>>=?\s*[^\s\d>=]")
ASM = re.compile(r"\b(?:asm|__asm|__asm__)\b")
# A condition on the side.
SIDES = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:[^\n\\]|\\.)*\b__CUDA_ARCH_(?:_|FEAT_SM90_ALL)\b|\bNV_(?:IF|IF_ELSE|DISPATCH)_TARGET\b",
                   re.MULTILINE | re.DOTALL)
# By a macro, whose header is not searched.
INCLUDED_BY_MACRO = re.compile(r"^[ \t]*#[ \t]*include[ \t]+[A-Za-z_]", re.MULTILINE)
INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", re.MULTILINE)
# A __device__ function that g++ cannot inline: it is recursive, or has no body here.
NOT_INLINED = re.compile(r"inlining failed in call to .always_inline. [^\n]*?([A-Za-z_]\w*)(?:<[^\n]*>)?\(")
# An undeclared name in a template: nvcc parses a template of device code only where it is used.
UNDECLARED = re.compile(r"^([^\n:]+):(\d+):\d+: error: ([^\n]* was not declared in this scope)", re.MULTILINE)
# A dependent type without `typename`, as a template's argument or in sizeof: nvcc takes it.
UNTYPED = re.compile(r"^([^\n:]+):(\d+):\d+: error: dependent-name [^\n]*?(\w+). is parsed as a non-type", re.MULTILINE)
# The warnings about it, with -fpermissive.
RENAMES = re.compile(r"^(?:In file included from [^\n]*\n(?:\s+from [^\n]*\n)*)?[^\n]*: warning: declaration of [^\n]* changes meaning of "
                     r"[^\n]*\n(?: [^\n]*\n)*(?:[^\n]*: note: [^\n]* declared here as [^\n]*\n(?: [^\n]*\n)*)?", re.MULTILINE)
ERROR = re.compile(r"^.*\berror: .*$", re.MULTILINE)
# Messages of g++ with the model's own names, and their replacements for readers.
SAID = ((re.compile(r"inlining failed in call to .always_inline. ([^\n]*): function body not available"),
         r"\1 has no body in this file, which takes -rdc=true (-dc), in CMake CUDA_SEPARABLE_COMPILATION"),
        (re.compile(r"['‘]((?:cu|cuda|cublas|curand)[A-Z]\w*)['’] was not declared in this scope"),
         lambda found: f"the CPU model does not support {found[1]} (docs/model.md): {REMEDY}"),
        (re.compile(r"call to \S*kg__model_unsupported\w*\S* declared with attribute error: "), ""),
        (re.compile(r"\bauto kg__launched_"), "void "), (re.compile(r"\bkg__launched_"), ""),
        (re.compile(r"\(?\bkg__model_starter<[^\n]*?<lambda\([^\n()]*(?:\([^\n()]*\)[^\n()]*)*\)>\)?"), "the kernel"),
        (re.compile(r"\bkg__model_(?:configure|starter|run|bind)\b"), "<<<>>>"))
# An error in an inlined function, which g++ tells of each call.
OF_CALL = re.compile(r"^In (?:lambda )?function[^\n]*\n(?: +inlined from [^\n]*\n)+([^\n]*\berror: [^\n]*\n(?: [^\n]*\n)*)",
                     re.MULTILINE)
# Files in a CUDA Toolkit's or CCCL's header folder.
TOOLKIT = ("cuda_runtime_api.h", "cub/version.cuh", "thrust/version.h", "cuda/std/version")
# A folder of headers that are packages' and may be used, though they are in a CUDA Toolkit too.
PACKAGES = ""
# A line of its own, which g++ writes without spaces before it; and what nvcc takes from a macro too, which it does not.
UNROLL = re.compile(rb"^#pragma[ \t]+(?:no)?unroll\b[^\n]*|#[ \t]*pragma[ \t]+(?:nv_exec_check_disable\b|hd_warning_disable\b"
                    rb"|(?:no)?unroll\b(?:[ \t]*\([^)\n]*\)|[ \t]+\d+)?)", re.MULTILINE)
# How the model refuses inline PTX that is not rewritten.
REFUSED = re.compile(rb"\bkg__model_inline_ptx\(\);")
PRECOMPILED = "-fpch-preprocess"  # reads a precompiled header while it preprocesses, and names it in the text
MOST_CONSTANT = 65536  # bytes in a module, with nvcc
# Text that is not code, and round brackets in a function's head that are not its parameters.
NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|"
                     r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE)
IN_HEAD = re.compile(r"(?:__attribute__|alignas|__\w+__)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\[\[[^]]*\]\]")
NAMED = re.compile(r"([A-Za-z_]\w*)\s*\(")
CALLED = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)\s*(?:<[^;{}()]*>)?\s*\(")


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def value_after(command, flag):
    return command[command.index(flag) + 1] if flag in command[:-1] else None


def without(command, flags, pairs):
    """The command without some flags, and without others and the argument that follows each."""
    kept = []
    skip = False
    for argument in command:
        if skip:
            skip = False
        elif argument in pairs:
            skip = True
        elif argument not in flags:
            kept.append(argument)
    return kept


def functions_of(text):
    """The functions that a text defines, except those of classes: the head and the body of each."""
    text = NO_CODE.sub(" ", text)
    depth = start = begun = 0
    head = ""
    for mark in re.finditer(r"[{};]", text):
        if mark[0] == "{":
            if depth == 0:
                head, begun = text[start:mark.start()], mark.end()
            # The content of a namespace counts as outside.
            is_scope = depth == 0 and ("(" not in head and re.search(r"\bnamespace\b", head) or head.strip() == "extern")
            depth += not is_scope
        elif mark[0] == "}" and depth > 0:
            depth -= 1
            if depth == 0 and "(" in head:
                yield head, text[begun:mark.start()]
        if depth == 0:
            start = mark.end()


class Headers:
    """Where a command's headers are: `model` is the folder of the model's own, None if it has none."""

    def __init__(self, command):
        folders = []
        for flag in ("-I", "-isystem", "-iquote"):
            folders += [argument[len(flag):] or command[i + 1] for i, argument in enumerate(command[:-1])
                        if argument.startswith(flag)]
        self.model = next((folder for folder in folders if os.path.exists(f"{folder}/kg_model_device.h")), None)
        self.author = [folder for folder in folders if folder != self.model and not folder.startswith("/usr/include")]
        paths = ":".join(os.environ.get(name, "") for name in ("CPATH", "CPLUS_INCLUDE_PATH")).split(":")
        places = dict.fromkeys([*folders, *paths, "/usr/local/include", "/usr/include"])
        self.toolkits = [place for place in places if place and place != self.model and self._has_toolkit(place)]
        self.found = set()      # WANTED and ASM, as found so far
        self.suspects = set()   # files of a toolkit that an #include may find
        self._host, self._called = set(), set()  # functions defined for the host, and called by device code
        self._seen = set()

    @staticmethod
    def _has_toolkit(folder):
        return any(os.path.exists(f"{folder}/{name}") for name in TOOLKIT)

    def _is_of_toolkit(self, folder, name):
        """Whether a header is a CUDA Toolkit's, whose folder may have others."""
        return folder in self.toolkits and not os.path.exists(f"{PACKAGES}/{name}") and (name.startswith(("cub/", "thrust/", "cuda/", "nv/")) or
                                            "NVIDIA CORPORATION" in read(f"{folder}/{name}")[:4000].upper())

    def search(self, path):
        """Searches a file, and those that it includes."""
        # The gate's own header has an array for nvcc.
        if path in self._seen or path.endswith("/kernelgate/kernelgate.h"):
            return
        self._seen.add(path)
        text = read(path)
        # Host functions of packages keep the device's lines (two_sides.py).
        sides = () if PACKAGES and path.startswith(f"{PACKAGES}/") else (SIDES,)
        unseen = bool(sides) and INCLUDED_BY_MACRO.search(text)
        self.found |= {wanted for wanted in (WANTED, ASM, *sides) if unseen or wanted.search(text)}
        for head, body in functions_of(text):
            if re.search(r"__device__|__global__", head):
                self._called.update(CALLED.findall(body))
                self.found |= {SHIFT} if SHIFT.search(body) else set()
                self.found |= {CALLED} if refusals.SUSPECT.search(body) else set()
            elif "constexpr" not in head:
                self._host.update(NAMED.findall(IN_HEAD.sub(" ", head))[:1])
        # nvcc refuses such a call.
        if self._called & (self._host | {name.decode() for name in refusals.OF_C}):
            self.found.add(CALLED)
        for name in INCLUDED.findall(text):
            if os.path.exists(f"{self.model}/{name}"):
                continue
            for folder in [os.path.dirname(path), *self.author, *self.toolkits]:
                file = os.path.normpath(os.path.join(folder, name))
                if not os.path.exists(file):
                    continue
                if self._is_of_toolkit(folder, name):
                    self.suspects.add(os.path.realpath(file))
                elif folder not in ("/usr/local/include", "/usr/include"):
                    self.search(file)

    def refusal(self, text):
        """The refusal of the first toolkit header that a preprocessed text includes; None if it includes none."""
        file, line, last = b"", 0, 0
        for marker in re.finditer(rb'^# (\d+) "((?:[^"\\\n]|\\.)*)"([ \d]*)\n', text, re.MULTILINE):
            line += text.count(b"\n", last, marker.start())
            named = os.path.realpath(os.fsdecode(marker[2]))
            if b" 1" in marker[3] and named in self.suspects:
                name = next((os.path.relpath(named, folder) for folder in map(os.path.realpath, self.toolkits)
                             if named.startswith(f"{folder}/")), named)
                place = f"{os.fsdecode(file)}:{line}:1"
                return f"{place}: fatal error: the CPU model does not support {name} (docs/model.md): {REMEDY}\n"
            file, line, last = marker[2], int(marker[1]), marker.end()
        return None


def preprocess(command, found, side=()):
    """Runs the preprocessor, with more options for a side: exit code, text, and messages."""
    words = without(command, {"-c"}, {"-o"})
    if ASM in found:
        words += ["-include", "kg_model_ptx.h"]
    # refusals.find_sides() reads the text of the headers, which a precompiled header hides.
    if CALLED not in found:
        words.append(PRECOMPILED)
    done = subprocess.run([*words, *side, "-E"], capture_output=True, check=False)
    text = UNROLL.sub(b"", done.stdout)
    return done.returncode, REFUSED.sub(b"", text) if ASM in found else text, done.stderr.decode(errors="replace")


def headers_of_host(text, host):
    """The system's headers that the source's own files include on the host's side alone."""
    known = {marker[2] for marker in MARKER.finditer(text)}
    found, inside = {}, False
    for marker in MARKER.finditer(host):
        is_system = b" 3" in marker[3]
        if is_system and not inside and b" 1" in marker[3] and marker[2] not in known:
            found[os.fsdecode(marker[2])] = None
        inside = is_system
    return list(found)


def rewrite(text, host, source, model, lacking, missed, home):
    """The rewritten text; a message instead if there is no grammar. host: the text of the host's side, or None; missed: the
    last arguments of rewrite_kernel.rewrite()."""
    # Imported here, because most sources have nothing to rewrite.
    import grammar  # pylint: disable=import-outside-toplevel
    import rewrite_kernel  # pylint: disable=import-outside-toplevel
    parser = grammar.make_parser(home)
    if parser is None:
        setup = f"{grammar.ROOT}/ci/setup"
        return None, (f"{source}: its launches, inline PTX or __shared__ need PyPI's tree-sitter and tree-sitter-cuda: run "
                      f"{setup if os.path.exists(setup) else 'kernelgate-setup'}\n")
    return rewrite_kernel.rewrite(parser, text, host, os.fsencode(model), lacking, *missed), ""


def run(command):
    done = subprocess.run(command, stdout=sys.stderr, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stderr.decode(errors="replace")


def assemble(command, target):
    """Runs a command that compiles to the object `target`; thins the hooks of instrumented code on the way."""
    if "-fsanitize-coverage=trace-pc" not in command:
        return run(command)
    assembly = f"{target}.s"
    compiler = command[:next(i for i, word in enumerate(command) if word.startswith("-"))]
    compiling = list(command)
    compiling[command.index("-c")] = "-S"
    compiling[command.index("-o") + 1] = assembly
    code, said = run(compiling)
    if code != 0:
        return code, said
    block_heads.thin(assembly)
    code, more = run([*compiler, "-x", "assembler", "-c", assembly, "-o", target])
    os.remove(assembly)
    return code, said + more


class Compilation:
    """A command that compiles a source to an object."""

    def __init__(self, command, source, home):
        self.command = command
        self.source = source
        self.home = home
        self.target = value_after(command, "-o")
        self.headers = Headers(command)

    def _host_side(self, more=()):
        """The text without __CUDA_ARCH__; None if it cannot be preprocessed, or no condition asks. more: options."""
        if SIDES not in self.headers.found:
            return None
        code, text, _ = preprocess(self.command, self.headers.found, ("-U__CUDA_ARCH__", "-U__CUDA_ARCH_FEAT_SM90_ALL", "-DKG__MODEL_HOST", *more))
        return text if code == 0 else None

    def _compile_rewritten(self, text, host, missed):
        # The options of a comparison's GPU build are not known here.
        lacking = {option for option in refusals.OPTIONS if "kg_program.h" in self.command and f"-D__CUDACC_{option}__" not in self.command}
        text, said = rewrite(text, host, self.source, self.headers.model, lacking, missed, self.home)
        if text is None:
            return 2, said
        rewritten = f"{self.target}.ii"
        with open(rewritten, "wb") as file:
            file.write(text)
        # The dependencies were written when the headers were read.
        command = [*without(self.command, {"-MD", "-MMD"}, {"-MF", "-MT", "-MQ", "-x"}), PRECOMPILED]
        command[command.index(self.source)] = rewritten
        return assemble(command, self.target)

    def _compile_sides(self, text, host, declares=False):
        """Compiles the source: the exit code and messages. text: preprocessed, None if nothing needs rewriting; host: the host's side;
        declares: whether what that alone declares is added."""
        recursive, undeclared, untyped = set(), {}, set()
        missed = recursive, undeclared, untyped, declares
        code, said = self._compile_rewritten(text, host, missed) if self.headers.found else assemble(self.command, self.target)
        while code != 0:
            names = set(NOT_INLINED.findall(said)) - recursive
            places = {} if host is None else {(file, int(line)): why for file, line, why in UNDECLARED.findall(said)}
            types = {(os.fsencode(file), int(line), name.encode()) for file, line, name in UNTYPED.findall(said)}
            if not names and places.keys() <= undeclared.keys() and types <= untyped:
                break
            recursive.update(names)
            untyped.update(types)
            undeclared.update(places)
            if text is None:
                text = preprocess(self.command, self.headers.found)[1]
            code, said = self._compile_rewritten(text, host, missed)
        said = RENAMES.sub("", said)
        # What else -fpermissive permits is an error.
        return (1, said.replace(" warning: ", " error: ")) if code == 0 and "[-fpermissive]" in said else (code, said)

    def compile(self):
        """Compiles the source: the exit code and messages."""
        headers = self.headers
        for path in (self.source, *(word for flag, word in zip(self.command, self.command[1:]) if flag == "-include")):
            headers.search(os.path.abspath(path))
        text = None
        if headers.found or headers.suspects:
            code, text, said = preprocess(self.command, headers.found)
            refused = headers.refusal(text) if headers.suspects else None
            if refused or code != 0:
                return code or 1, refused or said
            if re.search(RENAMED.encode(), text):
                # -w would hide what else this permits.
                self.command = [*without(self.command, {"-w"}, ()), "-fpermissive"]
        host = self._host_side()
        done = self._compile_sides(text, host)
        if done[0] == 0 or host is None:
            return done
        # They may need what the host's side alone declares, outside of functions.
        more = [word for header in headers_of_host(text, host) for word in ("-include", header)]
        sides = (preprocess(self.command, headers.found, more)[1], self._host_side(more)) if more else (text, host)
        declared = self._compile_sides(*sides, declares=True)
        if declared[0] == 0:
            return declared
        error = ERROR.search(done[1])
        code, said = self._compile_sides(text, None)
        if code != 0:
            # What is wrong with the source itself is an error each time; each attempt may add others of its own.
            return min((code, said), declared, done, key=lambda failed: len(ERROR.findall(failed[1])) or sys.maxsize)
        if error:
            said += f"{self.source}:1:1: warning: __CUDA_ARCH__ is defined in functions of the host, which do not compile without: {error[0]}\n"
        return code, said


def compile_source(command, home=None):
    """Compiles as a command says; the exit code and messages. home: the project's folder, or None."""
    # With its language given by -x, a source may have any name.
    named = value_after(command, "-c") if "-x" in command else None
    sources = [argument for argument in command if (argument.endswith(SOURCES) or argument == named) and os.path.isfile(argument)]
    if "-c" not in command or value_after(command, "-o") is None or len(sources) != 1 or "c++-header" in command:
        return run(command)
    if sources[0].endswith(".cu") and "-x" not in command:
        at = command.index(sources[0])
        command = [*command[:at], "-x", "c++", *command[at:]]
    # Unique symbols are shared by a whole program, and could not be local to an object.
    compilation = Compilation([*command, "-fno-gnu-unique"], sources[0], home)
    if not compilation.headers.model:
        return run(command)
    code, said = compilation.compile()
    for pattern, told in SAID:
        said = pattern.sub(told, said)
    seen = set()
    said = OF_CALL.sub(lambda found: "" if found[1] in seen or seen.add(found[1]) else found[0], said)
    if code != 0:
        return code, said
    symbols = object_file.read_symbols(compilation.target)
    constant = object_file.constant_bytes(symbols)
    if constant > MOST_CONSTANT:
        os.remove(compilation.target)
        why = f"File uses too much global constant data (0x{constant:x} bytes, 0x{MOST_CONSTANT:x} max)"
        return 1, f"{said}{sources[0]}:1:1: error: {why}\n"
    return object_file.separate(command, compilation.target, symbols), said


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    code, said = compile_source(sys.argv[1:])
    sys.stderr.write(said)
    sys.exit(code)


if __name__ == "__main__":
    main()
