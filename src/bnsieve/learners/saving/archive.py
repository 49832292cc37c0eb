"""A fitted learner in one file: a zip archive of ``learner.json`` and its arrays.

In: a fitted learner and a path. Out: the file, which `bnsieve.learners.saving.loading` reads. The
file contains no code and no names of code. It does not say where tasks run, because that belongs to
the machine, not to the learner.
"""

import json
import zipfile
from dataclasses import replace
from importlib.metadata import version
from os import PathLike
from typing import Any

from sklearn.utils.validation import check_is_fitted

from bnsieve.learners.saving.values import Arrays, encode
from bnsieve.text import replacing

FORMAT = "bnsieve learner"
VERSION = 6

PLACE = {"engine": "local", "n_jobs": None, "verbose": False}
"""Parameters that say where work runs and what is shown of it; the values are for one thread here.

No file may choose these."""

# Zip archives carry times; with a fixed one, the same learner gives the same file.
_EPOCH = (1980, 1, 1, 0, 0, 0)
# More would take several times as long, and arrays of codes become hardly smaller.
_LITTLE_EFFORT = 1


def save(learner: Any, path: str | PathLike[str], *, data: bool = True) -> None:
    """Write this fitted learner to a file, which `bnsieve.load` reads.

    The file is a zip archive of JSON and numbers: no pickle, no code.

    Parameters
    ----------
    path : str or path
        The file to write. An existing file is replaced.
    data : bool, default True
        Whether to keep the rows, which `bootstrap`, `explain` and `update` need, and the codes that
        `synthesize` can draw. The graph and the counts behind the network are kept in any case. For
        large files, the sample is kept, not the paths.

    Raises
    ------
    NotFittedError
        If the learner is not fitted.
    TypeError
        If a parameter has a type that cannot be saved, such as a `RandomState`.
    """
    check_is_fitted(learner, "fit_result_")
    result = learner.fit_result_
    if not data:  # the counts of files hold a sample of the rows
        record = result.table_record and result.table_record.without_known_codes()
        result = replace(result, table=None, counted=None, table_record=record)
    parameters = learner.get_params(deep=False)
    arrays: Arrays = []
    document = {
        "format": FORMAT,
        "version": VERSION,
        "bnsieve": version("bnsieve"),
        "class": type(learner).__name__,
        "parameters": {
            name: encode(value, name, arrays)
            for name, value in parameters.items()
            if name not in PLACE
        },
        "result": encode(result, "result", arrays),
    }
    # Written only once all of it is known to be writable, and beside a file that may be there.
    with (
        replacing(path) as partial,
        zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        text = json.dumps(document, indent=1)
        archive.writestr(_member("learner.json"), text)
        for number, array in enumerate(arrays):
            member = _member(f"arrays/{number}")
            archive.writestr(member, array.tobytes(), compresslevel=_LITTLE_EFFORT)


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member
