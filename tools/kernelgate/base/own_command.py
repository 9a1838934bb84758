"""The command kernelgate that runs this program: what it is asked, and what it becomes."""

import os
import subprocess

from kernelgate.base.errors import Failure


def own_command():
    """The command kernelgate that runs this program."""
    return os.environ.get("KG__COMMAND", "kernelgate")


def ask_command(*arguments, data=b"", seconds=None):
    """How kernelgate ended, with its standard output. OSError where it cannot be run, subprocess.TimeoutExpired where it is not
    through in so many seconds. KG__ASKED keeps a kernelgate of another version from asking these programs in turn."""
    return subprocess.run([own_command(), *arguments], input=data, stdout=subprocess.PIPE, timeout=seconds, check=False,
                          env={**os.environ, "KG__ASKED": "1"})


def become_command(command, *arguments):
    """Executes kernelgate in the place of this program, for its command `command`."""
    path = own_command()
    try:
        os.execvp(path, [path, *arguments])
    except OSError as error:
        raise Failure(f"{path}: cannot be run: {error.strerror}: install kernelgate, and call kernelgate {command}") from None
