# SPDX-License-Identifier: MIT
"""Damaged copies of JSON documents, for the tests of what reads them."""

import copy
import json

ODD = (None, True, 0, -1, 2**63 - 1, 2**64, 1e300, -1e-300, 0.5, "", "x", "-5", "1e-06", "nan", "inf", "0x10", " 7", "\x01\n", "##[",
       "a" * 200, "a/b//", "<<>", "::", "block:", "\ud800", "\0", [], {}, [[]], {"value": 1})


def _places(value, parent=None, key=None):
    if parent is not None:
        yield parent, key
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _places(inner, value, name)


def mutated(document, random):
    """A copy in which one to three values are gone, doubled or others."""
    document = copy.deepcopy(document)
    for _ in range(random.choice((1, 1, 2, 3))):
        places = list(_places(document))
        if not places:
            break
        parent, key = random.choice(places)
        what = random.randrange(4)
        if what == 0:
            del parent[key]
        elif what == 1 and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[key]))
        elif what == 2:
            other, name = random.choice(places)
            parent[key] = copy.deepcopy(other.get(name) if isinstance(other, dict) else other[name])
        else:
            parent[key] = random.choice(ODD)
    return document


def damaged(data, random):
    """The same bytes three times of four, else with one of them another, or cut off."""
    at = random.randrange(len(data) + 1)
    return random.choice((data, data, data, data, data, data, data[:at], data[:at] + bytes([random.randrange(256)]) + data[at + 1:]))


def mutated_text(document, random):
    return damaged(json.dumps(mutated(document, random)).encode(), random)
