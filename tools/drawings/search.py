"""The search over orders, on four columns: an order decides who may be whose parent."""

from itertools import combinations
from math import inf

import pandas as pd

import bnsieve as bn
from tools.drawings.canvas import BLUE, BORDER, BOX, GREEN, ORANGE, SOFT, TEAL, Canvas

COLUMNS = ["smoke", "lung", "bronc", "dysp"]
ORDERS = [
    ["bronc", "dysp", "smoke", "lung"],
    ["lung", "bronc", "dysp", "smoke"],
    ["smoke", "lung", "bronc", "dysp"],
]
SPOTS = {"smoke": (100, 0), "lung": (46, 58), "bronc": (154, 58), "dysp": (100, 116)}


def best_parents(name: str, before: list[str], data: pd.DataFrame) -> tuple[float, tuple[str, ...]]:
    """Give the parents before a column with which it is described best, and the BIC with them."""
    best: tuple[float, tuple[str, ...]] = (-inf, ())
    for size in range(len(before) + 1):
        for parents in combinations(before, size):
            graph = bn.Graph(COLUMNS, directed=[(parent, name) for parent in parents])
            score = bn.fit_parameters(graph, data, prior=None).bic(data)
            best = max(best, (score, parents))
    return best


def draw() -> None:
    """Draw three orders with the network that each leads to, and the class that is reported."""
    data = bn.load_network("asia").sample(5_000, random_state=0)[COLUMNS]
    found = []
    for order in ORDERS:
        chosen = [best_parents(name, order[:i], data) for i, name in enumerate(order)]
        arrows = [
            (p, name) for name, (_, parents) in zip(order, chosen, strict=True) for p in parents
        ]
        found.append((sum(score for score, _ in chosen), arrows))
    top_score = max(score for score, _ in found)

    picture = Canvas(700, 330, "Three orders of four columns, the network of each, and its score")
    picture.text(
        16,
        28,
        "An order limits the parents, and each variable takes the best",
        16,
        weight="bold",
    )
    words = (
        "Variables on the left may be parents of those on the right. One variable moves at a time."
    )
    picture.text(16, 48, words, 13.5, SOFT)
    for panel, (order, (score, arrows)) in enumerate(zip(ORDERS, found, strict=True)):
        x = 16 + 230 * panel
        for number, name in enumerate(order):
            picture.label(x + 52 * number, 66, 49, name, 24)
        if panel:
            picture.line([(x - 22, 78), (x - 6, 78)], TEAL, head=True)
        final = score == top_score
        picture.box(x, 104, 205, 172, GREEN if final else "none", BORDER)
        for tail, head in arrows:
            (x0, y0), (x1, y1) = SPOTS[tail], SPOTS[head]
            shift = 13 if y1 > y0 else (-13 if y1 < y0 else 0)
            side = 28 if x1 > x0 else -28
            start = (x + x0 + (0 if shift else side), 132 + y0 + shift)
            end = (x + x1 - (0 if shift else side), 132 + y1 - shift)
            picture.line([start, end], BLUE, 1.8, head=True)
        for name, (dx, dy) in SPOTS.items():
            picture.label(x + dx - 28, 132 + dy - 12, 56, name, 24, fill=BOX)
        words = "the best" if final else f"{top_score - score:,.0f} nats below the best"
        picture.text(
            x + 102,
            296,
            f"{len(arrows)} edges, {words}",
            13,
            anchor="middle",
            fill=TEAL if final else ORANGE,
        )
    words = "If equally good networks disagree on a direction, the edge is reported as undirected."
    picture.text(16, 320, words, 13.5, SOFT)
    picture.save("how/search")
