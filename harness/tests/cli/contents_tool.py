# SPDX-License-Identifier: MIT
"""What a build folder holds is made of the files that are there: whatever their times say."""

import os
import subprocess
import time

from command_fixture import COMMAND, TREE, Folder

TOOL = ("env", f"PYTHONPATH={os.path.join(TREE, 'tools')}", "python3", "-B", "-m", "kernelgate.base.contents")
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
add_executable(small part.c)
target_include_directories(small PRIVATE headers)
"""
# A cubin is what its compiler and its source are.
NVCC = """\
#!/bin/sh
for last; do :; done
[ "$1" != --dryrun ] || { echo "#\\$ CICC_PATH=$(dirname "$0")"; exit; }
cat "$0" "$(dirname "$0")/cicc" part.c > "$3"
echo "$3: $PWD/part.c" > "$3.d"
"""
CODE = """\
set(KG_CODE_NVCC ${CMAKE_SOURCE_DIR}/bin/nvcc CACHE FILEPATH "")
add_custom_command(OUTPUT part.cubin COMMAND ${KG_CODE_NVCC} -cubin -o ${CMAKE_BINARY_DIR}/part.cubin
  DEPENDS part.c ${KG_CODE_NVCC} DEPFILE part.cubin.d WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
add_custom_target(code ALL DEPENDS part.cubin)
"""


class Contents(Folder):
    generator = "Ninja"

    def setUp(self):
        super().setUp()
        self.put("1")

    def put(self, value):
        self.write("headers/value.h", "")
        self.write("part.c", f'#include <stdio.h>\n#include "value.h"\n#ifndef VALUE\n#define VALUE {value}\n#endif\n'
                             'int main(void) { printf("%d", VALUE); return 0; }\n')

    def configure(self, text=PROJECT):
        self.write("CMakeLists.txt", text)
        self.expect_program(0, "", "cmake", "-G", self.generator, "-S", ".", "-B", "build")
        self.build()

    def build(self):
        subprocess.run(["cmake", "--build", "build"], check=True, capture_output=True)

    def result(self):
        return subprocess.run(["build/small"], check=True, capture_output=True, text=True).stdout

    def begin(self, code, told=None):
        self.expect_program(code, told, COMMAND, "begin", "--out", "out", "--build", "build")

    def replace(self, path, text):
        """Another file in its place, with its times, or older ones, as `cp -p` makes it."""
        times = os.stat(path)
        self.write("other", text)
        os.chmod("other", times.st_mode)
        os.utime("other", ns=(times.st_atime_ns, times.st_mtime_ns - 10 ** 9))
        os.rename("other", path)

    def expect_rebuilt(self, path, expected):
        """A begin refuses what was made of another file, again and again until it is built, which the build then does."""
        for _ in range(2):
            self.begin(2, path)
        self.build()
        self.begin(0, "")
        self.assertEqual(self.result(), expected)

    def test_a_file_with_an_older_time(self):
        self.configure()
        self.begin(0, "")
        self.replace("part.c", self.read("part.c").replace("VALUE 1", "VALUE 2"))
        self.build()
        self.assertEqual(self.result(), "1")
        self.expect_rebuilt("part.c", "2")
        self.replace("headers/value.h", "#define VALUE 3\n")
        self.expect_rebuilt("headers/value.h", "3")

    def test_before_any_check(self):
        """When the file changed is all that is known then."""
        self.configure()
        time.sleep(0.02)
        self.replace("part.c", self.read("part.c").replace("VALUE 1", "VALUE 2"))
        self.expect_rebuilt("part.c", "2")

    def test_a_folder_that_is_moved_into_place(self):
        """Nothing in it has changed since."""
        self.write("others/value.h", "#define VALUE 4\n")
        time.sleep(0.02)
        self.configure()
        self.begin(0, "")
        os.rename("headers", "former")
        os.rename("others", "headers")
        self.expect_rebuilt("headers/value.h", "4")

    def test_the_same_contents(self):
        """A new time alone, or a file that was edited and is not built yet."""
        self.configure()
        self.begin(0, "")
        os.utime("part.c")
        self.begin(0, "")
        time.sleep(0.02)
        self.put("5")
        self.assertEqual(self.run_program(*TOOL, "build"), (0, ""), "a build sees it by itself")
        self.expect_rebuilt("part.c", "5")

    def test_the_projects_own_lines(self):
        self.configure()
        self.begin(0, "")
        self.replace("CMakeLists.txt", PROJECT + "target_compile_definitions(small PRIVATE VALUE=6)\n")
        self.expect_rebuilt("CMakeLists.txt", "6")

    def test_another_compiler(self):
        """Behind the same path, or what it calls. The code of kernels is built by a test, so that a run may begin without."""
        self.write_script("bin/nvcc", NVCC)
        self.write_script("bin/cicc", "first")
        self.configure(PROJECT + CODE)
        self.begin(0, "")
        for tool, text in (("bin/cicc", "second"), ("bin/nvcc", NVCC + "# third\n")):
            self.replace(tool, text)
            self.expect_program(0, tool, *TOOL, "build")
            self.build()
            self.begin(0, "")
            self.assertIn(text, self.read("build/part.cubin"))

    def test_what_a_build_leaves_out(self):
        """A target of its own, which "build again" would not build: no test of a gate runs it."""
        self.configure(PROJECT + "add_executable(aside EXCLUDE_FROM_ALL part.c)\ninclude_directories(headers)\n")
        subprocess.run(["cmake", "--build", "build", "--target", "aside"], check=True, capture_output=True)
        self.begin(0, "")
        self.replace("part.c", self.read("part.c").replace("VALUE 1", "VALUE 2"))
        self.expect_rebuilt("part.c", "2")


class ContentsByMake(Contents):
    """Which keeps what a source includes in files of its own."""

    generator = "Unix Makefiles"
