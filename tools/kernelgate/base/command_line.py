# SPDX-License-Identifier: MIT
"""The command line of the commands: argparse, whose errors become Failures of one line."""

import argparse
import errno
import os
import signal
import sys

from kernelgate.base.errors import NOTHING, Failure, Unavailable, complain, nearest_name
from kernelgate.base.settings import is_number_from

SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)


def run(main):
    """Ends the process with the exit code of main(arguments), or with 2 (77 of Unavailable) and the message of an exception."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    try:
        # Files opened later must not become a standard stream that was closed.
        while (file := os.open(os.devnull, os.O_RDONLY)) <= 2:
            pass
        os.close(file)
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        complain(str(failure))
        sys.exit(NOTHING if isinstance(failure, Unavailable) else 2)
    except ModuleNotFoundError as error:
        complain(f"python3: has no module {error.name}: install it, as ci/setup does")
        sys.exit(2)
    except Exception as error:  # pylint: disable=broad-exception-caught
        if getattr(error, "errno", None) in SHORTAGES:
            where = getattr(error, "filename", None) or "this machine"
            complain(f"{where}: {os.strerror(error.errno)}: check ulimit -a and the disk")
            sys.exit(2)
        place = error.__traceback__
        while place.tb_next:
            place = place.tb_next
        file = place.tb_frame.f_code.co_filename
        complain(f"{file}:{place.tb_lineno}: {type(error).__name__}: {error}: this is a defect of kernelgate: report it")
        sys.exit(2)


def print_output(command, text):
    """Prints a command's entire output."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
    except (OSError, AttributeError):  # Python has no sys.stdout if it is closed
        complain(f"{command}: the standard output cannot be written: redirect it elsewhere")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # at exit the interpreter would try, and fail, once more
        sys.exit(2)


def did_you_mean(name, names):
    """The hint of the name that was probably meant; "" if none is near."""
    nearest = nearest_name(name, names)
    return f'; did you mean "{nearest}"?' if nearest else ""


def read_number(option, text, least, most):
    """The number in the text of an option, named with its command. Failure unless it is in a range."""
    if not is_number_from(text, least, most):
        raise Failure(f"{option} {text}: is not a number from {least:g} to {most:g}: give one")
    return float(text)


class _Once(argparse.Action):
    """Stores a value, or the constant of a flag. Refuses a second value for one destination, because the user may
    not know which one counts."""

    def __call__(self, parser, namespace, values, option_string=None):
        if option_string and self.dest in parser.given:
            first = parser.given[self.dest]
            both = f"option {first} is given twice" if first == option_string else f"options {first} and {option_string} contradict"
            parser.error(f"{both}: omit one")
        if values == "" and option_string:
            parser.error(f"option {option_string} needs a value: {option_string} {self.metavar}")
        if option_string:
            parser.given[self.dest] = option_string
        setattr(namespace, self.dest, self.const if self.nargs == 0 else values)


def _flag(**settings):
    return _Once(**{"nargs": 0, "const": True, "default": False, **settings})


class Parser(argparse.ArgumentParser):
    """`declare`, if given, is called with this parser before it is first used, and declares its arguments: importing
    the modules of all commands for their arguments takes ten times as long as starting."""

    def __init__(self, declare=None, **settings):
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)
        for name in (None, "store"):
            self.register("action", name, _Once)
        for name in ("store_true", "store_const"):
            self.register("action", name, _flag)
        self.given = {}  # the options on the command line, by destination
        self._declare = declare
        self._is_mixing = declare is None

    def declare(self):
        declare, self._declare = self._declare, None
        if declare is not None:
            declare(self)

    def parse_known_args(self, args=None, namespace=None):
        self.declare()
        if self._is_mixing:
            return super().parse_known_args(args, namespace)
        # Operands may be before, between and after options. In mixed order, Python 3.11 loses "--". Both methods call
        # this one.
        self._is_mixing = True
        parse = self.parse_known_args if "--" in args else self.parse_known_intermixed_args
        found, unknown = parse(args, namespace)
        for word in unknown:
            name = word.partition("=")[0]
            if name.startswith("-") and name != "--" and name not in self._option_string_actions:
                self.error(f"unknown option {name}{did_you_mean(name, self._option_string_actions)}")
        if unknown:
            self.error(f'unexpected argument "{unknown[-1]}"')
        return found, unknown

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            # Of a few names the nearest may be the opposite: "gpu" of "cpu".
            hint = did_you_mean(value, action.choices) if action.nargs == argparse.PARSER else f": use {', '.join(action.choices)}"
            self.error(f'unknown {(action.metavar or action.dest).lower()} "{value}"{hint}')

    def error(self, message):
        command = self.prog.partition(" ")[2]
        see = " See" if message.endswith("?") else ": see"
        raise Failure(f"{command + ': ' if command else ''}{message}{see} `{self.prog} --help`")

    def print_help(self, file=None):
        print_output("help", self.format_help())


def add_json(parser):
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")


def add_format(parser, formats=("text", "markdown", "csv", "json"), default="text", text=None):
    """Adds --format, and --json as a short form of --format json; `text` is the help of the first."""
    parser.add_argument("--format", choices=formats, default=default, metavar="FORMAT",
                        help=text or f"{', '.join(formats[:-1])} or {formats[-1]} (default: {default})")
    parser.add_argument("--json", action="store_const", dest="format", const="json", default=default,
                        help="short for --format json")


def add_filter(parser):
    parser.add_argument("filter", nargs="?", metavar="FILTER", help="globs on case ids, separated by commas")
