# SPDX-License-Identifier: MIT
"""`kernelgate nvcc`: takes nvcc's command line and builds for the CPU model, host code and all.

CUDA sources are compiled by g++, rewritten where C++ has no word for what they say; other sources by the host's compiler as they
are; all is linked with the CPU model, which watches the program and reports at its end.
"""

import os
import shlex
import subprocess
import sys
import tempfile

from kernelgate.base.command_line import print_output
from kernelgate.base.errors import Failure
from kernelgate.programs.options import read_call
from kernelgate.programs.toolkit import Toolkit, missing_library

NVCC = (13, 0, 88)  # the version whose language the model's headers have
# Macros of every source, of the host's too.
DEFINED = ["-D__NVCC__", *(f"-D__CUDACC_VER_{name}__={number}" for name, number in zip(("MAJOR", "MINOR", "BUILD"), NVCC))]
VERSION = f"""nvcc: NVIDIA (R) Cuda compiler driver
This is kernelgate, which builds for its CPU model: it is not NVIDIA's compiler
Cuda compilation tools, release {NVCC[0]}.{NVCC[1]}, V{NVCC[0]}.{NVCC[1]}.{NVCC[2]}
"""
ANSWERS = {"version": VERSION, "list-gpu-arch": "compute_75\ncompute_80\ncompute_90\n", "list-gpu-code": "sm_75\nsm_80\nsm_90\n",
           "help": "usage: kernelgate nvcc [nvcc's options] [--kg-flavor=checked|counting|plain] FILE...\n"}
# What nvcc 13 compiles for, at least, and what the model is.
OLDEST, MODEL = 75, 90
# Questions to the host's compiler, which need no source.
HOST_ASKED = ("--version", "-dumpversion", "-dumpfullversion", "-dumpmachine")
CUDA, CXX, C = ".cu", (".cpp", ".cc", ".cxx", ".c++"), ".c"
BINARIES = (".o", ".obj", ".a", ".so", ".lo")
# The modes of watching, as harness/model/watch/watch.h has them.
WATCH = {"checked": 2, "counting": 1, "plain": 0}
# Options of the host's compiler that would take kernels' hooks away, or that the flavor sets.
NOT_OF_KERNELS = ("-O", "-flto", "-fsanitize", "-fno-sanitize", "-fwhole-program", "-std=", "-Werror", "-pedantic", "-fno-pic", "-fpie",
                  "-fPIE", "-fno-PIC", "-fvisibility", "-fno-gnu-unique")


def _kind_of(path, language):
    if language:
        return {"cu": CUDA, "c++": CXX, "c": C}.get(language)
    if path.endswith(CUDA):
        return CUDA
    if path.endswith(CXX):
        return CXX
    return C if path.endswith(C) else None


# g++ 12 crashes in the pass of the last three, which pairs `new` and `delete`: kg_program.h renames these. -Wall enables two of them.
QUIET = ("-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-free-nonheap-object", "-Wno-mismatched-dealloc", "-Wno-mismatched-new-delete",
         "-Wno-missing-template-keyword", "-Wno-subobject-linkage")


def object_of(path):
    """The name of a source's object."""
    return f"{os.path.splitext(os.path.basename(path))[0]}.o"


class Build:
    """One call of the compiler."""

    def __init__(self, words):
        self.call = read_call(words)
        self.toolkit = Toolkit()
        chosen = self.call.compiler or os.environ.get("NVCC_CCBIN") or "g++"
        self.host = os.path.join(chosen, "g++") if os.path.isdir(chosen) else chosen
        # The hooks of kernels are g++'s.
        name = os.path.basename(self.host)
        self.compiler = self.host if "g++" in name or name == "c++" else "g++"

    def say(self, text):
        if self.call.verbose or self.call.dry:
            sys.stderr.write(f"#$ {text}\n")

    def say_toolkit(self):
        """What CMake reads of a toolkit in the output of -v."""
        root = self.toolkit.root
        for line in ("_SPACE_= ", "_CUDART_=cudart", f"TOP={root}", f"NVVMIR_LIBRARY_DIR={root}/nvvm/libdevice",
                     f"PATH={os.environ.get('PATH', '')}", f'INCLUDES="-I{root}/include"  ', f'LIBRARIES=  "-L{self.toolkit.libraries}"'):
            self.say(line)

    def run(self, command, run=None):
        self.say(shlex.join(command))
        if self.call.dry:
            return 0
        try:
            return run(command) if run else subprocess.run(command, check=False).returncode
        except OSError as error:
            path = error.filename or command[-1]
            raise Failure(f"nvcc: {path}: cannot be run: {error.strerror}: install it, or name another by -ccbin"
                          if path in (command[0], "objcopy") else
                          f"nvcc: {path}: {error.strerror}: check the output's directory, and the space there") from None

    def _compile_kernel(self, command):
        code, said = self.toolkit.compile_kernel(command)
        sys.stderr.write(said)
        return code

    def _standard(self):
        """The option -std of kernels: the model's headers need GNU's C++17."""
        year = self.call.standard.removeprefix("gnu").removeprefix("c").removeprefix("++")
        return f"-std=gnu++{17 if year in ('', '03', '0x', '11', '14', '17') else year}"

    def _preprocess(self):
        """The preprocessor's words without the model's own headers: named by -isystem too, as CMake's CUDA::cudart does, they would
        be system headers, in which the rewriting looks for no functions."""
        own, kept = os.path.realpath(self.toolkit.include), []
        words = iter(self.call.preprocess)
        for word in words:
            both = [word, next(words)] if word in ("-isystem", "-include") else [word]
            if not word.startswith(("-I", "-isystem")) or os.path.realpath(both[-1].removeprefix("-I")) != own:
                kept += both
        return kept

    def _architecture(self):
        named = [int(architecture) for architecture in self.call.architectures]
        return max([OLDEST, *named]) if named else MODEL

    def _of_kernels(self):
        """The words that CUDA sources are compiled with."""
        call = self.call
        kept = [word for word in call.host if not word.startswith(NOT_OF_KERNELS)]
        instrumented = call.flavor != "plain"
        defined = [*DEFINED, "-D__CUDACC__", f"-D__CUDA_ARCH__={self._architecture()}0",
                    f"-DKG__PROGRAM_WATCH={WATCH[call.flavor]}", f'-DKG__PROGRAM_HEADERS="{self.toolkit.include}"']
        # Places of variables in optimized code take up to a third of the time to compile, and only a debugger asks for them.
        tracking = [] if "-g" in call.compile else ["-fno-var-tracking"]
        return ["-I", self.toolkit.include, "-isystem", self.toolkit.packages, *defined, "-include", "kg_program.h",
                *(["-D__CUDACC_RDC__"] if call.separable else []), *self._preprocess(), *kept,
                self._standard(), *QUIET, "-fno-lto", "-fPIC", "-fno-plt", "-g", *tracking, "-fstack-clash-protection", "-fdata-sections",
                *self.toolkit.kernel_flags, *(self.toolkit.instrumented_flags if instrumented else ["-O3"]),
                f"-ftrivial-auto-var-init={'pattern' if instrumented else 'zero'}"]

    def _of_host(self, kind):
        call = self.call
        standard = [f"-std={call.standard}"] if call.standard and kind != C else []
        optimize = [f"-O{call.optimize}"] if call.optimize else []
        return [*DEFINED, *self._preprocess(), "-I", self.toolkit.include, *standard, *optimize, *call.compile, *call.host]

    def _output(self, name):
        """The file that is written: -o's, or `name` in -odir's directory."""
        return self.call.output or os.path.join(self.call.folder, name)

    def _dependencies(self, target):
        call = self.call
        if not call.dependencies:
            return []
        return [*call.dependencies, "-MF", call.dependency_file or f"{os.path.splitext(target)[0]}.d", "-MT", call.dependency_target or target]

    def compile(self, path, kind, target):
        """Compiles one source to an object; the exit code."""
        self.say(f'cicc -arch compute_{self._architecture()} -m64 "{path}"' if kind == CUDA else f'gcc "{path}"')
        if kind == CUDA:
            command = [self.compiler, *self._of_kernels(), "-x", "c++", *self._dependencies(target), "-c", path, "-o", target]
            return self.run(command, self._compile_kernel)
        language = ["-x", "c" if kind == C else "c++"]
        return self.run([self.host, *self._of_host(kind), *language, *self._dependencies(target), "-c", path, "-o", target])

    def preprocess(self, sources):
        """-E, -M and -MM: the preprocessor's own output; of -cuda, which names no output, in a file."""
        call = self.call
        code = 0
        phase = "-E" if call.phase == "-cuda" else call.phase
        for path, kind in sources:
            flags = self._of_kernels() if kind == CUDA else self._of_host(kind)
            made = call.dependency_target or call.folder and os.path.join(call.folder, object_of(path))
            target = ["-MT", made] if made and phase != "-E" else []
            output = call.output or call.dependency_file or (f"{os.path.basename(path)}.cpp.ii" if phase != call.phase else "")
            code = code or self.run([self.compiler, *flags, "-x", "c" if kind == C else "c++", phase, path, *target,
                                     *(["-o", output] if output else [])])
        return code

    def _libraries(self):
        """The linker's words, without libraries that the model is, or a Failure for one that it lacks."""
        for word in self.call.link:
            name = word[2:] if word.startswith("-l") else ""
            if missing_library(name):
                raise Failure(f"nvcc: {word}: the CPU model has no {name}: leave out what needs it")
        return self.call.link

    def link(self, objects):
        """Links a program or a shared library; the exit code."""
        # The inputs go where they stood among the linker's words.
        words = list(self._libraries())
        for place, path in reversed(objects):
            words.insert(place, path)
        host = [word for word in self.call.host if word.startswith(("-f", "-p", "-m", "-W", "-n", "-s")) and
                not word.startswith(("-fsanitize", "-flto"))]
        # Archives here, and shared libraries in a toolkit, which may stand before the objects that call them.
        again = [word for word in words if word in ("-lcublas", "-lcublas_static", "-lcublasLt", "-lcublasLt_static", "-lcurand", "-lcurand_static")]
        tail = [f"-L{self.toolkit.libraries}", *again, "-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl", "-lm"]
        self.say(f'g++ "-L{self.toolkit.libraries}" -lcudadevrt -lcudart_static -lrt -lpthread -ldl')
        # Shared arrays come one after the other, so that there is a hole behind each; and a library stays loaded until the report at
        # the end of the program, which names its kernels.
        return self.run([self.host, *host, "-Wl,--sort-section=alignment,-z,nodelete", *words, "-o", self._output("a.out"), *tail])

    def _sources(self):
        """The inputs as (place among the linker's words, path, kind), the kind None of what is only linked."""
        inputs = []
        for place, language, path in self.call.inputs:
            kind = _kind_of(path, language)
            if kind is None and not path.endswith(BINARIES) and ".so." not in path:
                raise Failure(f'nvcc: do not know what to do with "{path}": say its language by -x')
            if not os.path.exists(path):
                raise Failure(f"nvcc: {path}: no such file: correct the name")
            inputs.append((place, path, kind))
        if not inputs:
            raise Failure("nvcc: no input files: name at least one")
        return inputs

    def build(self):
        call = self.call
        if call.asked:
            print_output(call.asked[0], ANSWERS[call.asked[0]])
            return 0
        if not set(HOST_ASKED).isdisjoint(call.host):
            return self.run([self.host, *call.host])
        self.say_toolkit()
        inputs = self._sources()
        sources = [(path, kind) for _, path, kind in inputs if kind]
        if call.phase in ("-E", "-M", "-MM", "-cuda"):
            return self.preprocess(sources)
        if call.phase == "-dlink":
            # Device code is linked with the host's: nothing is left for this step.
            return self.run([self.compiler, "-x", "c++", "-c", os.devnull, "-o", self._output("a_dlink.o")])
        if call.phase == "-c":
            if len(sources) != 1 and call.output:
                raise Failure("nvcc: -o names one object, and there are several sources: leave it out")
            return next(filter(None, (self.compile(path, kind, self._output(object_of(path)))
                                      for path, kind in sources)), 0)
        with tempfile.TemporaryDirectory() as folder:
            objects = []
            for number, (place, path, kind) in enumerate(inputs):
                target = f"{folder}/{number}-{object_of(path)}" if kind else path
                code = self.compile(path, kind, target) if kind else 0
                if code:
                    return code
                objects.append((place, target))
            if call.phase == "-lib":
                return self.run(["ar", "rcs", self._output("a.a"), *(path for _, path in objects)])
            if call.phase == "-r":
                return self.run([self.host, "-r", "-nostdlib", *(path for _, path in objects), "-o", self._output("a.out")])
            return self.link(objects)


def add_arguments(parser):
    parser.add_argument("words", nargs="*", metavar="ARGUMENT", help="nvcc's options, and --kg-flavor=checked|counting|plain: "
                        "which of the model's checks the kernels are built for (default: checked)")


def main_raw(words):
    """The exit code of the compiler that the words after `kernelgate nvcc` call, with those that nvcc takes from the environment."""
    before, after = (shlex.split(os.environ.get(f"NVCC_{place}_FLAGS", "")) for place in ("PREPEND", "APPEND"))
    return Build([*before, *words, *after]).build()


def main(options):
    return main_raw(options.words)
