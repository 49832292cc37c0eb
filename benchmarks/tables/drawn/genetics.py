"""Genotypes at 1,992 places, in blocks that are inherited together, and a disease."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import pick, step, yes
from benchmarks.tables.sheet import Sheet

N_PLACES = 1_992
N_BLOCK = 10
# What the disease depends on: one place in each of some blocks.
EFFECTS = (0.9, 0.7, -0.8, 0.6, 0.7)


def draw(sheet: Sheet, n_places: int = N_PLACES) -> None:
    """Draw the rows, of fewer places if that is asked for."""
    causes = [n_places * number // len(EFFECTS) + 5 + number for number in range(len(EFFECTS))]
    rng, n = sheet.rng, sheet.n
    sheet.other("sample", dirt.numbered("HG{:07d}", sheet.start + np.arange(n)), "identifier")
    man = sheet.flag("sex", rng.random(n) < 0.5, labels=("F", "M"))
    age = sheet.number("age", np.clip(rng.normal(55, 13, n), 20, 90), (40, 50, 60, 70), blank=0.003)
    sheet.label("batch", pick(rng, n, (1, 1, 1, 1)), ("B1", "B2", "B3", "B4"))
    sheet.other("array", np.full(n, "GSA-24v3"), "constant")
    # Frequencies and the closeness of neighbours are the same whatever the rows.
    fixed = np.random.default_rng(79)
    frequency = fixed.uniform(0.08, 0.5, n_places // N_BLOCK + 1)
    kept = fixed.uniform(0.75, 0.97, n_places)
    names = [f"rs{number}" for number in 1_000_003 + 7_717 * np.arange(n_places)]
    risk = -3.6 + 0.045 * (age - 55) + 0.5 * man
    both: list[np.ndarray[tuple[int], np.dtype[np.bool_]]] = []
    for place, name in enumerate(names):
        share = frequency[place // N_BLOCK]
        new = [rng.random(n, dtype=np.float32) < share for _ in range(2)]
        parents: tuple[str, ...] = ()
        if place % N_BLOCK:
            stays = [rng.random(n, dtype=np.float32) < kept[place] for _ in range(2)]
            new = [
                np.where(stay, old, fresh)
                for stay, old, fresh in zip(stays, both, new, strict=True)
            ]
            parents = (names[place - 1],)
        both = new
        count = new[0].astype(np.int8) + new[1]
        gone = rng.random(n, dtype=np.float32) < 0.002
        sheet.genotype(name, count, gone, parents)
        if place in causes:
            risk = risk + EFFECTS[causes.index(place)] * count
    sick = yes(rng, risk)
    parts = [names[place] for place in causes]
    sheet.flag("disease", sick, (*parts, "age", "sex"), labels=("control", "case"))
    stage = step(rng, 1.5 * sick, (1.2, 2.4))
    sheet.label("severity", stage, ("none", "mild", "severe"), ("disease",), blank=0.01)
    sheet.other("collected", np.full(n, "2024-03-01"), "constant|date")
