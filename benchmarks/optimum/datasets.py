"""Which data sets the study looks at: a part's name in, networks, sizes and seeds out."""

from dataclasses import dataclass
from functools import cache

from benchmarks.common.networks import bnrep_names, network_of, read_bnrep

PARTS = ("exact", "child", "states")
EXACT_ROWS = (500, 2_000, 10_000)
# bnRep's networks of these sizes, every few of them in the order of their size.
EXACT_NODES = (8, 24)
N_BNREP = 30
SHIPPED = ("child", "sachs", "asia")
STATES_ROWS = 5_000
SHIPPED_STATES = (
    "child",
    "insurance",
    "water",
    "mildew",
    "alarm",
    "barley",
    "hailfinder",
    "hepar2",
    "win95pts",
)
N_STATES = 8


@dataclass(frozen=True)
class Job:
    """One fit on one sample.

    Attributes
    ----------
    label : str
    part : str
        One of `PARTS`.
    network : str
    rows, seed : int
        Of the sample.
    state : int
        The learner's random state.
    """

    label: str
    part: str
    network: str
    rows: int
    seed: int
    state: int


def jobs_of(part: str, label: str) -> list[Job]:
    """Return the jobs of a part, those of few columns first."""
    if part == "exact":
        names = [*SHIPPED, *_some_of_bnrep()]
        # One more than three sizes of 33 networks makes a hundred.
        wanted = [("cancer", 2_000), *((name, rows) for name in names for rows in EXACT_ROWS)]
        wanted.sort(key=lambda one: network_of(one[0]).graph.n_nodes)
        return [Job(label, part, name, rows, 0, 0) for name, rows in wanted]
    if part == "child":
        return [Job(label, part, "child", STATES_ROWS, seed, seed) for seed in range(5)]
    return [
        Job(label, part, name, STATES_ROWS, 101, state)
        for name in [*SHIPPED_STATES, *_random_networks()]
        for state in range(N_STATES)
    ]


@cache
def _some_of_bnrep() -> tuple[str, ...]:
    """Return networks spread evenly over the sizes for which an optimum can be computed."""
    nodes = {name: read_bnrep(name).graph.n_nodes for name in bnrep_names()}
    low, high = EXACT_NODES
    fitting = sorted((n, name) for name, n in nodes.items() if low <= n <= high)
    places = [round(i * (len(fitting) - 1) / (N_BNREP - 1)) for i in range(N_BNREP)]
    return tuple(fitting[place][1] for place in places)


def _random_networks() -> list[str]:
    """Return seventeen: two of each size and degree, but one of the largest and densest."""
    names = [
        f"er{n}d{degree}s{s}" for s in (101, 102) for n in (30, 60, 100) for degree in (2, 4, 6)
    ]
    return names[:-1]
