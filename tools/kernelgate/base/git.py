"""What git says of the checkout."""

import subprocess

from kernelgate.base.errors import Failure

GIT_SECONDS = 60
DESCRIBE = ("git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*")


def current_commit():
    """The short name of the commit that is checked out, with "-dirty" if tracked files differ; None where git does not say."""
    try:
        done = subprocess.run(DESCRIBE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    name = done.stdout.decode("utf-8", "replace").split("\n")[0]
    return name if done.returncode == 0 and name else None


def git(folder, *arguments):
    """How git ended in a folder, with what it printed."""
    try:
        return subprocess.run(["git", "-C", folder, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=GIT_SECONDS, check=False)
    except OSError as error:
        raise Failure(f"git: cannot be run: {error.strerror}: install it (ci/setup)") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"git {' '.join(arguments)}: has not ended in {GIT_SECONDS} s: run it yourself in {folder}") from None
