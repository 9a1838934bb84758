"""Python's libraries that are not its own: imported when they are needed, since most commands need none."""

import glob
import importlib
import os
import sys

from kernelgate.base.errors import Failure

_ROOT = os.path.abspath(f"{os.path.dirname(os.path.abspath(__file__))}/../../..")


def library(name):
    """The module. For a Python that is not the system's, ci/setup installs it in build/tools."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for root in ("", os.getcwd(), _ROOT):
        sys.path += glob.glob(f"{glob.escape(root)}/build/tools/python/lib/{version}/site-packages") if root else []
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise Failure(f"python3: has no module {name}: install python3-{name}, as ci/setup does")
