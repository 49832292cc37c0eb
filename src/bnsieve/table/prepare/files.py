"""A preparation as JSON, and back.

Dataclasses become objects with their fields; a reading has its kind beside them. What is read is
checked field by field.
"""

from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

FORMAT = "bnsieve preparation"
VERSION = 1
# Fields that files of earlier versions lack; they have defaults.
_LATER = {"fixed"}


def plain(value: Any) -> Any:
    """Return a value as JSON knows it."""
    if is_dataclass(value):
        own = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        return {"kind": type(value).__name__} | own
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple) else value


def made(value: Any, hint: Any, where: str) -> Any:
    """Return what `plain` made JSON of, as the type that is declared.

    Raises
    ------
    ValueError
        If it is something else.
    """
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _one_of(value, inside, where)
    if is_dataclass(hint):
        return _record(value, hint, where)
    if origin is Literal and value in inside:
        return value
    if origin is tuple and isinstance(value, list):
        return tuple(made(one, inside[0], f"{where}[{i}]") for i, one in enumerate(value))
    if origin is dict and isinstance(value, dict):
        return {key: made(one, inside[1], f"{where}.{key}") for key, one in value.items()}
    if hint is float and type(value) in (int, float):
        return float(value)
    if hint in (int, str, bool) and type(value) is hint:
        return value
    raise ValueError(f"{where}: {value!r} is not what it must be")


def _one_of(value: Any, hints: tuple[Any, ...], where: str) -> Any:
    if value is None and NoneType in hints:
        return None
    for hint in hints:
        if is_dataclass(hint):
            if isinstance(value, dict) and value.get("kind") == hint.__name__:  # type: ignore[union-attr]
                return _record(value, hint, where)
        elif hint is not NoneType:
            return made(value, hint, where)
    raise ValueError(f"{where}: {value!r} is not what it must be")


def _record(value: Any, record: Any, where: str) -> Any:
    hints = get_type_hints(record)
    if (
        not isinstance(value, dict)
        or not {"kind", *hints} - _LATER <= {*value} <= {"kind", *hints}
        or value["kind"] != record.__name__
    ):
        raise ValueError(f"{where}: this must be a {record.__name__} with {', '.join(hints)}")
    return record(
        **{
            name: made(value[name], hint, f"{where}.{name}")
            for name, hint in hints.items()
            if name in value
        }
    )
