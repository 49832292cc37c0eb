"""What bnsieve is, in one picture: a table goes in, a graph that can be asked comes out.

Drawn twice: from left to right, and from top to bottom for a phone.
"""

import pandas as pd

import bnsieve as bn
from tools.drawings.canvas import (
    BLUE,
    BORDER,
    BOX,
    GREEN,
    MONO,
    ORANGE,
    SOFT,
    TEAL,
    YELLOW,
    YELLOW_BORDER,
    Canvas,
)

COLUMNS = ["smoke", "lung", "bronc", "dysp"]
SPOTS = {"smoke": (96, 38), "lung": (36, 100), "bronc": (156, 100), "dysp": (96, 162)}


def table(picture: Canvas, x: float, y: float, data: pd.DataFrame) -> None:
    """Draw the first rows of the table."""
    picture.text(x, y, "1  your table", 15, weight="bold")
    for row in range(8):
        for number, name in enumerate(COLUMNS):
            left, top, head = x + 46 * number, y + 16 + 22 * row, row == 0
            picture.box(left, top, 46, 22, YELLOW if head else BOX, BORDER, 0)
            words = name if head else str(data[name].iloc[row - 1])
            weight = "bold" if head else "normal"
            picture.text(left + 23, top + 15, words, 12, anchor="middle", weight=weight)
    picture.text(x + 92, y + 210, "any number of rows", 12.5, SOFT, "middle")


def sieve(picture: Canvas, x: float, y: float, data: pd.DataFrame) -> None:
    """Draw one rule that the machine of a column learned."""
    machine = bn.WeightedTsetlinClassifier(random_state=0).fit(data[COLUMNS[:-1]], data["dysp"])
    rule = next(rule for rule in machine.rules_ if len(rule.conditions) == 2)
    words = str(rule).split("  (")[0].replace(" AND", "\nAND").replace(" THEN", "\nTHEN")
    picture.text(x, y, "2  the sieve", 15, weight="bold")
    picture.text(x, y + 32, "For each column, rules", 13, SOFT)
    picture.text(x, y + 50, "say which few matter:", 13, SOFT)
    picture.box(x, y + 66, 156, 66, "none", TEAL)
    for line, part in enumerate(words.split("\n")):
        picture.text(x + 6, y + 84 + 19 * line, part, 12.5, font=MONO)
    picture.text(x, y + 158, "Only these are counted,", 13, SOFT)
    picture.text(x, y + 176, "scored and searched.", 13, SOFT)


def graph(picture: Canvas, x: float, y: float, learned: bn.Graph) -> None:
    """Draw the graph that was learned."""
    picture.text(x, y, "3  a graph", 15, weight="bold")
    spots = {name: (x + left, y + top) for name, (left, top) in SPOTS.items()}
    for tail, head in learned.directed_edges:
        (x0, y0), (x1, y1) = spots[tail], spots[head]
        picture.line([(x0, y0 + 14), (x1, y1 - 15)], BLUE, 2, head=True)
    for one, other in learned.undirected_edges:
        (x0, y0), (x1, y1) = spots[one], spots[other]
        picture.line([(x0, y0 + 14), (x1, y1 - 14)], ORANGE, 2)
    for name, (left, top) in spots.items():
        picture.label(left - 33, top - 14, 66, name)
    picture.text(x + 194, y + 54, "both directions", 12.5, ORANGE)
    picture.text(x + 194, y + 70, "fit equally well", 12.5, ORANGE)
    picture.text(x + 194, y + 138, "directed", 12.5, BLUE)


def answers(learner: bn.TsetlinSieve) -> list[tuple[str, str, str, str]]:
    """Give questions and their answers, with the colours of the latter."""
    answer = learner.query("dysp", given={"smoke": "yes"}).to_frame().loc["yes"]
    share, low, high = (round(100 * answer[name]) for name in ("probability", "low", "high"))
    assert learner.graph_.to_dag().d_separated("smoke", "dysp", given=["bronc", "lung"])
    best = str(learner.next_question("dysp", {"smoke": "yes"}).best)
    told = f"{share} %, between {low} % and {high} %"
    return [
        ("How likely is dysp, given smoke = yes?", told, GREEN, TEAL),
        (
            "Why is there no edge from smoke to dysp?",
            "bronc and lung separate them",
            YELLOW,
            YELLOW_BORDER,
        ),
        ("What should I look at next?", best, GREEN, TEAL),
    ]


def draw() -> None:
    """Draw both pictures from one fit."""
    data = bn.load_network("asia").sample(5_000, random_state=0)
    learner = bn.TsetlinSieve(random_state=0).fit(data[COLUMNS])
    told = answers(learner)
    title = "From a table, through the sieve, to a graph that can be asked"

    wide = Canvas(700, 356, title)
    table(wide, 16, 28, data)
    sieve(wide, 226, 28, data)
    graph(wide, 410, 28, learner.graph_)
    wide.line([(206, 128), (220, 128)], head=True)
    wide.line([(388, 128), (402, 128)], head=True)
    wide.text(16, 282, "4  answers", 15, weight="bold")
    for line, (question, reply, fill, stroke) in enumerate(told):
        y = 262 + 30 * line
        wide.box(124, y, 290, 24, BOX, BORDER)
        wide.text(132, y + 16, question, 13)
        wide.line([(418, y + 12), (434, y + 12)], TEAL, head=True)
        wide.box(440, y, 244, 24, fill, stroke)
        wide.text(448, y + 16, reply, 13)
    wide.save("home")

    tall = Canvas(340, 918, title)
    table(tall, 16, 28, data)
    tall.line([(108, 248), (108, 264)], head=True)
    sieve(tall, 16, 290, data)
    tall.line([(108, 476), (108, 492)], head=True)
    graph(tall, 16, 518, learner.graph_)
    tall.line([(108, 704), (108, 720)], head=True)
    tall.text(16, 746, "4  answers", 15, weight="bold")
    for line, (question, reply, fill, stroke) in enumerate(told):
        y = 758 + 52 * line
        tall.text(16, y + 14, question, 13)
        tall.box(16, y + 20, 244, 24, fill, stroke)
        tall.text(24, y + 36, reply, 13)
    tall.save("home-tall")
