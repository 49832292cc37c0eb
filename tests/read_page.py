"""What a browser would see of a page, without one: text, elements, and the object for scripts."""

import json
from html.parser import HTMLParser
from typing import Any


class ReadPage(HTMLParser):
    """Elements and text of a page; a tag inside a script element is text, as in a browser.

    Attributes
    ----------
    elements : list of (str, dict)
        Each tag with its attributes.
    text : str
        What is outside of scripts and style.
    scripts : list of (dict, str)
        Attributes and text of each.
    style : str
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.style = ""
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = tag if tag in ("script", "style") else self._inside
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag):
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data):
        if self._inside == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = attributes, before + data
        elif self._inside == "style":
            self.style += data
        else:
            self.text += data

    @property
    def data(self) -> Any:
        """The object that the scripts read."""
        return json.loads(next(text for own, text in self.scripts if own.get("id") == "data"))

    @property
    def tags(self) -> set[str]:
        """The kinds of elements."""
        return {tag for tag, _ in self.elements}

    def attributes(self, name: str) -> list[str | None]:
        """The values of an attribute."""
        return [own[name] for _, own in self.elements if name in own]
