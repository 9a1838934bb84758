# SPDX-License-Identifier: MIT
"""Checks that a build folder was made from the present files: by their contents, not by their times, which `cp -p`, `mv` and
unpacking set back. usage: contents.py BUILD
       contents.py --compilers BUILD, which prints the identities of the build's compilers
An object that was made from other contents, or by another compiler, gets a time so old that Ninja and Make rebuild
it."""

import glob
import hashlib
import json
import os
import re
import shutil
import sys

from kernelgate.base.errors import Failure
from kernelgate.base.files import read_text
from kernelgate.base.run_tool import run_tool

STATE = "kernelgate.contents"
STALE_SECONDS = 1  # the time of files that must be rebuilt
SECONDS = 60
CUBIN = ".cubin"
OWN_TESTS = "harness/tests/"  # of kernelgate itself, which no gate runs
MAKE_CONFIGURED = "CMakeFiles/cmake.check_cache"  # the last file that CMake writes for Make
NVCC_TOOLS = ("cicc", "cudafe++", "fatbinary", "nvlink", "ptxas")
GCC_TOOLS = ("as", "cc1", "cc1plus", "collect2", "ld")


def _output_of(*command):
    done = run_tool(command, SECONDS)
    return done.stdout if done is not None and done.returncode == 0 else ""


def _identity(path):
    """Properties of a file that a copy or a renaming changes, cheap to query; None if there is no such file. The
    last two, in ns, are the time that Ninja and Make use, and the change time, which nothing sets back."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return [facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]


class Contents:
    """The digests of files, read again only if their identity has changed."""

    def __init__(self, known):
        self._known = known  # by path: an identity and a digest
        self.seen = {}

    def _look(self, path):
        if path not in self.seen:
            identity, known = _identity(path), self._known.get(path)
            if known is None or known[0] != identity:
                try:
                    with open(path, "rb") as file:
                        known = [identity, hashlib.blake2b(file.read(), digest_size=12).hexdigest()]
                except OSError:
                    known = [identity, None]
            self.seen[path] = known
        return self.seen[path]

    def digest(self, path):
        return self._look(path)[1]

    def times(self, path):
        """The time that a build uses, and the change time."""
        return (self._look(path)[0] or [0, 0])[-2:]

    def moved(self, path):
        """Whether the file was known, and now has another digest."""
        return path in self._known and self._known[path][1] != self.digest(path)


def find_compilers(build):
    """The files that compile: of the host's compilers, and of nvcc."""
    cached = dict(re.findall(r"^(\w+):[A-Z]+=(.+)$", read_text(os.path.join(build, "CMakeCache.txt")), re.MULTILINE))
    host = [cached[name] for name in ("CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER") if name in cached]
    host += [_output_of(compiler, f"-print-prog-name={tool}").strip() for compiler in host for tool in GCC_TOOLS]
    device = []
    for nvcc in {cached[name] for name in ("CMAKE_CUDA_COMPILER", "KG_CODE_NVCC") if name in cached}:
        said = _output_of(nvcc, "--dryrun", "-cubin", "-x", "cu", os.devnull, "-o", os.devnull)
        told = dict(re.findall(r"^#\$ (PATH|CICC_PATH|NVVMIR_LIBRARY_DIR|_HERE_)=(.*)$", said, re.MULTILINE))
        path = os.pathsep.join([told.get("CICC_PATH", ""), told.get("PATH", "")])
        device += [nvcc, os.path.join(told.get("_HERE_", ""), "nvcc.profile"),
                   *(shutil.which(tool, path=path) or "" for tool in NVCC_TOOLS),
                   *glob.glob(os.path.join(told.get("NVVMIR_LIBRARY_DIR", os.devnull), "*.bc"))]
    return [sorted({os.path.realpath(path) for path in paths if os.path.isabs(path) and os.path.isfile(path)})
            for paths in (host, device)]


def _read_depfile(path):
    """The target and the prerequisites of a Make rule."""
    for line in read_text(path).replace("\\\n", " ").split("\n"):
        output, colon, inputs = line.partition(": ")
        if colon and inputs.strip():
            yield output, [name.replace("\0", " ") for name in inputs.replace("\\ ", "\0").split()]


def _find_aside(build, outputs):
    """The outputs that a build of all targets does not make, such as the library of programs: no test of a gate needs
    them, and "build again" would not rebuild them. None before version 1.11 of Ninja."""
    made = set(_output_of("ninja", "-C", build, "--quiet", "-t", "inputs", "all").split("\n"))
    rules = re.findall(r"^(\S+): (\S+)$", read_text(os.path.join(build, "CMakeFiles", "Makefile2")), re.MULTILINE)
    reached = ["all"]
    for one in reached:
        reached += [needed for target, needed in rules if target == one and needed not in reached]
    return {name for name in outputs if not name.endswith((CUBIN, "build.ninja")) and
            (len(made) > 1 and name not in made or rules and ".dir/" in name and f"{name.partition('.dir/')[0]}.dir/all" not in reached)}


def find_outputs(build):
    """The build's outputs from sources that the compiler listed, and CMake's own: by output the inputs."""
    found = {}
    if os.path.exists(os.path.join(build, "build.ninja")):
        for block in _output_of("ninja", "-C", build, "--quiet", "-t", "deps").split("\n\n"):
            name, *inputs = block.split("\n")
            found[name.rpartition(": #deps")[0]] = [line.strip() for line in inputs]
        depfiles = os.path.join("CMakeFiles", "d", "*.d")
        query = _output_of("ninja", "-C", build, "--quiet", "-t", "query", "build.ninja").partition("  outputs:")[0]
        found["build.ninja"] = re.findall(r"^    (?:\|\|? )?(.*/(?:CMakeLists\.txt|[^/]*\.cmake))$", query, re.MULTILINE)
    elif os.path.exists(os.path.join(build, "Makefile")):
        depfiles = os.path.join("**", "*.d")
        query = read_text(os.path.join(build, "CMakeFiles", "Makefile.cmake")).partition("\n  )")[0]
        found[MAKE_CONFIGURED] = re.findall(r'^  "(.*(?:CMakeLists\.txt|\.cmake))"$', query, re.MULTILINE)
    else:
        return {}
    for path in glob.glob(os.path.join(glob.escape(build), depfiles), recursive=True):
        found.update(_read_depfile(path))
    aside = _find_aside(build, found)
    return {name: inputs for name, inputs in found.items() if name and inputs and OWN_TESTS not in name and name not in aside}


def _load(path):
    try:
        state = json.loads(read_text(path))
        return state["files"], state["outputs"]
    except (ValueError, KeyError, TypeError):
        return {}, {}


def _save(path, files, outputs):
    """If it fails, the next check uses the files' change times."""
    try:
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump({"files": files, "outputs": outputs}, file, separators=(",", ":"))
        os.replace(file.name, path)
    except OSError:
        pass


def mark_stale(build, unseen=False):
    """Gives an old time to outputs made from other contents than the present ones. Returns all such outputs that are
    not rebuilt yet, each with the file that changed: {path: path}. `unseen` leaves out outputs that a build rebuilds
    by itself, because the file has a newer time."""
    build = os.path.abspath(build)
    state = os.path.join(build, STATE)
    files, known = _load(state)
    contents, outputs, stale = Contents(files), {}, {}
    host, device = find_compilers(build)
    for name, inputs in find_outputs(build).items():
        path = os.path.join(build, name)
        identity = _identity(path)
        if identity is None:
            continue
        # CMake itself detects the compilers' versions.
        compilers = host + device if name.endswith((CUBIN, ".cu.o", "build.ninja", MAKE_CONFIGURED)) else host
        # Tens of thousands, nearly all of them absolute: os.path.join() would cost more than all else that is done with them.
        inputs = [made if made.startswith("/") else os.path.join(build, made) for made in inputs] + compilers
        digest = hashlib.blake2b("\n".join(f"{made} {contents.digest(made)}" for made in sorted(inputs)).encode(errors="replace"),
                                 digest_size=12).hexdigest()
        before = known.get(name)
        if before is not None and before[0] == identity:
            changed = before[1] != digest
            why = before[2] or changed and next(filter(contents.moved, inputs), inputs[0]) or None
        else:
            why = next((made for made in inputs if contents.times(made)[1] > identity[4]), None)
        if unseen and why is not None and identity[3] < contents.times(why)[0]:
            continue
        if why is not None:
            stale[path] = why
            if path.endswith(CUBIN):  # for the output of a custom command Ninja uses the time in its log
                os.unlink(path)
                continue
            os.utime(path, (STALE_SECONDS, STALE_SECONDS))
            identity = _identity(path)
        outputs[name] = [identity, digest, why]
    if outputs:
        _save(state, contents.seen, outputs)
    return stale


def refuse_stale(build, *more):
    """Failure if the programs of a build folder, or files of it that end in one of `more`, were made from other
    contents. The code of kernels is built by a test of its own."""
    stale = [why for path, why in mark_stale(build).items() if not path.endswith(CUBIN) or path.endswith(more)]
    if stale:
        build = os.path.relpath(build)
        raise Failure(f"{os.path.relpath(min(stale))}: has other contents than {build} was built from: build again (cmake --build "
                      f"{build})")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--compilers":
        print(*(Contents({}).digest(path) for paths in find_compilers(sys.argv[2]) for path in paths))
        sys.exit()
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for changed in sorted(set(mark_stale(sys.argv[1], unseen=True).values())):
        print(f"kernelgate: {changed}: changed since it was compiled: its outputs are rebuilt")
