"""Runs of kernelgate, and of the validator of documents, as subprocess.run makes them.

To start kernelgate and then Python for each call takes most of the time of a test. So a command that is Python runs in a fork of the
test, which has its modules already. What kernelgate itself does before is tested by real starts: the first run of each command is
one, and so is every run whose help, settings or interpreter are for kernelgate to see to."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TOOLS = os.path.join(TREE, "tools")
VALIDATOR = os.path.join(TREE, "harness", "tests", "fakes", "validate_documents.py")
VALIDATE = [sys.executable, "-W", "ignore", VALIDATOR, os.path.join(TREE, "baselines", "schemas")]
# What a process reads as it starts.
START = ("LD_", "PYTHON", "LC_", "LANG")
# Settings that kernelgate takes; of all others it has to say itself whether it does.
CLEAR = {"KG_STRICT": "0|1", "KG_CASE_TIMEOUT": r"[1-9][0-9]{0,2}|0\.[1-9]", "KG_CASE_SECONDS": r"[1-9][0-9]{0,2}|0\.[1-9]"}

_started = set()


if TOOLS not in sys.path:
    sys.path.insert(0, TOOLS)

# The module of each command that is Python.
_MODULES = {entry.name: entry.module for entry in importlib.import_module("kernelgate.commands").COMMANDS if entry.module}


def _command_of(arguments):
    """The command that arguments begin with, where it is Python, and its own arguments."""
    for words in (2, 1):
        name = " ".join(map(os.fsdecode, arguments[:words]))
        if len(arguments) >= words and name in _MODULES:
            return name, list(map(os.fsdecode, arguments[words:]))
    return None, []


def _needs_start(name, arguments, environment):
    """Whether a run depends on how kernelgate, or Python, starts."""
    python = shutil.which("python3", path=environment.get("PATH", os.defpath))
    return (name not in _started or not {"-h", "--help"}.isdisjoint(arguments)
            or python is None or python != shutil.which("python3") and not os.path.samefile(python, sys.executable)
            or any(environment.get(key) != os.environ.get(key) for key in {*environment, *os.environ} if key.startswith(START))
            or any(key in environment and not re.fullmatch(text, environment[key]) for key, text in CLEAR.items()))


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


def _main_of(line, environment):
    """What a command line runs as a function, with its arguments and environment; None where it has to be started."""
    if VALIDATOR in line:
        sys.path.append(os.path.dirname(VALIDATOR))
        main, arguments = importlib.import_module("validate_documents").main, line[line.index(VALIDATOR):]
        return lambda: main(*arguments[1:]), arguments, environment
    path = os.path.realpath(line[0])
    name, arguments = _command_of(line[1:])
    if name is None or not path.endswith("/harness/cli/kernelgate"):
        return None
    if _needs_start(name, arguments, environment):
        _started.add(name)
        return None
    main = importlib.import_module(f"kernelgate.{_MODULES[name]}").main
    return lambda: sys.modules["kernelgate.base.common"].run(main), [name, *arguments], {**environment, "KG__COMMAND": path}


def run(line, env=None, **options):
    """As subprocess.run does."""
    found = _main_of(list(line), dict(os.environ if env is None else env))
    if found is None:
        return subprocess.run(line, env=env, **options)  # pylint: disable=subprocess-run-check
    # pylint: disable-next=subprocess-run-check,subprocess-popen-preexec-fn
    return subprocess.run(["python3"], preexec_fn=lambda: _become(*found), **options)
