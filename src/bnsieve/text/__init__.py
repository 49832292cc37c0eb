"""Shared by all rooms: lists in words, short texts, strict JSON, notebook tables, whole files."""

from bnsieve.text.notebook import MAX_TABLE_ROWS, Colour, NotebookTable, escaped_html, notebook_html
from bnsieve.text.strict_json import parse_strict_json, require_distinct, write_strict_json
from bnsieve.text.whole_files import replacing, write_whole
from bnsieve.text.words import (
    FONT,
    FONT_SIZE,
    counted,
    escaped_xml,
    listed,
    one_line,
    shortened,
    shown_label,
    text_width,
)

__all__ = [
    "FONT",
    "FONT_SIZE",
    "MAX_TABLE_ROWS",
    "Colour",
    "NotebookTable",
    "counted",
    "escaped_html",
    "escaped_xml",
    "listed",
    "notebook_html",
    "one_line",
    "parse_strict_json",
    "replacing",
    "require_distinct",
    "shortened",
    "shown_label",
    "text_width",
    "write_strict_json",
    "write_whole",
]
