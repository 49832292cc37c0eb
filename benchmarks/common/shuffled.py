"""A sample in, the same with columns in another order and under other names, and the way back.

The order of columns, and the names where a program sorts by them, settle ties. The order in
published files is often the causal one, so that both must tell nothing.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bnsieve import Graph


@dataclass(frozen=True)
class Renamed:
    """A sample under names of its own.

    Attributes
    ----------
    data : DataFrame
    names : dict of str to str
        From the name of a column in `data` to the true one.
    """

    data: pd.DataFrame
    names: dict[str, str]

    def restore(self, graph: Graph) -> Graph:
        """Return a graph over the columns of `data` with the true names."""
        return graph.relabel(self.names)


def as_it_is(sample: pd.DataFrame) -> Renamed:
    """Return a sample with its columns where they are, under their true names."""
    return Renamed(sample, {str(name): str(name) for name in sample.columns})


def shuffled(sample: pd.DataFrame, seed: int) -> Renamed:
    """Shuffle the columns of a sample, and apart from that their names."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    true_names = [str(name) for name in sample.columns]
    neutral = [f"v{i:04}" for i in rng.permutation(len(true_names))]
    renamed = dict(zip(true_names, neutral, strict=True))
    order = [true_names[i] for i in rng.permutation(len(true_names))]
    data = sample[order].rename(columns=renamed)
    return Renamed(data, {new: old for old, new in renamed.items()})
