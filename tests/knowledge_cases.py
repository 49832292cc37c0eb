"""Knowledge in every learner: random cases in, faults out.

`random_case` makes a small data set and knowledge that some DAG agrees with; `faults` lists what
is wrong with what a learner made of them, which should be nothing, ever. `spared` measures what
forbidding half of the pairs does to the number of tests and of parent sets.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from sklearn.base import clone

from bnsieve.decide.scorers import COMPLETE_SIZE
from bnsieve.exchange import load_network
from bnsieve.knowledge import Knowledge
from bnsieve.learners import FSMBPC, PC, HitonPC, StructureLearner, TsetlinPC, TsetlinSieve
from bnsieve.network import WAYS
from bnsieve.search import known_class, without_undetermined

LEARNERS: tuple[StructureLearner, ...] = (
    PC(),
    PC(variant="original"),
    HitonPC(),
    FSMBPC(join="either"),
    TsetlinPC(random_state=0),
    TsetlinSieve(random_state=0),
    TsetlinSieve(method="tests", random_state=0),
)


def random_case(seed: int) -> tuple[pd.DataFrame, Knowledge]:
    """Make a few columns of few rows, and knowledge of any kind that does not contradict itself.

    Among the columns are constants, copies and functions of others; a third of the cases has
    missing cells. The knowledge has nothing to do with how the data came about: learners must
    honour it all the same.
    """
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in rng.permutation(int(rng.integers(2, 9)))]
    data, knowledge = _random_data(names, rng), _random_knowledge(names, rng)
    if rng.random() < 1 / 3:
        data = data.astype(object).mask(rng.random(data.shape) < 0.2)
    return data, knowledge


def _random_data(names: list[str], rng: np.random.Generator) -> pd.DataFrame:
    n_rows = int(rng.integers(20, 300))
    columns: dict[str, np.ndarray] = {}
    for name in names:
        parents = [column for column in columns.values() if rng.random() < 1.5 / len(names)]
        n_categories = 1 if rng.random() < 0.05 else int(rng.integers(2, 4))
        clear = np.sum(parents, axis=0, dtype=np.int64, initial=0) % n_categories
        noise = rng.random(n_rows) < rng.choice([0.0, 0.1, 0.5])
        random = rng.integers(0, n_categories, n_rows)
        columns[name] = np.where(noise, random, clear) if parents else random
    return pd.DataFrame(columns)


def _random_knowledge(names: list[str], rng: np.random.Generator) -> Knowledge:
    order = [str(name) for name in rng.permutation(names)]
    forward = list(combinations(order, 2))
    share_required, share_forbidden = rng.choice([0.0, 0.15, 0.4]), rng.choice([0.0, 0.3, 0.7])
    required = [arrow for arrow in forward if rng.random() < share_required]
    both_ways = [*forward, *((b, a) for a, b in forward)]
    forbidden = [
        arrow for arrow in both_ways if arrow not in required and rng.random() < share_forbidden
    ]
    cut = int(rng.integers(1, len(order))) if rng.random() < 0.3 else 0
    child = str(rng.choice(names))
    parents = [a for a in order if a != child and ((a, child) in required or rng.random() < 0.4)]
    tails, heads = {a for a, _ in required}, {b for _, b in required}
    return Knowledge(
        required=required,
        forbidden=forbidden,
        tiers=[order[:cut], order[cut:]] if cut else [],
        parents_of={child: parents} if rng.random() < 0.3 else {},
        no_parents=[name for name in names if name not in heads and rng.random() < 0.1],
        no_children=[name for name in names if name not in tails and rng.random() < 0.1],
    )


def faults(learner: StructureLearner, knowledge: Knowledge) -> list[str]:
    """List what is wrong with a fitted learner's graph.

    A graph that exists has no directed cycle: `Graph` refuses to be one. It must also be what all
    DAGs share that are equivalent to the learner's, closed under Meek's rules, but for arrows that
    are lines because little speaks for them; hold the required arrows as arrows, and leave nothing
    open that knowledge forbids.
    """
    graph = learner.graph_
    constraints = knowledge.resolve(graph.nodes)
    allowed = constraints.allowed
    number = {name: i for i, name in enumerate(graph.nodes)}
    open_ways = [*graph.edges, *((b, a) for a, b in graph.undirected_edges)]
    found = [f"{a} -> {b} is forbidden" for a, b in open_ways if not allowed[number[a], number[b]]]
    lost = sorted(set(knowledge.required) - set(graph.directed_edges))
    found += [f"{a} -> {b} is required, but lost" for a, b in lost]
    decided = known_class(learner.dag_, constraints)
    if not decided.is_maximally_oriented:
        found.append("the DAG's class is not maximally oriented")
    if graph != without_undetermined(decided, getattr(learner, "direction_margins_", {})):
        found.append("the graph is not the DAG's class without its doubtful heads")
    if learner.graph_.skeleton() != graph.skeleton():
        found.append("graph and skeleton differ")
    return found


def check_random_fits(seeds: range) -> Iterator[tuple[int, str, list[str]]]:
    """Fit every learner on the case of each seed; give seed, learner and faults."""
    for seed in seeds:
        data, knowledge = random_case(seed)
        told = {"knowledge": knowledge, "missing": WAYS[seed % len(WAYS)]}
        for learner in LEARNERS:
            fitted = clone(learner).set_params(**told).fit(data)
            yield seed, str(learner), faults(fitted, knowledge)


@dataclass(frozen=True)
class Spared:
    """What a learner did without knowledge, and with half of the pairs forbidden.

    Attributes
    ----------
    learner : str
    tests : tuple of (int, int)
        Number of independence tests, those for directions among them.
    parent_sets : tuple of (int, int)
        Number of parent sets of every size that is scored completely, each a table of counts.
    """

    learner: str
    tests: tuple[int, int]
    parent_sets: tuple[int, int]


def half_of_the_pairs(names: list[str], seed: int) -> Knowledge:
    """Forbid half of all pairs, drawn at random, in both directions."""
    pairs = list(combinations(sorted(names), 2))
    chosen = np.random.default_rng(seed).permutation(len(pairs))[: len(pairs) // 2]
    return Knowledge(forbidden=[frozenset(pairs[i]) for i in chosen])


def spared(network: str, n_rows: int, seed: int) -> Iterator[Spared]:
    """Measure, learner by learner, what forbidding half of a network's pairs spares."""
    data = load_network(network).sample(n_rows, random_state=seed)
    knowledge = half_of_the_pairs(list(data.columns), seed)
    for learner in LEARNERS:
        plain = clone(learner).fit(data)
        told = clone(learner).set_params(knowledge=knowledge).fit(data)
        tests = (_n_tests(plain), _n_tests(told))
        yield Spared(str(learner), tests, (_n_parent_sets(plain), _n_parent_sets(told)))


def _n_tests(learner: StructureLearner) -> int:
    return learner.fit_result_.n_tests + learner.fit_result_.n_orientation_tests


def _n_parent_sets(learner: StructureLearner) -> int:
    if not isinstance(learner, TsetlinSieve):
        return 0
    sizes = range(COMPLETE_SIZE + 1)
    return sum(comb(len(chosen), k) for chosen in learner.candidates_.values() for k in sizes)
