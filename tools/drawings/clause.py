"""One clause of a Tsetlin machine, learning from five rows: which literals it takes in, and when.

The rules are those of the machine (see docs/machine.md), with 8 states in place of 256 so that a
picture can show them, and a seed under which all three kinds of feedback occur.
"""

from typing import NamedTuple

import numpy as np

from tools.drawings.canvas import (
    BLUE,
    BORDER,
    BOX,
    GREEN,
    MONO,
    ORANGE,
    RED,
    SOFT,
    TEAL,
    YELLOW,
    YELLOW_BORDER,
    Canvas,
)

LITERALS = ["bronc = yes", "bronc = no", "smoke = yes", "smoke = no", "asia = yes", "asia = no"]
STATES, FIRST_IN = 8, 4  # states 4 to 7 are "in the clause"
SPECIFICITY = 3
SEED = 7
START = [3, 3, 3, 3, 3, 4]


class Row(NamedTuple):
    """A row of the data, and whether the clause should fire for it: whether dysp = yes."""

    bronc: str
    smoke: str
    asia: str
    target: bool

    def holds(self, literal: str) -> bool:
        """Whether a literal is true of this row."""
        column, label = literal.split(" = ")
        return bool(getattr(self, column) == label)


ROWS = [
    Row("yes", "no", "no", True),
    Row("yes", "yes", "yes", True),
    Row("no", "no", "no", False),
    Row("yes", "no", "yes", True),
    Row("yes", "no", "yes", True),
]


class Step(NamedTuple):
    """The automata after a row, and what the clause did."""

    states: list[int]
    row: Row | None
    did: tuple[str, str]
    colour: str


def learn(states: list[int], row: Row, chance: np.random.Generator) -> Step:
    """Give feedback to every literal of the clause for one row."""
    inside = [x for x, state in zip(LITERALS, states, strict=True) if state >= FIRST_IN]
    fires = all(row.holds(literal) for literal in inside)
    after = list(states)
    for number, literal in enumerate(LITERALS):
        forget = chance.random() < 1 / SPECIFICITY
        if row.target and fires and row.holds(literal):
            after[number] += not forget
        elif row.target:
            after[number] -= forget
        elif fires and not row.holds(literal) and states[number] < FIRST_IN:
            after[number] += 1
    after = [min(max(state, 0), STATES - 1) for state in after]
    if row.target:
        did = ("fires,", "and should") if fires else ("silent,", "but should fire")
        return Step(after, row, did, TEAL if fires else ORANGE)
    did = ("fires,", "but should not") if fires else ("silent,", "and should be")
    return Step(after, row, did, RED if fires else SOFT)


def history() -> list[Step]:
    """Give the clause at its start and after each row."""
    chance = np.random.default_rng(SEED)
    steps = [Step(START, None, ("", ""), SOFT)]
    for row in ROWS:
        steps.append(learn(steps[-1].states, row, chance))
    return steps


def draw() -> None:
    """Draw a column of automata for each step, and the clause below."""
    left, top, step, pitch, cell = 106, 128, 101, 33, 11.5
    track, base = cell * STATES, 128 + 33 * len(LITERALS) + 10
    picture = Canvas(712, 440, "A clause learning from five rows, step by step")
    picture.text(
        12, 26, "A clause that should fire if dysp = yes, and five rows", 16, weight="bold"
    )
    words = "Every literal has an automaton. In the yellow half, the literal is in the clause."
    picture.text(12, 48, words, 13.5, SOFT)
    words = "Green frame: true in this row. Hollow dot: the automaton before this row."
    picture.text(12, 67, words, 13.5, SOFT)
    for number, literal in enumerate(LITERALS):
        picture.text(8, top + number * pitch + 17, literal, 13, font=MONO)
    picture.text(8, base + 20, "the clause", 13.5, SOFT)
    picture.text(8, base + 78, "what it did", 13.5, SOFT)
    steps = history()
    for index, now in enumerate(steps):
        x = left + index * step
        picture.text(x, 96, f"row {index}" if now.row else "start", 13.5, weight="bold")
        if now.row is not None:
            label = "dysp = yes" if now.row.target else "dysp = no"
            picture.text(x, 114, label, 12.5, now.colour, font=MONO)
        for number, literal in enumerate(LITERALS):
            y = top + number * pitch
            picture.box(x, y, track / 2, 22, BOX, BORDER, 3)
            picture.box(x + track / 2, y, track / 2, 22, YELLOW, YELLOW_BORDER, 3)
            if now.row is not None and now.row.holds(literal):
                picture.box(x - 2.5, y - 2.5, track + 5, 27, "none", TEAL, 4)
            before = steps[max(index - 1, 0)].states[number]
            if now.states[number] != before:
                picture.circle(x + (before + 0.5) * cell, y + 11, 3.5, "none", BLUE)
            picture.circle(x + (now.states[number] + 0.5) * cell, y + 11, 5, BLUE)
        inside = [x for x, s in zip(LITERALS, now.states, strict=True) if s >= FIRST_IN]
        picture.box(x - 2, base, track + 4, 52, GREEN if now is steps[-1] else BOX, BORDER)
        for line, literal in enumerate(inside or ["(nothing)"]):
            picture.text(x + 3, base + 15 + 16 * line, literal, 12, font=MONO)
        for line, part in enumerate(now.did):
            picture.text(x, base + 78 + 16 * line, part, 12.5, now.colour, weight="bold")
    picture.save("how/clause")
