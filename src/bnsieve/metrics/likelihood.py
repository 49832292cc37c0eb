"""Which of several networks explains new rows best.

The same rows are easy or hard for all networks alike, so the difference between two networks is
known far more precisely than the likelihood of either: its standard error is that of the rows'
differences.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.network import BayesianNetwork
from bnsieve.table import Table


@dataclass(frozen=True)
class HeldOut:
    """How well one network explains rows that it was not fitted to.

    Attributes
    ----------
    name : str
        The name of the network.
    mean : float
        The mean log-likelihood of a row, in nats; ``-inf`` if any row is impossible.
    standard_error : float
        The standard error of `mean`.
    difference : float
        `mean` minus that of the best network: 0 for the best one, negative for the others.
    difference_error : float
        The standard error of `difference`, computed from the difference in each row.
    n_impossible : int
        The number of rows with probability zero. If there are any, the other values are infinite or
        NaN.
    """

    name: str
    mean: float
    standard_error: float
    difference: float
    difference_error: float
    n_impossible: int


@dataclass(frozen=True)
class HeldOutComparison:
    """Networks compared on the same rows, the best first.

    Attributes
    ----------
    n_rows : int
        The number of rows.
    networks : tuple of HeldOut
        The result of each network.
    """

    n_rows: int
    networks: tuple[HeldOut, ...]

    @property
    def best(self) -> str:
        """The name of the network with the highest mean log-likelihood."""
        return self.networks[0].name

    def __getitem__(self, name: str) -> HeldOut:
        for network in self.networks:
            if network.name == name:
                return network
        raise KeyError(name)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per network, the best first, indexed by name."""
        return pd.DataFrame([vars(network) for network in self.networks]).set_index("name")

    def __str__(self) -> str:
        width = max(len(network.name) for network in self.networks)
        lines = [f"log-likelihood per row, {self.n_rows:,} rows"]
        for one in self.networks:
            against = f"{one.difference:+.4f} (s.e. {one.difference_error:.4f})"
            against = "best" if one.name == self.best else against
            lines.append(f"{one.name:<{width}}  {one.mean:.4f}  {against}")
        return "\n".join(lines)


def held_out(models: Mapping[str, BayesianNetwork], data: Any) -> HeldOutComparison:
    """Compare networks by the likelihood of rows that none of them was fitted to.

    Parameters
    ----------
    models : mapping from str to BayesianNetwork
        Networks by name, at least one.
    data : pandas.DataFrame, polars.DataFrame, pyarrow.Table or Table
        Rows, as for `BayesianNetwork.log_likelihood`.

    Returns
    -------
    HeldOutComparison

    Examples
    --------
    >>> import bnsieve as bn
    >>> asia = bn.load_network("asia")
    >>> train, test = asia.sample(1000, random_state=0), asia.sample(1000, random_state=1)
    >>> empty = bn.fit_parameters(bn.Graph(asia.graph.nodes), train)
    >>> bn.metrics.held_out({"true": asia, "empty": empty}, test).best
    'true'
    """
    if not models:
        raise ValueError("held_out compares networks: give at least one")
    with_numbers = any(model.numbers for model in models.values())
    table = data if with_numbers else Table.from_data(data)
    rows = {name: model.log_likelihood(table) for name, model in models.items()}
    ordered = sorted(rows, key=lambda name: -rows[name].mean())
    best = rows[ordered[0]]
    return HeldOutComparison(len(best), tuple(_judged(name, rows[name], best) for name in ordered))


def _judged(name: str, rows: NDArray[np.float64], best: NDArray[np.float64]) -> HeldOut:
    with np.errstate(invalid="ignore"):  # -inf less -inf
        differences = np.where(rows == best, 0.0, rows - best)
    return HeldOut(
        name,
        mean=float(rows.mean()),
        standard_error=_standard_error(rows),
        difference=float(differences.mean()),
        difference_error=_standard_error(differences),
        n_impossible=int(np.isneginf(rows).sum()),
    )


def _standard_error(values: NDArray[np.float64]) -> float:
    if len(values) < 2 or not np.isfinite(values).all():
        return float("nan")
    return float(values.std(ddof=1) / np.sqrt(len(values)))
