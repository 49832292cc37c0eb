"""What bnsieve is, in one picture: a table goes in, a graph that can be asked comes out."""

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
PLACES = {"smoke": (506, 66), "lung": (446, 128), "bronc": (566, 128), "dysp": (506, 190)}


def draw() -> None:
    """Draw a table, the sieve, the graph, and an answer with its interval."""
    data = bn.load_network("asia").sample(5_000, random_state=0)
    learner = bn.TsetlinSieve(random_state=0).fit(data[COLUMNS])
    graph = learner.graph_
    picture = Canvas(700, 356, "From a table, through the sieve, to a graph that can be asked")

    picture.text(16, 28, "1  your table", 15, weight="bold")
    for row in range(8):
        for number, name in enumerate(COLUMNS):
            x, y = 16 + 46 * number, 44 + 22 * row
            head = row == 0
            picture.box(x, y, 46, 22, YELLOW if head else BOX, BORDER, 0)
            words = name if head else str(data[name].iloc[row - 1])
            picture.text(
                x + 23, y + 15, words, 12, anchor="middle", weight="bold" if head else "normal"
            )
    picture.text(108, 238, "any number of rows", 12.5, SOFT, "middle")

    picture.text(226, 28, "2  the sieve", 15, weight="bold")
    picture.text(226, 60, "For each column, rules", 13, SOFT)
    picture.text(226, 78, "say which few matter:", 13, SOFT)
    machine = bn.WeightedTsetlinClassifier(random_state=0).fit(data[COLUMNS[:-1]], data["dysp"])
    rule = next(rule for rule in machine.rules_ if len(rule.conditions) == 2)
    words = str(rule).split("  (")[0].replace(" AND", "\nAND").replace(" THEN", "\nTHEN")
    for line, part in enumerate(words.split("\n")):
        picture.text(232, 112 + 19 * line, part, 12.5, font=MONO)
    picture.box(226, 94, 150, 66, "none", TEAL)
    picture.text(226, 186, "Only these are counted,", 13, SOFT)
    picture.text(226, 204, "scored and searched.", 13, SOFT)
    picture.line([(206, 128), (220, 128)], head=True)
    picture.line([(382, 128), (398, 128)], head=True)

    picture.text(408, 28, "3  a graph", 15, weight="bold")
    for tail, head_node in graph.directed_edges:
        (x0, y0), (x1, y1) = PLACES[tail], PLACES[head_node]
        picture.line([(x0, y0 + 14), (x1, y1 - 15)], BLUE, 2, head=True)
    for one, other in graph.undirected_edges:
        (x0, y0), (x1, y1) = PLACES[one], PLACES[other]
        picture.line([(x0, y0 + 14), (x1, y1 - 14)], ORANGE, 2)
    for name, (x, y) in PLACES.items():
        picture.label(x - 33, y - 14, 66, name)
    picture.text(604, 82, "no data can", 12.5, ORANGE)
    picture.text(604, 98, "tell which way", 12.5, ORANGE)
    picture.text(604, 166, "this way", 12.5, BLUE)

    picture.text(16, 282, "4  answers", 15, weight="bold")
    answer = learner.query("dysp", given={"smoke": "yes"})
    share, low, high = (
        round(100 * float(v)) for v in (answer["yes"], answer.low[0], answer.high[0])
    )
    assert graph.to_dag().d_separated("smoke", "dysp", given=["bronc", "lung"])
    lines = [
        ("How likely is dysp, given smoke = yes?", f"{share} %, between {low} % and {high} %"),
        ("Why is there no edge from smoke to dysp?", "bronc and lung separate them"),
        ("What should I look at next?", learner.next_question("dysp", {"smoke": "yes"}).best),
    ]
    for line, (question, reply) in enumerate(lines):
        y = 262 + 30 * line
        picture.box(124, y, 290, 24, BOX, BORDER)
        picture.text(132, y + 16, question, 13)
        picture.line([(418, y + 12), (434, y + 12)], TEAL, head=True)
        picture.box(
            440, y, 244, 24, GREEN if line != 1 else YELLOW, TEAL if line != 1 else YELLOW_BORDER
        )
        picture.text(448, y + 16, reply, 13)
    picture.save("home")
