# SPDX-License-Identifier: MIT
"""The command kernelgate that runs this program, and the C programs beside it."""

import os


def own_command():
    """The command kernelgate that runs this program."""
    return os.environ.get("KG__COMMAND", "kernelgate")


def own_program(name):
    """A C program of kernelgate's, which is beside the command."""
    return os.path.join(os.path.dirname(own_command()), name)
