"""The reference documents every parameter and attribute with a sentence."""

import importlib
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
# Sections of a docstring with an entry for each name, and a description below it.
DESCRIBED = ("Parameters", "Attributes")
SECTION = re.compile(r"^(\w[\w ]*)\n-+$", re.MULTILINE)


def named_objects() -> dict[str, object]:
    """Return every object that a page of the reference names, and the listed members of modules."""
    names = []
    for page in sorted(REFERENCE.glob("*.md")):
        for entry in re.split(r"^::: ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            name = entry.split()[0]
            members = re.search(r"members: \[([^\]]*)\]", entry)
            is_module = name.rpartition(".")[2].islower() and inspect.ismodule(found_at(name))
            listed = members[1].split(", ") if members and is_module else []
            names += [f"{name}.{member}" for member in listed] or [name]
    return {name: found_at(name) for name in names}


def found_at(name: str) -> object:
    """Import a module, or an object of one."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        parent, _, last = name.rpartition(".")
        return getattr(found_at(parent), last)


def docstrings_of(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the docstring of an object and those of its public methods, as written."""
    yield name, inspect.getdoc(value) or ""
    if isinstance(value, type):
        for member, method in vars(value).items():
            method = getattr(method, "__func__", method)
            if not member.startswith("_") and inspect.isfunction(method):
                yield f"{name}.{member}", inspect.getdoc(method) or ""


def undescribed(docstring: str) -> list[str]:
    """Return the names in a docstring's lists that have no description."""
    parts = SECTION.split(docstring)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    empty = []
    for title in DESCRIBED:
        lines = [line for line in sections.get(title, "").split("\n") if line.strip()]
        for line, follower in pairwise([*lines, "the end"]):
            if not line.startswith(" ") and not follower.startswith(" "):
                empty.append(line)
    return empty


@pytest.mark.parametrize("name", named_objects())
def test_every_parameter_and_attribute_has_a_sentence(name: str) -> None:
    docstrings = dict(docstrings_of(name, found_at(name)))
    empty = {owner: undescribed(text) for owner, text in docstrings.items()}
    assert not any(empty.values()), {owner: names for owner, names in empty.items() if names}
    broken = [owner for owner, text in docstrings.items() if re.search(r"^\w+ -{3,}", text, re.M)]
    assert not broken, "a title and its line of hyphens stand on two lines"


def test_a_name_without_a_sentence_is_found() -> None:
    text = (
        "One.\n\nParameters\n----------\na : int\n    What it is.\nb : int\n\nReturns\n-------\nint"
    )
    assert undescribed(text) == ["b : int"]
    assert undescribed(text.replace("b : int", "b : int\n    Another.")) == []
