# SPDX-License-Identifier: MIT
"""The command kernelgate that runs this program, and the toolkit that it builds programs with."""

import os


def own_command():
    """The command kernelgate that runs this program."""
    return os.environ.get("KG__COMMAND", "kernelgate")


def toolkit_folder():
    """In a build it is beside the command; where kernelgate is installed, beside tools/."""
    built = f"{os.path.dirname(own_command())}/toolkit"
    installed = os.path.abspath(f"{os.path.dirname(__file__)}/../../../toolkit")
    return installed if not os.path.exists(f"{built}/toolkit.json") and os.path.exists(f"{installed}/toolkit.json") else built
