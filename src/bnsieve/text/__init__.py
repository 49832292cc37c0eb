"""What every room says the same way: strict JSON, labels cut short, tables in a notebook."""

from bnsieve.text.strict_json import parse_strict_json

__all__ = ["parse_strict_json"]
