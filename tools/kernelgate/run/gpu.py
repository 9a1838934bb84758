# SPDX-License-Identifier: MIT
"""The GPU and the CUDA compiler of this machine, determined before anything is built. usage: python3 -m
kernelgate.run.gpu, which prints the names of the GPUs if they can be built for"""

import collections
import ctypes.util
import glob
import os
import shutil
from typing import NamedTuple

from kernelgate.base.command_line import print_output, run
from kernelgate.base.errors import Failure
from kernelgate.base.nvidia_driver import SECONDS, find_smi
from kernelgate.base.run_tool import run_tool
from kernelgate.run.machine import count_pci_gpus

NVCC_ADVICE = ("install the CUDA Toolkit, 12.4 or newer (https://developer.nvidia.com/cuda-downloads), and put nvcc on the PATH or its "
               "path into CUDACXX")


class Gpu(NamedTuple):
    state: str  # usable; broken: there is one, without a working driver; none
    text: str  # the GPUs' names, or the problem


def find_nvcc():
    """The CUDA compiler, which CMake finds in CUDACXX from here on; None if there is none."""
    toolkit = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    for candidate in (os.environ.get("CUDACXX"), "nvcc", f"{toolkit}/bin/nvcc", "/usr/local/cuda/bin/nvcc"):
        found = shutil.which(candidate) if candidate else None
        if found:
            os.environ["CUDACXX"] = found
            return found
    return None


def find_gpu():
    if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
        return Gpu("none", "CUDA_VISIBLE_DEVICES hides every GPU")
    smi = find_smi()
    said = ""
    if smi:
        done = run_tool([smi, "--query-gpu=name", "--format=csv,noheader"], SECONDS)
        answer = done.stdout.strip() if done is not None else f"no answer in {SECONDS} s"
        if done is not None and done.returncode == 0 and answer and not answer.startswith("No devices"):
            names = collections.Counter(sorted(answer.split("\n")))
            return Gpu("usable", ", ".join(name if count == 1 else f"{count} x {name}" for name, count in names.items()))
        said = f" (nvidia-smi: {answer.partition(chr(10))[0]})" if answer else ""
    for node in sorted(glob.glob("/dev/nvidia[0-9]*")):
        if smi is None and ctypes.util.find_library("cuda"):
            return Gpu("usable", node)
        return Gpu("broken", f"{node} is there, but its driver does not answer{said}")
    if count_pci_gpus(""):
        return Gpu("broken", f"an NVIDIA GPU is on the PCI bus, but its driver does not work{said}")
    return Gpu("none", "no NVIDIA GPU in this machine")


def need_gpu(where):
    """The text of a GPU that works and can be built for; `where` is the advice without one."""
    gpu = find_gpu()
    if gpu.state != "usable":
        raise Failure(f"there is no GPU to measure: {gpu.text}{where}")
    if not find_nvcc():
        raise Failure(f"no nvcc to build for the GPU ({gpu.text}): {NVCC_ADVICE}{where}")
    return gpu.text


def main(_arguments):
    print_output("gpu", need_gpu(""))
    return 0


if __name__ == "__main__":
    run(main)
