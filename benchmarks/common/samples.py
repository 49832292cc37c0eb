"""A network's name in, its graph and a sample of it out: drawn here, or read from a folder.

A folder of samples has a file ``{network}_{seed}.npz`` for each, with ``X``, the level numbers as
an array of shape (n_rows, n_variables), and ``names``, the names of its columns. What the levels
are called, and the true graph, come from the network.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from bnsieve.exchange import load_network
from bnsieve.network import BayesianNetwork

NETWORKS = (
    "insurance",
    "water",
    "alarm",
    "barley",
    "hailfinder",
    "hepar2",
    "munin1",
    "win95pts",
    "andes",
    "pigs",
    "link",
    "diabetes",
    "munin",
)
# Those of the paper, among which are all six on which peers were first compared.
PAPER_NETWORKS = NETWORKS[:7]

true_network = lru_cache(maxsize=len(NETWORKS))(load_network)


def sample_of(network: str, rows: int, seed: int, folder: Path | None = None) -> pd.DataFrame:
    """Return a sample of a network of the catalogue.

    Parameters
    ----------
    network : str
    rows : int
    seed : int
        Of the random generator, or of the file.
    folder : Path, optional
        Where the samples are; without it one is drawn.

    Returns
    -------
    DataFrame of categoricals
    """
    truth = true_network(network)
    if folder is None:
        return truth.sample(rows, random_state=seed)
    return _read(truth, folder / f"{network}_{seed}.npz", rows)


def _read(truth: BayesianNetwork, path: Path, rows: int) -> pd.DataFrame:
    with np.load(path, allow_pickle=False) as stored:
        codes, names = stored["X"], [str(name) for name in stored["names"]]
    if len(codes) < rows:
        raise ValueError(f"{path.name} has {len(codes)} rows, not {rows}: ask for fewer")
    if set(names) != set(truth.graph.nodes):
        raise ValueError(f"{path.name} has other columns than the network of that name")
    columns = {}
    for name, column in zip(names, codes[:rows].T, strict=True):
        if column.max() >= len(truth.levels[name]):
            raise ValueError(f"{path.name} has more levels of {name} than the network")
        levels = pd.Index(truth.levels[name])
        columns[name] = pd.Categorical.from_codes(column.astype(np.int64), levels)
    return pd.DataFrame(columns)
