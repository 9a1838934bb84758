"""Has a source that does not compile for the CPU model cost its own variants alone.
usage: kernel_stub.py compile HOME COMPILER ARGUMENT..., as a compiler's launcher
       kernel_stub.py link HOME COMPARISON WHY [GPU_ONLY_FILE ...] -- COMPILER ARGUMENT..., as a linker's launcher

`compile` has compile_kernel.py compile, and leaves next to an object OBJECT.notes, where the compiler says that a variable may be
uninitialized. Where it fails it leaves an empty object, and next to it OBJECT.stub with the first error. `link` gives a program what such sources, and those for GPUs alone, would have defined: functions that the program's
table kg__stubs (harness/suite/stub.h) tells the reason of. WHY says so of files for GPUs alone, {} being the file.
"""

import json
import os
import re
import string
import subprocess
import sys

import compile_kernel

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCES = (".cpp", ".cc", ".cxx", ".cu")
# What g++ says in words of its own, by the line of the source that it points to. Others the model's headers name.
UNSUPPORTED = tuple((re.compile(pattern), feature) for pattern, feature in (
    (r"#\s*include\s*[<\"]((?:cublas|cusparse|cusolver|cufft|cudnn|curand|cutlass|cute/|thrust/|cub/|cuda/|nccl|nvshmem|nvrtc|"
     r"mma)[^>\"]*)[>\"]", None),
    (r"\b(?:texture\s*<|texCubemap\w*|tex2Dgather|surfCubemap\w*)", "texture references and cube maps"),
    (r"\bcudaGraph\w*", "CUDA graphs"),
))
COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
PLACE = re.compile(r"(?:^(?!In file )|from |at )(/?[^\s:][^:\n]*):(\d+)(?=[:,])", re.MULTILINE)
IN_SOURCE = re.compile(r"^[^\s:][^:\n]*:\d+:(?:\d+:)? (?:fatal )?error: ", re.MULTILINE)
ERROR = re.compile(r"(?:fatal )?error: (.*)")
SAID = re.compile(r"the CPU model does not support ([^\"\n]*?)(?: \(docs/model\.md\)|: see docs/model\.md)")
UNINITIALIZED = re.compile(r"^([^\s:][^:\n]*):(\d+):(?:\d+:)? warning: (.*) \[-W(?:maybe-)?uninitialized\]$", re.MULTILINE)
UNDEFINED = re.compile(r"undefined (?:reference to|symbol:?) [`'\"]?([\w.$@]+)")


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def value_after(command, flag):
    return command[command.index(flag) + 1] if flag in command[:-1] else None


def source_of(path):
    """The kernel's own source where a file of the build includes that and nothing else."""
    found = re.fullmatch(r'#include "([^"]+)"\n', read(path))
    return found[1] if found else path


class FirstError:
    """The first error of a compiler's output, at a line of the project where it points to one."""

    def __init__(self, said, home, source):
        self.home = home
        self.source = source
        lines = said.split("\n")
        first = next((number for number, line in enumerate(lines) if ERROR.search(line)), 0)
        self.message = (ERROR.search(lines[first]) or [None, "the compiler failed"])[1]
        self.file, self.line = self._place_before(lines[:first + 1]) or (source, 0)
        self.feature = None
        named = next((number for number, line in enumerate(lines) if ERROR.search(line) and SAID.search(line)), None)
        if named is not None:
            self.feature = SAID.search(lines[named])[1]
            self.file, self.line = self._place_before(lines[:named + 1]) or (source, 0)
        else:
            self._find_feature(lines)

    def _is_own(self, file):
        """Whether a file is neither the model's nor the system's, nor one that only includes the source."""
        path = os.path.abspath(file)
        inside = path.startswith(self.home + "/") or path == self.source
        return inside and not os.path.exists(os.path.join(os.path.dirname(path), "kg_model_device.h")) and source_of(path) == path

    def _places(self, line):
        return [(os.path.abspath(file), int(number)) for file, number in PLACE.findall(line) if self._is_own(file)]

    def _place_before(self, lines):
        """The last place in the project that the lines name."""
        return next((places[-1] for places in map(self._places, reversed(lines)) if places), None)

    def _find_feature(self, lines):
        for file, number in (place for line in lines for place in self._places(line)):
            text = "".join(read(file).split("\n")[number - 1:number])
            for pattern, feature in UNSUPPORTED:
                found = pattern.search(text)
                if found:
                    self.feature, self.file, self.line = feature or found[1], file, number
                    return

    def describe(self):
        source = os.path.relpath(self.source, self.home)
        remedy = f"name {source} in GPU_ONLY to gate it on GPUs alone"
        if self.feature:
            why = f"the CPU model does not support {self.feature} (docs/model.md): {remedy}"
        else:
            why = f"{self.message}: fix it, or, if the CPU model cannot have it (docs/model.md), {remedy}"
        file = os.path.relpath(self.file, self.home)
        return {"source": self.source, "file": self.file if file.startswith("..") else file, "line": self.line, "why": why}


def write_dependencies(command, target):
    """Writes what the source depends on: the compiler leaves out headers that are missing, or everything."""
    depfile = value_after(command, "-MF")
    if depfile is not None:
        plain = compile_kernel.without(command, {"-MD", "-MMD", "-c"}, {"-o", "-MF", "-MT", "-MQ"})
        subprocess.run([*plain, "-M", "-MG", "-MF", depfile, "-MT", target], stderr=subprocess.DEVNULL, check=False)


def compile_source(home, command):
    target = value_after(command, "-o")
    source = next((argument for argument in command if argument.endswith(SOURCES) and os.path.isfile(argument)), None)
    launched = [sys.executable, "-ESB", os.path.join(FOLDER, "compile_kernel.py"), *command]
    if "-c" not in command or target is None or source is None:
        os.execvp(launched[0], launched)
    done = subprocess.run(launched, stderr=subprocess.PIPE, check=False)
    sys.stderr.buffer.write(done.stderr)
    stub = f"{target}.stub"
    if os.path.exists(stub):
        os.remove(stub)
    said = COLOR.sub("", done.stderr.decode(errors="replace"))
    note_uninitialized(f"{target}.notes", said, home)
    # What ends a compiler for want of memory is not an error of the source.
    if done.returncode == 0 or not IN_SOURCE.search(said):
        return done.returncode
    error = FirstError(said, home, os.path.abspath(source_of(source))).describe()
    write_dependencies(command, target)
    code = make_object(command, target, "")
    if code == 0:
        with open(stub, "w", encoding="utf-8") as file:
            json.dump(error, file)
        print(f"{error['file']}:{error['line']}: its variants fail on the CPU model; all others are built", file=sys.stderr)
    return code


def note_uninitialized(path, said, home):
    """Writes a line for each warning of the kind for the report, which names them whatever else is found; none for the model's headers."""
    lines = {f"{os.path.relpath(file, home)}:{line}: {text}\n" for file, line, text in UNINITIALIZED.findall(said)
             if not os.path.exists(os.path.join(os.path.dirname(file), "kg_model_device.h"))}
    if os.path.exists(path):
        os.remove(path)
    if lines:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(sorted(lines))


def make_object(command, target, text):
    """Compiles a text in C; the exit code."""
    start = next((number for number, word in enumerate(command) if word.startswith("-")), len(command))
    return subprocess.run([*command[:start], "-x", "c", "-", "-c", "-o", target], input=text.encode(), check=False).returncode


def name_of(symbol):
    """The last name of a mangled symbol: "softmax" of my::softmax(float *)."""
    done = subprocess.run(["c++filt", symbol], stdout=subprocess.PIPE, text=True, check=False)
    names = re.findall(r"~?\w+", re.sub(r"<[^()]*>", "", done.stdout.split("(")[0]))
    return names[-1] if names else symbol


def find_stub(stubs, symbol, comparison):
    """The stub whose source mentions what the symbol is called; of a launcher, also one that is named after its file, or whose
    source joins names from parts. None where there is none: then the link fails."""
    name = name_of(symbol)
    for stub in stubs:
        if re.search(rf"\b{re.escape(name)}\b", stub["text"]):
            return stub
    is_launcher = symbol.startswith(f"{comparison}_")
    stem = symbol[len(comparison) + 1:]
    return next((stub for stub in stubs if is_launcher and
                 (os.path.splitext(os.path.basename(stub["source"]))[0] == stem or "##" in stub["text"])), None)


def literal(text):
    return '"' + "".join(chr(byte) if chr(byte) in string.ascii_letters + string.digits or byte in b" /._-:," else f"\\{byte:03o}" for byte in text.encode()) + '"'


def stub_source(found):
    """The C of the functions, and of the table that tells of them."""
    lines = ["struct kg__stub { void (*function)(void); const char *why, *file; unsigned line; _Bool gpu_only; };",
             "extern void kg__stub_reached(const struct kg__stub *);", "extern const struct kg__stub kg__stubs[];"]
    rows = []
    for number, (symbol, stub) in enumerate(sorted(found.items())):
        lines.append(f"long f{number}(void) __asm__({literal(symbol)});\n"
                     f"long f{number}(void) {{ kg__stub_reached(&kg__stubs[{number}]); return 0; }}")
        rows.append(f"{{ (void (*)(void))f{number}, {literal(stub['why'])}, {literal(stub['file'])}, {stub['line']}, "
                    f"{int(stub['gpu_only'])} }},")
    return "\n".join((*lines, "const struct kg__stub kg__stubs[] = {", *rows, "{ 0 } };", ""))


def stubs_of(command, home, why, gpu_only):
    words = [word for argument in command for word in (read(argument[1:]).split() if argument.startswith("@") else [argument])]
    stubs = [{**json.loads(read(f"{word}.stub")), "gpu_only": False} for word in words
             if word.endswith(".o") and os.path.exists(f"{word}.stub")]
    for path in gpu_only:
        file = os.path.relpath(path, home)
        stubs.append({"source": path, "file": file, "line": 0, "why": why.format(file), "gpu_only": True})
    return [{**stub, "text": read(stub["source"])} for stub in stubs]


def link(home, comparison, why, gpu_only, command):
    stubs = stubs_of(command, home, why, gpu_only)
    target = value_after(command, "-o")
    if not stubs or target is None:
        os.execvp(command[0], command)
    tried = subprocess.run([*command, "-Wl,--no-demangle"], env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    symbols = dict.fromkeys(UNDEFINED.findall(tried.stdout.decode(errors="replace")))
    found = {symbol: find_stub(stubs, symbol, comparison) for symbol in symbols}
    made = f"{target}.stubs.o"
    code = make_object(command, made, stub_source({symbol: stub for symbol, stub in found.items() if stub is not None}))
    return code or subprocess.run([*command, made], check=False).returncode


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
