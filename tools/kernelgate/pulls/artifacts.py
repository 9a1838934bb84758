# SPDX-License-Identifier: MIT
"""The results in an artifact that a stranger may have made: nothing is believed without its schema."""

import re

from kernelgate.base.artifacts import NAME as FILE, Refused, results_in_archive
from kernelgate.base.errors import Failure
from kernelgate.base.json_io import parse_json
from kernelgate.base.results import SCHEMA, Run
from kernelgate.base.schema_form import fits
from kernelgate.base.schemas import RESULTS

NAME = re.compile(r"kernelgate-[A-Za-z0-9._-]{1,80}\Z")  # of an artifact with results
LARGEST_ARCHIVE = 64 << 20
LARGEST_RESULTS = 16 << 20  # take 13 s; 455 cases have 0.6 MB
NO_SOURCES = "/nonexistent"  # places are shown as the results name them: no file here has anything to do with them


def _document(data):
    found = [text for label, text in results_in_archive("", data) if label == f"/{FILE}"]
    if len(found) != 1:
        raise ValueError(f"it has no {FILE}")
    if len(found[0]) > LARGEST_RESULTS:
        raise ValueError(f"its {FILE} has more than {LARGEST_RESULTS} bytes")
    return parse_json(found[0])


def read_results(data):
    """The run in the bytes of an archive. Failure, with a reason of our own words, if it is not as kernelgate leaves it."""
    try:
        document = _document(data)
    except Refused as refused:
        raise Failure(f"its archive, or a file in it, {refused.fault}") from None
    except ValueError as error:
        raise Failure(str(error)) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA or not fits(document, RESULTS):
        raise Failure(f"its {FILE} does not fit the schema {SCHEMA}")
    return Run(document, NO_SOURCES)
