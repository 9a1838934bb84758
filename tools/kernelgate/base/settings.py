"""The settings of a run, from the environment: one that is empty is as if it were not set."""

import os

from kernelgate.base.common import Failure

MODEL, GPU, CODE = "model", "gpu", "sm"  # the kinds of targets, and the first parts of the names of their tests


def setting(name):
    """None where it is not set."""
    return os.environ.get(name) or None


def is_strict():
    return setting("KG_STRICT") == "1"


def results_folder(named):
    return named or setting("KG_OUT") or "out"


def refuse_hidden_filter(strict):
    """A filter in the environment of a strict run has to be given on purpose."""
    globs = setting("KG_FILTER")
    if strict and globs is not None and setting("KG_FILTER_GIVEN") != globs:
        raise Failure(f"KG_FILTER='{globs}' is set in the environment of a strict run, which it would narrow: unset it, or give "
                      "it to ci/gate as --filter")
