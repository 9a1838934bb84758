# SPDX-License-Identifier: MIT
"""Results documents for the tests of what is made of them. The figures are round, so that what is to come of them can be seen."""

import os

for setting in ("KG_FILTER", "KG_OUT", "KG_STRICT", "GITHUB_ACTIONS", "GITHUB_WORKSPACE"):
    os.environ.pop(setting, None)

GPU, MODEL = "nvidia-h200", "cpu-model"
HOSTILE = ("</script></style><img src=x onerror=\"caught=1\"> & ]]> '\" | `x` **b** \u202e\u200b\x1b[31m \u2028\u2029\ufffe "
           "##[error]x\n::warning::z <b id=caught>")
VERDICTS = ("pass", "faster", "no-baseline", "noisy", "environment", "slower", "wrong", "error")


def case(name, target=GPU, verdict="pass", metrics=None, **more):
    """A case; one that did not pass has the words that kernelgate results adds."""
    added = {} if verdict == "pass" else {"reason": more.get("why") or "its reason", "reproduce": f"again '{name}'"}
    return {"case": name, "target": target, "verdict": verdict, "metrics": metrics or {}, "why": "", "parts": ["check"],
            **added, **more}


def timed(name, hot=0, cold=0, **more):
    """A case that was timed: hot and cold time in ns (0: none). It computes 1000 operations on 2000 bytes, and its kernel fills
    half of a multiprocessor."""
    metrics = {"time_ns": {"value": hot, "low": hot - 1, "high": hot + 1, "clock": "graph"}} if hot else {}
    metrics.update({"cold_time_ns": {"value": cold}} if cold else {})
    work = {"work": {"operations": 1000, "bytes": 2000},
            "kernel": {"registers": 40, "local_bytes": 0, "shared_bytes": 2048, "blocks_per_multiprocessor": 4, "occupancy": 0.5}}
    return case(name, metrics=metrics, **{"parts": ["check", "time"], **work, **more})


def copied(name, hot, clock):
    """A copy: it starts no kernel, and computes nothing."""
    entry = timed(name, hot, work={"operations": 0, "bytes": 2000})
    del entry["kernel"]
    entry["metrics"]["time_ns"]["clock"] = clock
    return entry


def counted(name, **counts):
    """A counted case; the counters that are not given are 0."""
    from kernelgate.base.results import COUNTERS
    return case(name, MODEL, metrics={counter: {"value": counts.get(counter, 0)} for counter in COUNTERS},
                parts=["check", "count"])


def refused(name, why, target=GPU):
    return {"case": name, "why": why, "target": target, "test": "gpu.a.time"}


def results(*cases, failure_groups=(), **more):
    """Results of these cases; those of each of `failure_groups` failed alike."""
    for group in failure_groups:
        for entry in cases:
            if (entry["target"], entry["verdict"]) == (group["target"], group["verdict"]) and entry["case"] in group["cases"]:
                entry["group"] = group["cases"][0]
    tally = {verdict: sum(entry["verdict"] == verdict for entry in cases) for verdict in VERDICTS}
    tally.update(vanished=0, failed_claims=0, filtered_out=0, unavailable=0, broken=0)
    return {
        "schema": "kernelgate-results/2", "run": {}, "strict": False,
        "targets": {GPU: {"key": GPU, "name": "NVIDIA H200"}, MODEL: {"key": MODEL, "compiler": "gcc 12.2.0"}},
        "provenance": {GPU: {"driver": "580.1", "limits": {"copy_bytes_per_second": 1e12, "operations_per_second": 1e12,
                                                                "bus_bytes_per_second": 5e10}},
                       MODEL: {}},
        "cases": list(cases), "tests": [], "claims": [], "refused": [], "vanished": [], "errors": [], "notes": [], "tally": tally,
        "summary": {"outcome": "FAIL (exit 1)", "headline": "so many cases"}, "exit_code": 1, **more}


def a_bit_of_everything(text=HOSTILE):
    """Every list has entries, and each of them the text wherever there may be one."""
    entries = [case(f"a/v/{number}/b8", verdict=verdict, why=text, changed=[text], reason=text, reproduce=text, seconds=1.5,
                    explanation=text, sass={"came": [text], "went": [text]},
                    metrics={"time_ns": {"value": 2e3, "baseline": 1e3, "change": 1.0, "limit": 0.02, "verdict": verdict,
                                         "samples_ns": [[1000, 1010], [1020]]}, text: {"value": 1, "why": text}})
               for number, verdict in enumerate(VERDICTS)]
    entries += [timed(f"b/{variant}/64/b{block}", 1000 * block, 2000) for block in (8, 16) for variant in ("one", "two")]
    entries.append(case("b/one/64/b8", MODEL, lines={text: {"barriers": 4}}, metrics={"barriers": {"value": 4}}, parts=["count"]))
    located = {"case": "a/v/9/b8", "target": GPU, "test": "gpu.a.time", "why": text}
    return results(
        *entries, claims=[{"claim": text, "holds": holds, "why": text, "target": GPU, "test": text} for holds in (True, False)],
        refused=[located], vanished=[located], unlisted=[located], errors=[{"test": text, "why": text}, {"why": text}],
        notes=[{"note": text, "target": text, "test": text}], run=dict.fromkeys(("started", "host", "branch", "commit", "base_ref", "base", "version"), text) | {"job": {"url": text}},
        tests=[{"name": "gpu.a.time", "target": GPU, "seconds": 3.5, "complete": True, "exit_code": 1, "board": "GPU-1"},
               {"name": text, "target": text, "seconds": 0, "complete": True, "exit_code": 77, "skipped": text,
                "skipped_by": "empty"}],
        boards={text: {"target": GPU, "provenance": {"bus_id": text}}, "GPU-1": {"target": GPU, "provenance": {"bus_id": "0:1"}}},
        targets={GPU: {"key": GPU, "name": text}, text: {"key": text, text: {text: [text]}}},
        summary={"outcome": text, "headline": text, "unlisted": text, "baselines": text, "loosened": [text]})
