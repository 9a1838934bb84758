# SPDX-License-Identifier: MIT
"""The NVIDIA driver's information about itself and its GPUs, from its libraries libcuda and NVML. Nothing here
changes a setting."""

import os
from dataclasses import dataclass
from typing import Optional

try:
    import ctypes
except ImportError:  # a Python that was built without libffi
    ctypes = None

from kernelgate.base.schemas import RESULTS, load_schema

NVML = "libnvidia-ml.so.1"
CUDA = "libcuda.so.1"
NOT_SUPPORTED = 3
INSUFFICIENT_SIZE = 7
DRIVER_NOT_LOADED = 9
LIBRARY_MISMATCH = 18
CLOCK_SM, CLOCK_MEMORY = 1, 2
TEXT_SIZE = 96
PROCESSES = 256  # maximum on one GPU

# The reasons for lower clocks that count as throttling, by NVML's documented bits. Idle GPUs and clocks set by hand do
# not.
THROTTLING = {int(bit): text for bit, text in load_schema(RESULTS)["$defs"]["case_entry"]["properties"]["gpu_state"]["properties"][
    "clock_reasons"]["x-throttling"].items()}


def _load(setting, name):
    if ctypes is None:
        raise OSError("this Python lacks the module ctypes: install a complete Python")
    return ctypes.CDLL(os.environ.get(setting) or name)


@dataclass
class Cuda:
    """libcuda's answers."""

    error: str = ""  # why it could not be loaded; "" if it was
    init: int = 0  # what cuInit() returned: 0 works
    version: int = 0  # supported by the driver, 13000 for 13.0; 0 if unknown


def ask_cuda():
    try:
        library = _load("KG_CUDA_LIBRARY", CUDA)
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
class Nvml:
    error: str = ""  # why NVML cannot be queried; "" if it can
    driver: str = ""
    count: int = 0
    gpus: tuple = ()  # the first GPUs


class _Library:
    def __init__(self, library):
        self._library = library

    def call(self, name, *arguments):
        """The result of a call; None if the driver is too old to have the function."""
        function = getattr(self._library, name, None)
        return None if function is None else function(*arguments)

    def error_text(self, code):
        function = getattr(self._library, "nvmlErrorString", None)
        if function is None:
            return "no reason given"
        function.restype = ctypes.c_char_p
        return (function(code) or b"no reason given").decode("utf-8", "replace")

    def text(self, name, *before):
        buffer = ctypes.create_string_buffer(TEXT_SIZE)
        return buffer.value.decode("utf-8", "replace") if self.call(name, *before, buffer, ctypes.c_uint(TEXT_SIZE)) == 0 else ""

    def number(self, name, *before, kind=None):
        value = (kind or ctypes.c_uint)()
        return value.value if self.call(name, *before, ctypes.byref(value)) == 0 else None

    def mode(self, name, device):
        """1 or 0 for a setting that also has a pending value; a GPU without the setting reports that it is not
        supported."""
        current, pending = ctypes.c_uint(), ctypes.c_uint()
        code = self.call(name, device, ctypes.byref(current), ctypes.byref(pending))
        return code, int(current.value != 0)

    def throttling(self, device):
        for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            reasons = self.number(name, device, kind=ctypes.c_ulonglong)
            if reasons is not None:
                return tuple(text for bit, text in THROTTLING.items() if reasons & bit)
        return ()

    def foreign_processes(self, device):
        """The number of other processes that compute on a GPU; the newer calls have longer entries."""
        for version, size in (("_v3", 24), ("_v2", 24), ("", 16)):
            count = ctypes.c_uint(PROCESSES)
            entries = ctypes.create_string_buffer(PROCESSES * size)
            code = self.call(f"nvmlDeviceGetComputeRunningProcesses{version}", device, ctypes.byref(count), entries)
            if code in (0, INSUFFICIENT_SIZE):
                starts = range(0, min(count.value, PROCESSES) * size, size)
                return sum(int.from_bytes(entries.raw[start:start + 4], "little") != os.getpid() for start in starts)
        return 0

    def gpu(self, index):
        device = ctypes.c_void_p()
        code = self.call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index), ctypes.byref(device))
        if code != 0:
            return Gpu(error=f"GPU {index}: the NVIDIA driver does not find it (NVML error {code}: {self.error_text(code)}): see "
                             "`nvidia-smi -L`")
        milliwatts = self.number("nvmlDeviceGetEnforcedPowerLimit", device)
        (ecc_code, ecc), (mig_code, mig) = (self.mode(f"nvmlDeviceGet{name}Mode", device) for name in ("Ecc", "Mig"))
        return Gpu(name=self.text("nvmlDeviceGetName", device), uuid=self.text("nvmlDeviceGetUUID", device),
                   temperature_c=self.number("nvmlDeviceGetTemperature", device, 0),
                   sm_clock_mhz=self.number("nvmlDeviceGetClockInfo", device, CLOCK_SM),
                   max_sm_clock_mhz=self.number("nvmlDeviceGetMaxClockInfo", device, CLOCK_SM),
                   memory_clock_mhz=self.number("nvmlDeviceGetClockInfo", device, CLOCK_MEMORY),
                   power_limit_w=None if milliwatts is None else milliwatts / 1000, ecc=ecc if ecc_code == 0 else None,
                   mig=mig if mig_code == 0 else 0 if mig_code == NOT_SUPPORTED else None, throttled=self.throttling(device),
                   foreign_processes=self.foreign_processes(device))


def ask_nvml(most):
    """NVML's information about `most` GPUs at most."""
    try:
        loaded = _load("KG_NVML_LIBRARY", NVML)
    except OSError as error:
        return Nvml(error=f"no NVIDIA driver here ({error}): install one if this machine has an NVIDIA GPU")
    library = _Library(loaded)
    for needed in ("nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2"):
        if not hasattr(loaded, needed):
            return Nvml(
                error=f"{os.environ.get('KG_NVML_LIBRARY') or NVML}: has no function {needed}: it is not NVML, or of a driver "
                "that is too old; install a newer NVIDIA driver")
    code = library.call("nvmlInit_v2")
    if code == DRIVER_NOT_LOADED:
        return Nvml(
            error=f"the NVIDIA driver is installed but not loaded (NVML: {library.error_text(code)}): load it, or restart the "
            "machine")
    if code != 0:
        cause = ("library and kernel module differ, as after an update: restart the machine" if code == LIBRARY_MISMATCH
                 else "see `nvidia-smi` and the kernel's log")
        return Nvml(error=f"a call of the NVIDIA driver failed (NVML error {code}: {library.error_text(code)}): {cause}")
    count = library.number("nvmlDeviceGetCount_v2") or 0
    nvml = Nvml(driver=library.text("nvmlSystemGetDriverVersion"), count=count,
                gpus=tuple(map(library.gpu, range(min(count, most)))))
    library.call("nvmlShutdown")
    return nvml
