"""What the tools behind `kernelgate import`, `validate` and `selftest` share: errors, files, JSON and output."""

import argparse
import json
import math
import os
import re
import signal
import stat
import sys

LARGEST_FIGURE = 2.0**53  # no time and no count comes near it
MESSAGE_SIZE = 1024  # bytes of the longest message, and one


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
    sys.stderr.buffer.write(f"kernelgate: {line}\n".encode("utf-8", "surrogateescape"))
    sys.stderr.flush()


def run(main):
    """Ends the process with the exit code of main(arguments), or with 2 and the line of its Failure."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        complain(str(failure))
        sys.exit(2)


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Failure(f"{self.prog}: {message}: see `kernelgate help {self.prog}`")


def parse_options(command, arguments, values, flags, operands=None):
    """The options that kernelgate has checked and passes on: by name, None or False where not given."""
    parser = _Parser(command, allow_abbrev=False, add_help=False)
    for name in values:
        parser.add_argument(f"--{name}")
    for name in flags:
        parser.add_argument(f"--{name}", action="store_true")
    if operands is not None:
        parser.add_argument(operands, nargs="*")
    return vars(parser.parse_args(arguments))


def print_output(command, text):
    """Prints all that a command has to say."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
    except OSError:
        complain(f"{command}: the standard output cannot be written: redirect it elsewhere")
        os._exit(2)  # the interpreter would try, and fail, once more


def open_regular(path):
    """Opens a regular file for reading bytes; waits for nobody where it is a pipe. OSError where it cannot be."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    if stat.S_ISREG(os.fstat(file).st_mode):
        return open(file, "rb")
    os.close(file)
    raise OSError(None, "it is not a regular file")


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


# A document may have anything anywhere: what is not there, or of another type, is as if it were empty.


def member(value, key):
    return value.get(key) if isinstance(value, dict) else None


def text_of(value, key):
    found = member(value, key)
    return found if isinstance(found, str) else ""


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
