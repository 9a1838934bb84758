# SPDX-License-Identifier: MIT
"""Tests of nvcc's command line: what each option asks for, and what is refused."""

import os
import tempfile
import unittest

from command_fixture import COMMAND
from own_folder import read_text, write_file
from program_fixture import ProgramTest

from kernelgate.base.errors import Failure
from kernelgate.programs.options import BY_NAME, OPTIONS, Call, read_call, split_list

# Words, and the fields of the call that are not as they are without them.
TAKEN = (
    (["-c", "a.cu", "-o", "a.o"], {"phase": "-c", "inputs": [(0, "", "a.cu")], "output": "a.o"}),
    (["--compile", "--output-file=b.o"], {"phase": "-c", "output": "b.o"}),
    (["-dc"], {"phase": "-c", "separable": True}),
    (["-dc", "-c"], {"phase": "-c", "separable": True}),
    (["-rdc=true"], {"separable": True}),
    (["--relocatable-device-code", "false"], {}),
    (["-x", "cu", "a.cpp", "-xc++", "b"], {"language": "c++", "inputs": [(0, "cu", "a.cpp"), (0, "c++", "b")]}),
    (["-Ia", "-I", "b", "--include-path=c,d", "-isystem", "e"], {"preprocess": ["-Ia", "-Ib", "-Ic", "-Id", "-isystem", "e"]}),
    (["-DA", "-D", "B=1", "--define-macro=C=2", "-UD"], {"preprocess": ["-DA", "-DB=1", "-DC=2", "-UD"]}),
    (["-DA,B=1,C", "-DF(x,y,z)=x", "-DS=\"a,b,c\",T", "-UD,E"],
     {"preprocess": ["-DA", "-DB=1", "-DC", "-DF(x,y,z)=x", "-DS=\"a,b,c\"", "-DT", "-UD", "-UE"]}),
    (["-lm", "a.o", "-L", "x", "--library=y"], {"link": ["-lm", "-Lx", "-ly"], "inputs": [(1, "", "a.o")]}),
    (["-lineinfo", "-G", "-use_fast_math", "--expt-relaxed-constexpr", "-extended-lambda"],
     {"preprocess": ["-D__CUDACC_DEBUG__", "-D__CUDACC_RELAXED_CONSTEXPR__", "-D__CUDACC_EXTENDED_LAMBDA__"]}),
    (["-std=c++20"], {"standard": "c++20"}),
    (["--std", "c++14"], {"standard": "c++14"}),
    (["-O3"], {"optimize": "3"}),
    (["--optimize=2", "-g"], {"optimize": "2", "compile": ["-g"]}),
    (["-Xcompiler", "-Wall,-fopenmp", "--compiler-options='-DA=1,2'"], {"host": ["-Wall", "-fopenmp", "-DA=1,2"]}),
    (["-Xcompiler", "-Wall  -Wno-pedantic '-DA=1 2'"], {"host": ["-Wall", "-Wno-pedantic", "-DA=1 2"]}),
    (["-Xlinker", "-rpath,/x"], {"link": ["-Xlinker", "-rpath", "-Xlinker", "/x"]}),
    (["-Xptxas", "-v", "-m64", "--maxrregcount=32", "-t", "4", "-compress-mode=size"], {}),
    (["-arch=sm_80"], {"architectures": ["80"]}),
    (["-gencode", "arch=compute_90,code=[sm_90,compute_90]"], {"architectures": ["90", "90", "90"]}),
    (["-MD", "-MF", "a.d", "-MT", "a"], {"dependencies": ["-MD"], "dependency_file": "a.d", "dependency_target": "a"}),
    (["-Werror", "all-warnings", "-Werror=reorder", "-Werror"], {}),
    (["-forward-unknown-to-host-compiler", "-Wall", "-fPIC"], {"forward": True, "host": ["-Wall", "-fPIC"]}),
    (["--kg-flavor=plain"], {"flavor": "plain"}),
    (["--kg-flavor", "counting"], {"flavor": "counting"}),
    (["-v", "--dryrun"], {"verbose": True, "dry": True}),
    (["--version"], {"asked": ["version"]}),
    (["-odir", "d", "-frandom-seed=7", "--no-exceptions", "-noeh"],
     {"folder": "d", "host": ["-frandom-seed=7", "-fno-exceptions", "-fno-exceptions"]}),
    (["--relocatable-link", "-nodlink"], {"phase": "-r"}),
    (["-ccbin", "clang++"], {"compiler": "clang++"}),
    (["-shared", "-lib"], {"link": ["-shared"], "phase": "-lib"}),
    (["-"], {"inputs": [(0, "", "-")]}),
)
REFUSED = (
    (["-Wall"], 'unknown option "-Wall": pass an option of the host compiler by -Xcompiler'),
    (["--linoinfo"], 'unknown option "--linoinfo"; did you mean "--lineinfo"?'),
    (["-o"], "-o needs a value: give it as the next word"),
    (["-G=1"], "-G=1: the option takes no value: leave it out"),
    (["--kg-flavor=fast"], 'unknown flavor "fast": use checked, counting, plain'),
    (["-ptx"], "the CPU model makes no code for a GPU: -ptx needs NVIDIA's nvcc"),
    (["-optf", "/does/not/exist"], "/does/not/exist: the options cannot be read"),
)


class Options(unittest.TestCase):
    def test_what_is_taken(self):
        plain = vars(Call())
        for words, wanted in TAKEN:
            found = {name: value for name, value in vars(read_call(words)).items() if value != plain[name]}
            self.assertEqual(found, wanted, words)

    def test_what_is_refused(self):
        for words, wanted in REFUSED:
            with self.assertRaises(Failure) as caught:
                read_call(words)
            self.assertIn(wanted, str(caught.exception), words)
            self.assertNotIn("\n", str(caught.exception))

    def test_response_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("inner", "-DB='x y'\n-O2"), ("outer", f"-c @{folder}/inner")):
                write_file(os.path.join(folder, name), text)
            for words in (["--options-file", f"{folder}/outer"], [f"-optf={folder}/outer"], [f"@{folder}/outer"]):
                call = read_call([*words, "a.cu"])
                self.assertEqual((call.phase, call.preprocess, call.optimize, len(call.inputs)), ("-c", ["-DB=x y"], "2", 1), words)

    def test_each_name_is_in_the_table_once(self):
        names = [name for option in OPTIONS for name in set(option.names.split())]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(BY_NAME), 120)

    def test_lists(self):
        for text, wanted in (("a,b", ["a", "b"]), ("'a,b',c", ["a,b", "c"]), ("a\\,b", ["a,b"]), (",,", []), ("", [])):
            self.assertEqual(split_list(text), wanted, text)


class Phases(ProgramTest):
    def test_other_phases(self):
        self.write("a.cu", "#define X 1\n__global__ void kernel(int *x) { x[0] = X; }\n")
        self.nvcc("-c", "a.cu")
        self.write("new.cu", "struct made { made(); ~made(); };\nmade *make() { return new made; }\n")
        self.nvcc("-c", "-Xcompiler", "-Wall", "new.cu")  # one of the warnings crashes g++ 12
        self.nvcc("-lib", "a.o", "-o", "liba.a")
        self.nvcc("-dlink", "a.o", "-o", "link.o")
        self.write("cuda.c", "#include <cstdio>\n__global__ void kernel() { }\nint main()\n{\n    kernel<<<1, 1>>>();\n"
                   "    std::puts(\"result 3\");\n    return cudaDeviceSynchronize();\n}\n")
        self.nvcc("-r", "-x", "cu", "cuda.c", "-o", "cuda.o")
        os.mkdir(f"{self.folder}/made")
        self.nvcc("-odir", "made", "cuda.o")
        os.rename(f"{self.folder}/made/a.out", f"{self.folder}/cuda")
        self.assertEqual(self.run_in_folder("./cuda").stdout, "result 3\n")
        done = self.run_in_folder(COMMAND, "nvcc", "-M", "a.cu")
        self.assertRegex(done.stdout, r"^a\.o: a\.cu")
        done = self.run_in_folder(COMMAND, "nvcc", "-M", "-odir", "made", "a.cu")
        self.assertRegex(done.stdout, r"^made/a\.o: a\.cu")
        done = self.run_in_folder(COMMAND, "nvcc", "-E", "a.cu")
        self.assertIn("x[0] = 1;", done.stdout)
        self.nvcc("-cuda", "a.cu")
        self.assertIn("x[0] = 1;", read_text(f"{self.folder}/a.cu.cpp.ii"))
        done = self.run_in_folder(COMMAND, "nvcc", "--dryrun", "a.cu")
        self.assertIn("#$ TOP=", done.stderr)
        self.assertFalse(os.path.exists(f"{self.folder}/a.out"))
        # As ggml's CMake files ask for the host's compiler.
        for asked in ("--version", "-dumpfullversion -dumpversion"):
            done = self.run_in_folder(COMMAND, "nvcc", ".c", "-Xcompiler", asked)
            self.assertRegex(done.stdout, r"\b[0-9]+\.[0-9.]+\n")
        done = self.run_in_folder(COMMAND, "nvcc", "--version")
        self.assertRegex(done.stdout, r"^nvcc: NVIDIA \(R\) Cuda compiler driver\n(?s:.*), V13\.0\.88\n$")
