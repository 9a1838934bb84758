# SPDX-License-Identifier: MIT
"""The settings of a run, from the environment: an empty one counts as unset."""

import os
import re

from kernelgate.base.errors import Failure, nearest_name

MODEL, GPU, CODE = "model", "gpu", "sm"  # the kinds of targets, and the first parts of their tests' names

# What a user sets (docs/reference.md); the names of others are not like these.
SETTINGS = ("KG_BASELINES", "KG_CASE_SECONDS", "KG_CASE_TIMEOUT", "KG_FILTER", "KG_LOCK_DIR", "KG_OUT", "KG_STRICT", "KG_VERBOSE",
            "KG_WRAPPER")


def setting(name):
    """A setting; None if it is unset."""
    return os.environ.get(name) or None


def is_strict():
    return setting("KG_STRICT") == "1"


def results_folder(named):
    return named or setting("KG_OUT") or "out"


def refuse_hidden_filter(strict):
    """Refuses a filter in the environment of a strict run that was not given on purpose."""
    globs = setting("KG_FILTER")
    if strict and globs is not None and setting("KG_FILTER_GIVEN") != globs:
        raise Failure(f"KG_FILTER='{globs}' is set in the environment of a strict run and would narrow it: unset it, or give "
                      "it to kernelgate gate as --filter")


def is_number_from(text, least, most):
    """Whether a text is a number in a range, without the blanks, signs and words that float() accepts."""
    return bool(re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text)) and least <= float(text) <= most


def check_settings():
    """Refuses settings that a run would misread, as the C programs do (harness/suite/settings.c), and misspelled ones, which it would
    ignore."""
    for name in os.environ:
        nearest = nearest_name(name, SETTINGS, 0.8) if name.startswith("KG_") and name not in SETTINGS else None
        if nearest:
            raise Failure(f"{name} is set, and is no setting: rename it to {nearest}, or unset it")
    strict = setting("KG_STRICT")
    if strict not in (None, "0", "1"):
        raise Failure(f"KG_STRICT='{strict}' is neither 0 nor 1: set it to 1 for strict mode, or to 0")
    for name, least, most in (("KG_CASE_TIMEOUT", 0.001, 1000000), ("KG_CASE_SECONDS", 0.02, 3600)):
        text = setting(name)
        if text is not None and not is_number_from(text, least, most):
            raise Failure(f"{name}='{text}' is not a number of seconds from {least:.7g} to {most:.7g}: set it to one, or unset it")
