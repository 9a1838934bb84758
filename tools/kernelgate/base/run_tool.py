# SPDX-License-Identifier: MIT
"""Asks tools of the machine, such as compilers, that may be missing."""

import os
import subprocess


def run_tool(arguments, seconds, **settings):
    """A finished process with all of its output, errors included, as text; None if it cannot be run."""
    try:
        return subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=seconds, encoding="utf-8", errors="surrogateescape", env={**os.environ, **settings})
    except (OSError, subprocess.TimeoutExpired):
        return None
