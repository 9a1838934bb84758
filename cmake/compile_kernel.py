"""Compiles a kernel's source for the CPU model. usage: compile_kernel.py COMPILER ARGUMENT..., as a compiler's launcher

Calls the compiler as it is, but where the source or a header that it includes declares `extern __shared__` arrays, or kernels
with __cluster_dims__: no macro can make the ones the block's dynamic shared memory, nor keep the others' numbers, so what the
preprocessor leaves of them is changed before it is compiled.
"""

import os
import re
import subprocess
import sys

DECLARED = re.compile(r"\bextern\b[^;{}\"]*\b__shared__\b|\b__cluster_dims__\b")
INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", re.MULTILINE)
NESTED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
ALIGNED = rf"(?:\balignas\s*{NESTED}|__attribute__\s*{NESTED})\s*"
# What the model's cuda_runtime.h makes of `__shared__`, after `extern`.
PREPROCESSED = re.compile(rf"(?:\balignas\s*{NESTED}\s*)?\bextern\b([^;{{}}]*?)"
                          r"\bstatic\s+__constinit\s+__attribute__\(\(used, aligned\(65536\)\)\)([^;=]*);")
# What is left of the declaration: type, name, extents.
ARRAY = re.compile(r"(.*?)(\w+)\s*((?:\[[^][]*\]\s*)+)", re.DOTALL)


# What the model's cuda_runtime.h makes of `__cluster_dims__`.
CLUSTER = re.compile(r"\bkg__cluster_dims\s*(?=\()")
NAME = re.compile(r"(?:__attribute__|(\w+))\s*\(")


def find_declared(path, folders, seen):
    """Whether a file, or one that it includes, declares such an array."""
    # The gate's own header has one, for nvcc.
    if path in seen or path.endswith("/kernelgate/kernelgate.h"):
        return False
    seen.add(path)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return False
    if DECLARED.search(text):
        return True
    return any(find_declared(os.path.normpath(os.path.join(folder, name)), folders, seen)
               for name in INCLUDED.findall(text) for folder in [os.path.dirname(path), *folders])


def find_folders(command):
    """The folders of headers, but for the system's and the model's own."""
    folders = []
    for flag in ("-I", "-isystem", "-iquote"):
        folders += [argument[len(flag):] or command[i + 1] for i, argument in enumerate(command[:-1])
                    if argument.startswith(flag)]
    return [folder for folder in folders
            if not folder.startswith("/usr/") and not os.path.exists(os.path.join(folder, "kg_model_device.h"))]


def define_array(match):
    """The declaration of an array as a name for the dynamic shared memory, which is aligned as any can be."""
    array = ARRAY.fullmatch(re.sub(ALIGNED, "", "".join(match.groups())).strip())
    if not array:
        return match.group(0)
    kind, name, extents = array.groups()
    return (f"[[maybe_unused]] static {kind} (&{name}){extents} = "
            f"reinterpret_cast<{kind} (&){extents}>(kg__model_dynamic_memory);")


def end_of_brackets(text, start):
    """Where the brackets end that begin at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at + 1
    return len(text)


def note_clusters(text):
    """The text with the clusters of kernels told to the model, by the kernels' names."""
    kept, notes, last = [], [], 0
    for match in CLUSTER.finditer(text):
        end = end_of_brackets(text, match.end())
        name = NAME.search(text, end)
        while name and not name.group(1):
            name = NAME.search(text, end_of_brackets(text, name.end() - 1))
        kept.append(text[last:match.start()])
        last = end
        if name:
            notes.append(f'[[maybe_unused]] static const bool kg__cluster_{len(notes)} = '
                         f'kg__model_note_cluster("{name.group(1)}", dim3{text[match.end():end]});\n')
    return "".join([*kept, text[last:], "\n", *notes])


def without(command, flags, pairs):
    """The command without some flags, and without others and what follows each."""
    kept = []
    skip = False
    for argument in command:
        if skip:
            skip = False
        elif argument in pairs:
            skip = True
        elif argument not in flags:
            kept.append(argument)
    return kept


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    sources = [argument for argument in command if argument.endswith((".cpp", ".cc", ".cxx", ".cu")) and os.path.isfile(argument)]
    if "-c" not in command or "-o" not in command or len(sources) != 1 or \
            not find_declared(os.path.abspath(sources[0]), find_folders(command), set()):
        os.execvp(command[0], command)
    target = command[command.index("-o") + 1]
    preprocessed = subprocess.run([*without(command, {"-c"}, {"-o"}), "-E"], stdout=subprocess.PIPE, check=False)
    if preprocessed.returncode != 0:
        sys.exit(preprocessed.returncode)
    text = note_clusters(PREPROCESSED.sub(define_array, preprocessed.stdout.decode(errors="surrogateescape")))
    with open(f"{target}.ii", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    # Which headers there are was written when they were read.
    command = without(command, {"-MD", "-MMD"}, {"-MF", "-MT", "-MQ"})
    command[command.index(sources[0])] = f"{target}.ii"
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
