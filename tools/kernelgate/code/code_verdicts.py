# SPDX-License-Identifier: MIT
"""kernelgate-judge's verdicts about nvcc's generated code for cases, and their texts."""

from kernelgate.base.case_id import comparison_of_case, variant_of_case
from kernelgate.base.judging import ask_of, records_of
from kernelgate.base.json_io import integer_of
from kernelgate.base.results import RANKS
from kernelgate.code.generated_code import class_words
from kernelgate.code.kernel_code import FIGURES, show_move

MOVES_NAMED = 6  # in a case's reason; more are counted
OF_LAUNCH = ("threads", "blocks")  # figures that are not metrics
WIDE_LOADS = ("global_load_128", "shared_load_128")  # metrics in addition to the figures
ACCEPT = "if it is meant, kernelgate rebaseline --target sm accepts it"


def judge_cases(command, target, cases):
    """An entry of verdicts for each (case, kernels in the baseline, kernels now), in order; a case that the baseline lacks has None
    there. Each has "moves": {"kernel", "figure", "before", "now", "verdict"}, what fails first."""
    launches = [{"case": case, "target": target, "before": before, "now": now} for case, before, now in cases]
    entries = ask_of(command, records_of("launches", figures=FIGURES, launches=launches))["cases"] if launches else []
    for entry in entries:
        entry["moves"].sort(key=lambda move: -RANKS[move["verdict"]])
    return entries


def _metrics_of(before, now):
    """The case's figures over all its kernels, as results show them."""
    metrics = {}
    for key in (key for key in FIGURES if key not in OF_LAUNCH and key in now[0]):
        combine = min if FIGURES[key]["worse"] < 0 else max
        metrics[key] = [combine(figures[key] for figures in launch) for launch in (now, before) if launch]
    for name in WIDE_LOADS:
        counts = [sum(integer_of(figures["instructions"], name) for figures in launch) for launch in (now, before) if launch]
        if any(counts):
            metrics[f"{name}_instructions"] = counts
    return {name: dict(zip(("value", "baseline"), figures)) for name, figures in metrics.items()}


def words_of(move):
    """The figure that moved, or the instructions of a class; with the kernel if a launch has several."""
    figure = FIGURES.get(move["figure"])
    return figure["words"] if figure else class_words(move["figure"])


def describe_moves(moves):
    """ "spill stores 0 B -> 404 B, registers 40 -> 32 and 3 more"."""
    texts = [f"{move['kernel']}{': ' if move['kernel'] else ''}"
             + show_move(words_of(move), FIGURES.get(move["figure"], {}).get("unit", ""), move["before"], move["now"])
             for move in moves[:MOVES_NAMED]]
    rest = len(moves) - MOVES_NAMED
    return ", ".join(texts) + (f" and {rest} more" if rest > 0 else "")


def finish_entry(entry, before, now):
    """The entry as in files of verdicts: with the metrics of its kernels, its reason and group, and its moves as a
    text."""
    case, target, moves = entry["case"], entry["target"], entry.pop("moves")
    entry.update(why="", metrics=_metrics_of(before, now))
    if entry["verdict"] == "no-baseline":
        why = f"baselines/{target}.json lacks it: kernelgate rebaseline --target sm records it"
        entry.update(why=why, reason=why, group=f"{target} {comparison_of_case(case)} no-baseline")
    elif moves:
        files, text = list(dict.fromkeys(figures["source"] for figures in now)), describe_moves(moves)
        entry.update(why=f"{text} ({', '.join(files)})", moves=text, group=f"{target} {variant_of_case(case)} {text}",
                     at={"file": files[0]})
        if entry["verdict"] == "slower":
            entry["why"] += f": {ACCEPT}"
        if entry["verdict"] != "pass":
            entry["reason"] = text
    return entry


def notes_of(entries):
    """A line for each move of a kernel's code that has no verdict."""
    return list(dict.fromkeys(f"{entry['at']['file']}: {entry['moves']}" for entry in entries
                              if entry["verdict"] == "pass" and "moves" in entry))
