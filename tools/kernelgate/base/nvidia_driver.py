# SPDX-License-Identifier: MIT
"""What NVIDIA's driver says of itself and of its GPUs, by libcuda and nvidia-smi. Nothing here changes a setting."""

import os
import re
import shutil
from dataclasses import dataclass
from typing import Optional

try:
    import ctypes
except ImportError:  # a Python that was built without libffi
    ctypes = None

from kernelgate.base.run_tool import run_tool
from kernelgate.base.schemas import RESULTS, load_schema

CUDA = "libcuda.so.1"
SECONDS = 60
FIELDS = ("driver_version", "name", "uuid", "temperature.gpu", "clocks.current.sm", "clocks.max.sm", "clocks.current.memory",
          "enforced.power.limit", "ecc.mode.current", "mig.mode.current", "clocks_throttle_reasons.active")
MODES = {"Enabled": 1, "Disabled": 0}

# The reasons for lower clocks that count as throttling, by NVML's documented bits. Idle GPUs and clocks set by hand do
# not.
THROTTLING = {int(bit): text for bit, text in load_schema(RESULTS)["$defs"]["case_entry"]["properties"]["gpu_state"]["properties"][
    "clock_reasons"]["x-throttling"].items()}


@dataclass
class Cuda:
    """libcuda's answers."""

    error: str = ""  # why it could not be loaded; "" if it was
    init: int = 0  # what cuInit() returned: 0 works
    version: int = 0  # supported by the driver, 13000 for 13.0; 0 if unknown


def ask_cuda():
    if ctypes is None:
        return Cuda(error="this Python lacks the module ctypes: install a complete Python")
    try:
        library = ctypes.CDLL(os.environ.get("KG_CUDA_LIBRARY") or CUDA)
    except OSError as error:
        return Cuda(error=str(error))
    version = ctypes.c_int()
    init = library.cuInit(0) if hasattr(library, "cuInit") else -1
    known = hasattr(library, "cuDriverGetVersion") and library.cuDriverGetVersion(ctypes.byref(version)) == 0
    return Cuda(init=init, version=version.value if known else 0)


@dataclass
class Gpu:
    """A GPU's state; None for figures that it does not report."""

    error: str = ""  # the GPU does not answer
    name: str = ""
    uuid: str = ""
    temperature_c: Optional[int] = None
    sm_clock_mhz: Optional[int] = None
    max_sm_clock_mhz: Optional[int] = None
    memory_clock_mhz: Optional[int] = None
    power_limit_w: Optional[float] = None
    ecc: Optional[int] = None
    mig: Optional[int] = None
    throttled: tuple = ()  # the reasons
    foreign_processes: int = 0  # other processes that compute on it


@dataclass
class Smi:
    """nvidia-smi's answers."""

    error: str = ""  # why it cannot be asked; "" if it can
    driver: str = ""
    count: int = 0
    gpus: tuple = ()  # the first GPUs


def find_smi():
    """The path of nvidia-smi; None if there is none."""
    return next(filter(None, map(shutil.which, ("nvidia-smi", "/usr/local/nvidia/bin/nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi"))), None)


def _number(text):
    """A figure; None of "[N/A]" and the like."""
    return int(text) if text.isdecimal() else float(text) if re.fullmatch(r"[0-9]+\.[0-9]+", text) else None


def _gpu(line, processes):
    """A GPU from a line of FIELDS, and the lines of all processes that compute."""
    fields = line.split(", ")
    if len(fields) != len(FIELDS):
        return Gpu(error=line)
    _, name, uuid, *figures, ecc, mig, reasons = fields
    active = int(reasons, 16) if re.fullmatch("0x[0-9a-fA-F]+", reasons) else 0
    return Gpu("", name, uuid, *map(_number, figures), MODES.get(ecc), MODES.get(mig),
               tuple(text for bit, text in THROTTLING.items() if active & bit), sum(process.startswith(uuid) for process in processes))


def ask_smi(most):
    """nvidia-smi's answers about `most` GPUs at most."""
    smi = find_smi()
    if smi is None:
        return Smi(error="there is no nvidia-smi on the PATH")
    form = "--format=csv,noheader,nounits"
    done, busy = (run_tool([smi, f"--query-{what}", form], SECONDS) for what in (f"gpu={','.join(FIELDS)}", "compute-apps=gpu_uuid,pid"))
    lines = [line for line in done.stdout.splitlines() if line] if done is not None else []
    if not any(", " in line for line in lines):
        return Smi(error=f"nvidia-smi: {lines[0] if lines else f'no answer in {SECONDS} s'}")
    processes = [line for line in busy.stdout.splitlines() if not line.endswith(f", {os.getpid()}")] if busy is not None else []
    gpus = [_gpu(line, processes) for line in lines[:most]]
    return Smi("", next((line.partition(", ")[0] for line in lines if ", " in line), ""), len(lines), tuple(gpus))
