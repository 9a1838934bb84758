# SPDX-License-Identifier: MIT
"""Drops hooks at the heads of basic blocks, in the compiler's assembly, where the replay of a warp answers the same without them.

Lanes at the lowest code address go first (watch/trace.c). So the event at a block's head delays the lane's next event where that one
has a lower address, and changes nothing else. A hook stays if a path from it jumps back before any other event, or leaves
the function."""

import re

HOOK = "__sanitizer_cov_trace_pc"
# An access is no event if it is to the lane's own stack, whose address then is in a register.
ACCESS = re.compile(r"__tsan_(?:unaligned_|volatile_)?(?:read|write)\d+\b")
OF_STACK = re.compile(r"lea.\s[^#]*\(%rsp|mov.\s+%rsp,")
# Handlers of findings, which are no events.
FINDS = "__ubsan_handle_"
LABEL = re.compile(r"([.\w$]+):")
# Before g++ 13 all places of launch bounds are in one section, of the first function. A static template kernel's cannot be linked where its
# function is dropped for another file's: each gets a section, which is dropped with its function.
BOUND = re.compile(r'(\t\.section\t__patchable_function_entries,"awo",@progbits,)([.\w$]+)(\n\t\.align \d+\n\t\.quad\t(\.LPFE(\d+))\n)')
LEAVES = ("ret", "jmp", "call", "ud2", "hlt")
# A function of device code (cuda_runtime.h). In any other the hook of an access is called only where it matters (allocations.h):
# loops of the host take a third of the time. The call may change the registers, too.
OF_DEVICE = re.compile(r"^\t\.(?:internal|protected)\t(\S+)", re.MULTILINE)
PLAIN = re.compile(r"__tsan_(?:read|write)[1248]\b")
GUARD = """\tmovq\tkg__model_looked_at@GOTPCREL(%rip), %rax
\tmovq\t%rdi, %rcx
\tsubq\t(%rax), %rcx
\tcmpq\t8(%rax), %rcx
\tjnb\t.LKG{0}
{1}
.LKG{0}:"""


def _is_kept(steps, labels, first, has_stack):
    """Whether the hook at a function's step `first` may be followed by an event at a lower address, or by an unknown one."""
    left, seen = [first + 1], set()
    while left:
        at = left.pop()
        if at in seen:
            continue
        seen.add(at)
        if at == len(steps):
            return True
        name, target = steps[at]
        if HOOK in target:
            continue
        if name == "call" and ACCESS.search(target):
            if has_stack:
                left.append(at + 1)
            continue
        to = labels.get(target, 0)
        if name in LEAVES and (name != "jmp" or to <= first) or name not in LEAVES and to <= first:
            return True
        left += [to] if name == "jmp" else [to, at + 1]
    return False


def _steps_of(lines):
    """The jumps and calls of a function's lines as (name, target, line), and the labels as places among them."""
    steps, labels = [], {}
    for number, line in enumerate(lines):
        label = LABEL.match(line)
        if label:
            labels[label[1]] = len(steps)
        elif line.startswith(("\tj", "\tcall", "\tret", "\trep ret", "\tud2", "\thlt", "\tnotrack")) and FINDS not in line:
            words = line.split()
            steps.append((words[0].rstrip("q"), words[-1] if len(words) > 1 else "", number))
    return steps, labels


def thin(path):
    """Rewrites a file of assembly: its hooks, and the sections of launch bounds."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    of_device = set(OF_DEVICE.findall(text))
    lines = text.split("\n")
    first = name = None
    for number, line in enumerate(lines):
        if line == "\t.cfi_startproc":
            first = number
        elif first is None and LABEL.match(line) and not line.startswith(".L"):
            name = line.rstrip(":")
        if line != "\t.cfi_endproc" or first is None:
            continue
        found, labels = _steps_of(lines[first:number])
        has_stack = any(OF_STACK.search(line) for line in lines[first:number])
        steps = [step[:2] for step in found]
        for at, (call, target, place) in enumerate(found):
            if HOOK in target and not _is_kept(steps, labels, at, has_stack):
                lines[first + place] = ""
            elif call == "call" and PLAIN.search(target) and name not in of_device:
                lines[first + place] = GUARD.format(first + place, lines[first + place])
        first = None
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(BOUND.sub(r"\1\4,unique,\5\3", "\n".join(lines)))
