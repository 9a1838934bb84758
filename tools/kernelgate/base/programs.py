# SPDX-License-Identifier: MIT
"""The programs of a build's comparisons: their paths, their answers to queries, and the cases that a filter selects."""

import ctypes
import difflib
import os
import re
import subprocess
from dataclasses import dataclass

from kernelgate.base.case_id import PARTS, head_of, parts_of
from kernelgate.base.errors import NOTHING, Failure, failures_of, nearest_name
from kernelgate.base.json_io import list_of, parse_json, text_of
from kernelgate.base.run_tool import run_tool
from kernelgate.base.schema_form import misfit

GPU = ".gpu"
MODEL = ".model"
DEFAULT_FOLDERS = ("build/gpu", "build/cpu", "build")
SECONDS = 60  # a program lists thousands of cases in less
LONGEST_SAID = 300  # bytes shown of what a program complained of

# "	libx.so => /path/libx.so (0x7f...)"; the loader itself has a path alone.
LIBRARY = re.compile(r"^\s+(?:(\S+) => )?(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)


def list_libraries(*programs):
    """The libraries that the loader gives programs, each with name and path, itself with the name "", and whether all are there.
    OSError if ldd cannot be run."""
    done = run_tool(["ldd", *programs], SECONDS)
    if done is None:
        raise OSError(None, "ldd cannot be run, or does not end")
    return LIBRARY.findall(done.stdout), done.returncode == 0 and "not found" not in done.stdout


def own_build():
    """The build folder that this command is part of, or its installation; None if unknown."""
    return os.path.dirname(os.environ.get("KG__COMMAND", "")) or None


def _is_program(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def find_programs(folder, suffix):
    """The sorted paths of the programs in a folder whose names end in `suffix`; the folder need not exist."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [path for path in (os.path.join(folder, name) for name in names if name.endswith(suffix)) if _is_program(path)]


def find_build(named, *suffixes):
    """The folder of the programs with one of the suffixes, and their paths: the named folder, else this command's
    build, else the first default that has any. If none has, the searched folders, as text, and no paths."""
    folders = [named] if named is not None else [folder for folder in (own_build(), *DEFAULT_FOLDERS) if folder]
    for folder in folders:
        found = [path for suffix in suffixes for path in find_programs(folder, suffix)]
        if found:
            return folder, found
    return named if named is not None else "build/gpu, build/cpu or build", []


def comparison_of(path):
    """The comparison of a program."""
    return os.path.splitext(os.path.basename(path))[0]


def instrumented_program(path):
    """The program with instrumented kernels, next to that of the CPU model. Failure if it cannot be run."""
    found = f"{path[:-len(MODEL)]}.instrumented"
    if not os.access(found, os.X_OK):
        raise Failure(f"{found}: the program with instrumented kernels cannot be run: build it (cmake --build of this build "
                      "folder)")
    return found


# The same function as the programs', whose globs differ from Python's: [^x], \\x and [[:alpha:]].
_fnmatch = ctypes.CDLL(None).fnmatch


def _glob_takes(glob, text):
    return _fnmatch(os.fsencode(glob), os.fsencode(text), 0) == 0


def globs_take(globs, case):
    """Whether a comma-separated list of globs matches a case; * also matches slashes, as in KG_FILTER."""
    return any(_glob_takes(glob, case) for glob in globs.split(",") if glob)


def globs_take_from(globs, case):
    """Like globs_take(), but a glob without the last parts of an id matches every case that begins with it."""
    return any(globs_take(globs, head_of(case, length)) for length in range(len(PARTS), 0, -1))


def takes(globs, case):
    """Whether a command's FILTER, as globs_take_from() has it ("" takes all), and KG_FILTER select a case."""
    return (not globs or globs_take_from(globs, case)) and filter_takes(case)


def filter_takes(case):
    """Whether KG_FILTER selects a case."""
    globs = os.environ.get("KG_FILTER")
    return not globs or globs_take(globs, case)


def _nearest_head(globs, cases):
    """The beginning of a case that is most similar to one of the globs, with as many parts as the glob has, and the
    case."""
    for glob in filter(None, (glob.rstrip("*/") for glob in globs.split(","))):
        heads = {head_of(case, len(parts_of(glob))): case for case in reversed(cases)}
        for head in difflib.get_close_matches(glob, heads, 1):
            return head, heads[head]
    return None, None


def nearest_case(globs, cases):
    """The case whose id begins most like one of the globs; None if none is near."""
    return _nearest_head(globs, cases)[1]


def hint_of_nearest(globs, cases):
    """The same as the end of an error; "" if none is near."""
    nearest = nearest_case(globs, cases)
    return f"; nearest is {nearest}" if nearest else ""


def glob_meant(globs, cases):
    """The glob of the cases that begin most like one of the globs; None if none is near."""
    head, case = _nearest_head(globs, cases)
    return head if head in (None, case) else f"{head}/*"


@dataclass
class Query:
    """A query to programs, with the words for errors."""

    command: str  # "tune"
    option: str  # the programs' option: "--candidates"
    noun: str  # an element of "cases": "candidate"


@dataclass
class Answer:
    path: str
    document: dict

    def ids(self):
        """Each case with None, or with the reason why it is refused."""
        for entry in list_of(self.document, "cases"):
            yield entry if isinstance(entry, str) else text_of(entry, "case"), None
        for entry in list_of(self.document, "refused"):
            yield text_of(entry, "case"), text_of(entry, "why")


def call_program(path, *options, **more):
    """Like query_program(); a Failure begins with the program's path."""
    with failures_of(path):
        return query_program(path, *options, **more)


def query_program(path, *options, lists, seconds=SECONDS, stderr=None, filtered=False, ends=(0,)):
    """Asks a program for what it `lists`: for all of its cases, whatever KG_FILTER says, so that the filter is applied here and
    misspelled names are compared with all; or, `filtered`, for those that KG_FILTER selects. Failure if it cannot be run, does not
    end, or its exit code is another than those of `ends`: 77 says that there is no device."""
    environment = {name: value for name, value in os.environ.items() if filtered or name != "KG_FILTER"}
    said = ""
    try:
        done = subprocess.run([path, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, timeout=seconds,
                              env=environment, check=False)
        if done.returncode in ends:
            return done
        why, said = f"exit code {done.returncode}", (done.stderr or b"")[:LONGEST_SAID].decode("utf-8", "replace").strip()
    except subprocess.TimeoutExpired:
        why = f"not in {seconds} s"
    except OSError as error:
        why = error.strerror
    raise Failure(f"does not list its {lists} ({why}){said and ': '}{said}: build it again")


def ask_program(path, option, lists, **more):
    """A program's answer to an option, checked by the schema of that; None without a device, where `ends` allows that."""
    done = call_program(path, option, lists=lists, **more)
    if done.returncode == NOTHING:
        return None
    try:
        document = parse_json(done.stdout)
        fault = misfit(document, f"answers.schema.json#/$defs/{option[2:]}")
    except ValueError as error:
        fault = f"not JSON: {error}"
    if fault:
        raise Failure(f"{path}: does not list its {lists}: {fault}: build it again")
    return document


def _ask(query, path):
    document = ask_program(path, query.option, f"{query.noun}s", ends=(0, NOTHING))
    if document is None:
        raise SystemExit(NOTHING)  # the program has printed why
    return Answer(path, document)


class Answers:
    """The answers of a folder's programs."""

    def __init__(self, query, folder, paths):
        self._query = query
        self._folder = folder
        self.answers = [_ask(query, path) for path in paths]

    def _ids(self):
        return (case for answer in self.answers for case, _ in answer.ids())

    def _refuse(self, glob):
        """Raises the error of a glob that matches nothing: the first part that no case has, with the nearest name."""
        query = self._query
        parts = parts_of(glob)
        heads = [parts_of(case) for case in self._ids()]
        for index, part in enumerate(parts):
            names = {case[index] for case in heads if len(case) > index}
            if not any(_glob_takes(part, name) for name in names):
                nearest = nearest_name(part, sorted(names))
                where = f'; did you mean "{nearest}"?' if nearest else f" of the programs in {self._folder}"
                raise Failure(f'{query.command}: there is no {PARTS[index]} "{part}" among the {query.noun}s{where}')
            heads = [case for case in heads if len(case) > index and _glob_takes(part, case[index])]
        raise Failure(f'{query.command}: "{glob}" takes no {query.noun}: see {query.option} of the programs in {self._folder}')

    def complete(self, globs):
        """A list of globs, with /* added to each that matches only as the beginning of ids. Failure if one matches
        nothing."""
        completed = []
        for glob in filter(None, globs.split(",")):
            for candidate in (glob, f"{glob}/*"):
                if any(_glob_takes(candidate, case) for case in self._ids()):
                    completed.append(candidate)
                    break
            else:
                self._refuse(glob)
        if globs and not completed:
            raise Failure(f'{self._query.command}: the filter "{globs}" contains no glob: omit it to select all')
        return ",".join(completed)
