# SPDX-License-Identifier: MIT
"""What a project tells the compiler of a kernel reaches the CPU model and the cubins by every route of CMake, or is listed as left
out. Configures projects whose kernelgate is only its CMake functions and empty targets."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from command_run import TREE
from own_folder import OwnFolder

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(routes LANGUAGES C CXX)
enable_testing()
foreach(name cpu_model instrumented headers model)
  add_library(kg_${name} INTERFACE)
  add_library(kernelgate::${name} ALIAS kg_${name})
endforeach()
target_include_directories(kg_cpu_model INTERFACE model_headers)
add_executable(kernelgate::command IMPORTED)
set_target_properties(kernelgate::command PROPERTIES IMPORTED_LOCATION /bin/true)
add_subdirectory(kernelgate)
add_library(own STATIC src/own.cu src/host.cpp src/plain.c)
add_library(helper INTERFACE)
add_library(deeper INTERFACE)
target_link_libraries(helper INTERFACE deeper $<LINK_ONLY:hidden>)
add_library(hidden INTERFACE)
target_compile_definitions(hidden INTERFACE HIDDEN)
@ROUTE@
kg_add_comparison(routes LIBRARIES own)
@LATER@
kg_finish_gate()
"""

CUDA = "$<$<COMPILE_LANGUAGE:CUDA>:{}>"
# A line of CMakeLists.txt, before the comparison's or (">") after it; the source; what the CPU model's compiler is told, what
# nvcc is told for a cubin, and what is listed as left out. "!": what neither may be told.
ROUTES = (
    ("target_compile_options(own PRIVATE -DFAST)", "own.cu", "-DFAST", "-DFAST", ""),
    ("target_compile_definitions(own PRIVATE FAST=2)", "own.cu", "-DFAST=2", "-DFAST=2", ""),
    ("> target_compile_definitions(own PRIVATE LATE)", "own.cu", "-DLATE", "-DLATE", ""),
    ("set_source_files_properties(src/own.cu PROPERTIES COMPILE_DEFINITIONS FAST)", "own.cu", "-DFAST", "-DFAST", ""),
    ("> set_source_files_properties(src/own.cu PROPERTIES COMPILE_OPTIONS -DFAST)", "own.cu", "-DFAST", "-DFAST", ""),
    ("set_source_files_properties(src/own.cu PROPERTIES INCLUDE_DIRECTORIES /some/where)", "own.cu", "-I/some/where",
     "-I/some/where", ""),
    ("add_compile_definitions(FAST)", "own.cu", "-DFAST", "", ""),  # of what is added after it, such as the comparison
    ("add_compile_definitions(FAST)", "each.cu", "-DFAST", "-DFAST", ""),
    ("add_compile_options(" + CUDA.format("-DFAST") + ")", "each.cu", "-DFAST", "-DFAST", ""),
    ("set_source_files_properties(kernels/routes/each.cu PROPERTIES COMPILE_DEFINITIONS FAST)", "each.cu", "-DFAST", "-DFAST", ""),
    ("target_compile_definitions(own PUBLIC FAST)", "each.cu", "-DFAST", "-DFAST", ""),
    ("target_compile_definitions(own PRIVATE OWN_ALONE)", "each.cu", "!-DOWN_ALONE", "!-DOWN_ALONE", ""),
    ("target_link_libraries(own PRIVATE helper)\ntarget_compile_options(deeper INTERFACE " + CUDA.format("-DFAST") + ")", "own.cu",
     "-DFAST", "-DFAST", ""),
    ("target_link_libraries(own PUBLIC $<BUILD_INTERFACE:helper>)\ntarget_compile_definitions(helper INTERFACE FAST)", "each.cu",
     "-DFAST", "-DFAST", ""),
    ("target_link_libraries(own PRIVATE helper)", "own.cu", "!-DHIDDEN", "!-DHIDDEN", ""),
    ("target_link_libraries(own PUBLIC CUDA::cudart)", "own.cu", "", "", ""),  # where there is no CUDA Toolkit
    ("target_compile_options(own PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-DHOST>)", "own.cu", "!-DHOST", "!-DHOST", ""),
    ("target_compile_options(own PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-DHOST> -ffast-math)", "host.cpp", "-DHOST -ffast-math", None, ""),
    ("target_compile_options(own PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-DFAST>)", "own.cu", "-DFAST", "-DFAST", ""),
    ("target_compile_options(own PRIVATE $<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-DFAST>)", "own.cu", "!-DFAST", "!-DFAST", ""),
    ("target_compile_options(own PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang,GNU>:-DHOST>)", "host.cpp", "-DHOST", None, ""),
    ("target_compile_definitions(own PRIVATE FAST)", "plain.c", "-DFAST", None, ""),
    ("target_compile_options(own PRIVATE \"SHELL:-D FAST\" \"$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -DHOST>\")", "own.cu",
     "-DFAST -DHOST", "-DFAST -DHOST", ""),
    ("target_compile_options(own PRIVATE --maxrregcount=16)", "own.cu", "!--maxrregcount=16", "--maxrregcount=16", ""),
    ("target_compile_options(own PRIVATE --maxrregcount 16)", "own.cu", "!--maxrregcount=16", "--maxrregcount=16", ""),
    ("target_compile_options(own PRIVATE --use_fast_math -lineinfo -O3)", "own.cu", "!--use_fast_math", "--use_fast_math",
     "--use_fast_math"),
    ("target_compile_options(own PRIVATE -Xcompiler=-ffast-math)", "own.cu", "!-ffast-math", "-Xcompiler=-ffast-math",
     "-Xcompiler=-ffast-math"),
    ("target_compile_options(own PRIVATE -gencode arch=compute_70,code=sm_70)", "own.cu", "", "!-gencode=arch=compute_70,code=sm_70",
     ""),
    ("set(CMAKE_CUDA_FLAGS \"-DFAST --fmad=false\")", "own.cu", "-DFAST", "-DFAST --fmad=false", "--fmad=false"),
    ("set_target_properties(own PROPERTIES CUDA_STANDARD 20)", "own.cu", "-std=c++20", "-std=c++20", ""),
    ("target_compile_features(own PUBLIC cuda_std_20)", "own.cu", "-std=c++20", "-std=c++20", ""),
    ("set_target_properties(own PROPERTIES CXX_STANDARD 20)", "host.cpp", "-std=c++20", None, ""),
    ("set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)", "each.cu", "-fno-lto", "", ""),
)

SUITES = "kg_add_comparison(routes): {}/suites/routes.c is missing: "
# What a new project may have: what is moved in its folder, and of the line of kg_add_comparison() or project() in its
# CMakeLists.txt; what CMake says, nothing where it configures.
PROJECTS = (
    ({}, "(routes LIBRARIES own)", "(routes LIBRARIES owm)",
     "kg_add_comparison(routes): LIBRARIES owm: there is no such target, and no such library on this system: correct the name"),
    ({}, "(routes LIBRARIES own)", "(routes LIBRARIES own m -lm later)\nadd_library(later INTERFACE)", ""),
    ({}, "LANGUAGES C CXX)", "LANGUAGES CXX)", ""),
    ({}, "LANGUAGES C CXX)", "LANGUAGES NONE)", ""),
    ({"suites/routes.c": "suites/math/routes.c"}, "", "", SUITES + "move suites/math/routes.c there"),
    ({"suites/routes.c": "routes.c"}, "", "", SUITES + "it holds the comparison's table"),
    ({"more.c": "suites/math/more.c"}, "", "",
     "suites/math/more.c: suites in subdirectories are not built: move it to suites/more.c"),
    ({"helper.c": "suites/math/helper.c"}, "", "", ""),
    ({"link": "kernels/routes/.#each.cu"}, "", "", ""),
    ({"link": "suites/.#routes.c"}, "", "", ""),
)


class Flags(OwnFolder):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.folder)
        for name, text in (("suites/routes.c", "routes_each, routes_each, "), ("kernels/routes/each.cu", ""), ("src/own.cu", ""),
                           ("src/host.cpp", ""), ("src/plain.c", ""), ("baselines/sm_90.json", "{}"),
                           # A folder's own variables are not those of a project that builds it along.
                           ("kernelgate/CMakeLists.txt",
                            f"project(kernelgate LANGUAGES C CXX)\ninclude({TREE}/cmake/KgComparison.cmake)")):
            self.write(name, text)
        self.write_script("nvcc", '#!/bin/sh\n[ "$1" = --list-gpu-code ] && echo sm_90\n')
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA")}

    def configure(self, route):
        later = route.startswith(">")
        done = self.cmake(PROJECT.replace("@LATER@", route[1:] if later else "").replace("@ROUTE@", "" if later else route))
        self.assertEqual((done.returncode, done.stderr), (0, ""), route + done.stderr)

    def cmake(self, project):
        (self.folder / "CMakeLists.txt").write_text(project)
        return subprocess.run(["cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                               f"-DKG_CODE_NVCC={self.folder}/nvcc", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_SUPPRESS_DEVELOPER_WARNINGS=ON"],
                              cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)

    def told(self, source):
        """What the CPU model's compiler and nvcc are told of a source; None where nvcc does not compile it."""
        commands = json.loads((self.folder / "build" / "compile_commands.json").read_text())
        name = source.removesuffix(".cu") + (".c" if source.endswith(".c") else ".cpp")
        model = [entry["command"] for entry in commands if "/model/" in entry["file"] and entry["file"].endswith(f"/{name}")]
        ninja = (self.folder / "build" / "build.ninja").read_text()
        code = [line for line in ninja.split("\n") if line.startswith("  COMMAND = ") and f"/{source} " in line]
        self.assertEqual(len(model), 2)
        return shlex.split(model[0]), shlex.split(code[0]) if code else None

    def test_each_route(self):
        for route, source, model, code, untaken in ROUTES:
            with self.subTest(route=route, source=source):
                self.configure(route)
                for expected, words in zip((model, code), self.told(source)):
                    for word in expected.split() if expected is not None else ():
                        self.assertEqual(word.lstrip("!") in words, word[0] != "!", (word, words))
                    self.assertEqual(expected is None, words is None)
                listed = (self.folder / "build" / "routes.untaken").read_text().splitlines()
                self.assertEqual([line for line in listed if source in line], [f"src/{source}\t{untaken}"] if untaken else [])

    def test_a_new_project(self):
        """Each line says what to do; what an editor leaves behind is no source."""
        (self.folder / "helper.c").touch()
        (self.folder / "more.c").write_text("KG_COMPARISON(more)\n")
        (self.folder / "link").symlink_to("author@host.1:1")
        (self.folder / "suites" / "math").mkdir()
        for moved, line, replaced, told in PROJECTS:
            with self.subTest(replaced=replaced, moved=moved):
                for source, target in moved.items():
                    (self.folder / source).rename(self.folder / target)
                done = self.cmake(re.sub("@[A-Z]+@", "", PROJECT).replace(line or "\0", replaced))
                self.assertEqual((done.returncode != 0, told.format(self.folder) in done.stderr), (bool(told), True), done.stderr)
                for source, target in moved.items():
                    (self.folder / target).rename(self.folder / source)
                shutil.rmtree(self.folder / "build")

    def test_the_models_headers_come_first(self):
        self.configure("target_include_directories(own BEFORE PUBLIC /some/where)")
        for source in ("own.cu", "each.cu", "host.cpp"):
            folders = [word for word in self.told(source)[0] if word.startswith("-I")]
            self.assertEqual(folders[:2], [f"-I{self.folder}/model_headers", "-I/some/where"], source)

    def test_headers_are_compiled_once(self):
        """For kernels, as nvcc includes them, and not for what is the host's alone; ccache would not keep what they are in."""
        for launcher, sources in (("", ("own.cu", "each.cu")), ("ccache", ())):
            self.environment["CMAKE_CXX_COMPILER_LAUNCHER"] = launcher
            shutil.rmtree(self.folder / "build", ignore_errors=True)
            self.configure("")
            for source in ("own.cu", "each.cu", "host.cpp"):
                told = [word for word in self.told(source)[0] if word.endswith("kg_plain_headers.dir/cmake_pch.hxx")]
                self.assertEqual(bool(told), source in sources, (launcher, source))
        first = {path.name: path.read_text().startswith("#include <cuda_runtime.h> //") for path in self.folder.rglob("build/model/**/*.cpp")}
        self.assertEqual(first, {"own.cpp": True, "each.cpp": True, "host.cpp.cpp": False})
