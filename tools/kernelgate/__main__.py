# SPDX-License-Identifier: MIT
"""The command kernelgate: `python3 -m kernelgate`, or this file by its path."""

import contextlib
import os
import sys

# Started by path, Python would search for `kernelgate` and all other modules in the package's directory.
PACKAGE = os.path.dirname(os.path.abspath(__file__))
if os.path.realpath(sys.path[0]) == os.path.realpath(PACKAGE):
    sys.path[0] = os.path.dirname(PACKAGE)

from kernelgate.base.command_line import run# pylint: disable=wrong-import-position
from kernelgate.commands import main  # pylint: disable=wrong-import-position

if __name__ == "__main__":
    with contextlib.suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as name:
        name.write("kernelgate")  # Messages about a lock's holder show this name
    run(main)
