# SPDX-License-Identifier: MIT
"""The command kernelgate that runs this program."""

import os


def own_command():
    """The command kernelgate that runs this program."""
    return os.environ.get("KG__COMMAND", "kernelgate")
