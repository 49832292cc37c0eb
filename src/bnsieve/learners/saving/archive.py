"""A fitted learner in one file: a zip archive of ``learner.json`` and its arrays.

In: a learner's class, parameters and `FitResult`, and a path. Out: the file; or all three from a
file. The file holds no code and names none: the class is looked up in a list, values are made by
`bnsieve.learners.saving.values` alone, and every field of a record must be there, of its type.
Nor does it say where work runs: that belongs to the machine, not to the learner.
"""

import errno
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bnsieve.exchange import Entry, FormatError, parse_json_tree
from bnsieve.learners.fit_result import FitResult
from bnsieve.learners.saving.values import Arrays, decode, encode

FORMAT = "bnsieve learner"
VERSION = 3
MAX_BYTES = 2 << 30

PLACE = {"engine": "local", "n_jobs": None, "verbose": False}
"""Parameters that say where work runs and what is shown of it; the values are for one thread here.

No file may choose these."""

Learner = TypeVar("Learner")

# Zip archives carry times; with a fixed one, the same learner gives the same file.
_EPOCH = (1980, 1, 1, 0, 0, 0)
# More would take several times as long, and arrays of codes become hardly smaller.
_LITTLE_EFFORT = 1
# What zipfile and its unpackers say of an archive that is none, or of a kind not written here.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
    OSError,
)
# Bytes unpacked at a time.
_PIECE = 1 << 20
# JSON is held as text, as lists and objects, and as what these become.
_READ_AGAIN = 3


def save(learner: Any, path: str | PathLike[str], *, data: bool = True) -> None:
    """Write this fitted learner to a file, which `bnsieve.load` reads again.

    The file is a zip archive of JSON and numbers: no pickle, no code.

    Parameters
    ----------
    path : str or path
        Where to; a file that is there is replaced.
    data : bool, default True
        Keep the rows, without which `bootstrap`, `explain` and `update` cannot work. The counts
        behind the network, and the graph, are kept either way. Of files that were sampled, the
        sample is kept, not where they are.

    Raises
    ------
    NotFittedError
        If the learner is not fitted.
    TypeError
        If a parameter is of a type that a file cannot hold, such as a `RandomState`.
    """
    check_is_fitted(learner, "fit_result_")
    result = learner.fit_result_
    if not data:  # the counts of files hold a sample of the rows
        result = replace(result, table=None, counted=None)
    parameters = learner.get_params(deep=False)
    write_archive(path, type(learner), parameters, result)


def write_archive(
    path: str | PathLike[str],
    learner: type,
    parameters: Mapping[str, Any],
    result: FitResult,
) -> None:
    """Write a learner's class, parameters and what was learned.

    Raises
    ------
    TypeError
        If a value is of a type that a file cannot hold.
    """
    arrays: Arrays = []
    document = {
        "format": FORMAT,
        "version": VERSION,
        "bnsieve": version("bnsieve"),
        "class": learner.__name__,
        "parameters": {
            name: encode(one, name, arrays) for name, one in parameters.items() if name not in PLACE
        },
        "result": encode(result, "result", arrays),
    }
    # Written only once all of it is known to be writable, and beside a file that may be there.
    partial = Path(path).with_name(Path(path).name + ".part")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            text = json.dumps(document, indent=1)
            archive.writestr(_member("learner.json"), text)
            for number, array in enumerate(arrays):
                member = _member(_array_name(number))
                archive.writestr(member, array.tobytes(), compresslevel=_LITTLE_EFFORT)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def read_archive(
    path: str | PathLike[str], learners: Mapping[str, type[Learner]], max_bytes: int = MAX_BYTES
) -> tuple[type[Learner], dict[str, Any], FitResult]:
    """Read a learner's class, parameters and what was learned.

    Parameters
    ----------
    path : str or path
    learners : mapping of str to class
        The classes that a file may name.
    max_bytes : int
        Most bytes that the file may unpack to.

    Raises
    ------
    FormatError
        If anything in the file is not as it must be.
    OSError
        If the file cannot be opened.
    """
    name = fspath(path)
    try:
        with zipfile.ZipFile(path) as archive:
            total = sum(member.file_size for member in archive.infolist())
            if total > max_bytes:
                raise FormatError(
                    f"the file unpacks to {total:,} bytes, more than max_bytes={max_bytes:,}",
                    path=name,
                )
            root = parse_json_tree(_text(archive, name), name, max_bytes // _READ_AGAIN)
            return _read(root, learners, archive)
    except FormatError:
        raise
    except _DAMAGED as error:
        # Where the archive's own directory is damaged, a member may lie before the file begins,
        # which the system calls an invalid argument; and of data that bz2 cannot unpack Python says
        # the same as of files that cannot be read, but without the system's number.
        if isinstance(error, OSError) and error.errno not in (errno.EINVAL, None):
            raise
        raise FormatError(f"this is not a learner that bnsieve saved: {error}", path=name) from None


def _read(
    root: Entry, learners: Mapping[str, type[Learner]], archive: zipfile.ZipFile
) -> tuple[type[Learner], dict[str, Any], FitResult]:
    if not root.has("format") or root.get("format").value != FORMAT:
        root.refuse("this is not a learner that bnsieve saved")
    number = root.get("version")
    if type(number.value) is not int or number.value != VERSION:
        cure = "upgrade bnsieve"
        if type(number.value) is int and number.value < VERSION:
            cure = "an earlier version wrote it, so fit the learner again"
        number.refuse(f"this bnsieve reads version {VERSION} only: {cure}")
    root.only_keys("format", "version", "bnsieve", "class", "parameters", "result")
    learner = learners.get(root.get("class").text())
    if learner is None:
        root.get("class").refuse(f"this must be one of {', '.join(learners)}")

    taken: set[int] = set()

    def array_bytes(number: int) -> NDArray[np.uint8]:
        # `encode` writes each array once. A file that names one array many times would make many.
        if number in taken:
            root.refuse(f"{_array_name(number)} is named twice")
        taken.add(number)
        return _content(archive, _array_name(number), root.path)

    try:
        parameters = {
            name: decode(root.get("parameters").get(name), array_bytes)
            for name in root.get("parameters").key_names()
            if name not in PLACE
        }
        result = decode(root.get("result"), array_bytes)
    except RecursionError:
        root.refuse("values are nested too deep")
    if not isinstance(result, FitResult):
        root.get("result").refuse("this must be a FitResult")
    return learner, parameters, result


def _array_name(number: int) -> str:
    return f"arrays/{number}"


def _content(archive: zipfile.ZipFile, member: str, path: str | None) -> NDArray[np.uint8]:
    try:
        info = archive.getinfo(member)
    except KeyError:
        raise FormatError(f"the file lacks {member}", path=path) from None
    content = np.empty(info.file_size, dtype=np.uint8)
    read = 0
    # A member may hold more than it says, of which no more is read, or less.
    with archive.open(info) as file:
        while read < content.size:
            piece = file.read(min(_PIECE, content.size - read))
            if not piece:
                raise FormatError(f"{member} ends too early", path=path)
            content[read : read + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
            read += len(piece)
    return content


def _text(archive: zipfile.ZipFile, path: str) -> str:
    try:
        return _content(archive, "learner.json", path).tobytes().decode()
    except UnicodeDecodeError:
        raise FormatError("learner.json is not utf-8 text", path=path) from None
