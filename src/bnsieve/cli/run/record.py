"""The record of a run, read again: every part that a command uses is what it must be.

In: ``run.json``. Out: its content, or an error that names the file and the part.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bnsieve.cli.run.run import METHODS, RunSettings
from bnsieve.text import parse_strict_json

# What JSON holds of each part. A list and what is in it, an object and the parts it must have, a
# tuple of alternatives, or a type.
_TEXT_OR_NONE = (str, None)
_TEXTS = [str]
_SETTINGS: dict[str, Any] = {
    "data": str,
    "method": str,
    "knowledge": _TEXT_OR_NONE,
    "bootstrap": int,
    "target": _TEXT_OR_NONE,
    "seed": int,
    "drop": _TEXTS,
    "keep": _TEXTS,
    "missing_texts": _TEXTS,
    "roles": dict,
    "cut": dict,
    "sheet": _TEXT_OR_NONE,
    "header_row": (int, None),
    "time": _TEXT_OR_NONE,
    "by": _TEXT_OR_NONE,
}
_RECORD: dict[str, Any] = {
    "command": str,
    "versions": {"bnsieve": str, "python": str},
    "settings": _SETTINGS,
    "learner": {"class": str, "parameters": dict},
    "data": {
        "files": [{"name": str, "bytes": int, "sha256": str}],
        "rows": int,
        "columns": _TEXTS,
        "remarks": _TEXTS,
    },
    "changes": [{"column": str, "what": str, "why": str}],
}


def read_record(path: Path) -> dict[str, Any]:
    """Read ``run.json``.

    Raises
    ------
    ValueError
        If it is not what `bnsieve learn` writes.
    """
    try:
        record = parse_strict_json(path.read_text(encoding="utf-8"))
        wrong = _wrong(record, _RECORD, "it")
        if wrong is None and record["settings"]["method"] not in METHODS:
            wrong = "settings.method is wrong"
        if wrong is None:
            RunSettings.of_record(record["settings"])
    except (ValueError, TypeError, RecursionError) as error:
        wrong = str(error)
    if wrong is not None:
        raise ValueError(
            f"{path} is not a record that `bnsieve learn` wrote ({wrong}): learn again, or remove "
            "this file to use the model alone"
        )
    content: dict[str, Any] = record
    return content


def _wrong(value: Any, wanted: Any, where: str) -> str | None:
    """Return the first part that is not what it must be, or None."""
    if isinstance(wanted, tuple):
        fits = any(_wrong(value, one, where) is None for one in wanted)
        return None if fits else f"{where} is wrong"
    if isinstance(wanted, list):
        if not isinstance(value, list):
            return f"{where} is no list"
        found = (_wrong(part, wanted[0], f"{where}[{i}]") for i, part in enumerate(value))
        return next((one for one in found if one is not None), None)
    if isinstance(wanted, Mapping):
        if not isinstance(value, dict):
            return f"{where} is no object"
        inside = "" if where == "it" else f"{where}."
        for key, kind in wanted.items():
            found_here = "lacks" if key not in value else _wrong(value[key], kind, inside + key)
            if found_here is not None:
                return f"{inside}{key} is missing" if key not in value else found_here
        return None
    fits = value is None if wanted is None else type(value) is wanted
    return None if fits else f"{where} is wrong"
