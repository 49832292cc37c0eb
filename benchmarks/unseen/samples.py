"""The rows that every program gets, by network, size and number, and how its graph is judged."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd

from benchmarks.common.arrows import directions
from benchmarks.common.networks import bnrep_names, network_of, read_bnrep
from benchmarks.common.shuffled import Renamed, shuffled
from bnsieve import BayesianNetwork, Graph, fit_parameters
from bnsieve.metrics import compare

# Of the first sample: the one that the project has compared programs on from the start.
FIRST_SEED = 7
# New rows on which networks are compared.
HELD_OUT_ROWS = 5_000
# Smaller networks say little: one edge more or less is all of their F1.
MIN_NODES = 5
# Of the order in which networks are run. A study that ends early has run a random part of them.
ORDER_SEED = 18


@cache
def networks_in_order() -> tuple[str, ...]:
    """Return the networks of five nodes or more, in the fixed random order of the study."""
    names = [name for name in bnrep_names() if read_bnrep(name).graph.n_nodes >= MIN_NODES]
    rng = np.random.default_rng(ORDER_SEED)
    return tuple(names[i] for i in rng.permutation(len(names)))


@dataclass(frozen=True)
class UnseenSample:
    """Rows under neutral names, and the network they come from."""

    truth: BayesianNetwork
    rows: Renamed
    drawn: pd.DataFrame
    seed: int

    def judge(self, graph: Graph, dag: Graph | None = None) -> dict[str, object]:
        """Compare a graph over the neutral names with the truth.

        Its arrows count as it stands. For the likelihood of new rows its DAG is taken, or the graph
        directed to the end, and tables are fitted in the same way for every program (BDeu prior,
        sample size 1); empty if that cannot be done.
        """
        found = self.rows.restore(graph)
        claims = directions(found, self.truth.graph)
        return {
            "nodes": self.truth.graph.n_nodes,
            "f1": compare(self.truth, found).f1,
            "cpdag_shd": claims.distance,
            "arrows": claims.arrows,
            "right_arrows": claims.right_arrows,
            "held_out": self._held_out(found if dag is None else self.rows.restore(dag)),
        }

    def _held_out(self, graph: Graph) -> float | str:
        try:
            dag = graph.to_dag()
            network = fit_parameters(dag, self.drawn, states=self.truth.states)
        except (ValueError, MemoryError):
            return ""
        return float(network.log_likelihood(self._new_rows).mean())

    @cached_property
    def _new_rows(self) -> pd.DataFrame:
        return self.truth.sample(HELD_OUT_ROWS, random_state=self.seed + 1_000)


def sample_of(network: str, n_rows: int, number: int, *, bnrep: bool = True) -> UnseenSample:
    """Draw a sample, numbered from 0, and shuffle its columns and their names."""
    truth = read_bnrep(network) if bnrep else network_of(network)
    seed = FIRST_SEED + number
    drawn = truth.sample(n_rows, random_state=seed)
    return UnseenSample(truth, shuffled(drawn, seed), drawn, seed)
