# SPDX-License-Identifier: MIT
"""The JSON schemas of kernelgate's documents. They also have the facts that C and Python share: the names of
counters and the constants of judging, which the C tests compare with the programs' own."""

import functools
import json

from kernelgate.base.files import own_file

BASELINE, CODE, RESULTS = (f"kernelgate-{name}.schema.json" for name in ("baseline", "code", "results"))


@functools.lru_cache(maxsize=None)
def load_schema(name):
    """The schema in the file `name`."""
    with open(own_file(f"run/{name}", f"../../baselines/schemas/{name}", f"../../schemas/{name}"), encoding="utf-8") as file:
        # In Python $ also matches before a final newline.
        return json.loads(file.read().replace('$"', r'\\Z"'))
