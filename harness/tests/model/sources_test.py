"""Sources of kernels that the CPU model does not take. usage: sources_test.py CXX INCLUDE, of the model's headers"""

import subprocess
import sys
import unittest

CXX, INCLUDE = sys.argv[1:3]
# What headers may define and ask for, and do not use, though the system's may use it.
HEADERS = """\
#include <cuda_runtime.h>
#include <algorithm>
#include <atomic>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>
#include <fcntl.h>
#include <immintrin.h>
#include <pthread.h>
#include <unistd.h>
#define HIDDEN __attribute__((no_sanitize("thread"), no_sanitize_thread))
#if !__has_attribute(no_sanitize) || !__has_attribute(__no_sanitize_thread__)
#error
#endif
__attribute__((__no_sanitize__("thread"), __no_sanitize_coverage__)) void f() {}
[[gnu::__no_sanitize_thread__, __gnu__::__no_sanitize_undefined__]] void g() {}
"""


class Sources(unittest.TestCase):
    def compile(self, text):
        """Compiles a kernel's source: the exit code, and what the compiler says."""
        done = subprocess.run([CXX, "-std=c++17", "-O1", f"-I{INCLUDE}", "-S", "-o", "/dev/null", "-x", "c++", "-"], input=text,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def refuse(self, told, before="", statement=""):
        code, said = self.compile(f"#include <cuda_runtime.h>\n{before} __global__ void kernel(unsigned int *out)\n"
                                  f"{{ out[0] = out[1]; {statement} }}\n")
        self.assertNotEqual(code, 0, before + statement)
        self.assertIn(told, said)
        self.assertIn("docs/model.md", said)

    def test_what_is_not_supported_is_a_compile_error(self):
        """It names what it is, and where to read on."""
        for name, statement in (("__activemask()", "out[0] = __activemask();"), ("__vadd4()", "out[0] = __vadd4(out[1], 1u);"),
                                ("clock64()", "out[0] = (unsigned)clock64();"),
                                ("inline PTX", 'asm volatile("mov.u32 %0, %laneid;" : "=r"(out[0]));')):
            self.refuse(f"the CPU model does not support {name}", statement=statement)
        for header in ("mma.h",):
            self.refuse(f"the CPU model does not support {header}", f"#include <{header}>\n")

    def test_what_hides_accesses_is_a_compile_error(self):
        for attribute in ('__attribute__((no_sanitize("thread")))', "__attribute__((no_sanitize_thread))",
                          '__attribute__((noinline, no_sanitize("bounds", "coverage")))',
                          "__attribute__((no_sanitize_coverage))", "__attribute__((no_sanitize_undefined))",
                          '[[gnu::no_sanitize("thread")]]', "[[gnu::no_sanitize_thread]]"):
            self.refuse("<stdin>:2:", attribute)
        self.refuse("<stdin>:3:", "#define HIDDEN __attribute__((no_sanitize_thread))\nHIDDEN")
        self.refuse("<stdin>:3:", statement='[=]() __attribute__((no_sanitize("thread"))) { out[0] = out[1]; }();')

    def test_what_hides_accesses_may_be_in_headers(self):
        self.assertEqual(self.compile(HEADERS), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
