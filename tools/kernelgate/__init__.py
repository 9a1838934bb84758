"""The command kernelgate."""

VERSION = "0.1.0"  # CMakeLists.txt reads it
