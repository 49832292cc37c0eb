"""One sample of a drawn network: its effect by three graphs, beside the true contrast."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.runs import run_of
from benchmarks.effects.draws import DrawnNetwork, drawn_network
from benchmarks.effects.truth import Population, support_of
from bnsieve import BayesianNetwork, Graph, Knowledge, TsetlinSieve
from bnsieve.network import Effect, EffectCase
from bnsieve.network.causal.estimates import Contrast, ContrastRows

GRAPHS = ("true", "tiers", "learned")
ROWS = (2_000, 20_000)


@dataclass(frozen=True)
class Job:
    """One sample of one network."""

    network: int
    rows: int


@dataclass(frozen=True, eq=False)
class Statement:
    """What an effect says of the contrast that is asked for.

    Attributes
    ----------
    case : EffectCase or None
        The only one, or the first with an estimate; None if there is none.
    contrast : Contrast or None
    low, high : float
        Of all cases: the smallest lower end and the largest upper end; 0 where a case says that
        the outcome is a cause of the treatment.
    """

    case: EffectCase | None
    contrast: Contrast | None
    low: float
    high: float


def statement_of(effect: Effect, network: DrawnNetwork) -> Statement | None:
    """Return what is said; None if nothing is."""
    state = None if not network.variables[network.outcome].n_states else "abcd"[network.state]
    is_numeric = not network.variables[network.treatment].n_states
    treated = None if is_numeric else "abcd"[network.treated]
    lows, highs = [], []
    chosen: tuple[EffectCase, Contrast] | None = None
    for case in effect.cases:
        if effect.outcome in case.parents:
            lows.append(0.0)
            highs.append(0.0)
            continue
        for one in case.contrasts:
            asked = (one.treated, one.state) == (treated, state)
            if one.estimate is None or not asked:
                continue
            lows.append(one.low)
            highs.append(one.high)
            chosen = chosen or (case, one)
    if not lows:
        return None
    case_of, contrast = chosen or (None, None)
    return Statement(case_of, contrast, min(lows), max(highs))


@lru_cache(maxsize=1)
def population_of(seed: int) -> Population:
    """Return the population of a network; samples of both sizes have the same."""
    return Population.of(drawn_network(seed), 20_000 + seed)


@dataclass(frozen=True, eq=False)
class Lines:
    """What was found of one sample.

    Attributes
    ----------
    runs : list of dict
        A line for each graph, that of the true graph first.
    peers : list of dict
        A line for each estimator on the rows and adjustment set of the true graph.
    rows : mapping from str to ndarray, or None
        These rows, for other programs; None if there is no estimate.
    """

    runs: list[dict[str, object]]
    peers: list[dict[str, object]]
    rows: dict[str, NDArray[np.float64]] | None


def contrast_lines(job: Job) -> Lines:
    """Return a line for each graph, with the rows of the contrast for other programs."""
    network = drawn_network(job.network)
    values, _ = network.draw(job.rows, 10_000 + job.network)
    data = network.frame(values)
    population = population_of(job.network)
    sample = Population.of(network, 10_000 + job.network, job.rows)
    truth = Graph(network.names, network.edges)
    tiers = Knowledge(tiers=network.layers)
    runs: list[dict[str, object]] = []
    first: dict[str, NDArray[np.float64]] | None = None
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = TsetlinSieve(random_state=job.network, n_jobs=1)
        learned = learner.fit(data).network_
        tiered = clone(learner).set_params(knowledge=tiers).fit(data).network_
        for name in GRAPHS:
            fitted = tiered if name == "tiers" else learned
            given = truth if name == "true" else None
            line, rows = _line(network, population, sample, fitted, given)
            line |= {key: _per(line[key], _scale(network)) for key in IN_UNITS}
            first = rows if name == "true" else first
            runs.append(run_of(job, {"graph": name, **_about(network), **line}))
    return Lines(runs, [], first)


def _about(network: DrawnNetwork) -> dict[str, object]:
    return {
        "variables": len(network.variables),
        "zeros": network.has_zeros,
        "path": network.has_path,
        "treatment": "category" if network.variables[network.treatment].n_states else "number",
        "outcome": "category" if network.variables[network.outcome].n_states else "number",
    }


def _scale(network: DrawnNetwork) -> float:
    """Return the unit of all contrasts: probabilities, and standard deviations of numbers."""
    treatment, outcome = (network.variables[v] for v in (network.treatment, network.outcome))
    return outcome.scale / treatment.scale  # 1 for categories


def _setting(network: DrawnNetwork) -> object:
    one = network.variables[network.treatment]
    return "abcd"[network.treated] if one.n_states else one.centre


def _line(
    network: DrawnNetwork,
    population: Population,
    sample: Population,
    fitted: BayesianNetwork,
    graph: Graph | None,
) -> tuple[dict[str, object], dict[str, NDArray[np.float64]] | None]:
    treatment, outcome = (network.names[v] for v in (network.treatment, network.outcome))
    line: dict[str, object] = dict.fromkeys(MEASURES)
    everybody = np.ones(len(population.change), dtype=np.bool_)
    line |= {"said": "nothing", "truth": population.among(everybody)}
    with timed() as spent:
        try:
            effect = fitted.effect({treatment: _setting(network)}, outcome, graph=graph)
        except ValueError as refused:
            if "rows" not in str(refused):
                raise
            line["said"] = "refused"
            return line, None
    line["effect_seconds"] = spent.processor_seconds
    said = statement_of(effect, network)
    if said is None:
        return line, None
    line |= {"cases": len(effect.cases), "low": said.low, "high": said.high}
    if said.contrast is None or said.case is None:
        return line | {"said": "no effect", "difference": 0.0}, None
    contrast, case = said.contrast, said.case
    adjustment = case.adjusted_for
    rows = ContrastRows.of(fitted.parts, [treatment, outcome, *adjustment], {})
    kept, outside = np.ones(rows.n, dtype=np.bool_), 0.0
    members: NDArray[np.bool_] | None = everybody
    if network.variables[network.treatment].n_states:
        found = support_of(population, sample, rows, adjustment)
        kept, members, outside = found.rows, found.members, found.outside
    # Where models of the treatment decide whom it is about, these are the rows of the sample.
    drawn, chosen = (sample, kept) if members is None else (population, members)
    line |= {
        "said": "path" if case.adjustment is not None else "no path",
        "truth": drawn.among(chosen) if chosen.any() else np.nan,
        "difference": contrast.difference,
        "error": contrast.estimate.error if contrast.estimate else None,
        "network_says": contrast.network,
        "share": contrast.share,
        "outside": outside,
        "adjustment": len(adjustment),
    }
    return line, _rows_for_others(network, rows, adjustment, kept)


MEASURES = (
    "said", "cases", "truth", "difference", "error", "low", "high", "network_says", "share",
    "outside", "adjustment", "effect_seconds",
)  # fmt: skip


IN_UNITS = ("truth", "difference", "error", "low", "high", "network_says")


def _per(value: object, scale: float) -> float | None:
    return value / scale if isinstance(value, float) else None


def _rows_for_others(
    network: DrawnNetwork,
    rows: ContrastRows,
    adjustment: Sequence[str],
    kept: NDArray[np.bool_],
) -> dict[str, NDArray[np.float64]]:
    """Return treatment, outcome and adjustment values, as numbers, of the rows with overlap."""
    treatment, outcome = (network.names[v] for v in (network.treatment, network.outcome))
    columns: list[NDArray[np.float64]] = []
    for name in adjustment:
        if name in rows.numeric:
            one = rows.numbers(name)[kept]
            columns.append((one - one.mean()) / (one.std() or 1.0))
        else:
            codes = rows.codes(name)[kept]
            columns += [(codes == k).astype(np.float64) for k in np.unique(codes)[1:]]

    def coded(name: str, first: int, second: int) -> NDArray[np.float64]:
        """Return 1 and 0 for two states, 2 for others."""
        labels = rows.table.categories[rows.table.names.index(name)]
        codes = rows.codes(name)[kept]
        places = [labels.index("abcd"[k]) if k >= 0 else -1 for k in (first, second)]
        return np.where(codes == places[0], 1.0, np.where(codes == places[1], 0.0, 2.0))

    given = (
        rows.numbers(treatment)[kept] if treatment in rows.numeric
        else coded(treatment, network.treated, 0)
    )  # fmt: skip
    result = (
        rows.numbers(outcome)[kept] if outcome in rows.numeric
        else (coded(outcome, network.state, -1) == 1.0).astype(np.float64)
    )  # fmt: skip
    features = np.array(columns).reshape(len(columns), int(kept.sum())).T
    given, result = (
        values / network.variables[v].scale
        for v, values in ((network.treatment, given), (network.outcome, result))
    )
    return {"treatment": given, "outcome": result, "features": features}
