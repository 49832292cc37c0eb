"""A saved learner, loaded again.

In: a file that `save` wrote. Out: the learner. The class is looked up in a list, only
`bnsieve.learners.saving.values` creates values, and every field of a record must be present with
the right type.
"""

import errno
import lzma
import struct
import zipfile
import zlib
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsieve.exchange import Entry, FormatError, parse_json_tree
from bnsieve.learners.base import StructureLearner, lacking_attribute
from bnsieve.learners.baselines import FSMBPC, PC, HitonPC
from bnsieve.learners.fit_result import FitResult
from bnsieve.learners.saving.archive import FORMAT, PLACE, VERSION
from bnsieve.learners.saving.values import decode
from bnsieve.learners.tsetlin_pc import TsetlinPC
from bnsieve.learners.tsetlin_sieve import TsetlinSieve

MAX_BYTES = 2 << 30
LEARNERS: dict[str, type[StructureLearner]] = {
    learner.__name__: learner for learner in (FSMBPC, HitonPC, PC, TsetlinPC, TsetlinSieve)
}

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


def load(path: str | PathLike[str], *, max_bytes: int = MAX_BYTES) -> StructureLearner:
    """Load a learner that its method `save` wrote.

    This is safe for untrusted files: a file cannot name code or say where tasks run, and all of its
    content is checked. `engine`, `n_jobs` and `verbose` have their defaults; set them with
    `set_params`.

    Parameters
    ----------
    path : str or path
        A file that `save` wrote.
    max_bytes : int, default 2 GB
        The number of bytes that the file may unpack to. Loading takes at most about as much memory.

    Returns
    -------
    StructureLearner
        A learner of the saved class, with its parameters and fitted attributes.

    Raises
    ------
    FormatError
        If the file is not a learner that this version of bnsieve can read, or is damaged.
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
            try:
                text = _content(archive, "learner.json", name).tobytes().decode()
            except UnicodeDecodeError:
                raise FormatError("learner.json is not utf-8 text", path=name) from None
            return _learner(parse_json_tree(text, name, max_bytes // _READ_AGAIN), archive)
    except FormatError:
        raise
    except _DAMAGED as error:
        # Where the archive's own directory is damaged, a member may lie before the file begins,
        # which the system calls an invalid argument; and of data that bz2 cannot unpack Python says
        # the same as of files that cannot be read, but without the system's number.
        if isinstance(error, OSError) and error.errno not in (errno.EINVAL, None):
            raise
        raise FormatError(f"this is not a learner that bnsieve saved: {error}", path=name) from None


def _learner(root: Entry, archive: zipfile.ZipFile) -> StructureLearner:
    if not root.has("format") or root.get("format").value != FORMAT:
        root.refuse("this is not a learner that bnsieve saved")
    number = root.get("version")
    if type(number.value) is not int or number.value != VERSION:
        cure = "upgrade bnsieve"
        if type(number.value) is int and number.value < VERSION:
            cure = "an earlier version wrote it, so fit the learner again"
        number.refuse(f"this bnsieve reads version {VERSION} only: {cure}")
    root.only_keys("format", "version", "bnsieve", "class", "parameters", "result")
    learner = LEARNERS.get(root.get("class").text())
    if learner is None:
        root.get("class").refuse(f"this must be one of {', '.join(LEARNERS)}")
    taken: set[int] = set()

    def array_bytes(number: int) -> NDArray[np.uint8]:
        # `encode` writes each array once. A file that names one array many times would make many.
        if number in taken:
            root.refuse(f"arrays/{number} is named twice")
        taken.add(number)
        return _content(archive, f"arrays/{number}", root.path)

    given, parameters = root.get("parameters"), dict[str, Any]()
    try:
        for name in given.key_names():
            if name not in learner._get_param_names():
                given.refuse(f"a {learner.__name__} has no parameter {name!r}")
            if name not in PLACE:
                parameters[name] = decode(given.get(name), array_bytes)
        result = decode(root.get("result"), array_bytes)
    except RecursionError:
        root.refuse("values are nested too deep")
    if not isinstance(result, FitResult):
        root.get("result").refuse("this must be a FitResult")
    loaded: StructureLearner = learner(**parameters)
    loaded.fit_result_ = result
    lacking = lacking_attribute(loaded)
    if lacking is not None:
        root.get("result").refuse(f"a {learner.__name__} has {lacking}, which this lacks")
    return loaded


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
