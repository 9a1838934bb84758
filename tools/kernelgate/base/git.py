"""What git says of the checkout."""

import subprocess

GIT_SECONDS = 30
DESCRIBE = ("git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*")


def current_commit():
    """The short name of the commit that is checked out, with "-dirty" if tracked files differ; None where git does not say."""
    try:
        done = subprocess.run(DESCRIBE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    name = done.stdout.decode("utf-8", "replace").split("\n")[0]
    return name if done.returncode == 0 and name else None
