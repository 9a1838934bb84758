# SPDX-License-Identifier: MIT
"""The command kernelgate."""

import os
import sys

VERSION = "0.2.0"  # CMakeLists.txt reads it

# With a Python other than the system's, ci/setup installs libraries in build/tools of the project or of kernelgate.
_HERE = os.path.dirname(os.path.realpath(__file__))
_LIBRARIES = f"build/tools/python/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
sys.path += filter(os.path.isdir, (os.path.abspath(_LIBRARIES), os.path.join(_HERE, "..", "..", _LIBRARIES)))
