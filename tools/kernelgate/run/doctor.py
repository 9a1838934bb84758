# SPDX-License-Identifier: MIT
"""kernelgate doctor: checks this machine for the requirements of a gate, with advice."""

import os
import sys
from dataclasses import asdict, dataclass

from kernelgate.base import color
from kernelgate.baseline.file import default_folder
from kernelgate.base.command_line import add_json, print_output
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import json_text
from kernelgate.base.figures import plural, show_figure
from kernelgate.run.machine import collect
from kernelgate.base.text import clean

# The oldest versions that work: CMake's presets with workflows, Criterion's new assertions, CUDA's launch attributes and C++17.
OLDEST = {"CMake": (3, 25), "criterion": (2, 4), "nvcc": (12, 4)}

NEEDED = {
    "CMake": "run ci/setup, or install cmake 3.25 or newer",
    "Ninja": "run ci/setup, or install ninja",
    "C compiler": "run ci/setup, or install gcc",
    "C++ compiler": "run ci/setup, or install g++",
    "pkg-config": "run ci/setup, or install pkg-config",
    "criterion": "run ci/setup, or install libcriterion-dev",
    "jansson": "run ci/setup, or install libjansson-dev",
    "libdw": "run ci/setup, or install libdw-dev",
}
USEFUL = {
    "tree-sitter": "without it kernels that have <<<>>>, inline PTX or extern __shared__ are not compiled: run ci/setup, or kernelgate-setup",
    "Chart.js": "without it a run's page has tables alone: run ci/setup, or install libjs-chart.js",
    "gcovr": "only ci/test's coverage figure needs it: run ci/setup, or install gcovr",
    "git": "without it results do not name their commit: run ci/setup, or install git",
}

# Advice for errors of cuInit().
INIT_ADVICE = {
    100: "the driver sees no GPU: in a container start it with --gpus all; see also CUDA_VISIBLE_DEVICES",
    802: "the GPUs' fabric is not ready: start nvidia-fabricmanager",
    803: "library and kernel module differ, for example after an update: restart the machine",
}
OTHER_INIT_ADVICE = "see `nvidia-smi` and the kernel's log; a restart of the machine may help"


@dataclass
class Line:
    item: str
    health: str  # ok; note: works, or is not needed by every gate; lacks: prevents a gate
    found: str
    advice: str = ""


class Diagnosis:
    """The conclusions for a gate from the facts of a machine."""

    def __init__(self, facts):
        self.facts = facts
        self.lines = []
        self._add("operating system", "ok", f"{facts.system}, {plural(facts.processors, 'processor')}")
        missing = self._judge_build()
        self.model = missing is None
        self.model_text = "can be gated" if self.model else f"cannot be gated: {missing} is missing or unfit"
        # The model's counters need a baseline, but its checks do not, so an absent one is not reported.
        if facts.model_baseline.is_read or facts.model_baseline.error:
            self._judge_baseline(facts.model_baseline)
        self.gpu = False
        self.gpu_text = self._judge_gpu()

    def _add(self, item, health, found, advice=""):
        self.lines.append(Line(item, health, found, advice))

    def _judge_program(self, item, lack, advice):
        """Whether a program or package works and is new enough."""
        program, oldest = self.facts.program(item), OLDEST.get(item, (0, 0))
        if not program.found:
            found = "not found"
        elif not program.works:
            found = f"{program.path} does not work{': ' if program.version else ''}{program.version}"
        elif program.numbers < oldest:
            found = f"{program.version} is too old: {oldest[0]}.{oldest[1]} or newer is needed"
        else:
            self._add(item, "ok", program.version)
            return True
        self._add(item, lack, found, advice)
        return False

    def _judge_build(self):
        """The first missing requirement of the build; None if it has all."""
        lacking = [item for item, advice in NEEDED.items() if not self._judge_program(item, "lacks", advice)]
        for item, advice in USEFUL.items():
            self._judge_program(item, "note", advice)
        header, library = self.facts.boost_header, self.facts.boost_library
        if header and library:
            self._add("Boost.Context", "ok", f"header and library: {library}")
        else:
            what = "the library is" if header else "the header is" if library else "header and library are"
            self._add("Boost.Context", "lacks", f"{what} not found", "run ci/setup, or install libboost-context-dev")
            lacking.append("Boost.Context")
        return lacking[0] if lacking else None

    def _judge_baseline(self, fact, absent=""):
        if fact.is_read:
            self._add("baseline", "ok", f"{fact.path}: {plural(fact.cases, 'case')}")
        elif fact.error:
            self._add("baseline", "lacks", fact.error)  # which includes the remedy
        else:
            self._add("baseline", "note", f"{fact.path}: there is none", absent)

    def _judge_gpu(self):
        """The last line: the possible gates, or why there is none."""
        facts = self.facts
        if not (facts.pci_gpus or facts.device_nodes or facts.kernel_driver or facts.smi.count):
            self._report_no_gpu()
            return "cannot be gated: there is none"
        reasons = [self._judge_driver()]
        driver_works = reasons[0] is None
        reasons.append(self._judge_toolkit(driver_works))
        answering = self._judge_devices()
        if driver_works and not facts.smi.error and answering == 0:
            reasons.append("no GPU answers")
        if not self.model:
            reasons.append("what the build needs is missing, as above")
        reason = next(filter(None, reasons), None)
        self.gpu = reason is None
        if not self.gpu:
            return f"cannot be gated: {reason}"
        return f"can be gated: {self._describe_gpus()}" if facts.smi.count else "can be gated"

    def _report_no_gpu(self):
        nvcc = self.facts.program("nvcc")
        if nvcc.works:
            self._add("GPU", "note", "no NVIDIA GPU on this machine, though there is nvcc",
                      "GPU programs are built here and can run elsewhere; in a container, start it with --gpus all")
        else:
            self._add("GPU", "note", "no NVIDIA GPU on this machine", "none is needed: the CPU model can be gated")
        if nvcc.found:
            self._judge_program("nvcc", "note", "install the CUDA Toolkit, 12.4 or newer, or take this one off PATH")

    def _judge_driver(self):
        """Judges the driver's three parts: kernel module, device nodes and libcuda. Why it does not work; None if it
        does."""
        facts, cuda = self.facts, self.facts.cuda
        if not cuda.error and cuda.init == 0:
            version = f"{facts.smi.driver}, " if facts.smi.driver else ""
            self._add("NVIDIA driver", "ok", f"{version}supports CUDA up to {cuda.version // 1000}.{cuda.version % 1000 // 10}")
            return None
        if cuda.error and not facts.kernel_driver:
            fault = (f"an NVIDIA device is on the PCI bus, but there is no driver ({cuda.error})",
                     "install NVIDIA's driver; in a container, start it with --gpus all")
        elif cuda.error:
            fault = (
                f"the kernel module is loaded, but libcuda.so.1 is not there ({cuda.error})",
                "install the driver's libraries (libcuda1); in a container, start it with --gpus all and the capability compute")
        elif not facts.kernel_driver:
            fault = (f"libcuda.so.1 is there, but the kernel module is not loaded (cuInit: error {cuda.init})",
                     "load it (modprobe nvidia), or restart the machine")
        elif facts.locked_nodes:
            fault = (f"this user may not open {facts.locked_nodes} of {facts.device_nodes} devices /dev/nvidia* (cuInit: error "
                     f"{cuda.init})", "give the user read and write access, often by the group video or render")
        else:
            fault = f"does not start (cuInit: error {cuda.init})", INIT_ADVICE.get(cuda.init, OTHER_INIT_ADVICE)
        self._add("NVIDIA driver", "lacks", *fault)
        return "the NVIDIA driver does not work"

    def _judge_toolkit(self, driver_works):
        """Why the toolkit does not work here; None if it does."""
        if not self._judge_program(
                "nvcc", "lacks", "install the CUDA Toolkit, 12.4 or newer and no newer than the driver supports; put "
                "its bin folder on PATH"):
            return "nvcc is missing or unfit"
        toolkit, version = self.facts.program("nvcc").numbers, self.facts.cuda.version
        driver = version // 1000, version % 1000 // 10
        if not driver_works or version == 0 or toolkit <= driver:
            return None
        found = "the toolkit (CUDA {}.{}) is newer than the driver supports (CUDA {}.{})".format(*toolkit, *driver)
        if toolkit[0] == driver[0]:
            self._add("toolkit and driver", "note", found, f"within CUDA {driver[0]} this works for code compiled for the GPU's "
                                                           "architecture; to be sure, update the driver")
            return None
        self._add("toolkit and driver", "lacks", found,
                  f"programs will not start: update the driver, or use a toolkit of CUDA {driver[0]}")
        return "the toolkit is newer than the driver"

    def _judge_devices(self):
        """How many of the described GPUs answer."""
        smi = self.facts.smi
        if smi.error:
            self._add("GPUs", "note", smi.error, "without it clocks and throttling are unknown: install all of the driver; in a container, "
                                                 "allow the capability utility")
        for index, (gpu, baseline) in enumerate(zip(smi.gpus, self.facts.baselines)):
            self._judge_device(index, gpu, baseline)
        return sum(not gpu.error for gpu in smi.gpus)

    def _judge_device(self, index, gpu, baseline):
        """Describes a GPU and any disturbance of measurements on it."""
        if gpu.error:
            self._add(f"GPU {index}", "lacks", gpu.error,
                      "see `nvidia-smi`; a GPU that fell off the bus needs a restart of the machine")
            return
        found, advice = describe_gpu(gpu), []
        if gpu.throttled:
            found += f", throttled: {', '.join(gpu.throttled)}"
            advice.append('slowdowns will be judged "environment": let it cool down, check its power supply')
        if gpu.foreign_processes:
            found += f", {plural(gpu.foreign_processes, 'process', 'es')} computing on it"
            advice.append("times will be noisy: stop the other processes")
        self._add(f"GPU {index}", "note" if advice else "ok", found, "; ".join(advice))
        self._judge_baseline(baseline,
                             "kernels are checked and timed, and no time is judged: record a baseline with kernelgate rebaseline")

    def _describe_gpus(self):
        """How many GPUs of each model can be gated. Those beyond the described ones count as the last one's model."""
        kinds = [(gpu.name, baseline.is_read, bool(baseline.error)) if not gpu.error else None
                 for gpu, baseline in zip(self.facts.smi.gpus, self.facts.baselines)]
        kinds += [kinds[-1]] * (self.facts.smi.count - len(kinds))
        texts = [f"{kinds.count(kind)} x {kind[0]}{'' if kind[1] else ' (once it has a baseline that can be read)'}"
                 for kind in dict.fromkeys(kinds) if kind is not None]
        answering = sum(kind is not None for kind in kinds)
        several = (f"; kernelgate gate spreads its tests over these {answering} boards, or those that CUDA_VISIBLE_DEVICES names"
                   if answering > 1 else "")
        return ", ".join(texts) + several


def describe_gpu(gpu):
    of_clock = f" of {gpu.max_sm_clock_mhz}" if gpu.max_sm_clock_mhz is not None else ""
    parts = [
        gpu.name or "a GPU without a name",
        gpu.uuid,
        "" if gpu.temperature_c is None else f"{gpu.temperature_c} °C",
        "" if gpu.sm_clock_mhz is None else f"SM clock {gpu.sm_clock_mhz} MHz{of_clock}",
        "" if gpu.memory_clock_mhz is None else f"memory clock {gpu.memory_clock_mhz} MHz",
        "" if gpu.power_limit_w is None else f"power limit {show_figure(gpu.power_limit_w, 'W')}",
        "" if gpu.ecc is None else f"ECC {'on' if gpu.ecc else 'off'}",
        "" if gpu.mig is None else f"MIG {'on' if gpu.mig else 'off'}",
    ]
    return ", ".join(filter(None, parts))


def render(diagnosis, as_json):
    if as_json:
        return json_text({
            "schema": "kernelgate-doctor/1", "items": [asdict(line) for line in diagnosis.lines], "model": diagnosis.model,
            "gpu": diagnosis.gpu, "model_text": diagnosis.model_text, "gpu_text": diagnosis.gpu_text
        })
    text, colored = "", color.is_wanted(sys.stdout)
    for line in diagnosis.lines:
        word = color.paint(line.health, color.OF_WORDS[line.health] if colored else None)
        text += f"{word}{'':{5 - len(line.health)}}  {line.item:18} {clean(line.found)}\n"
        if line.advice:
            text += f"{'':5}  {'':18} -> {line.advice}\n"
    return f"{text}\nCPU model: {diagnosis.model_text}\nGPU: {clean(diagnosis.gpu_text)}\n"


def add_arguments(parser):
    add_json(parser)
    parser.add_argument("--baselines", metavar="DIR", help="the folder of the baselines (default: KG_BASELINES, else ./baselines)")
    parser.add_argument("--root", metavar="DIR", help="look for system files below DIR, as of a mounted image")
    parser.epilog = """\
exit: 0 at least the CPU model can be gated here; 2 it cannot
"""


def main(options):
    root = options.root or ""
    if root and not os.path.isdir(root):  # otherwise every fact would be absent
        raise Failure(f"doctor: --root {root}: there is no such folder: name the mount point of the image")
    diagnosis = Diagnosis(collect(root, options.baselines or default_folder()))
    print_output("doctor", render(diagnosis, options.json))
    return 0 if diagnosis.model else 2
