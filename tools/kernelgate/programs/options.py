# SPDX-License-Identifier: MIT
"""nvcc's command line: one table of its options, and what a line of them asks for."""

import re
import shlex
from dataclasses import dataclass, field
from typing import NamedTuple

from kernelgate.base.errors import Failure, nearest_name

# How an option takes its value: not at all; as the next word or after "="; the same, or joined to a name of one letter (-Ifoo).
FLAG, VALUE, JOINED = range(3)


class Option(NamedTuple):
    names: str  # with one dash, or two, in front
    form: int
    effect: str  # the field of Call that it sets or adds to; "" none; "no" it is refused


# What nvcc takes as `nvcc --help` lists it, as far as programs use it. Options that choose a GPU, tune ptxas or keep files change
# nothing on the CPU model.
OPTIONS = (
    Option("c compile", FLAG, "phase -c"), Option("dc device-c", FLAG, "phase -dc"), Option("dw device-w", FLAG, "phase -c"),
    Option("dlink device-link", FLAG, "phase -dlink"), Option("lib", FLAG, "phase -lib"), Option("link", FLAG, ""),
    Option("E preprocess", FLAG, "phase -E"), Option("M generate-dependencies", FLAG, "phase -M"),
    Option("MM generate-nonsystem-dependencies", FLAG, "phase -MM"),
    Option("ptx", FLAG, "no"), Option("cubin", FLAG, "no"), Option("fatbin", FLAG, "no"), Option("optix-ir", FLAG, "no"),
    Option("cuda", FLAG, "phase -cuda"), Option("run", FLAG, "no"), Option("ltoir", FLAG, "no"),
    Option("o output-file", VALUE, "output"), Option("odir output-directory", VALUE, "folder"), Option("x x", JOINED, "language"),
    Option("MD generate-dependencies-with-compile", FLAG, "dependencies -MD"),
    Option("MMD generate-nonsystem-dependencies-with-compile", FLAG, "dependencies -MMD"),
    Option("MP generate-dependency-targets", FLAG, "dependencies -MP"),
    Option("MF dependency-output", VALUE, "dependency_file"), Option("MT dependency-target-name", VALUE, "dependency_target"),
    Option("D define-macro", JOINED, "preprocess -D"), Option("U undefine-macro", JOINED, "preprocess -U"),
    Option("I include-path", JOINED, "preprocess -I"), Option("isystem system-include", VALUE, "preprocess -isystem"),
    Option("include pre-include", VALUE, "preprocess -include"),
    Option("std", VALUE, "standard"), Option("O optimize", JOINED, "optimize"), Option("g debug", FLAG, "compile -g"),
    Option("m64", FLAG, ""), Option("G device-debug", FLAG, "preprocess -D__CUDACC_DEBUG__"), Option("pg profile", FLAG, ""),
    Option("Xcompiler compiler-options", VALUE, "host"), Option("Xlinker linker-options", VALUE, "linker"),
    Option("ccbin compiler-bindir", VALUE, "compiler"), Option("forward-unknown-to-host-compiler", FLAG, "forward"),
    Option("forward-unknown-to-host-linker", FLAG, "forward"), Option("forward-unknown-opts", FLAG, "forward"),
    Option("arch gpu-architecture", VALUE, "architectures"), Option("gencode generate-code", VALUE, "architectures"),
    Option("code gpu-code", VALUE, ""), Option("rdc relocatable-device-code", VALUE, "separable"),
    Option("r relocatable-link", FLAG, "phase -r"), Option("nodlink no-device-link", FLAG, ""),
    Option("noeh no-exceptions", FLAG, "host -fno-exceptions"), Option("frandom-seed", VALUE, "host -frandom-seed="),
    Option("shared", FLAG, "link -shared"), Option("L library-path", JOINED, "link -L"), Option("l library", JOINED, "link -l"),
    Option("V version", FLAG, "asked version"), Option("h help", FLAG, "asked help"),
    Option("list-gpu-arch", FLAG, "asked list-gpu-arch"), Option("list-gpu-code", FLAG, "asked list-gpu-code"),
    Option("default-stream", VALUE, "default-stream"), Option("v verbose", FLAG, "verbose"), Option("dryrun", FLAG, "dry"),
    Option("expt-relaxed-constexpr", FLAG, "preprocess -D__CUDACC_RELAXED_CONSTEXPR__"),
    Option("expt-extended-lambda extended-lambda", FLAG, "preprocess -D__CUDACC_EXTENDED_LAMBDA__"),
    Option("kg-flavor", VALUE, "flavor"),
    *(Option(names, FLAG, "") for names in (
        "lineinfo generate-line-info", "use_fast_math", "restrict",
        "keep save-temps", "res-usage resource-usage", "extra-device-vectorization", "dlto dlink-time-opt", "src-in-ptx",
        "allow-unsupported-compiler", "Wno-deprecated-gpu-targets", "Wno-deprecated-declarations", "Wreorder", "w disable-warnings",
        "Wdefault-stream-launch", "Wmissing-launch-bounds", "Wext-lambda-captures-this", "warn-lto", "no-align-double",
        "disable-optimizer-constants", "gen-opt-lto", "no-compress", "compress-all", "ewp extensible-whole-program", "noprof",
        "clean clean-targets", "relocatable-ptx", "astoolspatch", "no-host-device-initializer-list", "no-host-device-move-forward",
        "device-stack-protector", "jobserver", "keep-device-functions", "lto",
        "Wno-ext-lambda-captures-this", "display-error-number", "no-display-error-number")),
    *(Option(names, VALUE, "") for names in (
        "Xptxas ptxas-options", "Xcudafe cudafe-options", "Xnvlink nvlink-options", "Xarchive archive-options", "Xfatbin fatbin-options",
        "Xnvvm", "maxrregcount", "t threads", "split-compile", "split-compile-extended", "cudart", "cudadevrt", "diag-suppress",
        "diag-error", "diag-warn", "keep-dir", "ftz", "prec-div", "prec-sqrt", "fmad", "m machine", "dopt",
        "ftemplate-depth", "ftemplate-backtrace-limit", "opt-info", "time", "idp input-drive-prefix", "ddp", "libdevice-directory",
        "target-directory target-dir", "entries", "static-global-template-stub", "brief-diagnostics", "jump-table-density", "Werror",
        "device-entity-has-hidden-visibility", "Ofast-compile", "compress-mode", "fdevice-time-trace")),
)
BY_NAME = {name: option for option in OPTIONS for name in option.names.split()}
LETTERS = "DUIOlLx"  # joined to their value
# One of a list; a comma in quotes or in parentheses is its own.
MACRO = re.compile(r'(?:"[^"]*"|\([^)]*\)|[^,"(]|["(])+')
WERROR = ("all-warnings", "cross-execution-space-call", "reorder", "deprecated-declarations", "default-stream-launch",
          "ext-lambda-captures-this")
FLAVORS = ("checked", "counting", "plain")


@dataclass
class Call:
    """What a command line asks for."""

    inputs: list = field(default_factory=list)  # of sources, objects and libraries, in their order
    link: list = field(default_factory=list)  # words of the linker, with the inputs that are not compiled
    preprocess: list = field(default_factory=list)
    compile: list = field(default_factory=list)
    host: list = field(default_factory=list)  # of the host's compiler
    dependencies: list = field(default_factory=list)
    architectures: list = field(default_factory=list)
    asked: list = field(default_factory=list)
    phase: str = ""
    output: str = ""
    folder: str = ""  # of what -o does not name
    language: str = ""
    standard: str = ""
    optimize: str = ""
    dependency_file: str = ""
    dependency_target: str = ""
    compiler: str = ""
    flavor: str = "checked"
    separable: bool = False
    forward: bool = False
    verbose: bool = False
    dry: bool = False


def split_list(text):
    """The parts of a list that commas or spaces separate; one in quotes, or after a backslash, is a part's."""
    parts, part, quote, escaped = [], "", "", False
    for character in text:
        if escaped or (quote and character != quote):
            part += character
            escaped = False
        elif character == "\\":
            escaped = True
        elif character in "\"'":
            quote = "" if quote else character
        elif character in ", ":
            parts.append(part)
            part = ""
        else:
            part += character
    return [part for part in [*parts, part] if part]


def expand(words):
    """The words, with those of response files in the place of the option that names them."""
    expanded = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in ("-optf", "--options-file", "--optf", "-options-file"):
            value = value if equals else next(rest, "")
        elif len(word) > 1 and word[0] == "@":
            value = word[1:]
        else:
            expanded.append(word)
            continue
        for path in value.split(","):
            try:
                with open(path, encoding="utf-8") as file:
                    expanded += expand(shlex.split(file.read()))
            except (OSError, ValueError) as error:
                raise Failure(f"nvcc: {path}: the options cannot be read: {error}: correct the file") from None
    return expanded


class Reader:
    """Reads a command line word by word into a Call."""

    def __init__(self, words):
        self.words = expand(words)
        self.at = 0
        self.call = Call()

    def _find(self, word):
        """The option of a word, its name and its value, None where the word has none."""
        bare = word.lstrip("-")
        name, equals, value = bare.partition("=")
        option = BY_NAME.get(bare) or (BY_NAME.get(name) if equals else None)
        if option is not None and not (word[:2] != "--" and name[:1] in LETTERS and len(name) > 1 and name not in BY_NAME):
            return option, name, value if equals and bare not in BY_NAME else None
        if bare[:1] in LETTERS and len(bare) > 1 and not word.startswith("--"):
            return BY_NAME[bare[0]], bare[0], bare[1:].removeprefix("=")
        return None, name, None

    def _value(self, word, value):
        if value is not None:
            return value
        self.at += 1
        if self.at >= len(self.words):
            raise Failure(f"nvcc: {word} needs a value: give it as the next word")
        return self.words[self.at]

    def _take(self, word):
        call = self.call
        option, name, value = self._find(word)
        if name == "Werror" and value is None:
            self.at += self.at + 1 < len(self.words) and self.words[self.at + 1] in WERROR
        elif option is None and (call.forward or word.startswith("-Wl,")):
            (call.link if word.startswith("-Wl,") else call.host).append(word)
        elif option is None:
            nearest = nearest_name(name, BY_NAME)
            hint = f'; did you mean "{word[:len(word) - len(word.lstrip("-"))]}{nearest}"?' if nearest else ""
            raise Failure(f'nvcc: unknown option "{word}"{hint or ": pass an option of the host compiler by -Xcompiler"}')
        elif option.effect == "no":
            raise Failure(f"nvcc: the CPU model makes no code for a GPU: {word} needs NVIDIA's nvcc")
        elif option.form == FLAG and value is not None:
            raise Failure(f"nvcc: {word}: the option takes no value: leave it out")
        else:
            self._apply(option.effect, "" if option.form == FLAG else self._value(word, value))

    def _apply(self, effect, value):
        call = self.call
        kind, _, word = effect.partition(" ")
        if kind == "phase":
            call.phase = word if call.phase != "-dc" or word != "-c" else "-dc"
        elif kind in ("dependencies", "asked"):
            getattr(call, kind).append(word)
        elif kind in ("preprocess", "link", "compile"):
            separate = word in ("-isystem", "-include")
            parts = MACRO.findall(value) if word in ("-D", "-U") else value.split(",") if word in ("-I", "-L", "-l", "-isystem") else [value]
            for part in parts:
                getattr(call, kind).extend([word, part] if separate else [word + part])
        elif kind == "host":
            call.host += [word + value] if word else split_list(value)
        elif kind == "linker":
            call.link += [word for part in split_list(value) for word in ("-Xlinker", part)]
        elif kind == "default-stream":
            call.preprocess += ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"] if value == "per-thread" else []
        elif kind == "architectures":
            call.architectures += re.findall(r"(?:sm|compute)_(\d+)", value)
            call.preprocess += ["-D__CUDA_ARCH_FEAT_SM90_ALL"] if re.search(r"_90a\b", value) else []
        elif kind == "separable":
            call.separable = value == "true"
        elif kind in ("forward", "verbose", "dry"):
            setattr(call, kind, True)
        elif kind:
            setattr(call, kind, value)

    def read(self):
        # Whether unknown ones are the host compiler's is said anywhere in the line.
        self.call.forward = any(word.lstrip("-").startswith("forward-unknown") for word in self.words)
        while self.at < len(self.words):
            word = self.words[self.at]
            if word.startswith("-") and len(word) > 1:
                self._take(word)
            else:
                self.call.inputs.append((len(self.call.link), self.call.language, word))
            self.at += 1
        if self.call.flavor not in FLAVORS:
            raise Failure(f'nvcc: --kg-flavor: unknown flavor "{self.call.flavor}": use {", ".join(FLAVORS)}')
        if self.call.phase == "-dc":
            self.call.phase, self.call.separable = "-c", True
        return self.call


def read_call(words):
    """What the words after `kernelgate nvcc` ask for. Failure, one line, where one is unknown or has no meaning."""
    return Reader(words).read()
