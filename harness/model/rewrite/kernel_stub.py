# SPDX-License-Identifier: MIT
"""Limits the effect of a source that does not compile for the CPU model to its own variants.
usage: kernel_stub.py compile HOME COMPILER ARGUMENT..., as a compiler's launcher
       kernel_stub.py link HOME COMPARISON WHY [GPU_ONLY_FILE ...] -- COMPILER ARGUMENT..., as a linker's launcher

`compile` compiles with compile_kernel.py, and writes OBJECT.notes next to the object if the compiler warns that a variable may be
uninitialized. If compiling fails, it writes an empty object, and next to it OBJECT.stub with the first error. `link` adds stubs
to a program for the functions that such sources, and GPU-only ones, would have defined; the program's table kg__stubs
(harness/suite/stub.h) has the reason of each. WHY is the reason for GPU-only files, {} being the file.
"""

import json
import os
import re
import string
import subprocess
import sys

import compile_kernel
import object_file
from compile_kernel import SOURCES, read, value_after

# Parts of CUDA that g++ reports as missing, with their names. Further names are of the model's headers.
CUDA_SPACE = r"['‘]((?:cuda|cub|cooperative_groups|nvcuda)\b[\w:]*)['’]"
MISSING = tuple((re.compile(pattern), feature) for pattern, feature in (
    (r"((?:cublas|cusparse|cusolver|cufft|cudnn|curand|cutlass|cute/|thrust/|cub/|cuda/|nccl|nvshmem|nvrtc|mma)[^:\s]*)"
     r": No such file or directory", r"\1"),
    (rf"['‘]([\w:]+)['’] (?:is not a (?:class template )?member of|in namespace) {CUDA_SPACE}", r"\2::\1"),
    (r"['‘](?:texture|tex2Dgather|surfCubemap\w*)['’]", "texture references, tex2Dgather() and surfaces of cube maps"),
    (r"['‘]cudaGraph\w*['’]", "CUDA graphs"),
))
MISSING_SPACE = re.compile(rf"{CUDA_SPACE} (?:has not been declared|is not a namespace)")
SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/local/include/")
COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
PLACE = re.compile(r"(?:^(?!In file )|from |at )(/?[^\s:][^:\n]*):(\d+)(?=[:,])", re.MULTILINE)
IN_SOURCE = re.compile(r"^[^\s:][^:\n]*:\d+:(?:\d+:)? (?:fatal )?error: ", re.MULTILINE)
ERROR = re.compile(r"(?:fatal )?error: (.*)")
SAID = re.compile(r"the CPU model does not support ([^\"\n]*?)(?: \(docs/model\.md\)|: see docs/model\.md)")
UNINITIALIZED = re.compile(r"^([^\s:][^:\n]*):(\d+):(?:\d+:)? warning: (.*) \[-W(?:maybe-)?uninitialized\]$", re.MULTILINE)
# Binutils 2.42 tell the place in the section after the line.
UNDEFINED = re.compile(r"(?:(\S+?):(\d+):(?:\(\S+\):)? )?undefined (?:reference to|symbol:?) [`'\"]?([\w.$@]+)")
TWICE = re.compile(r"(?:(\S+?):(\d+):(?:\(\S+\):)? )?multiple definition of [`'\"]?([\w.$@]+)")


def source_of(path):
    """The kernel's own source, if a file of the build only includes that."""
    found = re.fullmatch(r'(?:#include <cuda_runtime.h> // as nvcc does\n)?#include "([^"]+)"\n', read(path))
    return found[1] if found else path


class FirstError:
    """The first error of a compiler's output, at the compiler's place; if that is in a header of the model or of the
    system, at the last place before it that is not."""

    def __init__(self, said, home, source):
        self.home = home
        self.source = source
        lines = said.split("\n")
        errors = [number for number, line in enumerate(lines) if ERROR.search(line)] or [0]
        self.feature = None
        # First a missing feature of the model, since other errors follow from it.
        for at in sorted(errors, key=lambda number: SAID.search(lines[number]) is None):
            self._read(lines, at)
            if self.feature:
                return
        self._read(lines, errors[0])

    def _read(self, lines, at):
        """Fills in the error in a line of the output."""
        self.message = (ERROR.search(lines[at]) or [None, "the compiler failed"])[1]
        self.file, self.line = self._place(lines, at) or (self.source, 0)
        said = SAID.search(self.message)
        self.feature = said[1] if said else self._missing()

    def _is_own(self, file):
        """Whether a file is neither the model's nor the system's, nor one that only includes the source."""
        path = os.path.abspath(file)
        # Some of the model's headers are in subfolders of its folder.
        above = [os.path.normpath(path + "/.." * up) for up in (1, 2, 3)]
        if source_of(file) != file or any(os.path.exists(f"{folder}/kg_model_device.h") for folder in above):
            return False
        return path == self.source or path.startswith(f"{self.home}/") or "/" in file and not path.startswith(SYSTEM)

    def _places(self, line):
        return [(os.path.abspath(file), int(number)) for file, number in PLACE.findall(line) if self._is_own(file)]

    def _place(self, lines, at):
        """The author's place of an error: its own, or one that the lines before or after it give as the cause."""
        behind = next((i for i in range(at + 1, len(lines)) if ERROR.search(lines[i])), len(lines))
        for line in [*lines[at::-1], *lines[at + 1:behind]]:
            places = self._places(line)
            if places:
                return places[-1]
        return None

    def _missing(self):
        """The part of CUDA that the message reports as missing; None for another message."""
        space = MISSING_SPACE.search(self.message)
        if space:
            text = "".join(read(self.file).split("\n")[self.line - 1:self.line])
            return (re.search(rf"\b{space[1]}::\w+", text) or [space[1]])[0]
        found = ((pattern.search(self.message), feature) for pattern, feature in MISSING)
        return next((match.expand(feature) for match, feature in found if match), None)

    def describe(self):
        source = os.path.relpath(self.source, self.home)
        remedy = f"name {source} in GPU_ONLY to gate it on GPUs alone"
        if self.feature:
            why = f"the CPU model does not support {self.feature} (docs/model.md): {remedy}"
        else:
            why = f"{self.message}: fix it, or, if the CPU model does not support it (docs/model.md), {remedy}"
        file = os.path.relpath(self.file, self.home)
        return {"source": self.source, "file": self.file if file.startswith("..") else file, "line": self.line, "why": why}


def write_dependencies(command, target):
    """Writes the source's dependencies: the compiler leaves out missing headers, or everything."""
    depfile = value_after(command, "-MF")
    if depfile is not None:
        plain = compile_kernel.without(command, {"-MD", "-MMD", "-c"}, {"-o", "-MF", "-MT", "-MQ"})
        subprocess.run([*plain, "-M", "-MG", "-MF", depfile, "-MT", target], stderr=subprocess.DEVNULL, check=False)


def compile_source(home, command):
    target = value_after(command, "-o")
    source = next((argument for argument in command if argument.endswith(SOURCES) and os.path.isfile(argument)), None)
    code, said = compile_kernel.compile_source(command, home)
    sys.stderr.write(said)
    if "-c" not in command or target is None or source is None:
        return code
    stub = f"{target}.stub"
    if os.path.exists(stub):
        os.remove(stub)
    with open(f"{target}.source", "w", encoding="utf-8") as file:
        file.write(os.path.abspath(source_of(source)))
    said = COLOR.sub("", said)
    note_uninitialized(f"{target}.notes", said, home)
    # A compiler that ran out of memory is not an error of the source.
    if code == 0 or not IN_SOURCE.search(said):
        return code
    error = FirstError(said, home, os.path.abspath(source_of(source))).describe()
    write_dependencies(command, target)
    code = make_object(command, target, "")
    if code == 0:
        with open(stub, "w", encoding="utf-8") as file:
            json.dump(error, file)
        print(f"{error['file']}:{error['line']}: its variants fail on the CPU model; all others are built", file=sys.stderr)
    return code


def note_uninitialized(path, said, home):
    """Writes a line for each such warning, for the report; none for the model's headers."""
    lines = {f"{os.path.relpath(file, home)}:{line}: {text}\n" for file, line, text in UNINITIALIZED.findall(said)
             if not os.path.exists(os.path.join(os.path.dirname(file), "kg_model_device.h"))}
    if os.path.exists(path):
        os.remove(path)
    if lines:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(sorted(lines))


def make_object(command, target, text):
    """Compiles a C text; the exit code."""
    start = next((number for number, word in enumerate(command) if word.startswith("-") or word.endswith(".o")), len(command))
    return subprocess.run([*command[:start], "-x", "c", "-", "-c", "-o", target], input=text.encode(), check=False).returncode


def demangle(symbol):
    done = subprocess.run(["c++filt", symbol], stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout.strip() or symbol


def name_of(symbol):
    """The last name of a mangled symbol: "softmax" of my::softmax(float *)."""
    names = re.findall(r"~?\w+", re.sub(r"<[^()]*>", "", demangle(symbol).split("(")[0]))
    return names[-1] if names else symbol


def find_stub(stubs, symbol, comparison):
    """The stub of the object that defines a symbol, or whose source mentions its name; for a launcher, also one
    named after its file, or whose source joins names from parts. None if there is none: then the link fails."""
    for stub in stubs:
        if symbol in stub.get("defines", ()):
            return stub
    name = name_of(symbol)
    for stub in stubs:
        if "defines" not in stub and re.search(rf"\b{re.escape(name)}\b", stub["text"]):
            return stub
    is_launcher = symbol.startswith(f"{comparison}_")
    stem = symbol[len(comparison) + 1:]
    return next((stub for stub in stubs if is_launcher and "defines" not in stub and
                 (os.path.splitext(os.path.basename(stub["source"]))[0] == stem or "##" in stub["text"])), None)


def literal(text):
    return '"' + "".join(chr(byte) if chr(byte) in string.ascii_letters + string.digits or byte in b" /._-:," else f"\\{byte:03o}" for byte in text.encode()) + '"'


def stub_source(found):
    """The C text of the functions, and of the table with their reasons."""
    lines = ["struct kg__stub { void (*function)(void); const char *why, *file; unsigned line; _Bool gpu_only; };",
             "extern void kg__stub_reached(const struct kg__stub *);", "extern const struct kg__stub kg__stubs[];"]
    rows = []
    for number, (symbol, stub) in enumerate(sorted(found.items())):
        lines.append(f"long f{number}(void) __asm__({literal(symbol)});\n"
                     f"long f{number}(void) {{ kg__stub_reached(&kg__stubs[{number}]); return 0; }}")
        rows.append(f"{{ (void (*)(void))f{number}, {literal(stub['why'])}, {literal(stub['file'])}, {stub['line']}, "
                    f"{int(stub['gpu_only'])} }},")
    return "\n".join((*lines, "const struct kg__stub kg__stubs[] = {", *rows, "{ 0 } };", ""))


def stubs_of(words, home, why, gpu_only):
    stubs = [{**json.loads(read(f"{word}.stub")), "gpu_only": False} for word in words
             if word.endswith(".o") and os.path.exists(f"{word}.stub")]
    for path in gpu_only:
        file = os.path.relpath(path, home)
        stubs.append({"source": path, "file": file, "line": 0, "why": why.format(file), "gpu_only": True})
    return [{**stub, "text": read(stub["source"])} for stub in stubs]


def blame(words, said, home):
    """The objects of kernels that make a link fail, each with its stub. said: the linker's messages."""
    blamed = {}
    undefined, twice = ({match[3]: match for match in reversed([*kind.finditer(said)])} for kind in (UNDEFINED, TWICE))
    defined = set()
    for word in words:
        symbols = object_file.read_symbols(word) if word.endswith(".o") and os.path.exists(word) else []
        own = {symbol.name for symbol in symbols if symbol.section != "" and symbol.bind == object_file.GLOBAL}
        missing = next((symbol.name for symbol in symbols if symbol.section == "" and symbol.name in undefined), None)
        again = next((name for name in sorted(own & defined) if name in twice), None)
        source = read(f"{word}.source")
        if source and (missing or again):
            file = os.path.relpath(source, home)
            why = f"undefined reference to {demangle(missing)}: define it, or link its library" if missing else \
                f"another file defines {demangle(again)}, too: make one static, or rename it"
            # Binutils name the file that includes the source, with the source's line.
            match, lines = undefined[missing] if missing else twice[again], ["", *read(source).split("\n")]
            line = int(match[2] or 0)
            is_told = line < len(lines) and re.search(rf"\b{re.escape(name_of(match[3]))}\b", lines[line])
            blamed[word] = {"source": source, "file": file, "line": line if is_told else 0, "gpu_only": False, "text": "",
                            "why": f"{why}, or name {file} in GPU_ONLY to gate it on GPUs alone",
                            "defines": {symbol.name for symbol in symbols if symbol.section != ""}}
        else:
            defined |= own
    return blamed


def link(home, comparison, why, gpu_only, command):
    """Links a program. An object that breaks the link is left out, which affects only its variants."""
    words = [word for argument in command for word in (read(argument[1:]).split() if argument.startswith("@") else [argument])]
    stubs = stubs_of(words, home, why, gpu_only)
    target = value_after(command, "-o")
    made, found = [], {}
    while True:
        tried = subprocess.run([*words, *made, "-Wl,--no-demangle"], env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, check=False)
        said = tried.stdout.decode(errors="replace")
        if tried.returncode == 0 or target is None:
            print(said, end="", file=sys.stderr)
            return tried.returncode
        missing = {match[3] for match in UNDEFINED.finditer(said)} - found.keys()
        told = {symbol: stub for symbol in missing for stub in [find_stub(stubs, symbol, comparison)] if stub is not None}
        blamed = {} if told else blame(words, said, home)
        for word, stub in blamed.items():
            words.remove(word)
            stubs.append(stub)
            print(f"{stub['file']}:{stub['line']}: error: {stub['why']}", file=sys.stderr)
        if not told and not blamed:
            return subprocess.run([*words, *made], check=False).returncode
        found |= told
        made = [f"{target}.stubs.o"]
        code = make_object(command, made[0], stub_source(found))
        if code != 0:
            return code
        # Some linkers list it among the program's inputs: newer than the link's start, Ninja would link again at each build.
        os.utime(made[0], (1, 1))


def main():
    words = sys.argv[1:]
    if len(words) > 2 and words[0] == "compile":
        return compile_source(words[1], words[2:])
    if len(words) > 5 and words[0] == "link" and "--" in words:
        end = words.index("--")
        return link(words[1], words[2], words[3], words[4:end], words[end + 1:])
    return __doc__


if __name__ == "__main__":
    sys.exit(main())
