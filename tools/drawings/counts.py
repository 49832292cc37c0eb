"""One joint table, counted in two files: it adds up, and every smaller table is a sum of it."""

import pandas as pd

import bnsieve as bn
from tools.drawings.canvas import BORDER, BOX, GREEN, MONO, SOFT, TEAL, YELLOW, Canvas

COLUMNS = ["dysp", "bronc", "either"]


def table(
    picture: Canvas, x: float, y: float, title: str, counts: pd.Series, fill: str = BOX
) -> None:
    """Draw a table of counts, one configuration to a line."""
    names = list(counts.index.names)
    wide = 46 * len(names) + 56
    picture.text(x, y - 8, title, 13.5, weight="bold")
    picture.box(x, y, wide, 22, YELLOW, BORDER, 0)
    for number, name in enumerate([*names, "rows"]):
        picture.text(x + 6 + 46 * number, y + 15, str(name), 12, weight="bold")
    for line, (labels, count) in enumerate(counts.items()):
        top = y + 22 + 19 * line
        picture.box(x, top, wide, 19, fill, BORDER, 0)
        for number, label in enumerate(labels):
            picture.text(x + 6 + 46 * number, top + 14, str(label), 12)
        picture.text(x + wide - 8, top + 14, f"{count:,}", 12, anchor="end", font=MONO)


def draw() -> None:
    """Draw two files, their sum, and what is read from it."""
    data = bn.load_network("asia").sample(10_000, random_state=0).astype(str)
    monday, tuesday = data[:6_000], data[6_000:]
    first, second, both = (
        part.value_counts(COLUMNS).sort_index(ascending=False) for part in (monday, tuesday, data)
    )
    every = both.index
    first, second = first.reindex(every, fill_value=0), second.reindex(every, fill_value=0)
    assert ((first + second) == both).all()

    picture = Canvas(700, 428, "Counts of two files add up, and smaller tables are sums of them")
    picture.text(16, 28, "One table for dysp and its candidates, counted once", 16, weight="bold")
    table(picture, 16, 72, "monday's file", first)
    picture.text(222, 166, "+", 24, anchor="middle")
    table(picture, 236, 72, "tuesday's file", second)
    picture.text(442, 166, "=", 24, anchor="middle")
    table(picture, 458, 72, "all rows", both, GREEN)
    bottom = 72 + 22 + 19 * len(both)
    picture.line([(560, bottom + 6), (560, bottom + 34)], TEAL, head=True)
    picture.text(546, bottom + 26, "add up lines", 13, TEAL, "end")
    y = bottom + 66
    pair = both.groupby(level=["dysp", "bronc"]).sum().sort_index(ascending=False)
    table(picture, 458, y, "dysp and bronc", pair)
    pair = both.groupby(level=["dysp", "either"]).sum().sort_index(ascending=False)
    table(picture, 236, y, "dysp and either", pair)
    lines = [
        "Every test and every score",
        "about these columns is read",
        "from smaller tables,",
        "never from the rows again.",
    ]
    for line, words in enumerate(lines):
        picture.text(16, y + 24 + 20 * line, words, 13.5, SOFT)
    picture.save("how/counts")
