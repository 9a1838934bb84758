"""The directory that stands in for a CUDA Toolkit: the CPU model's headers and library, and how kernels are compiled with them."""

import contextlib
import os
import re
import sys

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import read_json
from kernelgate.base.own_command import own_command


MISSING = re.compile(r"fatal error: (thrust/\S+): No such file or directory\ncompilation terminated\.")


class Toolkit:
    """In a build it is beside the command; where kernelgate is installed, beside tools/."""

    def __init__(self):
        folders = [f"{os.path.dirname(own_command())}/toolkit", os.path.abspath(f"{os.path.dirname(__file__)}/../../../toolkit")]
        self.root = next((folder for folder in folders if os.path.exists(f"{folder}/toolkit.json")), None)
        if self.root is None or not os.path.exists(f"{self.root}/lib64/libkernelgate_program.so"):
            raise Failure(f"nvcc: {folders[0]}: the CPU model's library is not there: build the target kernelgate_programs, or "
                          "install kernelgate again")
        settings = read_json(f"{self.root}/toolkit.json", "install kernelgate again")
        self.include = f"{self.root}/include"
        self.libraries = f"{self.root}/lib64"
        self.packages = f"{self.root}/packages"
        self.kernel_flags = settings["kernel_flags"]
        self.instrumented_flags = settings["instrumented_flags"]
        self._rewrite = os.path.normpath(os.path.join(self.root, settings["rewrite"]))

    def compile_kernel(self, command):
        """Compiles a source with kernels as a command says: the exit code, and what the compiler says."""
        sys.path.append(self._rewrite)
        import compile_kernel  # pylint: disable=import-error,import-outside-toplevel
        compile_kernel.REMEDY = "leave out what needs it, or run it on a GPU"
        compile_kernel.PACKAGES = self.packages
        try:
            code, said = compile_kernel.compile_source(command)
            return code, MISSING.sub(r"fatal error: \1 is Thrust's, which is not installed: install the package libthrust-dev, as "
                                     "ci/setup does", said)
        finally:
            with contextlib.suppress(OSError):
                os.remove(f"{compile_kernel.value_after(command, '-o')}.ii")
