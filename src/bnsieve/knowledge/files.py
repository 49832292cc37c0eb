"""Read YAML and JSON files: no key may occur twice, and nothing is executed."""

import json
import os
from pathlib import Path
from typing import Any

from bnsieve.knowledge import strict_json


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file in which no key occurs twice."""
    try:
        return strict_json.parse_strict_json(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{os.fspath(path)} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """Read a YAML file of plain values in which no key occurs twice."""
    try:
        import yaml
    except ImportError:
        raise ImportError(
            "reading YAML needs PyYAML: pip install 'bnsieve[yaml]', or write the file as JSON"
        ) from None

    class Loader(yaml.SafeLoader):
        """Plain values only, and each key once."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            strict_json.require_distinct(keys)
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(Path(path).read_text(encoding="utf-8"), Loader)
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise ValueError(f"{os.fspath(path)} is not YAML of plain values: {said}") from None
