# SPDX-License-Identifier: MIT
"""Sources that do not compile for the CPU model, and programs that are linked without them. usage: kernel_stub_test.py CXX
INCLUDE SCRIPT, of the model's headers and kernel_stub.py"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

CXX, INCLUDE, SCRIPT = sys.argv[1], *map(os.path.abspath, sys.argv[2:4])
KERNEL = "#include <cuda_runtime.h>\n__global__ void kernel(float *out)\n{\n    %s\n}\n"
UNSUPPORTED = "the CPU model does not support %s (docs/model.md): name src/a.cu in GPU_ONLY to gate it on GPUs alone"
OTHERWISE = "fix it, or, if the CPU model does not support it (docs/model.md), name src/a.cu in GPU_ONLY to gate it on GPUs alone"
# A source, the line of its first error, and what that says.
ERRORS = (
    ("#include <cuda_runtime.h>\n#include <cusolver_none.h>\n", 2, UNSUPPORTED % "cusolver_none.h"),
    (KERNEL % "" + "#include <cuda.h>\nvoid f() { CUmodule m; cuModuleLoad(&m, 0); }\n", 7, "the CPU model does not support cuModuleLoad()"),
    (KERNEL % "out[0] = twice(out[1]);", 4, "declared in this scope: " + OTHERWISE),
    ("#include <cuda_runtime.h>\n#include \"none.cuh\"\n", 2, "none.cuh: No such file or directory: " + OTHERWISE),
    ("#include <cuda_runtime.h>\n#include <cufft.h>\n", 2, "cufft.h"),
    ("#include \"a.cuh\"\n", 0, "expected"),
    # A header that the model has is not to blame for what is called wrong, but for what it lacks.
    ("#include <cuda_runtime.h>\n#include <cuda/pipeline>\nvoid f() { cuda::make_pipeline(1, 2, 3); }\n", 3, "no matching function"),
    ("#include <cuda_runtime.h>\n#include <cuda/pipeline>\nvoid f() {\n    int *p = 2;\n    cuda::none(); }\n", 5,
     UNSUPPORTED % "cuda::none"),
    ("#include <cuda_runtime.h>\n#include <cuda/barrier>\nvoid f() { cuda::nowhere::none(1); }\n", 3,
     UNSUPPORTED % "cuda::nowhere::none"),
    ("#include <cuda_runtime.h>\n#include <cuda/atomic>\n#include <string>\nvoid f() { cuda::atomic<std::string> a; }\n", 4,
     "static assertion failed: the CPU model's atomics take"),
    ("#include <cuda_runtime.h>\ntexture<float> t;\n", 2, UNSUPPORTED % "texture references, tex2Dgather() and surfaces of cube maps"),
    ("#include <cuda_runtime.h>\n// texture<float> is not used\nint f() { return none; } // cudaGraph\n", 3, OTHERWISE),
)
# A program that prints the table of its stubs, and calls what is in two of its sources.
MAIN = """\
#include <stdio.h>
#include <stdlib.h>
struct kg__stub { void (*function)(void); const char *why, *file; unsigned line; bool gpu_only; };
extern "C" {
extern const kg__stub kg__stubs[];
int toy_launcher();
int toy_odd();
void kg__stub_reached(const kg__stub *stub) { printf("reached %ld\\n", (long)(stub - kg__stubs)); exit(0); }
}
namespace toy { int run(float *data); }
int main(int count, char **)
{
    for (const kg__stub *stub = kg__stubs; stub->function; stub++)
        printf("%s:%u: %s, %d, %d\\n", stub->file, stub->line, stub->why, stub->gpu_only,
               stub->function == (void (*)())toy_launcher);
    return count > 1 ? toy_odd() : toy::run(nullptr);
}
"""


class KernelStub(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kernelgate-stub-")
        self.addCleanup(folder.cleanup)
        self.home = os.path.realpath(folder.name)
        os.mkdir(self.at("src"))
        self.objects = ["a.o", "b.o"]

    def at(self, name):
        return os.path.join(self.home, name)

    def write(self, name, text):
        with open(self.at(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_script(self, *words):
        done = subprocess.run([sys.executable, "-B", SCRIPT, *words], capture_output=True, text=True, check=False, cwd=self.home)
        return done.returncode, done.stdout + done.stderr

    def compile(self, text, *flags, name="a"):
        """Compiles src/NAME.cu as the build does; the exit code and what is printed."""
        if text is not None:
            self.write(f"src/{name}.cu", text)
        self.write(f"{name}.cpp", f'#include <cuda_runtime.h> // as nvcc does\n#include "{self.at("src")}/{name}.cu"\n')
        return self.run_script("compile", self.home, CXX, "-D__CUDACC__", "-D__CUDA_ARCH__=900", f"-I{INCLUDE}", "-O1", "-MD",
                               "-MT", f"{name}.o", "-MF", f"{name}.d", *flags, "-o", f"{name}.o", "-c", self.at(f"{name}.cpp"))

    def stub(self, name="a"):
        with open(self.at(f"{name}.o.stub"), encoding="utf-8") as file:
            return json.load(file)

    def test_the_first_error_is_kept(self):
        """A source that does not compile becomes an empty object, and a line that says what and where, and what to do."""
        self.write("src/a.cuh", "int f( { }\n")
        for text, line, why in ERRORS:
            with self.subTest(why):
                code, printed = self.compile(text)
                self.assertEqual(code, 0, printed)
                self.assertIn("error: ", printed)
                self.assertGreater(os.path.getsize(self.at("a.o")), 0)
                stub = self.stub()
                self.assertIn(why, stub["why"])
                self.assertNotIn("\n", stub["why"])
                self.assertEqual((stub["source"], stub["file"], stub["line"]),
                                 (self.at("src/a.cu"), f"src/a.cu{'' if line else 'h'}", line or 1))

    def test_an_error_is_where_it_is(self):
        """In a header outside of the project, too."""
        with tempfile.TemporaryDirectory() as elsewhere:
            with open(f"{elsewhere}/kernels.cuh", "w", encoding="utf-8") as file:
                file.write("inline int f()\n{\n    return none;\n}\n")
            self.compile(f"#include <cuda_runtime.h>\n#include \"{elsewhere}/kernels.cuh\"\n")
            self.assertEqual((self.stub()["file"], self.stub()["line"]), (f"{os.path.realpath(elsewhere)}/kernels.cuh", 3))

    def test_what_it_depends_on_is_known(self):
        """A change of the source, or of a header that was missing, has it compiled again."""
        self.compile("#include \"none.cuh\"\n")
        with open(self.at("a.d"), encoding="utf-8") as file:
            depends = file.read().replace("\\\n", "").split()
        self.assertEqual(depends[0], "a.o:")
        self.assertLessEqual({self.at("src/a.cu"), "none.cuh"}, set(depends))

    def test_what_compiles_has_no_stub(self):
        self.compile("#include \"b.cuh\"\n")
        self.assertTrue(os.path.exists(self.at("a.o.stub")))
        self.write("src/b.cuh", "static int unused;\n")
        code, printed = self.compile(None, "-Wall")
        self.assertEqual((code, os.path.exists(self.at("a.o.stub"))), (0, False))
        self.assertIn("warning: ", printed)

    def test_uninitialized_variables_are_noted(self):
        """With the line of the source, whether it is rewritten or not; no longer once they are initialized."""
        for more in ("", "extern __shared__ float staged[]; staged[0] = out[1];"):
            for start, noted in (("", True), (" = 0", False)):
                with self.subTest(more=more, start=start):
                    code, printed = self.compile(KERNEL % f"float sum{start}; sum += out[1]; out[0] = sum; {more}",
                                                 "-Wuninitialized", "-Wmaybe-uninitialized")
                    self.assertEqual((code, os.path.exists(self.at("a.o.notes"))), (0, noted), printed)
                    if noted:
                        with open(self.at("a.o.notes"), encoding="utf-8") as file:
                            self.assertRegex(file.read(), r"\Asrc/a.cu:4: .sum. .*\n\Z")

    def test_what_is_rewritten_compiles(self):
        code, printed = self.compile(KERNEL % "extern __shared__ float staged[]; out[0] = staged[0];")
        self.assertEqual((code, os.path.exists(self.at("a.o.stub"))), (0, False), printed)

    def test_what_is_not_an_error_of_the_source_fails(self):
        code, printed = self.compile(KERNEL % "", "--no-such-flag")
        self.assertNotEqual(code, 0, printed)
        self.assertFalse(os.path.exists(self.at("a.o.stub")))

    def link(self, *gpu_only):
        subprocess.run([CXX, "-x", "c++", "-c", "-o", self.at("main.o"), "-"], input=MAIN, text=True, check=True)
        return self.run_script("link", self.home, "toy", "{} is alone", *map(self.at, gpu_only), "--", CXX, "main.o",
                               *self.objects, "-o", "toy")

    def call(self, *arguments):
        return subprocess.run([self.at("toy"), *arguments], capture_output=True, text=True, check=True).stdout

    def test_programs_lack_what_did_not_compile(self):
        """What such a source, or one for GPUs alone, defines is in the table, and ends where it is called."""
        self.compile("extern \"C\" int toy_launcher() { return twice(1); }\n")
        self.compile("extern \"C\" int toy_odd() { return 5; }\n", name="b")
        self.write("src/c.cu", "namespace toy { int run(float *) { return asm(); } }\n")
        code, printed = self.link("src/c.cu")
        self.assertEqual(code, 0, printed)
        self.assertLess(os.stat(self.at("toy.stubs.o")).st_mtime, os.stat(self.at("main.o")).st_mtime)
        told = self.call()
        self.assertIn("src/c.cu:0: src/c.cu is alone, 1, 0\n", told)
        self.assertRegex(told, r"src/a\.cu:1: .*twice.*, 0, 1\n")
        self.assertIn("reached 0\n", told)

    def test_what_nothing_tells_of_still_fails_to_link(self):
        """A function that no source with a stub mentions is missing for another reason."""
        self.compile("extern \"C\" int toy_launcher() { return twice(1); }\nnamespace toy { int run(float *) { return 0; } }\n")
        self.compile("extern \"C\" int other() { return 5; }\n", name="b")
        code, printed = self.link()
        self.assertNotEqual(code, 0)
        self.assertIn("toy_odd", printed)
        self.assertNotIn("undefined reference to `toy_launcher", printed.split("\n", 1)[-1])

    def test_an_error_of_the_linker_costs_one_source_alone(self):
        """What refers to nothing, or defines what another does, is left out, and its functions are in the table."""
        self.compile("extern \"C\" int toy_odd() { return 5; }\nnamespace toy { int run(float *) { return 0; } }\n")
        self.compile("int nowhere();\nextern \"C\" int toy_launcher()\n{\n    return nowhere();\n}\n", "-g", name="b")
        self.compile("extern \"C\" int toy_odd() { return 6; }\nextern \"C\" int toy_launcher() { return 7; }\n", name="c")
        self.objects = ["a.o", "b.o"]
        code, printed = self.link()
        self.assertEqual(code, 0, printed)
        why = "undefined reference to nowhere(): define it, or link its library, or name src/b.cu in GPU_ONLY to gate it on GPUs alone"
        self.assertIn(f"src/b.cu:4: error: {why}\n", printed)
        self.assertIn(f"src/b.cu:4: {why}, 0, 1\n", self.call())
        self.objects = ["a.o", "c.o"]
        code, printed = self.link()
        self.assertEqual(code, 0, printed)
        self.assertIn("another file defines toy_odd, too: make one static, or rename it, or name src/c.cu in GPU_ONLY", self.call())

    def test_a_launcher_is_that_of_its_file(self):
        """One whose name is made by a macro no source spells."""
        self.compile("#define NAME(x) toy_##x\nextern \"C\" int NAME(launcher)() { return twice(1); }\nint toy_odd, run;\n")
        self.compile("", name="b")
        code, printed = self.link()
        self.assertEqual(code, 0, printed)
        self.assertEqual(self.call("odd").count("src/a.cu:2: "), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
