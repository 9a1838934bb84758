"""Compiles a kernel's source for the CPU model. usage: compile_kernel.py COMPILER ARGUMENT..., as a compiler's launcher

Calls the compiler as it is, but where the source or a header that it includes has what no macro can make C++: what the
preprocessor leaves of `extern __shared__` arrays is made the block's dynamic shared memory, the clusters of kernels with
__cluster_dims__ are told to the model, and launches with <<<>>> and inline PTX are rewritten (rewrite_kernel.py).
"""

import os
import re
import subprocess
import sys

# What is rewritten: `extern __shared__` arrays, clusters and launches; inline PTX.
WANTED = re.compile(r"\bextern\b[^;{}\"]*\b__shared__\b|\b__cluster_dims__\b|<<<")
ASM = re.compile(r"\b(?:asm|__asm|__asm__)\b")
UNSUPPORTED = re.compile(r"call to \S*kg__model_ptx_unsupported\S* declared with attribute error: ")
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


def find_wanted(path, folders, seen):
    """Which of WANTED and ASM are in a file, or in one that it includes."""
    # The gate's own header has an array, for nvcc.
    if path in seen or path.endswith("/kernelgate/kernelgate.h"):
        return set()
    seen.add(path)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return set()
    found = {wanted for wanted in (WANTED, ASM) if wanted.search(text)}
    for name in INCLUDED.findall(text):
        for folder in [os.path.dirname(path), *folders]:
            found |= find_wanted(os.path.normpath(os.path.join(folder, name)), folders, seen)
    return found


def find_folders(command):
    """The folders of headers: the author's own, without the system's; and the model's."""
    folders = []
    for flag in ("-I", "-isystem", "-iquote"):
        folders += [argument[len(flag):] or command[i + 1] for i, argument in enumerate(command[:-1])
                    if argument.startswith(flag)]
    models = [folder for folder in folders if os.path.exists(os.path.join(folder, "kg_model_device.h"))]
    return [folder for folder in folders if not folder.startswith("/usr/") and folder not in models], models[:1]


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


def preprocess(command, found):
    """What the preprocessor leaves."""
    headers = ["-include", "kg_model_ptx.h"] if ASM in found else []
    done = subprocess.run([*without(command, {"-c"}, {"-o"}), "-E", *headers], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return done.stdout.decode(errors="surrogateescape")


def compile_rewritten(command, text):
    """Compiles what has been rewritten; the exit code."""
    if "kg__model_ptx_unsupported" not in text:
        return subprocess.run(command, check=False).returncode
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    sys.stderr.write(UNSUPPORTED.sub("", done.stderr.decode(errors="replace")))
    return done.returncode


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    sources = [argument for argument in command if argument.endswith((".cpp", ".cc", ".cxx", ".cu")) and os.path.isfile(argument)]
    folders, models = find_folders(command)
    is_compiled = "-c" in command and "-o" in command and len(sources) == 1 and models
    found = find_wanted(os.path.abspath(sources[0]), folders, set()) if is_compiled else set()
    if not found:
        os.execvp(command[0], command)
    # Only here, since most sources have nothing to rewrite.
    import rewrite_kernel  # pylint: disable=import-outside-toplevel
    text = rewrite_kernel.rewrite(note_clusters(PREPROCESSED.sub(define_array, preprocess(command, found))), models[0])
    rewritten = command[command.index("-o") + 1] + ".ii"
    with open(rewritten, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    # Which headers there are was written when they were read.
    command = without(command, {"-MD", "-MMD"}, {"-MF", "-MT", "-MQ"})
    command[command.index(sources[0])] = rewritten
    sys.exit(compile_rewritten(command, text))


if __name__ == "__main__":
    main()
