"""The sieve at work on one column of alarm: which of 36 others its machine and association name."""

import numpy as np

import bnsieve as bn
from tools.drawings.canvas import BORDER, GREEN, MONO, ORANGE, SOFT, TEAL, Canvas

TARGET, SHOWN = "HRBP", 9


def draw() -> None:
    """Draw two rankings of the other columns, and what falls through."""
    truth = bn.load_network("alarm")
    data = truth.sample(5_000, random_state=0)
    learner = bn.TsetlinSieve(random_state=0).fit(data)
    names = learner.fit_result_.sieve.machines.names
    importance = learner.fit_result_.sieve.machines.importance[names.index(TARGET)]
    pairs = learner.support_frame()
    other = np.where(pairs["x"] == TARGET, pairs["y"], pairs["x"])
    mine = (pairs["x"] == TARGET) | (pairs["y"] == TARGET)
    association = dict(zip(other[mine], pairs["association"][mine], strict=True))
    neighbours = truth.graph.adjacent(TARGET)

    picture = Canvas(700, 372, f"What the sieve lets through for {TARGET}")
    picture.text(16, 28, f"Which of 36 columns matter to {TARGET}?", 16, weight="bold")
    words = "Two rankings of the same columns. Green: the true neighbours, unknown to bnsieve."
    picture.text(16, 48, words, 13.5, SOFT)
    lists = [
        ("by importance in its Tsetlin machine", dict(zip(names, importance, strict=True)), 6),
        ("by pairwise association", association, 12),
    ]
    for side, (title, values, kept) in enumerate(lists):
        x = 16 + 346 * side
        picture.text(x, 78, title, 14, weight="bold")
        ranked = sorted((n for n in values if n != TARGET), key=lambda n: -values[n])[:SHOWN]
        longest = values[ranked[0]]
        for line, name in enumerate(ranked):
            y = 90 + 26 * line
            inside = line < kept
            fill = "#2f9e77" if name in neighbours else ("#a9b6c3" if inside else "#e4e8ec")
            picture.text(x + 128, y + 15, name, 12.5, anchor="end", font=MONO)
            length = max(190 * float(values[name]) / float(longest), 2)
            picture.box(x + 136, y + 2, length, 18, fill, "none", 2)
            if line == kept - 1:
                picture.line([(x, y + 25), (x + 330, y + 25)], ORANGE, 1.5, dashes="5 4")
                picture.text(x + 330, y + 38, "not candidates", 12, ORANGE, "end")
    picture.box(16, 330, 668, 30, GREEN, BORDER)
    found = [name for name in learner.candidates_[TARGET] if name in neighbours]
    words = (
        f"Both lists together: {len(learner.candidates_[TARGET])} candidates of 36, "
        f"the true neighbours {' and '.join(sorted(found))} among them."
    )
    picture.text(28, 350, words, 13.5, TEAL)
    picture.save("how/sieve")
