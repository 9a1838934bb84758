# SPDX-License-Identifier: MIT
"""The directory that stands in for a CUDA Toolkit: the CPU model's headers and library, and how kernels are compiled with them."""

import contextlib
import os
import re
import sys

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import read_json
from kernelgate.base.own_command import toolkit_folder


# What g++, and the check for a CUDA Toolkit's headers, say of a header that is not there, with a pattern of its place and name.
ABSENT = re.compile(r"^(?P<place>\S+:\d+:\d+): fatal error: (?:(?P<name>\S+): No such file or directory"
                    r"|the CPU model does not support (?:\S*/include/)?(?P<other>\S+) \()", re.MULTILINE)
# How the headers and the files of libraries begin that the model has no part of.
LIBRARIES = (("cufft", "cuFFT"), ("cusparse", "cuSPARSE"), ("cusolver", "cuSOLVER"), ("cudnn", "cuDNN"), ("nccl", "NCCL"), ("nvrtc", "NVRTC"),
             ("cublasXt", "cuBLASXt"), ("cutensor", "cuTENSOR"), ("cutlass/", "CUTLASS"), ("cute/", "CUTLASS"),
             ("npp", "NPP"), ("nvjpeg", "nvJPEG"), ("nvshmem", "NVSHMEM"), ("nvml", "NVML"), ("nvidia-ml", "NVML"), ("cupti", "CUPTI"), ("cufile", "cuFile"),
             ("optix", "OptiX"), ("cudaGL", "OpenGL"), ("GL/", "OpenGL"), ("cuda_egl", "EGL"),
             ("cuda_d3d", "Direct3D"), ("vulkan/", "Vulkan"))


def missing_library(name):
    """The library that a header's name, or that of -l, is of, if the model has no part of it; else None."""
    return next((title for prefix, title in LIBRARIES if name.startswith(prefix)), None)


def word_absence(said, remedy, packages):
    """What the compiler says, as one line that names the library of a header that is not there; else as it is."""
    absent = ABSENT.search(said)
    name = absent and (absent["name"] or absent["other"])
    library = name and missing_library(name)
    # A CUDA Toolkit's own Thrust may be where g++ looks; the model's kernels take the distribution's.
    if name and name.startswith("thrust/") and (absent["name"] or not os.path.exists(f"{packages}/thrust")):
        return f"{absent['place']}: fatal error: {name} is Thrust's: install the package libthrust-dev, as ci/setup does\n"
    if library:
        return f"{absent['place']}: fatal error: {name} is of {library}, which the CPU model does not have: {remedy}\n"
    return said


class Toolkit:
    """What own_command.toolkit_folder() has."""

    def __init__(self):
        self.root = toolkit_folder()
        if not os.path.exists(f"{self.root}/lib64/libkernelgate_program.so"):
            raise Failure(f"nvcc: {self.root}: the CPU model's library is not there: build the target kernelgate_programs, or "
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
            return code, word_absence(said, compile_kernel.REMEDY, self.packages) if code else said
        finally:
            with contextlib.suppress(OSError):
                os.remove(f"{compile_kernel.value_after(command, '-o')}.ii")
