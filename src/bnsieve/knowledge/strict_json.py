"""Parse JSON strictly: no key twice in one object, no NaN or Infinity.

The one place where JSON of strangers is parsed. Nothing in it can name code.
"""

import json
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NoReturn


def parse_strict_json(text: str) -> Any:
    """Parse JSON.

    Raises
    ------
    json.JSONDecodeError
        If it is not JSON, with line and column.
    ValueError
        If a key occurs twice in one object, or a number is none in JSON.
    RecursionError
        If values are nested too deep.
    """
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)


def require_distinct(keys: Sequence[Hashable]) -> None:
    """Refuse a key that occurs twice."""
    for key, times in Counter(keys).items():
        if times > 1:
            raise ValueError(f"the key {key!r} occurs twice in one object: merge the two")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require_distinct([key for key, _ in pairs])
    return dict(pairs)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number in JSON")
