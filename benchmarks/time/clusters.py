"""Rows of one entity that belong together: false edges, F1 and strengths with and without ``by=``.

    python -m benchmarks time clusters           (200 entities of 20 rows)
    python -m benchmarks time clusters --quick   (one sample of each kind of noise)

Three questions, each with rows taken to be independent and with ``by="entity"``:

* noise: 30 independent variables with entity effects. All edges are false.
* networks: 20 variables of a random DAG, whose noise has entity effects, a fifth of the variables
  constant within entities. Beside it the same network in as many independent rows as tell as
  much: rows divided by the mean design effect of all pairs.
* strengths: the share of true edges among those with a bootstrap strength in some range, in twenty
  networks that no choice was made by, and the calibration error: the mean difference between
  strength and share over all edges that some replicate found.

The rows divided by the mean design effect are an upper bound: there every edge has as many rows as
the average one. With entities, edges between variables that differ within entities have nearly all
rows, far more than most of them need, and edges between two constant ones have one row per entity.

``clusters.csv`` has a line for each fit, ``strengths.csv`` one for each pair of variables that some
replicate found; ``clusters.md`` is written from them. What the files have is not run again.
"""

import sys
import warnings
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.common.clock import timed
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import perform_left, read_runs, run_of
from bnsieve import TsetlinSieve

Way = Literal["as independent", "by entity", "independent rows"]
Values = NDArray[np.float64]

N_ENTITIES, N_EACH = 200, 20
N_NOISE, N_VARIABLES = 30, 20
# Shares of the variance that lie between entities.
SHARES = {"0.1": (0.1,), "0.3": (0.3,), "0.6": (0.6,), "0 to 1": (0.0, 0.3, 1.0, 0.1, 0.6)}
NOISE_SHARES = (0.0, 0.1, 0.3, 0.6)
STATIC_SHARE = 0.2
STRENGTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
N_REPLICATES = 10
# Networks of the question about strengths, and the seed of the first.
N_STRENGTHS, FIRST_STRENGTHS = 20, 300
STATES = np.array(list("abcd"))


@dataclass(frozen=True)
class Job:
    """One fit, or one bootstrap, of one sample."""

    question: str
    kind: str
    entity_effects: str
    seed: int
    way: str


def entity_noise(
    share: float, entities: NDArray[np.int64], rng: np.random.Generator, *, skewed: bool = False
) -> Values:
    """Draw noise of variance 1, of which a share lies between entities."""
    n_entities = int(entities.max()) + 1
    own = rng.exponential(size=n_entities) - 1 if skewed else rng.normal(size=n_entities)
    rest = rng.normal(size=len(entities))
    noise: Values = np.sqrt(share) * own[entities] + np.sqrt(1 - share) * rest
    return noise


def as_states(values: Values, cuts: Values) -> NDArray[np.int64]:
    """Cut values at some of their quantiles."""
    return np.searchsorted(np.quantile(values, cuts), values)


def noise_frame(job: Job) -> pd.DataFrame:
    """Draw independent variables with entity effects; every second one has skewed effects."""
    rng = np.random.default_rng(job.seed)
    entities = np.repeat(np.arange(N_ENTITIES), N_EACH)
    shares = SHARES[job.entity_effects]
    columns: dict[str, Any] = {}
    for j in range(N_NOISE):
        values = entity_noise(shares[j % len(shares)], entities, rng, skewed=j % 2 == 1)
        if job.kind == "categories":
            columns[f"v{j:02}"] = STATES[as_states(values, np.linspace(0, 1, 3 + j % 3)[1:-1])]
        else:
            columns[f"v{j:02}"] = values
    return pd.DataFrame({"entity": entities, **columns})


def network_frame(job: Job) -> tuple[pd.DataFrame, set[frozenset[str]], float]:
    """Draw a random DAG and rows of it; return rows, edges, and the effective rows."""
    structure = np.random.default_rng([job.seed, 0])
    order = structure.permutation(N_VARIABLES)
    is_static = np.zeros(N_VARIABLES, dtype=bool)
    is_static[order[: round(STATIC_SHARE * N_VARIABLES)]] = True
    parents: dict[int, list[int]] = {}
    weights: dict[int, Values] = {}
    shares = np.where(is_static, 1.0, structure.choice(NOISE_SHARES, N_VARIABLES))
    cuts = {}
    for place, v in enumerate(order.tolist()):
        before = [int(u) for u in order[:place] if is_static[u] or not is_static[v]]
        n_parents = min(len(before), int(structure.poisson(1.5)))
        parents[v] = structure.choice(before, n_parents, replace=False).tolist() if before else []
        signs = structure.choice([-1.0, 1.0], len(parents[v]))
        weights[v] = signs * structure.uniform(0.25, 0.7, len(parents[v]))
        cuts[v] = np.sort(structure.uniform(0.15, 0.85, int(structure.integers(1, 4))))
    entities = np.repeat(np.arange(N_ENTITIES), N_EACH)
    frame = _rows(job.kind, order, parents, weights, shares, cuts, entities, job.seed)
    effective = _effective(frame)
    if job.way == "independent rows":
        alone = np.arange(round(effective))
        frame = _rows(job.kind, order, parents, weights, shares, cuts, alone, job.seed)
    edges = {frozenset((f"v{u:02}", f"v{v:02}")) for v, own in parents.items() for u in own}
    return frame, edges, effective


def _rows(
    kind: str,
    order: NDArray[np.int64],
    parents: dict[int, list[int]],
    weights: dict[int, Values],
    shares: Values,
    cuts: dict[int, Values],
    entities: NDArray[np.int64],
    seed: int,
) -> pd.DataFrame:
    rng = np.random.default_rng([seed, 1])
    scale: dict[int, Values] = {}
    columns: dict[str, Any] = {}
    for v in order.tolist():
        values = entity_noise(float(shares[v]), entities, rng)
        for u, weight in zip(parents[v], weights[v], strict=True):
            values = values + weight * scale[u]
        shown: Any = values
        if kind == "categories":
            codes = as_states(values, cuts[v])
            shown, values = STATES[codes], codes.astype(np.float64)
        scale[v] = (values - values.mean()) / max(float(values.std()), 1e-9)
        columns[f"v{v:02}"] = shown
    return pd.DataFrame({"entity": entities, **dict(sorted(columns.items()))})


def _effective(frame: pd.DataFrame) -> float:
    """Return rows divided by the mean design effect of all pairs, from one-way layouts."""
    alike = []
    for name in frame.columns.drop("entity"):
        shown = frame[name] if frame[name].dtype.kind == "f" else pd.get_dummies(frame[name])
        values = np.asarray(shown, dtype=np.float64).reshape(len(frame), -1)
        values = values - values.mean(axis=0)
        means = pd.DataFrame(values).groupby(frame["entity"]).mean().to_numpy()
        between = (N_EACH * (means**2).sum() - (values**2).sum() / N_EACH) / (N_EACH - 1)
        alike.append(max(0.0, between / ((values**2).sum() / N_EACH)))
    products = np.outer(alike, alike)[np.triu_indices(len(alike), 1)]
    return len(frame) / (1.0 + (N_EACH - 1) * float(products.mean()))


def learned(frame: pd.DataFrame, way: str) -> TsetlinSieve:
    """Learn, with the entities or without them."""
    rows = frame if way == "by entity" else frame.drop(columns="entity")
    by = "entity" if way == "by entity" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that rows are alike is what is measured
        return TsetlinSieve(random_state=0, by=by).fit(rows)


def adjacent(learner: TsetlinSieve) -> set[frozenset[str]]:
    """Return the pairs of adjacent variables."""
    graph = learner.graph_
    return {frozenset(edge) for edge in (*graph.directed_edges, *graph.undirected_edges)}


def perform(job: Job, folder: Path) -> dict[str, object]:
    """Answer one question about one sample."""
    frame, truth, effective = (
        (noise_frame(job), set(), float("nan")) if job.question == "noise" else network_frame(job)
    )
    with threadpool_limits(1), timed() as spent:
        learner = learned(frame, job.way)
        if job.question == "strengths":
            strengths = learner.bootstrap(N_REPLICATES, random_state=0, n_jobs=1)
    if job.question == "strengths":
        nodes = strengths.nodes
        pairs = [frozenset((nodes[a], nodes[b])) for a, b in strengths.pairs.tolist()]
        lines = pd.DataFrame(
            {
                "kind": job.kind,
                "seed": job.seed,
                "way": job.way,
                "strength": strengths.strength,
                "is_true": [pair in truth for pair in pairs],
            }
        )
        path = folder / "strengths.csv"
        lines.to_csv(path, mode="a", header=not path.exists(), index=False)
    found = adjacent(learner)
    both = len(found & truth)
    measures = {
        "edges": len(found),
        "false_edges": len(found - truth),
        "recall": both / len(truth) if truth else float("nan"),
        "f1": 2 * both / (len(found) + len(truth)) if truth else float("nan"),
        "effective_rows": effective,
        "cpu_seconds": spent.processor_seconds,
    }
    return run_of(job, measures)


def jobs_of(n_samples: int, *, is_quick: bool) -> list[Job]:
    """Return all fits, sample by sample."""
    noise: tuple[Way, ...] = ("as independent", "by entity")
    jobs = []
    for seed in range(n_samples):
        for kind in ("categories", "numbers"):
            shares = ["0.3"] if is_quick else list(SHARES)
            jobs += [Job("noise", kind, share, seed, way) for share in shares for way in noise]
            if is_quick:
                continue
            jobs += [
                Job("networks", kind, "0 to 1", seed, way) for way in (*noise, "independent rows")
            ]
    if not is_quick:
        seeds = range(FIRST_STRENGTHS, FIRST_STRENGTHS + N_STRENGTHS)
        jobs += [
            Job("strengths", "categories", "0 to 1", seed, way) for seed in seeds for way in noise
        ]
    return jobs


def calibration_error(strength: "pd.Series[float]", is_true: "pd.Series[bool]") -> float:
    """Return the mean difference between strengths and the share that is true, range by range."""
    ranges = pd.cut(strength, STRENGTHS)
    means = pd.DataFrame({"strength": strength, "is_true": is_true}).groupby(ranges, observed=True)
    gaps = (means["strength"].mean() - means["is_true"].mean()).abs()
    return float((gaps * means.size()).sum() / len(strength))


def report(runs: pd.DataFrame, strengths: pd.DataFrame | None) -> list[str]:
    """Return the tables."""
    size = f"{N_ENTITIES} entities of {N_EACH} rows"
    lines = [f"## False edges among {N_NOISE} independent variables, {size}", ""]
    cells = []
    noise = runs[runs["question"] == "noise"]
    for (kind, share), own in noise.groupby(["kind", "entity_effects"], sort=False):
        means = own.groupby("way")["edges"].mean()
        n = own["seed"].nunique()
        shown = [f"{means[way]:.1f}" for way in ("as independent", "by entity")]
        cells.append([str(kind), str(share), *shown, str(n)])
    titles = ["variables", "share between entities", "as independent", "by entity", "samples"]
    lines += table(titles, cells)
    networks = runs[runs["question"] != "noise"]
    if len(networks):
        lines += ["", f"## Networks of {N_VARIABLES} variables, {size}", ""]
        cells = []
        for (question, kind, way), own in networks.groupby(["question", "kind", "way"], sort=False):
            is_other = question == "strengths"
            rows = (
                own["effective_rows"].mean() if way == "independent rows" else N_ENTITIES * N_EACH
            )
            means = own[["f1", "recall", "false_edges", "cpu_seconds"]].mean()
            shown = [f"{means[one]:.2f}" for one in ("f1", "recall")]
            # Those of the strengths include a bootstrap.
            seconds = "-" if is_other else f"{means['cpu_seconds']:.1f}"
            name = f"{kind}, networks of the strengths" if is_other else str(kind)
            shown += [f"{means['false_edges']:.1f}", seconds]
            cells.append([name, str(way), f"{rows:,.0f}", *shown, str(len(own))])
        titles = ["variables", "fit", "rows", "F1", "recall", "false edges", "seconds", "samples"]
        lines += table(titles, cells)
        lines += [
            "",
            "Independent rows are an upper bound: there each edge has as many rows as the",
        ]
        lines += ["average one, also edges between variables that are constant within entities."]
    if strengths is not None and len(strengths):
        lines += ["", f"## Strengths of {N_REPLICATES} replicates, and the share that is true", ""]
        ranges = pd.cut(strengths["strength"], STRENGTHS)
        cells = []
        for way, own in strengths.groupby("way", sort=False):
            shares = own.groupby(ranges[own.index], observed=False)["is_true"].agg(["mean", "size"])
            error = calibration_error(own["strength"], own["is_true"])
            shown = [f"{mean:.2f} ({n:.0f})" for mean, n in shares.to_numpy().tolist()]
            cells.append([str(way), *shown, f"{error:.3f}", str(own["seed"].nunique())])
        names = [f"{low:.1f} to {high:.1f}" for low, high in pairwise(STRENGTHS)]
        lines += table(["fit", *names, "calibration error", "networks"], cells)
    return lines


def main(arguments: list[str] | None = None) -> None:
    """Run what is left, and write the report."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = parser_of("time", __doc__)
    parser.add_argument("--samples", type=int, default=3, help="of each kind (default: 3)")
    asked = parser.parse_args(given)
    asked.output.mkdir(parents=True, exist_ok=True)
    jobs = jobs_of(1 if asked.quick else asked.samples, is_quick=asked.quick)
    path = asked.output / "clusters.csv"
    perform_left(
        jobs,
        path,
        lambda job: perform(job, asked.output),
        lambda run: f"{run['question']} {run['kind']} {run['entity_effects']} {run['way']}",
        asked.jobs,
        asked.minutes,
    )
    stored = asked.output / "strengths.csv"
    strengths = pd.read_csv(stored) if stored.exists() else None
    lines = head("Rows of one entity", "time", ["clusters", *given])
    lines += report(read_runs(path), strengths)
    write(asked.output / "clusters.md", lines)
    print("\n".join(lines))
