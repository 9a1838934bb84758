# SPDX-License-Identifier: MIT
"""Runs of kernelgate, and of the validator of documents, as subprocess.run makes them.

To start Python for each call takes most of the time of a test. So a command runs in a fork of the test, which has its modules
already. How kernelgate starts is tested by real starts: the first run of each command is one, and so is every run with another
interpreter or environment for it."""

import contextlib
import importlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from unittest import mock

import jsonschema  # pylint: disable=unused-import # which takes 0.1 s, and the forks have it then

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TOOLS = os.path.join(TREE, "tools")
VALIDATOR = os.path.join(TREE, "harness", "tests", "fakes", "validate_documents.py")
VALIDATE = [sys.executable, "-W", "ignore", VALIDATOR, os.path.join(TREE, "baselines", "schemas")]
# What a process reads as it starts.
START = ("LD_", "PYTHON", "LC_", "LANG")
_started = []


if TOOLS not in sys.path:
    sys.path.insert(0, TOOLS)

def _needs_start(arguments, environment):
    """Whether a run depends on how kernelgate, or Python, starts; the first run of a command stands for it."""
    python = shutil.which("python3", path=environment.get("PATH", os.defpath))
    name = arguments[:1]
    if name in _started and python is not None and os.path.samefile(python, sys.executable):
        return any(environment.get(key) != os.environ.get(key) for key in {*environment, *os.environ} if key.startswith(START))
    _started.append(name)
    return True


def _exit_code(main):
    """What a process that is main() ends with."""
    try:
        main()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return (ended.code or 0) & 0xFF
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        return 1
    return 0


def _become(main, arguments, environment):
    """Ends this process, which is new, as one that was started with these arguments."""
    code = 1
    try:
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        sys.argv = arguments
        form = {"encoding": sys.__stdout__.encoding, "errors": sys.__stdout__.errors, "closefd": False}
        sys.stdin = open(0, **form)
        sys.stdout = open(1, "w", buffering=1 if os.isatty(1) else -1, **form)
        sys.stderr = open(2, "w", buffering=1, **{**form, "errors": "backslashreplace"})
        code = _exit_code(main)
        sys.stdout.flush()
    finally:
        os._exit(code)


def _import_command(arguments):
    """Imports once, and not in each fork, what a command runs; the module of all commands."""
    commands = importlib.import_module("kernelgate.commands")
    for command in commands.COMMANDS + commands.PLUMBING:
        if list(arguments[:1]) == command.name.split()[:1]:
            importlib.import_module(f"kernelgate.{command.module}")
    return commands


def _main_of(line, environment):
    """What a command line runs as a function, with its arguments and environment; None where it has to be started."""
    if callable(line[0]):
        _import_command(line[1:])
        return line[0], ["kernelgate", *line[1:]], environment
    if VALIDATOR in line:
        sys.path.append(os.path.dirname(VALIDATOR))
        validate, arguments = importlib.import_module("validate_documents"), line[line.index(VALIDATOR):]
        with contextlib.suppress(OSError, ValueError, KeyError, SystemExit):
            validate.validator_of(arguments[1], validate.name_of(validate.read(arguments[2])))  # once, not in each fork
        return lambda: validate.main(*arguments[1:]), arguments, environment
    path = os.path.realpath(line[0])
    if os.path.basename(path) != "kernelgate" or not os.path.exists(f"{path}-judge"):
        return None
    arguments = list(map(os.fsdecode, line[1:]))
    if _needs_start(arguments, environment):
        return None
    commands = _import_command(arguments)
    run_commands = importlib.import_module("kernelgate.base.command_line").run
    return lambda: run_commands(commands.main), ["kernelgate", *arguments], {**environment, "KG__COMMAND": path}


def run_main(main, *arguments):
    """The exit code, the standard output and the standard error of main() in this process."""
    output, error = (io.TextIOWrapper(io.BytesIO(), errors="surrogateescape") for _ in range(2))
    with mock.patch.object(sys, "argv", ["kernelgate", *arguments]), contextlib.redirect_stdout(output), \
            contextlib.redirect_stderr(error):
        code = _exit_code(lambda: importlib.import_module("kernelgate.base.command_line").run(main))
    return code, *(stream.buffer.getvalue().decode(errors="replace") for stream in (output, error))


def run(line, env=None, **options):
    """As subprocess.run does; a function in place of a program is main() of a fork, where what it changes stays."""
    found = _main_of(list(line), dict(os.environ if env is None else env))
    if found is None:
        return subprocess.run(line, env=env, **options)  # pylint: disable=subprocess-run-check
    # pylint: disable-next=subprocess-run-check,subprocess-popen-preexec-fn
    return subprocess.run(["python3"], preexec_fn=lambda: _become(*found), **options)
