"""The command kernelgate: `python3 -m kernelgate`, or this file by its path."""

import contextlib
import os
import sys

# Started by its path, Python would look for `kernelgate` and all else in the package's directory.
PACKAGE = os.path.dirname(os.path.abspath(__file__))
if os.path.realpath(sys.path[0]) == os.path.realpath(PACKAGE):
    sys.path[0] = os.path.dirname(PACKAGE)

from kernelgate.base.common import run  # pylint: disable=wrong-import-position
from kernelgate.commands import main  # pylint: disable=wrong-import-position

if __name__ == "__main__":
    with contextlib.suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as name:
        name.write("kernelgate")  # who holds a directory is told by this name
    run(main)
