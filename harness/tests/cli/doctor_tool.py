# SPDX-License-Identifier: MIT
"""Tests of `kernelgate doctor`: what it makes of facts, and the facts of machines made of scripts."""

import dataclasses
import os
import sys
import unittest

from command_fixture import FAKES, Folder

from kernelgate.run import doctor
from kernelgate.run.machine import BaselineFact, Facts, Program
from kernelgate.base.nvidia_driver import Cuda, Gpu, Smi

FAKE_NVML = os.path.join(FAKES, "libfake_nvml.so")
SMI = {"driver": "580.159.04", "name": "NVIDIA H200", "uuid": "GPU-fake-0", "temperature": "35", "clock": "1980", "clock_most": "1980",
       "memory": "3201", "limit": "700.00", "ecc": "Enabled", "mig": "Disabled", "throttled": "0x0000000000000001"}
VERSIONS = {"CMake": (3, 25), "Ninja": (1, 11), "C compiler": (12, 2), "C++ compiler": (12, 2), "pkg-config": (1, 8),
            "gcovr": (5, 2),
            "git": (2, 39), "criterion": (2, 4), "jansson": (2, 14), "libdw": (0, 188), "Chart.js": (3, 9), "tree-sitter": (0, 25)}
H200 = Gpu(name="NVIDIA H200", uuid="GPU-1234", temperature_c=35, sm_clock_mhz=1980, max_sm_clock_mhz=1980, memory_clock_mhz=3201,
           power_limit_w=700.0, ecc=1, mig=0)
STORED = BaselineFact("baselines/nvidia-h200.json", 24)
ABSENT = BaselineFact("baselines/nvidia-h200.json")
BAD = BaselineFact("x.json", error="x.json:3: no number")


def program(item, *numbers):
    return Program(True, True, "a-program", f"{item} {'.'.join(map(str, numbers))}", numbers)


def laptop(**more):
    """A machine with all that the CPU model needs, and no GPU."""
    programs = {item: program(item, *numbers) for item, numbers in VERSIONS.items()}
    return Facts(system="Debian 12", processors=2, programs=programs, boost_header=True,
                 boost_library="/usr/lib/libboost_context.so",
                 **more)


def gpu_machine(gpus=(H200,), baselines=(STORED,), count=None, **more):
    """A machine on which everything works."""
    facts = laptop(**{"cuda": Cuda(version=13000), "kernel_driver": "NVRM", "pci_gpus": 1, "device_nodes": 1,
                      "smi": Smi(driver="580.1", count=len(gpus) if count is None else count, gpus=tuple(gpus)),
                      "baselines": list(baselines), **more})
    facts.programs.update({item: program(item, 13, 0) for item in ("nvcc",)})
    return facts


def with_program(facts, item, **more):
    facts.programs[item] = dataclasses.replace(facts.program(item), **more)
    return facts


def without(facts, item):
    return with_program(facts, item, found=False)


def with_version(facts, item, *numbers):
    return with_program(facts, item, **dataclasses.asdict(program(item, *numbers)))


def changed(gpu, **more):
    return gpu_machine([dataclasses.replace(gpu, **more)])


class Judging(unittest.TestCase):
    # Facts; a line's item, health, text and advice; whether the model, and a GPU, can be gated; the last line.
    LINES = (
        (laptop(), "operating system", "ok", "Debian 12, 2 processors", "", True, False, "there is none"),
        (laptop(), "GPU", "note", "no NVIDIA GPU on this machine", "none is needed", True, False, "there is none"),
        (Facts(), "CMake", "lacks", "not found", "ci/setup", False, False, "there is none"),
        (Facts(), "Boost.Context", "lacks", "header and library are not found", "libboost", False, False, ""),
        (with_version(laptop(), "CMake", 3, 24), "CMake", "lacks", "CMake 3.24 is too old: 3.25 or newer", "3.25", False, False,
         ""),
        (with_version(laptop(), "CMake", 2, 99), "CMake", "lacks", "too old", "", False, False, ""),
        (with_version(laptop(), "CMake", 4, 0), "CMake", "ok", "CMake 4.0", "", True, False, ""),
        (with_version(laptop(), "criterion", 2, 3), "criterion", "lacks", "too old: 2.4", "libcriterion-dev", False, False, ""),
        (without(laptop(), "gcovr"), "gcovr", "note", "not found", "coverage", True, False, ""),
        (without(laptop(), "git"), "git", "note", "not found", "commit", True, False, ""),
        (without(laptop(), "tree-sitter"), "tree-sitter", "note", "not found", "kernelgate-setup", True, False, ""),
        (without(laptop(), "Chart.js"), "Chart.js", "note", "not found", "tables alone", True, False, ""),
        (dataclasses.replace(laptop(), boost_header=False), "Boost.Context", "lacks", "the header is not found", "", False, False,
         ""),
        (dataclasses.replace(laptop(), boost_library=""), "Boost.Context", "lacks", "the library is not found", "", False, False,
         ""),
        (laptop(model_baseline=BaselineFact("b/cpu-model.json", 1)), "baseline", "ok", "b/cpu-model.json: 1 case", "", True,
         False, ""),
        (laptop(model_baseline=BAD), "baseline", "lacks", "x.json:3: no number", "", True, False, ""),
        (with_version(laptop(), "nvcc", 13, 0), "GPU", "note", "though there is nvcc", "--gpus all", True, False,
         "there is none"),
        (with_version(laptop(), "nvcc", 11, 8), "nvcc", "note", "too old: 12.4", "12.4 or newer", True, False, "there is none"),
        (gpu_machine(), "NVIDIA driver", "ok", "580.1, supports CUDA up to 13.0", "", True, True,
         "can be gated: 1 x NVIDIA H200"),
        (gpu_machine(), "GPU 0", "ok", "NVIDIA H200, GPU-1234, 35 °C, SM clock 1980 MHz of 1980, memory clock 3201 "
                                       "MHz, power limit 700 W, "
                                       "ECC on, MIG off", "", True, True, ""),
        (gpu_machine(), "baseline", "ok", "nvidia-h200.json: 24 cases", "", True, True, ""),
        (without(gpu_machine(), "nvcc"), "nvcc", "lacks", "not found", "the CUDA Toolkit", True, False,
         "nvcc is missing or unfit"),
        (with_version(gpu_machine(), "nvcc", 12, 3), "nvcc", "lacks", "too old", "", True, False, "nvcc is missing or unfit"),
        (with_version(gpu_machine(), "nvcc", 14, 0), "toolkit and driver", "lacks",
         "the toolkit (CUDA 14.0) is newer than the driver supports (CUDA 13.0)", "a toolkit of CUDA 13", True, False,
         "is newer"),
        (with_version(gpu_machine(), "nvcc", 13, 1), "toolkit and driver", "note", "CUDA 13.1) is newer", "within CUDA 13", True,
         True, ""),
        (with_version(gpu_machine(cuda=Cuda()), "nvcc", 14, 0), "nvcc", "ok", "14.0", "", True, True, "can be gated"),
        (without(gpu_machine(), "Ninja"), "Ninja", "lacks", "not found", "", False, False, "what the build needs is missing"),
        (with_version(laptop(pci_gpus=1, cuda=Cuda("no file")), "nvcc", 13, 0), "NVIDIA driver", "lacks",
         "on the PCI bus, but there is no driver (no file)", "install NVIDIA's driver", True, False,
         "the NVIDIA driver does not work"),
        (gpu_machine(cuda=Cuda("no file")), "NVIDIA driver", "lacks", "but libcuda.so.1 is not there", "capability compute", True,
         False, ""),
        (gpu_machine(cuda=Cuda(init=999), kernel_driver=""), "NVIDIA driver", "lacks", "is not loaded (cuInit: error 999)",
         "modprobe",
         True, False, ""),
        (gpu_machine(cuda=Cuda(init=100), device_nodes=2, locked_nodes=1), "NVIDIA driver", "lacks", "may not open 1 of 2",
         "group", True,
         False, ""),
        (gpu_machine(cuda=Cuda(init=100)), "NVIDIA driver", "lacks", "error 100", "CUDA_VISIBLE_DEVICES", True, False, ""),
        (gpu_machine(cuda=Cuda(init=802)), "NVIDIA driver", "lacks", "error 802", "fabricmanager", True, False, ""),
        (gpu_machine(cuda=Cuda(init=46)), "NVIDIA driver", "lacks", "error 46", "nvidia-smi", True, False, ""),
        (changed(H200, throttled=("hardware slowdown",)), "GPU 0", "note", "throttled: hardware slowdown", "environment", True,
         True, ""),
        (changed(H200, throttled=("hardware slowdown",), foreign_processes=1), "GPU 0", "note", ", 1 process computing",
         "power supply; times will be noisy", True, True, ""),
        (changed(H200, foreign_processes=2), "GPU 0", "note", ", 2 processes computing on it", "times will be noisy", True, True,
         ""),
        (changed(Gpu(error="GPU 0: lost")), "GPU 0", "lacks", "GPU 0: lost", "nvidia-smi", True, False, "no GPU answers"),
        (changed(Gpu()), "GPU 0", "ok", "a GPU without a name", "", True, True, ""),
        (gpu_machine(baselines=[ABSENT]), "baseline", "note", "nvidia-h200.json: there is none", "kernelgate rebaseline", True, True,
         "1 x NVIDIA H200 (once it has a baseline that can be read)"),
        (gpu_machine(baselines=[BAD]), "baseline", "lacks", "x.json:3", "", True, True, "(once it has a baseline"),
        (gpu_machine((), smi=Smi(error="no nvidia-smi")), "GPUs", "note", "no nvidia-smi", "utility", True, True,
         "can be gated"),
        (gpu_machine([H200] * 16, [STORED] * 16, 32), "GPU 15", "ok", "NVIDIA H200", "", True, True,
         "can be gated: 32 x NVIDIA H200; kernelgate gate spreads its tests over these 32 boards"),
        (gpu_machine([H200, dataclasses.replace(H200, name="NVIDIA A100"), H200, Gpu(error="lost"), H200],
                     [STORED, ABSENT, BAD, BaselineFact(), STORED]), "GPU 3", "lacks", "lost", "", True, True,
         "can be gated: 2 x NVIDIA H200, 1 x NVIDIA A100 (once it has a baseline that can be read), 1 x NVIDIA H200 (once "
         "it has a baseline "
         "that can be read); kernelgate gate spreads its tests over these 4 boards"),
    )

    def test_lines(self):
        for facts, item, health, found, advice, model, gpu, last in self.LINES:
            with self.subTest(item=item, found=found):
                diagnosis = doctor.Diagnosis(facts)
                line = next(line for line in diagnosis.lines if line.item == item)
                self.assertEqual((line.health, diagnosis.model, diagnosis.gpu), (health, model, gpu))
                for part, text in ((found, line.found), (advice, line.advice), (last, diagnosis.gpu_text)):
                    self.assertIn(part, text)
                if health == "ok":
                    self.assertEqual(line.advice, "")

    def test_each_thing_that_the_model_needs(self):
        for item in doctor.NEEDED:
            for facts, found in ((without(laptop(), item), "not found"),
                                 (with_program(laptop(), item, works=False), "a-program does not work: ")):
                diagnosis = doctor.Diagnosis(facts)
                line = next(line for line in diagnosis.lines if line.item == item)
                self.assertEqual((line.health, diagnosis.model), ("lacks", False))
                self.assertIn(found, line.found)
                self.assertEqual(diagnosis.model_text, f"cannot be gated: {item} is missing or unfit")

    def test_what_is_not_worth_a_line(self):
        self.assertFalse({line.item for line in doctor.Diagnosis(laptop()).lines} & {"nvcc", "baseline", "GPUs"})
        self.assertEqual({line.health for line in doctor.Diagnosis(gpu_machine()).lines}, {"ok"})
        self.assertNotIn("GPU 16", [line.item for line in doctor.Diagnosis(gpu_machine([H200] * 16, [STORED] * 16, 32)).lines])


class Machines(Folder):
    def setUp(self):
        super().setUp()
        os.makedirs("bin")
        os.makedirs("root")
        os.symlink(sys.executable, "bin/python3")
        self.environment.update(PATH=os.path.abspath("bin"), KG_CUDA_LIBRARY="/nowhere/x",
                                KG_CHART_JS="chart.js")
        for name in ("CUDA_HOME", "CUDACXX"):
            self.environment.pop(name, None)

    def make_program(self, path, line, code=0):
        self.write(path, f"#!/bin/sh\necho '{line}'\nexit {code}\n")
        os.chmod(path, 0o755)

    def make_machine(self):
        """One with everything."""
        for name, line in (("cmake", "cmake version 3.25.1"), ("ninja", "1.11.1"), ("cc", "cc (Debian 12.2.0-14) 12.2.0"),
                           ("pkg-config", "2.4.1"), ("gcovr", "gcovr 5.2"), ("git", "git version 2.39.5"),
                           ("g++", "/usr/lib/libboost_context.so 12.2"),
                           ("nvcc", "Cuda compilation tools, release 13.0, V13.0.88")):
            self.make_program(f"bin/{name}", line)
        for path, text in (("chart.js", "/*!\n * Chart.js v3.9.1\n */\n"),
                           ("root/etc/os-release", 'NAME=Test\nPRETTY_NAME="Test OS 1"\n'),
                           ("root/proc/driver/nvidia/version", "NVRM version\n"), ("root/dev/nvidia0", ""),
                           ("root/dev/nvidiactl", ""),
                           ("root/sys/bus/pci/devices/0000:19:00.0/vendor", "0x10de\n"),
                           ("root/sys/bus/pci/devices/0000:19:00.0/class", "0x030200\n")):
            self.write(path, text)
        self.environment.update(KG_CUDA_LIBRARY=FAKE_NVML)
        self.make_smi()

    def make_smi(self, processes="", lines=1, **changes):
        """An nvidia-smi of this many GPUs, with other figures."""
        gpu = {**SMI, **changes}
        busy, line = f"GPU-fake-0, {processes}" if processes else "", ", ".join(gpu.values()) + "\\n"
        self.write("bin/nvidia-smi", f"#!/bin/sh\ncase $1 in *compute-apps*) printf '{busy}' ;; *) printf '{line * lines}' ;; esac\n")
        os.chmod("bin/nvidia-smi", 0o755)

    def doctor(self, code, *lines, **settings):
        output = self.expect(code, "", "doctor", "--root", "root", **settings)
        for line in lines:
            self.assertIn(line, output)

    def test_everything(self):
        self.make_machine()
        self.write("baselines/nvidia-h200.json", {"schema": "kernelgate-baseline/2", "cases": {},
                                                  "target": {"key": "nvidia-h200", "name": "NVIDIA H200"}})
        self.doctor(0, "ok     operating system   Test OS 1, Linux ", "ok     C compiler         cc (Debian 12.2.0-14) 12.2.0\n",
                    "ok     criterion          2.4.1\n", "ok     NVIDIA driver      580.159.04, supports CUDA up to 13.0\n",
                    "ok     nvcc               Cuda compilation tools, release 13.0, V13.0.88\n",
                    "ok     GPU 0              NVIDIA H200, GPU-fake-0, 35 °C, SM clock 1980 MHz of 1980, memory clock 3201 "
                    "MHz, power limit 700 W, ECC on, MIG off\n", "baselines/nvidia-h200.json: 0 cases\n",
                    "ok     Chart.js           Chart.js v3.9.1, chart.js\n",
                    "ok     tree-sitter        tree-sitter and tree-sitter-cuda\n",
                    "\nCPU model: can be gated\nGPU: can be gated: 1 x NVIDIA H200\n")
        self.doctor(0, "\033[32mok\033[0m     criterion", CLICOLOR_FORCE="1")

    def test_what_is_wrong_with_a_gpu(self):
        self.make_machine()
        for changes, plan, lines in (
                ({"throttled": "0x0000000000000040", "processes": "1\\nGPU-fake-0, 2\\n"}, "cuda=12080", (
                    "note   GPU 0 ", "throttled: hardware thermal slowdown, 2 processes computing on it\n",
                    "note   baseline           baselines/nvidia-h200.json: there is none\n", "lacks  toolkit and driver",
                    "GPU: cannot be gated: the toolkit is newer than the driver\n")),
                ({"throttled": "0x0000000000000101"}, "", ("ok     GPU 0 ",)),
                ({"mig": "[N/A]", "temperature": "N/A", "limit": "[Not Supported]"}, "", (
                    "GPU-fake-0, SM clock 1980 MHz of 1980, memory clock 3201 MHz, ECC on\n",)),
                ({"lines": 12}, "", ("ok     GPU 11", "12 x NVIDIA H200"))):
            self.make_smi(**changes)
            self.doctor(0, *lines, KG_FAKE_NVML=plan)
        self.doctor(0, "does not start (cuInit: error 803)\n", "library and kernel module differ", KG_FAKE_NVML="cuda_init=803")
        for text in ("Failed to initialize NVML: Driver/library version mismatch", "No devices were found"):
            self.make_program("bin/nvidia-smi", text, 9)
            self.doctor(0, f"note   GPUs               nvidia-smi: {text}\n")
        self.make_program("bin/nvidia-smi", "Unable to determine the device handle for GPU 0\n" + ", ".join(SMI.values()), 15)
        self.doctor(0, "lacks  GPU 0              Unable to determine the device handle", "ok     GPU 1 ")
        os.unlink("bin/nvidia-smi")
        self.doctor(0, "there is no nvidia-smi on the PATH")
        self.doctor(0, "does not start (cuInit: error -1)", KG_CUDA_LIBRARY="libm.so.6")
        self.doctor(0, "is loaded, but libcuda.so.1 is not there", KG_CUDA_LIBRARY="/nowhere/x")
        os.unlink("root/proc/driver/nvidia/version")
        self.doctor(0, "an NVIDIA device is on the PCI bus, but there is no driver", KG_CUDA_LIBRARY="/nowhere/x")

    def test_a_bare_machine(self):
        self.doctor(2, "ok     operating system   unknown system, Linux", "lacks  CMake              not found\n",
                    "-> run ci/setup, or install cmake 3.25 or newer\n",
                    "note   GPU                no NVIDIA GPU on this machine\n",
                    "CPU model: cannot be gated: CMake is missing or unfit\n", "GPU: cannot be gated: there is none\n")
        self.doctor(2, "not found", TMPDIR="/nowhere")

    def test_programs_that_do_not_work(self):
        self.make_machine()
        self.make_program("bin/cmake", "cmake: cannot load libfoo", 127)
        self.write("bin/ninja", "#!/bin/sh\necho in $LC_ALL\n")
        self.make_program("bin/gcovr", "gcovr 99999999999999999999.1 5.2")
        self.write("bin/git", "no program")
        os.chmod("bin/git", 0o755)
        self.write("baselines/cpu-model.json", "{")
        self.write("chart.js", "another's\n")
        self.doctor(2, "lacks  CMake              cmake does not work: cmake: cannot load libfoo\n",
                    "ok     Ninja              in C\n",
                    "git does not work: Exec format error", "ok     C compiler         cc (Debian",
                    "lacks  C++ compiler       not found\n",
                    "lacks  baseline           baselines/cpu-model.json:1: ", "Chart.js           not found\n",
                    CC="cc -m64", CXX="no-such-compiler")

    def test_a_library_that_the_compiler_does_not_find(self):
        self.make_machine()
        self.make_program("bin/g++", "libboost_context.so")
        self.doctor(2, "lacks  Boost.Context      the library is not found\n")

    def test_where_the_toolkit_is(self):
        self.make_machine()
        os.unlink("bin/nvcc")
        self.doctor(0, "lacks  nvcc               not found\n")
        self.make_program("root/usr/local/cuda/bin/nvcc", "nvcc: NVIDIA (R)'\necho 'tools, release 12.8, V12.8")
        self.doctor(0, "ok     nvcc               tools, release 12.8, V12.8\n")

    def test_a_document(self):
        self.make_machine()
        self.write("bin/git", "#!/bin/sh\nprintf 'git \\377 version 2\\n'\n")
        document = self.small_document(0, "doctor", "--json", "--root", "root")
        self.assertEqual((document["schema"], document["model"], document["gpu"]), ("kernelgate-doctor/1", True, True))
        self.assertIn({"item": "git", "health": "ok", "found": "git \ufffd version 2", "advice": ""}, document["items"])

    def test_refusals(self):
        self.refuse("kernelgate: doctor: --root /nosuch: there is no such folder: name the mount point of the image\n", "doctor",
                    "--root",
                    "/nosuch")
        self.write("file", "")
        self.refuse("doctor: --root file: there is no such folder", "doctor", "--json", "--root", "file")
