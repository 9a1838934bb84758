# SPDX-License-Identifier: MIT
"""Queries of the checkout's git."""

import os
import subprocess

from kernelgate.base.errors import Failure, os_errors_as

GIT_SECONDS = 60


def git(folder, *arguments):
    """Runs git in a folder; its exit code and output."""
    try:
        with os_errors_as("git: cannot be run", "install it (ci/setup)"):
            return subprocess.run(["git", "-C", folder, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=GIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"git {' '.join(arguments)}: has not ended in {GIT_SECONDS} s: run it yourself in {folder}") from None


def ask_git(*arguments, folder="."):
    """Git's output in a folder; None on failure."""
    try:
        done = git(folder, *arguments)
    except Failure:
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def described_commit(folder=".", digits=40):
    """The commit that is checked out in a folder, with "-dirty" if tracked files differ; None if git fails."""
    return (ask_git("describe", "--always", "--dirty", f"--abbrev={digits}", "--exclude=*", folder=folder) or "").split("\n")[0] or None


def current_commit():
    """The short name of the commit that is checked out here, with "-dirty" if tracked files differ; None if git fails."""
    return described_commit(digits=10)
