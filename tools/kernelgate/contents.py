"""Whether what a build folder holds was made from the files that are there now: by their contents, not by their times, which
`cp -p`, `mv` and a package that is unpacked set back. usage: contents.py BUILD
       contents.py --compilers BUILD, which prints what tells the build's compilers from others

An object that was made from other contents, or by another compiler, gets a time so old that Ninja and Make build it again."""

import glob
import hashlib
import json
import os
import re
import subprocess
import sys

from common import Failure
from figures import plural

STATE = "kernelgate.contents"
STALE_SECONDS = 1  # the time of what has to be built again
SECONDS = 60
CUBIN = ".cubin"
OWN_TESTS = "harness/tests/"  # of kernelgate itself, which no gate runs
CONFIGURED = {"build.ninja": "build.ninja", "Makefile": "CMakeFiles/cmake.check_cache"}  # what CMake writes last, by generator
NVCC_TOOLS = ("cicc", "cudafe++", "fatbinary", "nvlink", "ptxas")
GCC_TOOLS = ("as", "cc1", "cc1plus", "collect2", "ld")


def _output_of(command, **settings):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                              encoding="utf-8", errors="surrogateescape", env={**os.environ, **settings})
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _identity(path):
    """What no copy and no renaming leaves as it is, cheap to ask for; None where there is no such file."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return [facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]


def _changed_at(path):
    """A file's own time, in ns, by which Ninja and Make go; 0 without it."""
    return (_identity(path) or [0] * 4)[3]


class Contents:
    """The digests of files, which are read again only where their identity is another one than it was."""

    def __init__(self, known):
        self._known = known  # by path: an identity and a digest
        self.seen = {}

    def digest(self, path):
        """The digest of a file; None where it cannot be read."""
        if path not in self.seen:
            identity, known = _identity(path), self._known.get(path)
            if known is None or known[0] != identity:
                try:
                    with open(path, "rb") as file:
                        known = [identity, hashlib.blake2b(file.read(), digest_size=12).hexdigest()]
                except OSError:
                    known = [identity, None]
            self.seen[path] = known
        return self.seen[path][1]

    def changed(self, path):
        """When the file changed last, which nothing sets back, in ns."""
        self.digest(path)
        return self.seen[path][0][4] if self.seen[path][0] else 0

    def moved(self, path):
        """Whether the file was known, and has another digest now."""
        return path in self._known and self._known[path][1] != self.digest(path)


def _cached(build, *names):
    """The values of CMake's cache."""
    try:
        with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8", errors="replace") as file:
            found = dict(re.findall(r"^(\w+):[A-Z]+=(.+)$", file.read(), re.MULTILINE))
    except OSError:
        return []
    return [found[name] for name in names if name in found]


def find_compilers(build):
    """The programs and files that compile: of the host's compilers, and of nvcc besides."""
    host = _cached(build, "CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER")
    found = [*host, *(_output_of([compiler, f"-print-prog-name={tool}"]).strip() for compiler in host[:2] for tool in GCC_TOOLS)]
    device = []
    for nvcc in dict.fromkeys(_cached(build, "CMAKE_CUDA_COMPILER", "KG_CODE_NVCC")):
        said = _output_of([nvcc, "--dryrun", "-cubin", "-x", "cu", os.devnull, "-o", os.devnull])
        settings = dict(re.findall(r"^#\$ (PATH|CICC_PATH|NVVMIR_LIBRARY_DIR|_HERE_)=(.*)$", said, re.MULTILINE))
        folders = [settings.get("CICC_PATH", ""), *settings.get("PATH", "").split(":")]
        device += [nvcc, os.path.join(settings.get("_HERE_", ""), "nvcc.profile"),
                   *sorted(glob.glob(os.path.join(settings.get("NVVMIR_LIBRARY_DIR", os.devnull), "*.bc")))]
        device += [next((path for path in (os.path.join(folder, tool) for folder in folders if folder) if os.path.exists(path)), "")
                   for tool in NVCC_TOOLS]
    host, device = ([os.path.realpath(path) for path in dict.fromkeys(paths) if os.path.isabs(path) and os.path.isfile(path)]
                    for paths in (found, device))
    return host, device


def _read_depfile(path):
    """What a rule for Make makes, and from what."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read().replace("\\\n", " ")
    except OSError:
        return
    for line in text.split("\n"):
        output, colon, inputs = line.partition(": ")
        if colon and inputs.strip():
            yield output, [name.replace("\\ ", " ") for name in re.findall(r"(?:\\ |\S)+", inputs)]


def find_outputs(build):
    """What the build has made of sources that the compiler named, and what CMake has: by output the inputs."""
    found = {}
    if os.path.exists(os.path.join(build, "build.ninja")):
        for block in _output_of(["ninja", "-C", build, "--quiet", "-t", "deps"]).split("\n\n"):
            name, *inputs = block.split("\n")
            found[name.rpartition(": #deps")[0]] = [line.strip() for line in inputs]
        for path in glob.glob(os.path.join(glob.escape(build), "CMakeFiles", "d", "*.d")):
            found.update(_read_depfile(path))
        query = _output_of(["ninja", "-C", build, "--quiet", "-t", "query", "build.ninja"]).partition("  outputs:")[0]
        found[CONFIGURED["build.ninja"]] = re.findall(r"^    (?:\|\|? )?(.*/(?:CMakeLists\.txt|[^/]*\.cmake|[^/]*Presets\.json))$", query, re.MULTILINE)
    elif os.path.exists(os.path.join(build, "Makefile")):
        for folder, _, names in os.walk(build):
            for name in names:
                if name.endswith(".d"):
                    found.update(_read_depfile(os.path.join(folder, name)))
        try:
            with open(os.path.join(build, "CMakeFiles", "Makefile.cmake"), encoding="utf-8", errors="replace") as file:
                found[CONFIGURED["Makefile"]] = re.findall(r'^  "(.*(?:CMakeLists\.txt|\.cmake))"$', file.read().partition("\n  )")[0], re.MULTILINE)
        except OSError:
            pass
    found.pop("", None)
    return {name: inputs for name, inputs in found.items() if OWN_TESTS not in name}


def _load(path):
    try:
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
        return state["files"], state["outputs"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}, {}


def _save(path, files, outputs):
    """Without it, the next check goes by when files changed."""
    text = json.dumps({"files": files, "outputs": outputs}, separators=(",", ":"))
    try:
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        os.replace(file.name, path)
    except OSError:
        pass


def mark_stale(build, unseen=False):
    """Gives what was made from other contents than there are now an old time; what is so marked, and not built again yet, each
    with what changed: {path: path}. `unseen` leaves out what a build sees by itself, for the file has a newer time."""
    build = os.path.abspath(build)
    state = os.path.join(build, STATE)
    files, known = _load(state)
    contents, outputs, stale = Contents(files), {}, {}
    host, device = find_compilers(build)
    made_here = find_outputs(build)
    for name, inputs in made_here.items():
        path = os.path.join(build, name)
        identity = _identity(path)
        if identity is None:
            continue
        is_configured = name in CONFIGURED.values()  # the compilers' versions are CMake's to find
        inputs = [os.path.join(build, made) for made in inputs]
        inputs += host + device if is_configured or name.endswith((CUBIN, ".cu.o")) else host
        digest = hashlib.blake2b("\n".join(f"{made} {contents.digest(made)}" for made in sorted(inputs)).encode(errors="replace"),
                                 digest_size=12).hexdigest()
        before = known.get(name)
        if before is not None and before[0] == identity:
            if before[1] == digest and before[2] is None:
                outputs[name] = before
                continue
            why = before[2] or next(filter(contents.moved, inputs), inputs[0])
        else:
            why = next((made for made in inputs if contents.changed(made) > identity[4]), None)
        if unseen and why is not None and identity[3] < _changed_at(why):
            continue
        if why is not None:
            stale[path] = why
            if path.endswith(CUBIN):  # for the output of a custom command Ninja goes by the time in its log
                os.unlink(path)
                continue
            os.utime(path, (STALE_SECONDS, STALE_SECONDS))
            identity = _identity(path)
        outputs[name] = [identity, digest, why]
    if made_here:
        _save(state, contents.seen, outputs)
    return stale


def refuse_stale(build, *more):
    """Failure where the programs of a build folder, or files of it that end in one of `more`, were made from other contents. The
    code of kernels is built by a test of its own."""
    stale = {path: why for path, why in mark_stale(build).items() if not path.endswith(CUBIN) or path.endswith(more)}
    if stale:
        why = sorted(stale.values())[0]
        others = f" ({plural(len(set(stale.values())) - 1, 'other file')} too)" if len(set(stale.values())) > 1 else ""
        raise Failure(f"{os.path.relpath(why)}: has other contents than {os.path.relpath(build)} was built from{others}: build again "
                      f"(cmake --build {os.path.relpath(build)})")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--compilers":
        print(*(Contents({}).digest(path) for paths in find_compilers(sys.argv[2]) for path in paths))
        sys.exit()
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for changed in sorted(set(mark_stale(sys.argv[1], unseen=True).values())):
        print(f"kernelgate: {changed}: other contents than were compiled: what is made from it is built again")
