"""JSON from anywhere, checked as it is taken apart.

In: the text of a JSON file. Out: plain values, each asked for by its place in the file
and its type, so that an error can say which entry is wrong.

Only plain JSON: no NaN or Infinity, no key twice in one object, nesting no deeper than Python
allows. Nothing in a file can name code.
"""

import json
import math
import sys
from typing import Any, NoReturn

from bnsieve.exchange.files import FormatError
from bnsieve.text import parse_strict_json, shortened

_NAMES = {str: "text", bool: "true or false"}


class Entry:
    """A value in a JSON file, and where it stands there: ``nodes[3].name``."""

    # A file may have millions of values, so that each takes little, and its place is put in words
    # only when an error asks for it.
    __slots__ = ("_inside", "_step", "path", "value")

    def __init__(
        self, value: Any, step: str | int, path: str | None, inside: "Entry | None" = None
    ) -> None:
        self.value = value
        self.path = path
        self._step = step
        self._inside = inside

    @property
    def place(self) -> str:
        """Where this value stands in the file."""
        steps, entry = [], self
        while entry._inside is not None:
            step = entry._step
            steps.append(f"[{step}]" if isinstance(step, int) else f".{step}")
            entry = entry._inside
        return (str(entry._step) + "".join(reversed(steps))).removeprefix(".")

    def refuse(self, message: str) -> NoReturn:
        """Raise the error of a file that is wrong at this entry."""
        where = f"{self.place}: " if self.place else ""
        raise FormatError(where + message, path=self.path)

    def has(self, key: str) -> bool:
        """Tell whether this object has the key."""
        return key in self._of(dict, "an object")

    def key_names(self) -> list[str]:
        """Return the keys of this object."""
        return list(self._of(dict, "an object"))

    def get(self, key: str) -> "Entry":
        """Return the value of a key that must be there."""
        values = self._of(dict, "an object")
        if key not in values:
            self.refuse(f"the key {key!r} is missing")
        return Entry(values[key], key, self.path, self)

    def only_keys(self, *known: str) -> None:
        """Refuse keys that mean nothing here: a misspelt one would go unnoticed."""
        for key in self._of(dict, "an object"):
            if key not in known:
                self.refuse(f"the key {key!r} is unknown; known are {', '.join(known)}")

    def items(self) -> list["Entry"]:
        """Return the values of this list."""
        values = self._of(list, "a list")
        return [Entry(value, i, self.path, self) for i, value in enumerate(values)]

    def text(self) -> str:
        """Return this text."""
        text: str = self._of(str, "text")
        return text

    def read(self, shape: Any) -> Any:
        """Return plain values that have a shape.

        Parameters
        ----------
        shape : type, list, dict or callable
            ``str``, ``bool`` or ``float``, which is any finite number; ``[shape]`` for a list of
            such; ``{key: shape}`` for an object with these keys and no others, of which those that
            end in "?" may be absent; or a function of an entry that returns its value.
        """
        if isinstance(shape, dict):
            names = {key.removesuffix("?"): key for key in shape}
            self.only_keys(*names)
            return {
                name: self.get(name).read(shape[key])
                for name, key in names.items()
                if key == name or self.has(name)
            }
        if isinstance(shape, list):
            values = self._of(list, "a list")
            # As in every table, and without an entry for each.
            if shape == [float] and all(
                type(one) is float and math.isfinite(one) for one in values
            ):
                return values
            return [entry.read(shape[0]) for entry in self.items()]
        if shape is not float:
            return self._of(shape, _NAMES[shape]) if shape in _NAMES else shape(self)
        if type(self.value) not in (int, float):
            self.refuse(f"this must be a number, but is {_shown(self.value)}")
        # Compared rather than converted: a whole number can be too large for a float.
        if not abs(self.value) <= sys.float_info.max:
            self.refuse("the number is too large")
        return float(self.value)

    def _of(self, kind: type, what: str) -> Any:
        if type(self.value) is not kind:
            self.refuse(f"this must be {what}, but is {_shown(self.value)}")
        return self.value


def parse_json_tree(text: str, path: str | None, max_bytes: int | None = None) -> Entry:
    """Parse JSON text and return its outermost value, which may not take more memory than said."""
    try:
        value = parse_strict_json(text, max_bytes)
    except json.JSONDecodeError as error:
        message = f"this is not JSON: {error.msg}"
        raise FormatError(message, error.lineno, error.colno, path) from None
    except RecursionError:
        raise FormatError("lists and objects are nested too deep", path=path) from None
    except ValueError as error:  # of the hooks, or of a number with thousands of digits
        raise FormatError(str(error), path=path) from None
    return Entry(value, "", path)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return shortened(json.dumps(value, ensure_ascii=False), 40)
