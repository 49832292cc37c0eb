"""Parse and write JSON strictly: no key twice in one object, no NaN or Infinity, limited memory.

JSON from anybody is parsed here and nowhere else. Nothing in it can name code.
"""

import json
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NoReturn

# What values take in memory, as 64-bit Python has them: two characters make a list.
_LIST, _OBJECT, _ITEM, _TEXT = 90, 260, 40, 60
MAX_BYTES = 1 << 30


def parse_strict_json(text: str, max_bytes: int | None = None) -> Any:
    """Parse JSON.

    Parameters
    ----------
    text : str
    max_bytes : int, default 1 GB
        Most memory that its values may take.

    Raises
    ------
    json.JSONDecodeError
        If it is not JSON, with line and column.
    ValueError
        If a key occurs twice in one object, a number is none in JSON, or the values would take more
        than `max_bytes`.
    RecursionError
        If values are nested too deep.
    """
    limit = MAX_BYTES if max_bytes is None else max_bytes
    if _bytes_of(text) > limit:
        raise ValueError(
            f"its values would take more than {limit:,} bytes of memory: it has "
            f"{text.count('[') + text.count('{'):,} lists and objects"
        )
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)


def write_strict_json(value: Any, indent: int | None = None) -> str:
    """Write JSON: on one line without spaces, or indented; refuse NaN and Infinity."""
    separators = (",", ":") if indent is None else None
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )


def _bytes_of(text: str) -> int:
    return (
        len(text)
        + _LIST * text.count("[")
        + _OBJECT * text.count("{")
        + _ITEM * text.count(",")
        + _TEXT * (text.count('"') // 2)
    )


def require_distinct(keys: Sequence[Hashable]) -> None:
    """Refuse a key that occurs twice."""
    if len(set(keys)) == len(keys):
        return
    for key, times in Counter(keys).items():
        if times > 1:
            raise ValueError(f"the key {key!r} occurs twice in one object: merge the two")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require_distinct([key for key, _ in pairs])
    return dict(pairs)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number in JSON")
