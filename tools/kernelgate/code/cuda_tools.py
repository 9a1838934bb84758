# SPDX-License-Identifier: MIT
"""The tools of the CUDA Toolkit, and the launches that a comparison's program lists."""

import os
import re
import shutil
import subprocess

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import list_of, text_of
from kernelgate.base.programs import NOTHING, ask_program

ARCHITECTURE = "[0-9]{2,3}a?"  # 90, or 90a of instructions of its own
LISTING_SECONDS = 120  # for a program to list its launches


def capability(target):
    """The compute capability "9.0" as the number 90; 0 if there is none."""
    match = re.fullmatch(r"([0-9]{1,2})\.([0-9])", text_of(target, "compute_capability"))
    return int(match[1] + match[2]) if match else 0


def find_tool(name):
    """The path of a program of the CUDA Toolkit, or None."""
    folders = [os.environ.get("PATH", ""), os.path.dirname(os.environ.get("CUDACXX", "")),
               os.path.join(os.environ["CUDA_HOME"], "bin") if os.environ.get("CUDA_HOME") else "", "/usr/local/cuda/bin"]
    return shutil.which(name, path=os.pathsep.join(filter(None, folders)))


def is_placed(launch):
    """Whether a launch has a grid and a block."""
    return all(len(list_of(launch, key)) == 3 and all(isinstance(size, int) for size in launch[key]) for key in ("grid", "block"))


def ask(program):
    """A program's launches, or None without a device."""
    return ask_program(program, "--launches", "launches", seconds=LISTING_SECONDS, stderr=subprocess.PIPE, ends=(0, NOTHING))


def file_of(listing, launch):
    """The name of the file with a launcher: "tiled" of "matmul_f32_tiled"."""
    launcher, prefix = text_of(launch, "launcher"), f"{text_of(listing, 'comparison')}_"
    return launcher[len(prefix):] if launcher.startswith(prefix) else launcher


def read_architectures(text):
    """ "90" and "80a" of "90,80a" or "sm_90,sm_80a"."""
    architectures = []
    for word in (text or "").split(",") if text else ():
        number = word[3:] if word.startswith("sm_") else word
        if not re.fullmatch(ARCHITECTURE, number):
            raise Failure(f'--arch {text}: "{number}" is not an architecture: give numbers, as in --arch 80,90')
        architectures.append(number)
    return architectures
