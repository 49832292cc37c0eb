"""What missing cells do to a learned graph: networks, shares and ways in, F1 out.

Cells are taken out of complete samples in two manners. "completely": each with the same chance.
"at random": a third of the columns stay complete, and the chance that a cell of another column is
missing depends on the row's label in one of those.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.base import clone

from bnsieve.exchange import load_network
from bnsieve.learners import PC, StructureLearner, TsetlinSieve
from bnsieve.metrics import compare

Manner = Literal["", "completely", "at random"]

# Each way of each learner; "complete" is the sample before anything was taken out.
WAYS: dict[str, StructureLearner] = {
    "search, em": TsetlinSieve(missing="em"),
    "search, testwise": TsetlinSieve(missing="testwise"),
    "search, level": TsetlinSieve(missing="level"),
    "tests, em": TsetlinSieve(method="tests", missing="em"),
    "tests, testwise": TsetlinSieve(method="tests", missing="testwise"),
    "tests, level": TsetlinSieve(method="tests", missing="level"),
    "PC, em": PC(missing="em"),
    "PC, testwise": PC(missing="testwise"),
    "PC, level": PC(missing="level"),
}


@dataclass(frozen=True)
class Outcome:
    """One fit.

    Attributes
    ----------
    network, manner, way : str
    share : float
        Of the cells, missing; 0 for the complete sample.
    seed : int
    f1, precision, recall : float
        Of the skeleton.
    cpdag_shd : int
    seconds : float
    """

    network: str
    manner: str
    share: float
    way: str
    seed: int
    f1: float
    precision: float
    recall: float
    cpdag_shd: int
    seconds: float


def with_gaps(data: pd.DataFrame, share: float, manner: Manner, seed: int) -> pd.DataFrame:
    """Take a share of the cells out of a frame."""
    rng = np.random.default_rng([seed, round(1000 * share)])
    if manner == "completely":
        return data.mask(rng.random(data.shape) < share)
    columns = rng.permutation(data.columns)
    n_complete = max(1, len(columns) // 3)
    complete, others = columns[:n_complete], columns[n_complete:]
    gone = pd.DataFrame(False, index=data.index, columns=data.columns)
    for name in others:
        labels = pd.Categorical(data[rng.choice(complete)]).codes
        # Labels differ up to fourfold in the chance; together they give the share asked for.
        chance = rng.uniform(0.5, 2.0, labels.max() + 1)[labels]
        chance *= share * len(columns) / len(others) / chance.mean()
        gone[name] = rng.random(len(data)) < chance
    return data.mask(gone)


def study(
    networks: Sequence[str],
    shares: Sequence[float],
    manners: Sequence[Manner],
    seeds: Sequence[int],
    n_rows: int,
    ways: Sequence[str] = tuple(WAYS),
    skip: Collection[tuple[object, ...]] = (),
) -> Iterator[Outcome]:
    """Learn from samples with gaps, and from the same samples without.

    What is in `skip`, as (network, manner, share, way, seed), is left out.
    """
    for network in networks:
        truth = load_network(network)
        for seed in seeds:
            data = truth.sample(n_rows, random_state=seed)
            for manner, share in [("", 0.0), *product(manners, shares)]:
                frame = with_gaps(data, share, manner, seed) if share else data
                for way in ways:
                    if not share and not way.endswith("testwise"):
                        continue  # without gaps all ways are one
                    name = way if share else way.replace("testwise", "complete")
                    if (network, manner, share, name, seed) not in skip:
                        learner = clone(WAYS[way])
                        if "random_state" in learner.get_params():
                            learner.set_params(random_state=seed)
                        start = perf_counter()
                        graph = learner.fit(frame).graph_
                        seconds = perf_counter() - start
                        found = compare(truth, graph)
                        figures = (found.f1, found.precision, found.recall, found.shd)
                        yield Outcome(network, manner, share, name, seed, *figures, seconds)
