"""The map of the source: its rooms in the order of the data."""

from tools.drawings.canvas import BORDER, BOX, GREEN, MONO, SOFT, TEAL, YELLOW, Canvas

# What each lane is for, its colour, and its rooms with a word on each.
LANES: list[tuple[str, str, list[tuple[str, str]]]] = [
    (
        "rows become codes and counts",
        BOX,
        [
            ("rows", "opens any data"),
            ("table", "roles, bins, codes"),
            ("counts", "joint counts, covariance"),
        ],
    ),
    (
        "counts become a graph",
        YELLOW,
        [
            ("sieve", "screening, machines"),
            ("decide", "scores, CI tests"),
            ("search", "algorithms, directions"),
        ],
    ),
    (
        "a graph becomes answers",
        GREEN,
        [
            ("graph", "DAG, CPDAG, SVG"),
            ("network", "CPTs, inference"),
            ("explain", "support, strengths"),
            ("metrics", "distances"),
        ],
    ),
    (
        "what people use",
        BOX,
        [
            ("exchange", "file formats"),
            ("report", "the HTML page"),
            ("learners", "fit(): the chain"),
            ("cli", "commands"),
        ],
    ),
]


def draw() -> None:
    """Draw the lanes from top to bottom, the rooms of each from left to right."""
    picture = Canvas(700, 386, "The rooms of the source, in the order of the data")
    picture.text(
        16, 28, "src/bnsieve: follow the data from left to right, and down", 16, weight="bold"
    )
    for line, (title, fill, rooms) in enumerate(LANES):
        y = 66 + 76 * line
        picture.text(16, y - 8, title, 13.5, SOFT)
        for number, (room, words) in enumerate(rooms):
            pitch = 684 / len(rooms)
            x = 16 + pitch * number
            picture.box(x, y, pitch - 16, 46, fill, BORDER)
            picture.text(x + 10, y + 19, f"{room}/", 13.5, weight="bold", font=MONO)
            picture.text(x + 10, y + 36, words, 12.5)
            if number:
                picture.line([(x - 14, y + 23), (x - 3, y + 23)], TEAL, head=True)
    words = "beside them: knowledge/, engine/ (threads, Ray), text/ (words), native/ (C++ kernels)"
    picture.text(16, 372, words, 13, SOFT)
    picture.save("how/rooms")
