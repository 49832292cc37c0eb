"""Samples of the published Gaussian networks in ``benchmarks/networks/gaussian``."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parents[1] / "networks" / "gaussian"
NAMES = ("ecoli70", "magic-niab", "magic-irri", "arth150")


def sample(name: str, n_rows: int, seed: int) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Return rows of a network, and its arrows; columns are numbered as in the file."""
    network = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    nodes, models = list(network["nodes"]), network["cpds"]
    rng = np.random.default_rng([seed, n_rows, sum(map(ord, name))])
    drawn: dict[str, np.ndarray] = {}
    while len(drawn) < len(nodes):
        for node in nodes:
            parents = models[node]["parents"]
            if node in drawn or any(parent not in drawn for parent in parents):
                continue
            coefficients = models[node]["coefficients"]
            mean = coefficients["(Intercept)"][0]
            for parent in parents:
                mean = mean + coefficients[parent][0] * drawn[parent]
            deviation = np.sqrt(models[node]["variance"][0])
            drawn[node] = mean + deviation * rng.normal(size=n_rows)
    names = {node: f"v{i:03d}" for i, node in enumerate(nodes)}
    frame = pd.DataFrame({names[node]: drawn[node] for node in nodes})
    arrows = [(names[u], names[node]) for node in nodes for u in models[node]["parents"]]
    return frame, arrows
