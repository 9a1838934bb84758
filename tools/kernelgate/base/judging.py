# SPDX-License-Identifier: MIT
"""Calls kernelgate-judge: Python never judges a metric itself."""

import json
import os
import subprocess

from kernelgate.base.errors import Failure
from kernelgate.base.own_command import own_command

REFUSED = 2  # its exit code after a refusal with a message
PROGRAM = "kernelgate-judge"
SECONDS = 120


def records_of(form, **content):
    """A document of kernelgate-judge; `form` is the first part of its schema."""
    return json.dumps({"schema": f"kernelgate-{form}/1", **content}).encode()


def ask(command, path, *, settings=(), files=()):
    """kernelgate-judge's answer to the records in a file. Failure if it cannot be run, SystemExit if it refused
    them."""
    program = os.path.join(os.path.dirname(own_command()), PROGRAM)  # beside the command
    try:
        done = subprocess.run([program, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False, timeout=SECONDS,
                              env={**os.environ, **dict(settings)}, pass_fds=files)
        if done.returncode == REFUSED:
            raise SystemExit(REFUSED)
        done.check_returncode()
        return json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise Failure(f"{command}: {program}: failed: {error}: install kernelgate again") from None


def ask_of(command, records, settings=()):
    """kernelgate-judge's answer to records in memory."""
    file = os.memfd_create("records", 0)
    try:
        with open(file, "wb", closefd=False) as stream:
            stream.write(records)
        return ask(command, f"/proc/self/fd/{file}", settings=settings, files=(file,))
    finally:
        os.close(file)


def judged(command, form, content):
    """kernelgate-judge's answer to a list of records, in their order."""
    return ask_of(command, records_of(form, **{form: content}))
