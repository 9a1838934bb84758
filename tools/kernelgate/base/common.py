"""What the commands written in Python share: the command line, errors, files, JSON and output."""

import difflib
import errno
import json
import math
import os
import re
import signal
import stat
import subprocess
import sys
import traceback
from dataclasses import dataclass
from typing import Optional

USAGE = ""  # the first lines of a command's help, by commands.py
LARGEST_FIGURE = 2.0**53  # no time and no count comes near it
MESSAGE_SIZE = 1024  # bytes of the longest message, and one
GIT_SECONDS = 60
SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)
DESCRIBE = ("git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*")


class Failure(Exception):
    """An error that the user can act on: what went wrong, where, and what to do, in one line."""


def fit(text, size):
    """The text as one line of fewer than `size` bytes; what does not fit ends in "..."."""
    data = re.sub(r"[\x00-\x1f\x7f]", " ", text).encode("utf-8", "surrogateescape")
    if len(data) >= size:
        data = data[: size - 4].decode("utf-8", "ignore").encode() + b"..."
    return data.decode("utf-8", "surrogateescape")


def complain(message):
    """Prints an error as one line that no CI runner takes for one of its commands."""
    line = fit(message, MESSAGE_SIZE).replace("##[", "# [")
    try:
        sys.stderr.buffer.write(f"kernelgate: {line}\n".encode("utf-8", "surrogateescape"))
        sys.stderr.flush()
    except (OSError, AttributeError):  # Python has no sys.stderr where it is closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def nearest_name(name, names):
    """The name that may have been meant; None where none is near."""
    return next(iter(difflib.get_close_matches(name, names, 1)), None)


def run(main):
    """Ends the process with the exit code of main(arguments), or with 2 and the line of what it raises."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    try:
        # Whatever is opened later must not become a standard stream that was closed.
        while (file := os.open(os.devnull, os.O_RDONLY)) <= 2:
            pass
        os.close(file)
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        complain(str(failure))
        sys.exit(2)
    except Exception as error:  # pylint: disable=broad-exception-caught
        if getattr(error, "errno", None) in SHORTAGES:
            complain(f"{getattr(error, 'filename', None) or 'this machine'}: {os.strerror(error.errno)}: check ulimit -a and the disk")
            sys.exit(2)
        place = traceback.extract_tb(error.__traceback__)[-1]
        complain(f"{place.filename}:{place.lineno}: {type(error).__name__}: {error}: this is a defect of kernelgate: report it")
        sys.exit(2)


@dataclass(frozen=True)
class Option:
    """An option of a command. Without `value`, the word that help prints for its value, it is a flag."""

    name: str
    value: Optional[str]
    help: str
    repeated: bool = False


JSON_OPTION = Option("--json", None, "print one JSON document instead")


@dataclass(frozen=True)
class Command:
    """The command line of one command. kernelgate prints the first lines of its help, the usage and the summary."""

    name: str
    options: tuple
    details: str = ""
    takes_operands: bool = False

    def parse(self, arguments):
        """The options by name without dashes, and "operands". An option that is not given is None, a flag False, a
        repeated option []."""
        parsed = {option.name.lstrip("-"): [] if option.repeated else None if option.value else False for option in self.options}
        operands = []
        rest = list(arguments)
        while rest:
            argument = rest.pop(0)
            if argument == "--":
                operands += rest
                break
            if argument in ("--help", "-h"):
                print_output(self.name, USAGE + self.help())
                sys.exit(0)
            if argument == "-" or not argument.startswith("-"):
                operands.append(argument)
            else:
                self._take(argument, rest, parsed)
        if operands and not self.takes_operands:
            raise Failure(f'{self.name}: takes no "{operands[0]}": see `kernelgate help {self.name}`')
        return {**parsed, "operands": operands}

    def help(self):
        lines = [f"  {' '.join(filter(None, (option.name, option.value))):<20} {option.help}" for option in self.options]
        return "\n".join(lines) + "\n" + (f"\n{self.details}" if self.details else "")

    def _take(self, argument, rest, parsed):
        name, equals, value = argument.partition("=")
        option = next((option for option in self.options if option.name == name), None)
        if option is None:
            nearest = nearest_name(name, [option.name for option in self.options])
            hint = f"; did you mean {nearest}? See" if nearest else ": see"
            raise Failure(f"{self.name}: unknown option {name}{hint} `kernelgate help {self.name}`")
        key = name.lstrip("-")
        if option.value is None:
            if equals:
                raise Failure(f"{self.name}: option {name} takes no value")
            parsed[key] = True
            return
        if not equals and rest:
            value = rest.pop(0)
        if not value:
            raise Failure(f"{self.name}: option {name} needs a value: {name} {option.value}")
        if option.repeated:
            parsed[key].append(value)
        elif parsed[key] is not None:
            raise Failure(f"{self.name}: option {name} is given twice: omit one")
        else:
            parsed[key] = value


def own_command():
    """The command kernelgate that runs this program."""
    return os.environ.get("KG__COMMAND", "kernelgate")


def own_program(name):
    """A C program of kernelgate's, which is beside the command."""
    return os.path.join(os.path.dirname(own_command()), name)


def own_file(*places):
    """The first of some paths, from the package's directory, that exists: a checkout and an installation differ."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for path in (os.path.join(here, place) for place in places):
        if os.path.exists(path):
            return path
    raise Failure(f"{os.path.basename(places[0])}: cannot be found: install kernelgate again")


def git(folder, *arguments):
    """How git ended in a folder, with what it printed."""
    try:
        return subprocess.run(["git", "-C", folder, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=GIT_SECONDS, check=False)
    except OSError as error:
        raise Failure(f"git: cannot be run: {error.strerror}: install it (ci/setup)") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"git {' '.join(arguments)}: has not ended in {GIT_SECONDS} s: run it yourself in {folder}") from None


def current_commit():
    """The short name of the commit that is checked out, with "-dirty" if tracked files differ; None where git does not say."""
    try:
        done = subprocess.run(DESCRIBE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    name = done.stdout.decode("utf-8", "replace").split("\n")[0]
    return name if done.returncode == 0 and name else None


def print_output(command, text):
    """Prints all that a command has to say."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
    except (OSError, AttributeError):  # Python has no sys.stdout where it is closed
        complain(f"{command}: the standard output cannot be written: redirect it elsewhere")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the interpreter would try, and fail, once more
        sys.exit(2)


def json_text(document):
    """A document as the commands print it: UTF-8, whatever bytes a path has. "##[", with which a CI runner's commands begin, can
    only be in a string."""
    text = json.dumps(document, indent=1, ensure_ascii=False).replace("##[", "\\u0023#[")
    return text.encode("utf-8", "replace").decode() + "\n"


def open_regular(path):
    """Opens a regular file for reading bytes; waits for nobody where it is a pipe. OSError where it cannot be."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    if stat.S_ISREG(os.fstat(file).st_mode):
        return open(file, "rb")
    os.close(file)
    raise OSError(None, "it is not a regular file")


def replace_file(path, text):
    """Replaces a file by a text, whole or not at all. A link stays; its target is replaced. OSError where it cannot be."""
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.new-{os.getpid()}")
    try:
        with open(temporary, "xb") as file:
            if os.path.exists(target):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(target).st_mode))
            file.write(text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)


def _unique(pairs):
    members = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f'an object has "{key}" twice')
        members[key] = value
    return members


def _integer(text):
    number = int(text)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{text[:40]} needs more than 64 bits")
    return number


def _real(text):
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is out of range")
    return number


def _constant(text):
    raise ValueError(f"{text} is not a number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_integer, parse_float=_real, parse_constant=_constant)
_ZERO = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def parse_json(data):
    """The JSON object or array in `data`, as strictly as kernelgate reads its own files. ValueError where it is none."""
    text = data.decode("utf-8")
    try:
        document = _DECODER.decode(text)
        json.dumps(document, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is not a character
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _ZERO.search(text):
        raise ValueError("a string holds a zero character")
    if not isinstance(document, (dict, list)):
        raise ValueError("it is neither an object nor an array")
    return document


def read_json(path, remedy):
    """The JSON document in a file."""
    try:
        with open_regular(path) as file:
            return parse_json(file.read())
    except OSError as error:
        raise Failure(f"{path}: cannot be read: {error.strerror}: {remedy}") from None
    except json.JSONDecodeError as error:
        raise Failure(f"{path}:{error.lineno}: is not JSON: {error.msg} in column {error.colno}: {remedy}") from None
    except ValueError as error:
        raise Failure(f"{path}: is not JSON: {error}: {remedy}") from None


def check_schema(path, document, schema, remedy):
    if not isinstance(document, dict):
        raise Failure(f"{path}: is not a JSON object: {remedy}")
    if document.get("schema") != schema:
        raise Failure(f'{path}: its schema is "{text_of(document, "schema")}", not "{schema}": {remedy}')


# A document may have anything anywhere: what is not there, or of another type, is as if it were empty.


def member(value, key):
    return value.get(key) if isinstance(value, dict) else None


def text_of(value, key):
    found = member(value, key)
    return found if isinstance(found, str) else ""


def object_of(value, key):
    found = member(value, key)
    return found if isinstance(found, dict) else {}


def list_of(value, key):
    found = member(value, key)
    return found if isinstance(found, list) else []


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def number_of(value, key):
    """A member that is a number; NaN where it is none."""
    found = member(value, key)
    return float(found) if is_number(found) else math.nan


def integer_of(value, key):
    """A member that is an integer; 0 where it is none."""
    found = member(value, key)
    return found if is_integer(found) else 0
