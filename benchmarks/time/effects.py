"""Effects of earlier values: estimates and their intervals beside what the model says.

    python -m benchmarks time effects           (12 systems of each kind, three questions each)
    python -m benchmarks time effects --quick   (one small system of each kind)

Systems of six variables with known coefficients or tables are drawn as one long series and as
panels. Each question asks for the effect of one variable on another 0 to 3 steps later: of a
linear model per unit, by its impulse response; of categories the difference of two risks, by a
simulation of 100,000 series in which the treatment is set. Estimates are made with the true graph,
which tells of the errors alone, and with the learned one. Measured are how many 90 % intervals
hold the truth, their mean length, the mean absolute error, and processor seconds. Where the
learned graph leaves several cases, the interval is from the lowest to the highest end.

``effects.csv`` has a line for each question and graph, ``effects.md`` is written from it. What the
file has is not run again.
"""

import sys
import warnings
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from benchmarks.time.series import AdditiveModel, CategoryModel, Series, Values
from benchmarks.time.study import frame_of
from bnsieve import Graph, TsetlinSieve

LEVEL = 0.9
N_VARIABLES, N_QUESTIONS, N_SYSTEMS = 6, 3, 12
LONGEST = 3
GRAPHS = ("true", "learned")
# How far from the middle the tables of categories are: large numbers leave overlap.
CONCENTRATION = 2.0
N_SIMULATED, N_BURNED_IN = 100_000, 30
# Entities and steps of each.
SIZES = {
    "numbers, one series": (1, 2_000),
    "numbers, panel": (100, 20),
    "numbers, five series": (5, 400),
    "categories, one series": (1, 3_000),
    "categories, panel": (200, 15),
}


@dataclass(frozen=True)
class Job:
    """One question of one system, with the true graph or the learned one."""

    kind: str
    seed: int
    question: int
    graph: str


@dataclass(frozen=True, eq=False)
class System:
    """A model, its learner and its graph.

    Attributes
    ----------
    model : AdditiveModel or CategoryModel
    lags : int
    learner : TsetlinSieve
        Fitted.
    graph : Graph
        The true one, over the columns of the learner.
    """

    model: AdditiveModel | CategoryModel
    lags: int
    learner: TsetlinSieve
    graph: Graph


@lru_cache(maxsize=1)
def system_of(kind: str, seed: int) -> System:
    """Draw a model and rows, and fit."""
    n_entities, n_steps = SIZES[kind]
    structure, rng = (np.random.default_rng([seed, part]) for part in (0, 1))
    model: AdditiveModel | CategoryModel
    if kind.startswith("numbers"):
        model = AdditiveModel.drawn(structure, N_VARIABLES, lags=(1, 2))
        series = Series(
            tuple(model.sample(rng, n_steps) for _ in range(n_entities)), model.truth, 2
        )
    else:
        model = CategoryModel.drawn(structure, N_VARIABLES, CONCENTRATION)
        series = Series(tuple(model.sample(rng, n_steps, n_entities)), model.truth, 1)
    by = "entity" if n_entities > 1 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = TsetlinSieve(time="at", by=by, lags=series.lags, random_state=0)
        learner.fit(frame_of(series))
    edges = [(node(i, lag), node(j)) for i, j, lag in series.truth.lagged]
    edges += [(node(i), node(j)) for i, j in series.truth.directed]
    return System(model, series.lags, learner, Graph(learner.graph_.nodes, edges))


def node(variable: int, lag: int = 0) -> str:
    """Return the name of a variable at a lag."""
    return f"v{variable:02}" + (f"@t-{lag}" if lag else "")


def question_of(system: System, job: Job) -> tuple[int, int, int]:
    """Return a cause, an effect and a lag; all but the last question are about real effects."""
    rng = np.random.default_rng([job.seed, 2, job.question])
    while True:
        cause, effect = rng.choice(N_VARIABLES, 2, replace=False).tolist()
        lag = int(rng.integers(LONGEST + 1))
        acts = np.zeros((lag + 1, N_VARIABLES), dtype=bool)
        acts[0, cause] = True
        truth = system.model.truth
        for step in range(lag + 1):
            for i, j, back in truth.lagged:
                acts[step, j] |= step >= back and acts[step - back, i]
            for j in system.model.order:
                acts[step, j] |= any(acts[step, i] for i, head in truth.directed if head == j)
        if acts[lag, effect] or job.question == N_QUESTIONS - 1:
            return cause, effect, lag


def impulse_response(model: AdditiveModel, cause: int, lag: int) -> Values:
    """Return what one unit more of a variable does to all others so many steps later."""
    values: Values = np.zeros((lag + 1, model.n_variables))
    values[0, cause] = 1.0
    for step in range(lag + 1):
        for j in model.order:
            if step == 0 and j == cause:
                continue
            values[step, j] = sum(
                size * values[step - back, i]
                for (i, head, back), (_, size) in model.terms.items()
                if head == j and back <= step
            )
    return np.asarray(values[lag], dtype=np.float64)


@lru_cache(maxsize=8)
def risk_differences(
    model: CategoryModel, cause: int, settings: tuple[int, int], lag: int, effect: int, seed: int
) -> Values:
    """Return by how much each state of an effect is more frequent under the second setting."""
    sums = [np.cumsum(one, axis=-1)[..., :-1] for one in model.tables]
    risks = []
    for setting in settings:
        rng = np.random.default_rng([seed, 3])
        before = rng.integers(model.n_states, size=(N_SIMULATED, N_VARIABLES))
        for step in range(N_BURNED_IN + lag + 1):
            now = np.zeros_like(before)
            for j in model.order:
                chance = rng.random(N_SIMULATED)
                below = sums[j][
                    tuple((before if back else now)[:, i] for i, back in model.parents[j])
                ]
                now[:, j] = (below < chance[:, np.newaxis]).sum(axis=1)
                if step == N_BURNED_IN and j == cause:
                    now[:, j] = setting
            before = now
        counts = np.bincount(before[:, effect], minlength=model.n_states[effect])
        risks.append(counts / N_SIMULATED)
    return np.asarray(risks[1] - risks[0])


def perform(job: Job) -> dict[str, object]:
    """Ask one question, and compare with the truth."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _performed(job)


def _performed(job: Job) -> dict[str, object]:
    system = system_of(job.kind, job.seed)
    cause, effect, lag = question_of(system, job)
    name, target = node(cause, lag), node(effect)
    graph = system.graph if job.graph == "true" else None
    treatment: str | dict[str, tuple[str, str]] = name
    if isinstance(system.model, CategoryModel):
        treatment = {name: ("s0", "s1")}
    asked = f"{name} on {target}"
    try:
        with timed() as spent:
            found = system.learner.effect(treatment, target, graph=graph, interval=LEVEL)
    except ValueError as error:
        return run_of(job, _measures(asked, float("nan"), failure=str(error)))
    compared = [(case.contrasts or (None,))[0] for case in found.cases]
    first = next((one for one in compared if one is not None), None)
    if isinstance(system.model, AdditiveModel):
        truth = float(impulse_response(system.model, cause, lag)[effect])
    else:
        differences = risk_differences(system.model, cause, (0, 1), lag, effect, job.seed)
        truth = float(differences[0 if first is None else int(str(first.state)[1:])])
    # A case in which the outcome comes first has no effect.
    ends = [(0.0, 0.0) if one is None else (one.low, one.high) for one in compared]
    estimates = [0.0 if one is None else one.difference for one in compared]
    shares = [1.0 if one is None else one.share for one in compared]
    low, high = min(one[0] for one in ends), max(one[1] for one in ends)
    middle = estimates[0] if len(estimates) == 1 else float(np.mean(estimates))
    return run_of(
        job,
        _measures(asked, truth, middle, low, high, len(ends), min(shares), spent.processor_seconds),
    )


def _measures(
    asked: str,
    truth: float,
    estimate: float = float("nan"),
    low: float = float("nan"),
    high: float = float("nan"),
    n_cases: int = 0,
    share: float = float("nan"),
    seconds: float = float("nan"),
    failure: str = "",
) -> dict[str, object]:
    return {
        "asked": asked,
        "truth": round(truth, 5),
        "estimate": round(estimate, 5),
        "low": round(low, 5),
        "high": round(high, 5),
        "cases": n_cases,
        "overlap": round(share, 4),
        "holds": float(low <= truth <= high) if low == low else float("nan"),
        "processor_seconds": round(seconds, 2),
        "failure": failure,
    }


def report(runs: pd.DataFrame) -> list[str]:
    """Return the lines of the page."""
    cells = []
    for (kind, graph), own in runs.groupby(["kind", "graph"], sort=False):
        told = own[own["holds"].notna()]
        n = len(told)
        holds = told["holds"].mean()
        error = np.sqrt(holds * (1 - holds) / max(n, 1))
        length = (told["high"] - told["low"]).mean()
        away = (told["estimate"] - told["truth"]).abs().mean()
        size = told["truth"].abs().mean()
        cells.append(
            [
                str(kind),
                str(graph),
                str(own["seed"].nunique()),
                str(n),
                str(len(own) - n),
                f"{holds:.2f} ± {error:.2f}",
                f"{length:.3f}",
                f"{away:.3f}",
                f"{size:.3f}",
                f"{told['processor_seconds'].mean():.1f}",
            ]
        )
    titles = ["data", "graph", "systems", "effects", "refused", "intervals that hold the truth"]
    titles += ["mean length", "mean error", "mean true size", "seconds"]
    lines = [f"Effects 0 to {LONGEST} steps later; {LEVEL:.0%} intervals.", ""]
    shown = table(titles, cells, 2)
    return [*lines, "<!-- --8<-- [start:effects] -->", *shown, "<!-- --8<-- [end:effects] -->"]


def jobs_of(n_systems: int, n_questions: int, kinds: list[str]) -> list[Job]:
    """Return all questions; those of one system beside each other, as it is fitted once."""
    every = product(kinds, range(n_systems), range(n_questions), GRAPHS)
    return [Job(*one) for one in every]


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the report."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("time", __doc__)
    parser.add_argument("--systems", type=int, default=N_SYSTEMS, help="of each kind")
    parser.add_argument("--kinds", nargs="+", default=list(SIZES), choices=list(SIZES))
    asked = parser.parse_args(given)
    asked.output.mkdir(parents=True, exist_ok=True)
    jobs = jobs_of(1, 1, asked.kinds) if asked.quick else []
    jobs = jobs or jobs_of(asked.systems, N_QUESTIONS, asked.kinds)
    path = asked.output / "effects.csv"
    describe = partial("{kind} {seed} {asked}".format_map)
    perform_left(jobs, path, perform, describe, asked.jobs, asked.minutes)
    lines = head("Effects of earlier values", "time", ["effects", *given])
    lines += report(read_runs(path))
    write(asked.output / "effects.md", lines)
    print("\n".join(lines))
