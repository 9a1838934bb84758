# SPDX-License-Identifier: MIT
"""Finds results in files, folders and ZIP archives. Downloaded artifacts are hostile input: names and sizes in them are
not trusted, nothing is unpacked to the disk, and an artifact with one bad member is refused whole."""

import io
import os
import pathlib
import stat
import struct
import zipfile
import zlib

from kernelgate.base.errors import Failure, os_errors_as
from kernelgate.base.files import open_regular

NAME = "results.json"
MIB = 1 << 20
LARGEST_DOCUMENT = 32 * MIB  # this tree's 1100 cases take 0.8 MiB
LARGEST_ARCHIVE = 64 * MIB
LARGEST_TOTAL = 256 * MIB
MOST_MEMBERS = 20000
LARGEST_RATIO = 250  # results compress by 20 to 40, a file of zeros by 1000
CENTRAL_HEADER = b"PK\x01\x02"  # in front of each member in an archive's directory
ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
REMEDY = f"name a {NAME}, or an artifact of a run as it was uploaded"


class Refused(Failure):
    """An artifact that is not as a run leaves it. `fault` has no word of the artifact's."""

    def __init__(self, label, fault):
        super().__init__(f"{label}: {fault}: {REMEDY}")
        self.fault = fault


def _limited(label, file, most):
    data = file.read(most + 1)
    if len(data) > most:
        raise Refused(label, f"has more than {most // MIB} MiB")
    return data


def _read(path, most):
    with os_errors_as(f"{path}: cannot be read", REMEDY), open_regular(path) as file:
        return _limited(path, file, most)


def _refuse_read(error):
    raise Failure(f"{error.filename}: cannot be read: {error.strerror}: {REMEDY}")


def _in_folder(folder):
    found, count = [], 0
    for place, folders, names in os.walk(folder, onerror=_refuse_read):
        count += len(folders) + len(names)
        if count > MOST_MEMBERS:
            raise Failure(f"{folder}: has more than {MOST_MEMBERS} files: {REMEDY}")
        if NAME in names:
            path = os.path.join(place, NAME)
            if os.path.islink(path):
                raise Failure(f"{path}: is a symbolic link, which no run leaves: {REMEDY}")
            found.append((path, _read(path, LARGEST_DOCUMENT)))
    return found


def _is_results(member):
    return member.filename.rpartition("/")[2] == NAME


def _fault_of(member):
    """Why a member of an archive cannot be one of an artifact; None if it can."""
    parts = pathlib.PurePosixPath(member.orig_filename).parts
    if member.filename != member.orig_filename or "\\" in member.filename or ".." in parts or "/" in parts[:1]:
        return "leads out of the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a symbolic link"
    if member.flag_bits & 1:
        return "is encrypted"
    if member.compress_type not in METHODS:
        return "is compressed by another method than deflate"
    if _is_results(member) and member.file_size > max(MIB, LARGEST_RATIO * member.compress_size):
        return f"would unpack to more than {LARGEST_RATIO} times its size"
    return None


def _unpack(archive, member, label):
    try:
        with archive.open(member) as file:
            return _limited(label, file, LARGEST_DOCUMENT)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, OSError):
        raise Refused(label, "cannot be unpacked") from None


def results_in_archive(path, data):
    """The results in the bytes of an archive: the name of each for messages, and its bytes."""
    # Every member has this header, whatever number of them the archive claims: its directory would take gigabytes.
    if data.count(CENTRAL_HEADER) > MOST_MEMBERS:
        raise Refused(path, f"has more than {MOST_MEMBERS} members")
    found, names, total = [], set(), 0
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, struct.error, EOFError, NotImplementedError, ValueError, OverflowError):
        raise Refused(path, "is not a ZIP archive") from None
    for member in archive.infolist():
        label = f"{path}/{member.orig_filename}"
        fault = "is in it twice" if member.filename in names else _fault_of(member)
        if fault:
            raise Refused(label, fault)
        names.add(member.filename)
        if _is_results(member):
            found.append((label, _unpack(archive, member, label)))
            total += len(found[-1][1])
            if total > LARGEST_TOTAL:
                raise Refused(path, f"its results have more than {LARGEST_TOTAL // MIB} MiB")
    return found


def read_artifact(path):
    """The results in a file, a folder or an archive: the name of each for messages, and its bytes."""
    if os.path.isdir(path):
        found = _in_folder(path)
    else:
        data = _read(path, LARGEST_ARCHIVE)
        found = results_in_archive(path, data) if data.startswith(ARCHIVES) else [(path, _limited(path, io.BytesIO(data), LARGEST_DOCUMENT))]
    if not found:
        raise Failure(f"{path}: has no {NAME}: {REMEDY}")
    return found
