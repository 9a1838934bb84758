# SPDX-License-Identifier: MIT
"""The least time of a job on a GPU, from its work and the GPU's figures. Pure.

Each resource gives a bound, as in S. Williams, A. Waterman and D. Patterson, Roofline: an insightful visual
performance model for multicore architectures, 2009: the job's need of it, at the resource's peak rate. The largest
is the body's. docs/predicting.md has the assumptions of each."""

import statistics
from dataclasses import dataclass, field
from typing import Optional

SECTOR_BYTES = 32  # the smallest transfer of a memory request
WAVEFRONT_BYTES = 128  # moved at a time by a multiprocessor's L1 cache or shared memory
LOADS_MERGED = 4  # a compiler may merge four neighboring loads into a 128-bit one
BYTES_PER_WORD = 4  # that one 32-bit operation can process
MIB = 2**20

TOLERANCE = 0.05  # fraction by which a bound may exceed the measured time: measurements have noise
MEMORY_BOUND_FROM_NS = 10000.0  # the median leaves out cases that take less
COUNTERS = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors",
            "shared_load_wavefronts", "shared_store_wavefronts", "unique_bytes_read", "unique_bytes_written")
NO_WORK = "the suite states no work"


@dataclass
class Job:
    """The work of a job. None: unknown."""

    type: str = "float32"  # of the operands, by the harness's names of element types
    operations: Optional[float] = None  # minimum, whatever the kernel does; a multiply-add is two
    bytes: Optional[float] = None  # minimum, read once and written once
    bytes_to_device: Optional[float] = 0.0  # over the bus
    bytes_to_host: Optional[float] = 0.0
    blocks: Optional[float] = None  # of all its kernels
    counters: dict = field(default_factory=dict)  # the CPU model's, all of COUNTERS that are known

    def unique_bytes(self):
        """As counted, else the suite's minimum."""
        read, written = (self.counters.get(name) for name in ("unique_bytes_read", "unique_bytes_written"))
        return self.bytes if read is None or written is None else read + written


def _clocks_per_ns(figures, job):
    """The clock rate times the multiprocessors, at most as many as there are blocks."""
    multiprocessors = figures["multiprocessors"]
    if job.blocks is not None and job.blocks >= 1:
        multiprocessors = min(multiprocessors, job.blocks)
    return multiprocessors * figures["clock_mhz"] / 1000


# The rules: each returns ns, or as a text why there is no bound.


# For each element type: the figure, and how many of its operations equal one of the figure's.
_RATES = {"float32": ("float32_operations_per_clock", 1), "int32": ("int32_operations_per_clock", 1),
          "uint32": ("int32_operations_per_clock", 1), "int8": ("int32_operations_per_clock", BYTES_PER_WORD),
          "uint8": ("int32_operations_per_clock", BYTES_PER_WORD)}


def _compute(figures, job, _hot):
    if job.operations is None:
        return NO_WORK
    if job.operations == 0:
        return 0.0
    name, at_once = _RATES.get(job.type, (f"{job.type}_operations_per_clock", 1))
    if name not in figures:
        return f"the GPU has no {name}"
    return job.operations / (figures[name] * at_once * _clocks_per_ns(figures, job))


def _dram(figures, job, hot):
    needed = job.unique_bytes()
    if needed is None:
        return NO_WORK
    if hot and "l2_mib" not in figures:
        return "the GPU has no l2_mib"
    if hot:  # L2 keeps at most its size from launch to launch
        needed = max(0, needed - figures["l2_mib"] * MIB)
    return needed / figures["dram_gb_per_s"]


def _l2(figures, job, _hot):
    read, stored = (job.counters.get(name) for name in ("unique_bytes_read", "global_store_sectors"))
    # An L1 cache may serve repeated reads; each store goes through it, per sector.
    needed = job.unique_bytes() if read is None or stored is None else read + SECTOR_BYTES * stored
    if needed is None:
        return NO_WORK
    return needed / figures["l2_gb_per_s"] if "l2_gb_per_s" in figures else "the GPU has no l2_gb_per_s"


def _l1(figures, job, _hot):
    if not job.counters:
        return "its accesses are not counted"
    if "shared_bytes_per_clock" not in figures:
        return "the GPU has no shared_bytes_per_clock"
    count = job.counters
    # At least one for each request, which covers up to four sectors.
    wavefronts = sum(max(count[f"global_{kind}_requests"], count[f"global_{kind}_sectors"] * SECTOR_BYTES / WAVEFRONT_BYTES)
                     for kind in ("load", "store"))
    wavefronts += count["shared_load_wavefronts"] / LOADS_MERGED + count["shared_store_wavefronts"]
    return WAVEFRONT_BYTES * wavefronts / (figures["shared_bytes_per_clock"] * _clocks_per_ns(figures, job))


def _blocks(figures, job, _hot):
    if job.blocks is None:
        return "its blocks are not known"
    return 1000 * job.blocks / figures["blocks_per_us"] if "blocks_per_us" in figures else "the GPU has no blocks_per_us"


def _bus(figures, job, _hot):
    needed = max(job.bytes_to_device or 0, job.bytes_to_host or 0)  # both directions at once
    if needed == 0:
        return 0.0
    return needed / figures["bus_gb_per_s"] if "bus_gb_per_s" in figures else "the GPU has no bus_gb_per_s"


RULES = {"compute": _compute, "DRAM": _dram, "L2": _l2, "L1/shared": _l1, "blocks": _blocks, "bus": _bus}


@dataclass
class Prediction:
    bounds: dict  # ns by resource
    absent: dict  # the reason if there is no bound, by resource
    launch_ns: float

    @property
    def bound_by(self):
        """The resource of the largest bound; None if no bound is known."""
        return max(self.bounds, key=self.bounds.get, default=None)

    @property
    def body_ns(self):
        return self.bounds.get(self.bound_by)

    @property
    def total_ns(self):
        return None if self.body_ns is None else self.body_ns + self.launch_ns

    def is_memory_bound(self):
        return self.bound_by in ("DRAM", "L2")


def predict(figures, job, hot, launch_ns):
    """Predicts a job on a GPU with these figures. `hot`: L2 may hold data of the previous launch; else all data
    comes from DRAM and returns there."""
    found = {resource: rule(figures, job, hot) for resource, rule in RULES.items()}
    return Prediction({resource: bound for resource, bound in found.items() if not isinstance(bound, str)},
                      {resource: bound for resource, bound in found.items() if isinstance(bound, str)}, launch_ns)


@dataclass
class Measured:
    """A bound with the measured time."""

    case: str
    body_ns: Optional[float]
    measured_ns: float
    memory_bound: bool = False

    @property
    def share(self):
        return self.body_ns / self.measured_ns

    def is_violated(self):
        return self.body_ns is not None and self.body_ns > self.measured_ns * (1 + TOLERANCE)


class Held:
    """Bounds, compared with measured times."""

    def __init__(self, measured):
        self.measured = measured
        self.violated = [bound for bound in measured if bound.is_violated()]
        known = (bound for bound in measured if bound.body_ns is not None)
        self.nearest = max(known, key=lambda bound: bound.share, default=None)
        long = [bound for bound in measured if bound.memory_bound and bound.body_ns and bound.measured_ns > MEMORY_BOUND_FROM_NS]
        self.memory_bound = len(long)
        self.median = statistics.median(1 / bound.share for bound in long) if long else None
