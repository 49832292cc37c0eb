"""Names and labels that a page, a picture or a file must show as text."""

from itertools import pairwise

import bnsieve as bn
from bnsieve.network import BayesianNetwork

# Names and labels that would be markup, break a line of script, turn the text around, or be long.
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!--",
    "quote \" and ' and &amp;",
    "line\nbreak\ttab",
    "line\u2028separator",
    "\u05e9\u05dc\u05d5\u05dd \u202eturned",
    "\u2068isolated\u2069",
    "x" * 300,
    "\U0001f9ea emoji",
    "{{ 7 * 7 }}",
    "__proto__",
    "",
    " ",
]


def hostile_network() -> BayesianNetwork:
    """A chain whose names and labels are hostile."""
    names = [name or "empty" for name in HOSTILE]
    categories = {name: [f"{name}|0", "</td><b>1"] for name in names}
    tables = {names[0]: [0.4, 0.6]} | {name: [[0.9, 0.1], [0.2, 0.8]] for name in names[1:]}
    arrows = list(pairwise(names))
    return BayesianNetwork(bn.Graph(names, arrows), categories, tables)
