"""The file beside a network file that says what its plain names and labels stand for.

Comes in: a spelling, or such a file. Goes out: the file, or what it says. bnsieve itself needs it
only for files that another program wrote again; it is for those who go on in that program.
"""

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from bnsieve.exchange.formats._files import read_text, write_text
from bnsieve.exchange.formats._spelling import Originals, SpelledVariable
from bnsieve.exchange.formats.errors import FormatError
from bnsieve.text import parse_strict_json

ENDING = ".names.json"
_KIND = "bnsieve names"


def names_path(path: str | PathLike[str]) -> Path:
    """Return where the names of a network file are: beside it, under its name and an ending."""
    return Path(path).with_name(Path(path).name + ENDING)


def write_names(spelled: Mapping[str, SpelledVariable], path: str | PathLike[str]) -> None:
    """Write the names of a network file beside it; take an old file away if none are needed."""
    changed = [one for one in spelled.values() if one.is_changed]
    if not changed:
        names_path(path).unlink(missing_ok=True)
        return
    content = {
        "format": _KIND,
        "version": 1,
        "variables": {
            one.name: {
                "name": one.original,
                "labels": dict(zip(one.labels, one.original_labels, strict=True)),
            }
            for one in changed
        },
    }
    write_text(json.dumps(content, indent=1) + "\n", names_path(path))


def read_names(path: str | PathLike[str]) -> Originals:
    """Read such a file."""
    try:
        content = parse_strict_json(read_text(path))
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON: {error}", path=str(path)) from None
    if not _is_names(content):
        raise FormatError("this is not a file of names that bnsieve wrote", path=str(path))
    variables = content["variables"]
    return Originals(
        {plain: own["name"] for plain, own in variables.items()},
        {plain: own["labels"] for plain, own in variables.items()},
    )


def _is_names(content: Any) -> bool:
    if not isinstance(content, dict) or content.get("format") != _KIND:
        return False
    variables = content.get("variables")
    return isinstance(variables, dict) and all(
        isinstance(own, dict)
        and isinstance(own.get("name"), str)
        and isinstance(own.get("labels"), dict)
        and all(isinstance(label, str) for label in own["labels"].values())
        for own in variables.values()
    )
