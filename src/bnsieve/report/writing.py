"""From values to the text of one HTML file.

In: the name of a template, its values, and the object that its scripts read. Out: the text, with
style and scripts in it. Every name is escaped by the template, or in the object for the scripts; a
policy in the page's head allows the page's own scripts by their hash, and no request at all.

In sentences, a name stands between two invisible marks of Unicode, an isolate: a name that is
written from right to left leaves the sentence as it is. The page shows it in bold.
"""

import base64
import hashlib
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from bnsieve.explain import share_text
from bnsieve.text import one_line, shortened, write_strict_json

_STYLE = "page.css"
OPEN, CLOSE = "\u2068", "\u2069"
NO_NAME = "(no name)"
# Between the two ends of an edge.
FORTH, BACK, UNDIRECTED = "\u2192", "\u2190", "\u2013"
MINUS = "\u2212"
# Marks that would turn the text around them.
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LONGEST = 60
# A number and its sign stay on one line.
_SPACED = "\u00a0"


def written(template: str, scripts: Sequence[str], data: Any, **values: Any) -> str:
    """Return the text of a page.

    Parameters
    ----------
    template : str
        Its file.
    scripts : sequence of str
        Files, in the order in which they run; they share their names.
    data : object
        The object that the scripts read, as JSON.
    **values
        The values that the template reads.
    """
    from markupsafe import Markup

    style = _part(_STYLE)
    script = "\n".join(['"use strict";', *(_part(name) for name in scripts)])
    text: str = (
        _environment()
        .get_template(template)
        .render(
            version=version("bnsieve"),
            policy=_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            data=Markup(json_for_html(data)),
            **values,
        )
    )
    # A lone half of a character, which files may hold, cannot be written.
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def markup(svg: str) -> Any:
    """Return a picture of this package, whose names are escaped, for a template to write whole."""
    from markupsafe import Markup

    return Markup(svg)


@cache
def _environment() -> Any:
    """Return what reads templates; it keeps those that it read."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["finite"] = lambda value: value if math.isfinite(value) else ""
    environment.filters["json"] = write_strict_json
    environment.filters["prose"] = _prose
    environment.filters["seen"] = _seen
    environment.filters["share"] = share
    environment.filters["explained"] = share_text
    return environment


def json_for_html(data: Any) -> str:
    """Return JSON that can stand in a script element: no tag, no comment, no line separator."""
    text = write_strict_json(data)
    return re.sub(
        "[<>&\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found.group()):04x}", text
    )


def _prose(text: str) -> Any:
    """Show the names in a sentence in bold, each in a direction of its own."""
    from markupsafe import Markup, escape

    parts = re.split(f"{OPEN}([^{CLOSE}]*){CLOSE}", text)
    return Markup("").join(
        Markup("<bdi>{}</bdi>").format(part) if i % 2 else escape(part)
        for i, part in enumerate(parts)
    )


def _seen(name: str) -> str:
    """Return a name whole, unless there would be nothing to see."""
    return name if name.strip() else NO_NAME


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@cache
def _part(name: str) -> str:
    """Return a file of the page without the white space around it, with plain line ends."""
    text = (files("bnsieve.report") / "parts" / name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n").strip()


def named(name: object, longest: int = _LONGEST) -> str:
    """Return a name or state as part of a sentence: one line, not too long, between marks."""
    return f"{OPEN}{plain_name(name, longest)}{CLOSE}"


def plain_name(name: object, longest: int = _LONGEST) -> str:
    """Return a name as one line that is not too long."""
    return shortened(one_line(_MARKS.sub("", str(name))) or NO_NAME, longest)


def share(value: float) -> str:
    """Return a share as people write it: "68 %"; never a false 0 or 100."""
    if 0 < value < 0.01:
        return f"under 1{_SPACED}%"
    if 0.99 < value < 1:
        return f"over 99{_SPACED}%"
    return f"{value:.0%}".replace("%", f"{_SPACED}%")
