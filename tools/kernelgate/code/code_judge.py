"""Holds the code that nvcc generated for a case against its baseline."""

from dataclasses import dataclass, replace

from kernelgate.base.common import member
from kernelgate.base.figures import show_figure, show_percent
from kernelgate.code.generated_code import (CODE_SIZE, CONTENDED, COPIED, FIGURES, KEPT, LAUNCH_FIGURES, TENSOR, VECTOR_LOADS,
                                            class_words, instructions_of)

MOVES_NAMED = 6  # in a case's reason; more are counted
ACCEPT = "if it is meant, ci/rebaseline --target sm accepts it"
WORSE, BETTER, OTHER = "slower", "faster", "pass"
_ORDER = (WORSE, BETTER, OTHER)
_NOTHING_SPILLED = {"spill_stores": 0, "spill_loads": 0}


@dataclass(frozen=True)
class Move:
    """A figure that is not the baseline's."""

    kernel: str  # "" for the only one of a launch
    words: str
    unit: str
    before: float
    now: float
    verdict: str

    def text(self):
        before, now = (show_percent(value) if self.unit == "%" else show_figure(value, self.unit)
                       for value in (self.before, self.now))
        return f"{self.kernel}{': ' if self.kernel else ''}{self.words} {before} -> {now}"


def _pairs(before, now):
    """Each kernel now with what it was: the one of its name, else that at its place in a launch of as many, else None."""
    named = {figures["kernel"]: figures for figures in before}
    for place, figures in enumerate(now):
        same_place = before[place] if len(before) == len(now) else None
        yield named.get(figures["kernel"], same_place), figures


def _count(launch, names):
    return sum(instructions_of(figures, name) for figures in launch for name in names)


def _instruction_verdict(name, before, now, figures):
    if name in TENSOR:
        return OTHER if _count([figures], TENSOR) else WORSE
    if name not in VECTOR_LOADS or bool(before) == bool(now):
        return OTHER
    if now:
        return BETTER
    return OTHER if name == VECTOR_LOADS[0] and instructions_of(figures, COPIED) else WORSE


def _figure_moves(kernel, before, figures):
    for key, words, unit, worse in (*FIGURES, *LAUNCH_FIGURES):
        first, last = member(before, key), member(figures, key)
        if first is not None and last is not None and first != last:
            verdict = OTHER if not worse else WORSE if (last > first) == (worse > 0) else BETTER
            yield Move(kernel, words, unit, first, last, verdict)


def _instruction_moves(kernel, before, figures):
    if "instructions" not in before:
        return
    for name in sorted({**before["instructions"], **figures["instructions"]}):
        first, last = instructions_of(before, name), instructions_of(figures, name)
        if first != last:
            yield Move(kernel, class_words(name), "", first, last, _instruction_verdict(name, first, last, figures))


def _moves_of(kernel, before, figures):
    """The size of the code, which says least, comes last."""
    moves = [*_figure_moves(kernel, before, figures), *_instruction_moves(kernel, before, figures)]
    return sorted(moves, key=lambda move: move.words == CODE_SIZE)


def find_moves(before, now):
    """How the kernels of a launch differ from the baseline's, what fails first. A kernel that the baseline lacks has spilled
    nothing there."""
    moves = [move for old, figures in _pairs(before, now)
             for move in _moves_of(figures["kernel"] if len(now) > 1 else "", _NOTHING_SPILLED if old is None else old, figures)]
    if len(before) != len(now):
        moves.append(Move("", "kernels of the launch", "", len(before), len(now), OTHER))
    if (any(_count(now, names) < _count(before, names) for names in KEPT) or
            any(_count(now, [name]) > _count(before, [name]) for name in CONTENDED)):
        moves = [replace(move, verdict=OTHER) if move.verdict == BETTER else move for move in moves]
    return sorted(moves, key=lambda move: _ORDER.index(move.verdict))


def describe_moves(moves):
    """ "spill stores 0 B -> 404 B, registers 40 -> 32 and 3 more"."""
    rest = len(moves) - MOVES_NAMED
    return ", ".join(move.text() for move in moves[:MOVES_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _metrics_of(before, now):
    """The case's figures over all its kernels, as results show them."""
    metrics = {}
    for key, _, _, _ in FIGURES:
        combine = min if key == "occupancy" else max
        metrics[key] = {"value": combine(figures[key] for figures in now)}
        if before:
            metrics[key]["baseline"] = combine(figures[key] for figures in before)
    for name in VECTOR_LOADS:
        value, baseline = (sum(instructions_of(figures, name) for figures in launch) for launch in (now, before or ()))
        if value or baseline:
            metrics[f"{name}_instructions"] = {"value": value, **({"baseline": baseline} if before else {})}
    return metrics


def judge_case(case, target, before, now):
    """The entry of a case in a file of verdicts; `before` is None where the baseline lacks it."""
    files = ", ".join(dict.fromkeys(figures["source"] for figures in now))
    entry = {"case": case, "target": target, "part": "code", "verdict": "no-baseline", "metrics": _metrics_of(before, now)}
    if before is None:
        why = f"baselines/{target}.json lacks it: ci/rebaseline --target sm records it"
        return {**entry, "why": why, "reason": why, "group": f"{target} {case.split('/')[0]} no-baseline"}
    moves = find_moves(before, now)
    entry["verdict"] = moves[0].verdict if moves else OTHER
    if not moves:
        return {**entry, "why": ""}
    text = describe_moves(moves)
    entry.update(why=f"{text} ({files})", moves=text, group=f"{target} {'/'.join(case.split('/')[:2])} {text}",
                 at={"file": files.split(", ", maxsplit=1)[0]})
    if entry["verdict"] == WORSE:
        entry.update(why=f"{entry['why']}: {ACCEPT}", reason=text)
    elif entry["verdict"] == BETTER:
        entry["reason"] = text
    return entry


def notes_of(entries):
    """A line for each move of a kernel's code that has no verdict."""
    return list(dict.fromkeys(f"{entry['at']['file']}: {entry['moves']}" for entry in entries
                              if entry["verdict"] == OTHER and "moves" in entry))
