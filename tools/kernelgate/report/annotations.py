# SPDX-License-Identifier: MIT
"""Annotations: failures as GitHub Actions shows them next to the lines of a change. They are workflow commands, lines
of a job's log such as

    ::error file=kernels/a/b.cu,line=14,title=slower%3A a/b/64/b32 on t::slower by 6.3 %25
"""

import os

from kernelgate.base.groups import groups_of
from kernelgate.base.text import clean

MOST = 10  # GitHub shows ten errors and ten warnings of a step, and drops the others
LONGEST_TITLE = 255  # GitHub cuts longer ones
MEMBERS_NAMED = 20
SPECIAL = "%\r\n:,"  # escaped in a property
UNTOLD = ("faster", "more-accurate", "skipped")  # unless they fail the run


def escape(text, special="%\r\n"):
    return "".join(f"%{ord(c):02X}" if c in special else c for c in text)


def prefix_of(folder, repository):
    """The path of a folder in a repository, ending in a slash; "" if it is the repository itself, or elsewhere."""
    inner, root = os.path.realpath(folder), os.path.realpath(repository) if repository else ""
    return os.path.relpath(inner, root) + "/" if root and inner.startswith(root.rstrip("/") + "/") else ""


def annotation(group, prefix):
    title = f"{group.verdict}: {group.name}" + (f" on {group.target}" if group.target else "")
    where = f"file={escape(prefix + group.place[0], SPECIAL)},line={group.place[1]}," if group.place else ""
    text = "\n".join(filter(None, (group.reason, group.members(MEMBERS_NAMED), group.reproduce and f"reproduce: {group.reproduce}")))
    return f"::{'error' if group.fails else 'warning'} {where}title={escape(clean(title)[:LONGEST_TITLE], SPECIAL)}::{escape(text)}"


def is_told(group):
    return group.fails or group.verdict not in UNTOLD


def write(run):
    """MOST annotations, the worst first; the last one counts those that are not shown."""
    found = list(filter(is_told, groups_of(run)))
    shown = found if len(found) <= MOST else found[:MOST - 1]
    lines = [annotation(group, run.prefix) for group in shown]
    if len(found) > MOST:
        more = len(found) - len(shown)
        lines.append(f"::{'error' if found[len(shown)].fails else 'warning'} title={more} more::kernelgate found {more} more "
                     "than is shown here: see the job's summary, or the page and results.json")
    return "".join(line + "\n" for line in lines)
