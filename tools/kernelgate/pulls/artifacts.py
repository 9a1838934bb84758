"""The results in an artifact that a stranger may have made: nothing of it is unpacked to a disk, executed, or believed
without its schema."""

import io
import re
import stat
import struct
import zipfile
import zlib

from kernelgate.base.errors import Failure
from kernelgate.base.json_io import parse_json
from kernelgate.base.results import SCHEMA, Run
from kernelgate.base.schema_form import fits
from kernelgate.base.schemas import RESULTS

NAME = re.compile(r"kernelgate-[A-Za-z0-9._-]{1,80}\Z")  # of an artifact with results
FILE = "results.json"
LARGEST_ARCHIVE = 64 << 20
LARGEST_RESULTS = 16 << 20  # take 13 s; 455 cases have 0.6 MB
MOST_MEMBERS = 20000
NO_SOURCES = "/nonexistent"  # places are shown as the results name them: no file here has anything to do with them


def _member(archive):
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise ValueError(f"it has more than {MOST_MEMBERS} files")
    for member in members:
        parts = member.filename.replace("\\", "/").split("/")
        if member.filename.startswith("/") or ".." in parts or stat.S_ISLNK(member.external_attr >> 16):
            raise ValueError("it has a link, or a path that leads out of it")
    found = [member for member in members if member.filename == FILE]
    if len(found) != 1:
        raise ValueError(f"it has {len(found)} files {FILE}, not one")
    if found[0].file_size > LARGEST_RESULTS:
        raise ValueError(f"its {FILE} has more than {LARGEST_RESULTS} bytes")
    return found[0]


def _document(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        with archive.open(_member(archive)) as file:
            # The size in the archive's directory is a claim; this is the bound.
            text = file.read(LARGEST_RESULTS + 1)
    if len(text) > LARGEST_RESULTS:
        raise ValueError(f"its {FILE} has more than {LARGEST_RESULTS} bytes")
    return parse_json(text)


def read_results(data):
    """The run in the bytes of an archive. Failure, with a reason of our own words, if it is not as kernelgate leaves it."""
    try:
        document = _document(data)
    except ValueError as error:
        raise Failure(str(error)) from None
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, NotImplementedError, OverflowError):
        raise Failure("it is not an archive that can be read") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA or not fits(document, RESULTS):
        raise Failure(f"its {FILE} does not fit the schema {SCHEMA}")
    return Run(document, NO_SOURCES)
