"""Knowledge as YAML or JSON: the parameters of `Knowledge` as keys, edges as lists of two names.

In: such text, or knowledge. Out: the other. A file cannot name code, and no key may occur twice.
"""

from typing import Any

from bnsieve.engine import installation_hint
from bnsieve.exchange.files import FormatError, errors_name
from bnsieve.knowledge import Knowledge
from bnsieve.text import require_distinct

# YAML takes a hundred times its size in memory.
MAX_YAML_BYTES = 1 << 23


def parse_yaml(text: str, path: str | None = None) -> Knowledge:
    """Read knowledge from the text of a YAML file of plain values."""
    yaml = _yaml()

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        """Plain values only, each written out, and each key once."""

        def compose_node(self, parent: Any, index: int) -> Any:
            # Aliases of aliases can make a few lines stand for gigabytes.
            if self.check_event(yaml.AliasEvent):
                line = self.peek_event().start_mark.line + 1
                raise ValueError(f"line {line}: aliases (*name) are not read: write the values out")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            require_distinct([self.construct_object(key, deep=True) for key, _ in node.value])
            return super().construct_mapping(node, deep)  # type: ignore[no-any-return]

    try:
        values = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise FormatError(f"this is not YAML of plain values: {said}", path=path) from None
    except RecursionError:
        raise FormatError("lists and mappings are nested too deep", path=path) from None
    except (ValueError, TypeError, OverflowError, LookupError) as error:
        # PyYAML lets through what its own types refuse, such as the 31st of February.
        raise FormatError(str(error), path=path) from None
    return knowledge_of(values, path)


def format_yaml(knowledge: Knowledge) -> str:
    """Return the text of a YAML file."""
    text: str = _yaml().safe_dump(knowledge.to_dict(), sort_keys=False, allow_unicode=True)
    return text


def is_knowledge(values: Any) -> bool:
    """Tell whether the values of a file are meant as knowledge: one of its keys is there."""
    known = Knowledge.__dataclass_fields__
    return isinstance(values, dict) and (not values or any(key in known for key in values))


def knowledge_of(values: Any, path: str | None) -> Knowledge:
    """Return the knowledge in the values of a file."""
    with errors_name(path):
        return Knowledge.from_dict(values)


def _yaml() -> Any:
    try:
        import yaml
    except ImportError:
        raise ImportError(
            f"YAML needs PyYAML: {installation_hint('yaml')}, or use a JSON file"
        ) from None
    return yaml
