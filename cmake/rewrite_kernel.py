"""Rewrites a kernel's preprocessed source for g++: launches with <<<>>>, and inline PTX (rewrite_ptx.py).

Only text of the kernel author is looked at, not that of the system's and of the model's headers. Lines stay where they are: the
line markers that the preprocessor has left are kept, and more are added.
"""

import re

import rewrite_ptx

# A line marker: line, file, flags, of which 3 tells a header of the system.
MARKER = re.compile(r'^# (\d+) "((?:[^"\\\n]|\\.)*)"((?: \d)*)\n', re.MULTILINE)
WANTED = re.compile(r"<<<|\b(?:asm|__asm|__asm__)\b")
SYSTEM_HEADER = "3"
ASM = {"asm", "__asm", "__asm__"}
VOLATILE = {"volatile", "__volatile__", "__volatile"}
TOKEN = re.compile(r"""
    (?P<space>\s+)
  | (?P<directive>(?m:^)\#[^\n]*)
  | (?P<raw>(?:u8|[uUL])?R"(?P<end>[^()\s\\]{0,16})\((?s:.*?)\)(?P=end)")
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<mark><<<|\.\.\.|::|->|<=|>=|.)
    """, re.VERBOSE)
# What __global__ has become, after __attribute__.
GLOBAL = "( ( noinline ) )"
# What the names of functions begin with that tell a kernel's address.
TOLD = "kg__told_"
CLOSING = {"(": ")", "[": "]", "{": "}"}
OPENING = {close: opened for opened, close in CLOSING.items()}


class Token:
    """A piece of the text: its kind, its text, and where it begins."""

    def __init__(self, match):
        self.kind = match.lastgroup if match.lastgroup != "end" else "raw"
        self.text = match.group()
        self.start = match.start()

    @property
    def is_blank(self):
        return self.kind in ("space", "directive")


def tokenize(text):
    return [Token(match) for match in TOKEN.finditer(text)]


def text_of(tokens):
    return "".join(token.text for token in tokens)


def next_of(tokens, i):
    """The index of the first token from i on that is not blank; the end where there is none."""
    while i < len(tokens) and tokens[i].is_blank:
        i += 1
    return i


def last_of(tokens, i):
    """The index of the last token up to i that is not blank; -1 where there is none."""
    while i >= 0 and tokens[i].is_blank:
        i -= 1
    return i


def find_close(tokens, i):
    """The index of what closes the bracket at i; the end where nothing does."""
    depth = 0
    while i < len(tokens):
        depth += (tokens[i].text in CLOSING) - (tokens[i].text in OPENING)
        if depth == 0:
            return i
        i += 1
    return i


def find_open(tokens, i):
    """The index of what opened the bracket that the token at i closes, which may be that of template arguments; -1: nothing."""
    closing, opening = tokens[i].text, OPENING.get(tokens[i].text, "<")
    depth = 0
    while i >= 0:
        text = tokens[i].text
        depth += (text == closing) - (text == opening)
        if depth == 0:
            break
        i = find_open(tokens, i) - 1 if closing == ">" and text in OPENING else i - 1
    return i


def find_kernel(tokens, i):
    """Where the expression begins that ends at i and is launched: names, template arguments, members, elements, brackets."""
    first = i = last_of(tokens, i)
    while i >= 0:
        text = tokens[i].text
        if text in OPENING or text == ">":
            i = find_open(tokens, i)
            if i < 0:
                break
            first = i
            before = last_of(tokens, i - 1)
            if before < 0 or not (tokens[before].kind == "name" or tokens[before].text in OPENING) or \
                    tokens[before].text in ("return", "else", "do"):
                break
            i = before
            continue
        if tokens[i].kind != "name":
            break
        first = i
        i = last_of(tokens, i - 1)
        if i >= 0 and tokens[i].text == "template":
            first = i
            i = last_of(tokens, i - 1)
        if i < 0 or tokens[i].text not in ("::", ".", "->"):
            break
        first = i
        i = last_of(tokens, i - 1)
        if i < 0 or not (tokens[i].kind == "name" or tokens[i].text in OPENING or tokens[i].text == ">") or \
                tokens[i].text in ("return", "else", "do"):
            break
    return first


def find_configuration_end(tokens, i):
    """The index of the first of the three tokens > that end the configuration that begins at i; the end: none does."""
    depth = 0
    while i < len(tokens) - 3:
        text = tokens[i].text
        depth += (text in CLOSING) - (text in OPENING)
        if depth < 0:
            break
        if depth == 0 and text_of(tokens[i:i + 3]) == ">>>" and \
                text_of(tokens[next_of(tokens, i + 3):][:1]) == "(":
            return i
        i += 1
    return len(tokens)


def write_words(tokens):
    """Tokens on one line."""
    return " ".join(token.text for token in tokens if not token.is_blank)


def rewrite_launch(tokens, i, templates):
    """What to put for the launch whose <<< is at i: the tokens' first and end, and text; None where it is no launch."""
    first = find_kernel(tokens, i - 1)
    ends = find_configuration_end(tokens, i + 1)
    if first < 0 or ends == len(tokens):
        return None
    kernel = tokens[first:i]
    blank = "".join(token.text for token in kernel if "\n" in token.text or token.kind == "directive")
    told = next((token for token in kernel[::-1] if token.kind == "name" and token.text in templates), None)
    if told:
        told.text = f"{TOLD}{told.text}"
    address = write_words(kernel)
    if told:
        address = f"[]([[maybe_unused]] auto &&...kg__a) {{ return decltype({address}(kg__a...))::value; }}"
    return first, next_of(tokens, ends + 3), \
        f"kg__model_starter(kg__model_configure({text_of(tokens[i + 1:ends])}), {address}){blank}"


def find_template_end(tokens, i):
    """The index of the > that closes the < at i; the end: none does."""
    depth = 0
    while i < len(tokens):
        text = tokens[i].text
        if text in CLOSING:
            i = find_close(tokens, i)
        depth += (text == "<") - (text == ">")
        if depth == 0:
            break
        i += 1
    return i


def name_parameters(tokens):
    """The template's parameters as its arguments; None where one has no name."""
    parts = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in "([{<") - (token.text in ")]}>")
        if depth == 0 and token.text == ",":
            parts.append([])
        elif not token.is_blank:
            parts[-1].append(token)
    names = []
    for part in parts:
        part = part[:next((i for i, token in enumerate(part) if token.text == "="), len(part))]
        if len(part) < 2 or part[-1].kind != "name":
            return None
        names.append(part[-1].text + ("..." if "..." in text_of(part) else ""))
    return ", ".join(names)


def tell_template(tokens, i):
    """Of a kernel that is a template from i on: its name, where it ends, and a function that has its parameters and whose type
    tells the address of what they come to. None where it is no such template.
    """
    opened = next_of(tokens, i + 1)
    if opened == len(tokens) or tokens[opened].text != "<":
        return None
    closed = find_template_end(tokens, opened)
    j = closed + 1
    is_kernel = False
    while j < len(tokens) and tokens[j].text not in (";", "{", "template"):
        if tokens[j].text == "__attribute__":
            j = next_of(tokens, j + 1)
            end = find_close(tokens, j)
            is_kernel = is_kernel or write_words(tokens[j:end + 1]) == GLOBAL
            j = end
        elif tokens[j].text == "(":
            break
        j += 1
    name = tokens[last_of(tokens, j - 1)]
    parameters = name_parameters(tokens[opened + 1:closed])
    if not is_kernel or j == len(tokens) or tokens[j].text != "(" or name.kind != "name" or not parameters:
        return None
    ends = find_close(tokens, j)
    body = next_of(tokens, ends + 1)
    if body < len(tokens) and tokens[body].text == "{":
        body = find_close(tokens, body)
    kernel = f"{name.text}<{parameters}>"
    return name.text, body, (f" template {write_words(tokens[opened:closed + 1])} auto {TOLD}{name.text}"
                             f"{write_words(tokens[j:ends + 1])} -> std::integral_constant<decltype(&{kernel}), &{kernel}>;")


def split_at(tokens, marks):
    """The tokens between those of `marks` outside of all brackets; `::` is two colons."""
    parts = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in CLOSING) - (token.text in OPENING)
        if depth == 0 and token.text in marks:
            parts += [[] for _ in token.text]
        else:
            parts[-1].append(token)
    return parts


def decode(token):
    """What a literal string holds."""
    text = token.text
    if token.kind == "raw":
        return text[text.index("(") + 1:text.rindex(")")]
    return text[text.index('"') + 1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")


def read_operands(tokens):
    """The operands of one part of an asm statement: constraint, and the tokens of the expression with their brackets."""
    operands = []
    for part in split_at(tokens, {","}):
        constraint = "".join(decode(token) for token in part if token.kind in ("string", "raw"))
        opened = next((i for i, token in enumerate(part) if token.text == "("), len(part))
        if opened < len(part):
            operands.append((constraint, part[opened:]))
    return operands


def rewrite_asm(tokens, i, where):
    """The same for the asm statement whose keyword is at i; None where it is not inline PTX."""
    first = i
    i = next_of(tokens, i + 1)
    is_volatile = False
    while i < len(tokens) and tokens[i].text in VOLATILE | {"inline", "__inline__"}:
        is_volatile = is_volatile or tokens[i].text in VOLATILE
        i = next_of(tokens, i + 1)
    closed = find_close(tokens, i) if i < len(tokens) and tokens[i].text == "(" else len(tokens)
    if closed == len(tokens):
        return None
    parts = split_at(tokens[i + 1:closed], {":", "::"})
    if any(token.kind not in ("string", "raw") and not token.is_blank for token in parts[0]):
        return None
    code = "".join(decode(token) for token in parts[0] if not token.is_blank)
    outputs, inputs, clobbers = ([*(read_operands(part) for part in parts[1:3]), [], []][:2] +
                                 [[decode(token) for part in parts[3:4] for token in part if token.kind == "string"]])
    # A barrier of the compiler alone, the name of a function that is declared, or the host's own assembly.
    if not rewrite_ptx.is_code(code) and not outputs and not inputs or len(parts) == 1 and re.fullmatch(r"[\w.$]+", code) or \
            not all(rewrite_ptx.CONSTRAINT.fullmatch(constraint) for constraint, _ in outputs + inputs):
        return None
    statement = rewrite_ptx.Statement(code, is_volatile, "memory" in clobbers)
    line = where(tokens[first].start)
    last = where(tokens[closed].start)
    bound = "".join(statement.bind(constraint, text_of(expression), number < len(outputs))
                    for number, (constraint, expression) in enumerate(outputs + inputs))
    return first, closed + 1, f"do {{ {bound}\n{statement.write(line)}\n{last}}} while (false)"


def rewrite_tokens(tokens, where, templates):
    """The text of tokens with its launches and its inline PTX rewritten.

    where(start): a marker of the line there. templates: the names of the kernels that are templates, and what follows each.
    """
    written = []
    positions = []  # of the tokens in `written`
    told = {}  # what follows the token of a position
    i = 0
    while i < len(tokens):
        text = tokens[i].text
        change = None
        if text == "template":
            template = tell_template(tokens, i)
            if template:
                templates.add(template[0])
                told[template[1]] = template[2]
        elif text == "<<<":
            change = rewrite_launch(tokens, i, templates)
            # The kernel's name has been written.
            while change and positions and positions[-1] >= change[0]:
                positions.pop()
                written.pop()
        elif text in ASM:
            change = rewrite_asm(tokens, i, where)
        positions.append(i)
        written.append(change[2] if change else text + told.get(i, ""))
        i = change[1] if change else i + 1
    return "".join(written)


def find_own(text, folder):
    """Where the author's own text is: pairs of a start and an end, each of which begins with a line marker."""
    markers = list(MARKER.finditer(text))
    # What a header of the system defines is marked as its own where it is used, too.
    files = {match.group(2) for match in markers if SYSTEM_HEADER not in match.group(3).split()}
    own = []
    last = None  # where what is being looked at begins
    for match in markers:
        is_own = match.group(2) in files and not match.group(2).startswith((folder, "<"))
        if last is not None and not is_own:
            own.append((last, match.start()))
            last = None
        elif last is None and is_own:
            last = match.start()
    return own + ([(last, len(text))] if last is not None else [])


def rewrite_run(text, templates):
    """The same of one run of the author's own text."""
    markers = list(MARKER.finditer(text))

    def where(start):
        """The marker of the line at `start`."""
        marker = next(marker for marker in reversed(markers) if marker.start() <= start)
        line = int(marker.group(1)) + text.count("\n", marker.end(), start)
        return f'# {line} "{marker.group(2)}"\n'

    return rewrite_tokens(tokenize(text), where, templates)


def rewrite(text, folder):
    """The preprocessed text, rewritten. `folder` holds the model's headers."""
    pieces = []
    templates = set()
    done = 0
    for start, end in find_own(text, folder):
        if WANTED.search(text, start, end):
            pieces += [text[done:start], rewrite_run(text[start:end], templates)]
            done = end
    return "".join(pieces) + text[done:]
