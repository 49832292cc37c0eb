"""Read YAML and JSON files: no key may occur twice, nothing is executed, and there are limits.

In: a path. Out: plain values; or a ValueError that names the file and what is wrong with it.
"""

import json
import os
from pathlib import Path
from typing import Any

from bnsieve.text import strict_json

# A list of every arrow between a thousand columns has 20 MB. YAML takes a hundred times its size.
_MAX_JSON = 1 << 26
_MAX_YAML = 1 << 23
# A damaged file can have a whole page where a name should be.
_LONGEST_MESSAGE = 400


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file in which no key occurs twice."""
    text = _text(path, _MAX_JSON)
    try:
        return strict_json.parse_strict_json(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{os.fspath(path)} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise _too_deep(path) from None
    except ValueError as error:
        raise named(path, error) from None


def named(path: str | os.PathLike[str], error: Exception) -> ValueError:
    """Return an error that says in which file the fault lies."""
    return ValueError(f"{os.fspath(path)}: {shortened(str(error))}")


def shortened(message: str) -> str:
    """Leave out the middle of a very long message."""
    if len(message) <= _LONGEST_MESSAGE:
        return message
    return f"{message[: _LONGEST_MESSAGE // 2]} ... {message[-_LONGEST_MESSAGE // 2 :]}"


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """Read a YAML file of plain values in which no key occurs twice."""
    try:
        import yaml
    except ImportError:
        raise ImportError(
            "reading YAML needs PyYAML: pip install 'bnsieve[yaml]', or write the file as JSON"
        ) from None

    class Loader(yaml.SafeLoader):
        """Plain values only, each written out, and each key once."""

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            # Aliases of aliases can make a few lines stand for gigabytes.
            if self.check_event(yaml.AliasEvent):
                line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
                raise ValueError(f"line {line}: aliases (*name) are not read: write the values out")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            strict_json.require_distinct(keys)
            return super().construct_mapping(node, deep)

    text = _text(path, _MAX_YAML)
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise ValueError(f"{os.fspath(path)} is not YAML of plain values: {said}") from None
    except RecursionError:
        raise _too_deep(path) from None
    except (ValueError, TypeError, OverflowError, LookupError) as error:
        # PyYAML lets through what its own types refuse, such as the 31st of February.
        raise named(path, error) from None


def _text(path: str | os.PathLike[str], limit: int) -> str:
    with Path(path).open("rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{os.fspath(path)} holds more than {limit:,} bytes: is this knowledge?")
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{os.fspath(path)}, line {line}: this is not utf-8 text: save the file as UTF-8"
        ) from None


def _too_deep(path: str | os.PathLike[str]) -> ValueError:
    return ValueError(
        f"{os.fspath(path)}: lists are nested too deep: knowledge needs two or three levels"
    )
