# SPDX-License-Identifier: MIT
"""The facts of this machine for `kernelgate doctor`: its programs, packages, GPUs and baselines."""

import glob
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field

from kernelgate.baseline.file import load
from kernelgate.base.case_id import target_key
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import read_json, text_of
from kernelgate.base.own_command import toolkit_folder
from kernelgate.report.plots import read_chart_js
from kernelgate.base.nvidia_driver import Cuda, Smi, ask_cuda, ask_smi

SECONDS = 20  # a program that takes longer to print its version does not work
GPUS = 16  # more are counted, not described


@dataclass
class Program:
    """A program's version output."""

    found: bool = False
    works: bool = False
    path: str = ""
    version: str = ""  # the line with its version, or its output after a failure
    numbers: tuple = (0, 0)  # the first two numbers of the version


@dataclass
class BaselineFact:
    path: str = ""
    cases: int = -1  # -1: there is none, or it is invalid
    error: str = ""  # the error in it

    @property
    def is_read(self):
        return self.cases >= 0


@dataclass
class Facts:
    """All facts. The defaults are a machine with nothing installed."""

    system: str = ""
    processors: int = 1
    programs: dict = field(default_factory=dict)  # by the diagnosis's names
    boost_header: bool = False
    boost_library: str = ""
    kernel_driver: str = ""  # the first line of /proc/driver/nvidia/version
    pci_gpus: int = 0  # NVIDIA's display and 3D controllers, which are visible without a driver
    device_nodes: int = 0
    locked_nodes: int = 0  # those that this user may not open
    cuda: Cuda = field(default_factory=Cuda)
    smi: Smi = field(default_factory=Smi)
    baselines: list = field(default_factory=list)  # of the described GPUs
    model_baseline: BaselineFact = field(default_factory=BaselineFact)

    def program(self, item):
        return self.programs.get(item, Program())


def run(arguments):
    """The exit code and output of a program; None and "" if it is not found, and -1 if it did not end."""
    # The output is parsed, so it must not be translated.
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=SECONDS, env=environment, encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None, ""
    except subprocess.TimeoutExpired:
        return -1, f"no answer within {SECONDS} s"
    except OSError as error:
        return -1, error.strerror
    return done.returncode, done.stdout


def ask(arguments, mark="", path=None):
    """A program's version, from the line with a mark, or from the first line."""
    code, output = run(arguments)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    version = next((line for line in lines if mark in line), lines[0] if lines else "")
    numbers = re.search(r"([0-9]{1,9})\.([0-9]{1,9})", version[version.find(mark):])
    return Program(code is not None, code == 0, path or arguments[0], version,
                   tuple(map(int, numbers.groups())) if numbers else (0, 0))


def ask_compiler(variable, *names):
    """The compiler that a variable names, "ccache gcc", else the first that exists."""
    words = os.environ.get(variable, "").split()
    if words:
        return ask([*words, "--version"], path=f"{variable}={os.environ[variable]}")
    programs = [ask([name, "--version"]) for name in names]
    return next((program for program in programs if program.found), programs[-1])


def ask_package(name):
    program = ask(["pkg-config", "--modversion", name])
    return program if program.works else Program()  # it fails for an unknown package


def find_chart_js():
    try:
        path, name, _ = read_chart_js()
    except Failure:
        return Program()
    return Program(True, True, path, f"{name}, {path}")


def find_grammar():
    """The packages from PyPI that read CUDA C++, where the compiler of the CPU model finds them."""
    folder = toolkit_folder()
    try:
        sys.path.append(os.path.join(folder, text_of(read_json(f"{folder}/toolkit.json", ""), "rewrite")))
        import grammar  # pylint: disable=import-error,import-outside-toplevel
    except (Failure, ImportError):
        return Program()
    is_there = grammar.make_parser(None) is not None
    return Program(is_there, is_there, "", "tree-sitter and tree-sitter-cuda")


def ask_programs(root):
    programs = {item: ask([name, "--version"]) for item, name in (
        ("CMake", "cmake"), ("Ninja", "ninja"), ("pkg-config", "pkg-config"), ("gcovr", "gcovr"), ("git", "git"))}
    programs["C compiler"] = ask_compiler("CC", "cc", "gcc")
    programs["C++ compiler"] = ask_compiler("CXX", "g++", "c++")
    programs.update({name: ask_package(name) for name in ("criterion", "jansson", "libdw")})
    programs["Chart.js"] = find_chart_js()
    programs["tree-sitter"] = find_grammar()
    programs["nvcc"] = ask(["nvcc", "--version"], "release ")
    if not programs["nvcc"].found:
        programs["nvcc"] = ask([f"{root}/usr/local/cuda/bin/nvcc", "--version"], "release ")
    return programs


def find_boost(compiler):
    """Whether the compiler finds Boost.Context's header, and the path of its library."""
    name = compiler.path if compiler.found and "=" not in compiler.path else "g++"
    header, _ = run([name, "-x", "c++", "-fsyntax-only", "-include", "boost/context/detail/fcontext.hpp", "/dev/null"])
    for library in ("libboost_context.so", "libboost_context.a"):
        code, output = run([name, f"-print-file-name={library}"])
        if code == 0 and "/" in output:  # for a missing file it prints the bare name
            return header == 0, output.strip().splitlines()[0]
    return header == 0, ""


def first_line(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().rstrip("\n")
    except OSError:
        return ""


def describe_system(root):
    name = "unknown system"
    try:
        with open(f"{root}/etc/os-release", encoding="utf-8", errors="replace") as file:
            name = next((line.partition("=")[2].strip().strip("\"'") for line in file if line.startswith("PRETTY_NAME=")), name)
    except OSError:
        pass
    kernel = os.uname()
    return f"{name}, {kernel.sysname} {kernel.release} {kernel.machine}"


def count_pci_gpus(root):
    folders = glob.glob(f"{glob.escape(root)}/sys/bus/pci/devices/*")
    return sum(
        first_line(f"{folder}/vendor") == "0x10de" and first_line(f"{folder}/class").startswith("0x03") for folder in folders)


def read_baseline(folder, key):
    path = f"{folder}/{key}.json"
    try:
        baseline = load(path)
    except Failure as failure:
        return BaselineFact(path, error=str(failure))
    return BaselineFact(path, -1 if baseline is None else len(baseline.cases))


def collect(root, folder):
    """The facts, with system files below `root` ("": this machine's) and the baselines in a folder."""
    programs = ask_programs(root)
    header, library = find_boost(programs["C++ compiler"])
    nodes = [
        path for path in glob.glob(f"{glob.escape(root)}/dev/nvidia*") if re.fullmatch("nvidia[0-9]+", os.path.basename(path))
    ]
    smi = ask_smi(GPUS)
    return Facts(describe_system(root), os.cpu_count() or 1, programs, header, library,
                 first_line(f"{root}/proc/driver/nvidia/version"), count_pci_gpus(root), len(nodes),
                 sum(not os.access(path, os.R_OK | os.W_OK) for path in nodes), ask_cuda(), smi,
                 [BaselineFact() if gpu.error else read_baseline(folder, target_key(gpu.name)) for gpu in smi.gpus],
                 read_baseline(folder, "cpu-model"))
