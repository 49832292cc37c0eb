"""Market baskets: a column per product, most cells 0, or blank where another till wrote them."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import at, pick, pick_by, yes
from benchmarks.tables.sheet import Sheet

N_PRODUCTS = 120
# The last products come from a till that writes 1 or nothing.
N_BLANK = 20
KINDS = ("bread", "dairy", "fruit", "meat", "pasta", "drinks", "sweets", "baby", "cleaning", "pets")


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    store = sheet.label("store", pick(rng, n, (5, 3, 2)), ("centre", "station", "outskirts"))
    day = dirt.days(rng, n, "2024-01-01", "2024-06-30") + rng.integers(7 * 3600, 21 * 3600, n)
    weekday = dirt.calendar(day)[1]
    sheet.moment("sold_at", day, weekday > 4, form="%Y-%m-%d %H:%M:%S")
    member = sheet.flag(
        "member", yes(rng, at((-0.2, -1.4, 0.5), store)), ("store",), labels=("0", "1")
    )
    weekend = sheet.label(
        "trip",
        pick_by(rng, [(6, 4), (2, 8)], (weekday > 4).astype(np.int64)),
        ("top-up", "main"),
        ("sold_at",),
    )
    # Which product goes with which, and how rare each is, is the same whatever the rows.
    fixed = np.random.default_rng(81)
    bought: list[tuple[str, np.ndarray[tuple[int], np.dtype[np.bool_]]]] = []
    for number in range(N_PRODUCTS):
        kind = number % len(KINDS)
        name = f"{KINDS[kind]}_{number // len(KINDS) + 1:02d}"
        odds = np.full(n, fixed.uniform(-5.2, -3.2))
        parents: list[str] = []
        if number < len(KINDS):
            odds = odds + 1.4 + 1.0 * weekend
            parents.append("trip")
        else:
            # One or two products of before, mostly of the same kind.
            for _ in range(1 + int(fixed.random() < 0.4)):
                same = kind + len(KINDS) * int(fixed.integers(0, number // len(KINDS)))
                other = int(fixed.integers(0, number)) if fixed.random() < 0.25 else same
                if bought[other][0] not in parents:
                    odds = odds + fixed.uniform(1.8, 3.2) * bought[other][1]
                    parents.append(bought[other][0])
        if fixed.random() < 0.08:
            odds = odds + 0.9 * member
            parents.append("member")
        own = yes(rng, odds)
        blank = number >= N_PRODUCTS - N_BLANK
        sheet.flag(name, own, parents, labels=("0", "1"), none=0 if blank else None)
        bought.append((name, own))
    pay = pick_by(rng, [(5, 5), (3, 7)], member.astype(np.int64))
    sheet.label("payment", pay, ("cash", "card"), ("member",))
    count = np.sum([own for _, own in bought], axis=0)
    spent = 1.5 + rng.gamma(2, 1.6, n) * (0.5 + count) + at((0, 6), weekend)
    sheet.number("total", spent, (5, 10, 20, 40), ("trip",), decimals=2)
    sheet.unjudged.add("total")
    sheet.other("basket_id", sheet.start + 500_000_001 + np.arange(n), "identifier")
    sheet.other("till_text", dirt.sentences(rng, n, 0.93, 4), "text")
    sheet.other("chain", np.full(n, "K"), "constant")
