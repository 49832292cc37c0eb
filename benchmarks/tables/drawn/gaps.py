"""A registry of patients: most columns are tests that hardly anybody had, 97 % of them blank."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import pick, pick_by, step, yes
from benchmarks.tables.sheet import Sheet

N_TESTS = 40
DISEASES = ("none", "kidney", "liver", "thyroid", "blood")


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    age = sheet.label("age_group", pick(rng, n, (3, 4, 4, 3)), ("<30", "30-49", "50-69", "70+"))
    sheet.label("sex", pick(rng, n, (1, 1)), ("f", "m"))
    shares = [(20, 1, 1, 2, 1), (16, 2, 2, 2, 1), (12, 4, 3, 2, 2), (9, 6, 3, 2, 3)]
    disease = sheet.label("disease", pick_by(rng, shares, age), DISEASES, ("age_group",))
    clinic = pick_by(rng, [(8, 1, 1), (2, 7, 1), (2, 6, 2), (3, 3, 4), (1, 3, 6)], disease)
    sheet.label("clinic", clinic, ("general", "internal", "special"), ("disease",))
    severe = sheet.label(
        "severity",
        step(rng, 1.4 * (disease > 0) + 0.4 * age, (1.5, 3.0)),
        ("low", "medium", "high"),
        ("disease", "age_group"),
        blank=0.3,
    )
    stay = yes(rng, -2.2 + 1.3 * severe)
    sheet.flag("inpatient", stay, ("severity",), labels=("no", "yes"))
    cost = np.exp(5.5 + 1.3 * stay + 0.3 * clinic + rng.normal(0, 0.4, n))
    sheet.number("cost", cost, (250, 500, 1000, 2000), ("inpatient", "clinic"), decimals=2)
    fixed = np.random.default_rng(82)
    before: list[tuple[str, np.ndarray[tuple[int], np.dtype[np.float64]]]] = []
    parents: tuple[str, ...]
    for number in range(N_TESTS):
        name = f"test_{number + 1:02d}"
        if number % 4 == 0:
            kind = 1 + number // 4 % 4
            value = 1.6 * (disease == kind) + rng.normal(0, 1, n)
            parents = ("disease",)
        elif number % 4 == 3:
            value, parents = rng.normal(0, 1, n), ()
        else:
            value = fixed.uniform(0.9, 1.5) * before[-1][1] + rng.normal(0, 1, n)
            parents = (before[-1][0],)
        before.append((name, value))
        # Who has one test of a group of four mostly has all of them, at random.
        if number % 4 == 0:
            ordered = rng.random(n) < 0.034
        done = ordered & (rng.random(n) < 0.9)
        shown = 50 + 10 * value
        odd = {"haemolytic": 0.0002} if number % 10 == 0 else None
        sheet.number(name, shown, (40, 50, 60), parents, decimals=1, blank=~done, odd=odd)
    for number in range(3):
        sheet.other(f"reserved_{number + 1}", np.full(n, None, dtype=object), "empty")
    entered = dirt.days(rng, n, "2019-01-01", "2024-12-31")
    sheet.moment("entered", entered, np.zeros(n), form="%Y-%m-%d")
    sheet.other("record", sheet.start + 1 + np.arange(n), "identifier")
    notes = dirt.sentences(rng, n, 0.97, 6)
    sheet.other("comment", notes, "text")
    sheet.other("source", np.full(n, "registry v4"), "constant")
