"""A CI test and a score of one's own, on every network that comes with bnsieve.

``python -m benchmarks engines own`` draws rows of each network and learns it four times: with
Pearson's test and the BIC as a researcher writes them by the page on parts of one's own
(``docs/reference/internals.md``), and with bnsieve's ``ci_test="chi2"`` and
``criterion=Score("bic", observed=False)``, which compute the same. It compares graphs and
scores. It fits what ``own.csv`` has no line of, and writes ``own.md``.
"""

import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import xlogy
from scipy.stats import chi2

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, included, table, write
from benchmarks.common.runs import perform_left, read_runs
from benchmarks.engines.study import edges_of
from bnsieve import TsetlinPC, TsetlinSieve, list_networks, load_network
from bnsieve.counts import JointCounts
from bnsieve.decide import Score

ROWS = 2_000
PARTS = ("CI test", "score")
# A name, such as "bic", would add a cost of each parent.
TEXTBOOK = Score("bic", observed=False)


class Pearson:
    """Pearson's test, its degrees of freedom from what occurs in each stratum."""

    def p_value(self, joint: JointCounts, /) -> float:
        """Test the last two variables given all others."""
        *given, x, y = joint.configurations.astype(np.int64)
        stratum = np.zeros_like(x)
        for values in given:
            stratum = np.unique(stratum * 65536 + values, return_inverse=True)[1]
        n_x, n_y = joint.n_categories[-2:]
        n_strata = int(stratum.max(initial=0)) + 1
        cells = (stratum * n_x + x) * n_y + y
        n = np.bincount(cells, weights=joint.counts, minlength=n_strata * n_x * n_y)
        n = n.reshape(n_strata, n_x, n_y)
        rows, columns = n.sum(axis=2, keepdims=True), n.sum(axis=1, keepdims=True)
        expected = rows * columns / np.maximum(n.sum(axis=(1, 2), keepdims=True), 1)
        occurs = expected > 0
        statistic = ((n - expected)[occurs] ** 2 / expected[occurs]).sum()
        free_rows = (rows > 0).sum(axis=(1, 2)) - 1
        free = (free_rows * ((columns > 0).sum(axis=(1, 2)) - 1)).clip(0).sum()
        return float(chi2.sf(statistic, free)) if free else float("nan")


class Bic:
    """The Bayesian information criterion."""

    def score(self, counts: NDArray[np.int64], n_configurations: float, /) -> float:
        """Score a variable given a parent set."""
        totals = counts.sum(axis=1)
        n_free = n_configurations * (counts.shape[1] - 1)
        likelihood = xlogy(counts, counts).sum() - xlogy(totals, totals).sum()
        return float(likelihood - n_free * np.log(totals.sum()) / 2)


@dataclass(frozen=True)
class Job:
    """One network, learned with a part of one's own and with bnsieve's."""

    network: str
    rows: int
    part: str


@dataclass(frozen=True)
class Run(Job):
    """What was learned.

    Attributes
    ----------
    nodes, edges : int
        Variables of the network, and edges learned with the part of one's own.
    differing : int
        Edges of only one of the two graphs, whatever their directions.
    same : bool
        Whether the graphs are equal, with all directions.
    higher : float
        How much higher the score is that was found with the score of one's own.
    own_seconds, seconds : float
        Processor seconds, with the part of one's own and with bnsieve's.
    """

    nodes: int
    edges: int
    differing: int
    same: bool
    higher: float
    own_seconds: float
    seconds: float


def learner_of(part: str, own: bool) -> TsetlinPC | TsetlinSieve:
    """Return a learner with a part of one's own, or with bnsieve's that computes the same."""
    settings: dict[str, Any] = {"random_state": 0, "n_jobs": 1}
    if part == "CI test":
        return TsetlinPC(ci_test=Pearson() if own else "chi2", **settings)
    return TsetlinSieve(criterion=Bic() if own else TEXTBOOK, **settings)


def perform(job: Job) -> Run:
    """Learn a network twice."""
    network = load_network(job.network)
    data = network.sample(job.rows, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with timed() as own_time:
            own = learner_of(job.part, own=True).fit(data)
        with timed() as time:
            given = learner_of(job.part, own=False).fit(data)
    return Run(
        **vars(job),
        nodes=len(network.graph.nodes),
        edges=own.graph_.n_edges,
        differing=len(edges_of(own) ^ edges_of(given)),
        same=own.graph_ == given.graph_,
        higher=own.score_ - given.score_ if job.part == "score" else 0.0,
        own_seconds=own_time.processor_seconds,
        seconds=time.processor_seconds,
    )


def report(runs: pd.DataFrame) -> list[str]:
    """Return a table, one line for each network and part."""
    lines = [
        [
            str(run["network"]),
            f"{run['nodes']}",
            f"{run['rows']:,}",
            str(run["part"]),
            f"{run['edges']}",
            f"{run['differing']}",
            "yes" if run["same"] else "no",
            "" if run["part"] == "CI test" else f"{run['higher']:+.1f}",
            f"{run['own_seconds']:.1f}",
            f"{run['seconds']:.1f}",
        ]
        for run in runs.sort_values(["part", "nodes"]).to_dict("records")
    ]
    titles = ["network", "nodes", "rows", "part", "edges", "edges that differ", "same graph"]
    titles += ["score, beside bnsieve's", "s, own", "s, bnsieve's"]
    return included("own", table(titles, lines, 4))


def main(arguments: list[str] | None = None) -> None:
    """Run the study."""
    given = sys.argv[3:] if arguments is None else arguments
    networks = sorted(list_networks(), key=lambda one: one.nodes)
    parser = parser_of("engines own", __doc__)
    names = [one.name for one in networks]
    parser.add_argument("--networks", nargs="+", default=names, metavar="NETWORK")
    parser.add_argument("--rows", type=int, default=ROWS, help=f"default: {ROWS:,}")
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS, metavar="PART")
    asked = parser.parse_args(given)
    if asked.quick:
        asked.networks, asked.rows = ["asia"], 500
    jobs = [Job(name, asked.rows, part) for name in asked.networks for part in asked.parts]
    path = asked.output / "own.csv"
    perform_left(jobs, path, perform, lambda run: f"{run.network}, {run.part}", 1, asked.minutes)
    lines = report(read_runs(path))
    title = head("Parts of one's own, beside bnsieve's", "engines own", given)
    write(asked.output / "own.md", [*title, *lines])
    print("\n".join(lines))
