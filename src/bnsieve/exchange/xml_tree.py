"""XML from anywhere, as a small tree, and text made fit for XML.

In: an XML file. Out: its elements, each with its place in the file.

Python's own expat does the parsing. A file may not declare entities: a few lines of them can stand
for gigabytes, or for another file of this machine. A document type is allowed, since XMLBIF files
often carry theirs, but it has no effect.
"""

import itertools
import re
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape

from bnsieve.exchange.files import FormatError

# Networks and graphs nest five or six deep; the largest of the benchmarks has 20,000 elements.
MAX_DEPTH = 50
MAX_ELEMENTS = 500_000

# Compiled when first used, as few programs write XML and all import this.
_IMPOSSIBLE = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_SPACES = str.maketrans({"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


@dataclass(slots=True)
class Element:
    """One element: its name without prefix, attributes, text, the elements in it, and its place."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    path: str | None
    pieces: list[str] = field(default_factory=list)
    children: list["Element"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text directly inside."""
        return "".join(self.pieces)

    def all(self, tag: str) -> list["Element"]:
        """Return the elements of this name directly inside."""
        return [child for child in self.children if child.tag == tag]

    def only(self, tag: str) -> "Element":
        """Return the one element of this name directly inside."""
        found = self.all(tag)
        if len(found) != 1:
            self.refuse(f"<{self.tag}> needs one <{tag}>, found {len(found)}")
        return found[0]

    def attribute(self, name: str) -> str:
        """Return an attribute that must be there."""
        if name not in self.attributes:
            self.refuse(f"<{self.tag}> needs the attribute {name!r}")
        return self.attributes[name]

    def refuse(self, message: str) -> NoReturn:
        """Raise the error of a file that is wrong at this element."""
        raise FormatError(message, self.line, self.column, self.path)


def parse_xml(content: str | bytes, root: str, path: str | None) -> Element:
    """Parse a file and return its outermost element, which must have the name `root`."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    # Defaults of attributes come from the document type, which has no effect here.
    parser.specified_attributes = True
    top = Element("", {}, 1, 1, path)
    opened, n_elements = [top], itertools.count(1)

    def open_element(name: str, attributes: dict[str, str]) -> None:
        place = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        element = Element(name.rpartition(":")[2], attributes, *place, path)
        if len(opened) > MAX_DEPTH:
            element.refuse(f"elements are nested more than {MAX_DEPTH} deep")
        if next(n_elements) > MAX_ELEMENTS:
            element.refuse(f"the file has more than {MAX_ELEMENTS:,} elements")
        opened[-1].children.append(element)
        opened.append(element)

    def refuse_entity(*_: object) -> NoReturn:
        place = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        message = "the file declares or uses entities, which bnsieve does not read"
        raise FormatError(message, *place, path)

    parser.StartElementHandler = open_element
    parser.EndElementHandler = lambda _: opened.pop()
    parser.CharacterDataHandler = lambda text: opened[-1].pieces.append(text)
    parser.EntityDeclHandler = refuse_entity
    parser.SkippedEntityHandler = refuse_entity
    parser.ExternalEntityRefHandler = refuse_entity
    try:
        parser.Parse(content.encode() if isinstance(content, str) else content, True)
    except expat.ExpatError as error:
        message = f"this is not XML: {expat.ErrorString(error.code)}"
        raise FormatError(message, error.lineno, error.offset + 1, path) from None
    except (LookupError, ValueError) as error:  # no encoding, or one that expat cannot read
        if isinstance(error, FormatError):
            raise
        message = f"the file's encoding cannot be read ({error}): save it in UTF-8"
        raise FormatError(message, 1, 1, path) from None
    found = top.children[0]
    if found.tag != root:
        found.refuse(f"the outermost element is <{found.tag}> instead of <{root}>")
    return found


def xml_text(text: str, what: str = "name") -> str:
    """Return text escaped for tags or double quotes, so that it is read the same."""
    found = re.search(_IMPOSSIBLE, text)
    if found:
        raise ValueError(
            f"XML has no way to write the character {found[0]!r} in the {what} {text!r}: rename "
            "it, or take a file that ends in .json"
        )
    return escape(text, {'"': "&quot;"}).translate(_SPACES)


def printable(text: str) -> str:
    """Return text to show, with a sign in place of every character that XML has no way to write."""
    return re.sub(_IMPOSSIBLE, "\ufffd", text)
