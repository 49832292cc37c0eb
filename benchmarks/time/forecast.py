"""Forecasts beside VAR, seasonal naive forecasts and gradient boosting on lags.

    python -m benchmarks time forecast                    (without statsmodels' VAR)
    python -m benchmarks time forecast --peers CACHE      (with it; it is installed in CACHE)
    python -m benchmarks time forecast --quick            (one small series)

Series are drawn from a vector autoregression, a discrete dynamic network, a mixed process and a
process with a daily season and its hour as a column. Each program learns from the first 2,000 rows
and forecasts 12 steps from each of 100 later rows. These are 13 rows apart, so that forecasts do
not overlap: such are right or wrong together. Of numbers the mean pinball loss is measured at the
levels 5, 25, 50, 75 and 95 %, in standard deviations (half the CRPS, nearly), and how often the
interval from 5 to 95 % holds the value; of categories the mean logarithm of the probability that
the state had, with its sign turned. Lower is better. Gradient boosting has a model for each
variable, level and horizon, and sees six lags of all columns; its horizons are 1, 3, 6 and 12.

``forecast.csv`` has a line for each column and horizon of a run; what it has is not run again.
"""

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from benchmarks.common.clock import timed
from benchmarks.common.environments import python_of
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.common.runs import append, left, performed, read_runs, run_of
from bnsieve import TsetlinSieve

Floats = NDArray[np.float64]
REQUIREMENTS = ("statsmodels==0.15.0",)
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
HORIZONS = (1, 3, 6, 12)
N_STEPS, N_LAGS, DAY = 12, 6, 24
# Rows between two forecasts: they do not overlap, and begin at all hours of a day.
APART = 13
LEAST = 1e-4


@dataclass(frozen=True)
class Job:
    """The forecasts of one program for one series.

    Attributes
    ----------
    kind : str
    seed : int
    method : str
    n_train, n_origins : int
    """

    kind: str
    seed: int
    method: str
    n_train: int
    n_origins: int


@dataclass(frozen=True, eq=False)
class Series:
    """A drawn series, and where forecasts begin.

    Attributes
    ----------
    frame : DataFrame
        Numbers and texts.
    calendar : tuple of str
        Columns that are known ahead, and not judged.
    n_train : int
    origins : ndarray of int
        The last rows that forecasts see.
    season : int
        1 if there is none.
    """

    frame: pd.DataFrame
    n_train: int
    origins: NDArray[np.intp]
    calendar: tuple[str, ...] = ()
    season: int = 1

    @property
    def judged(self) -> list[str]:
        """The columns that are forecast and judged."""
        return [str(name) for name in self.frame if name not in self.calendar]

    @property
    def numbers(self) -> list[str]:
        """Those that are numbers."""
        return [name for name in self.judged if self.frame[name].dtype.kind == "f"]


def drawn(kind: str, seed: int, n_train: int, n_origins: int) -> Series:
    """Draw a series of some kind."""
    rng = np.random.default_rng([list(KINDS).index(kind), seed])
    n = n_train + (n_origins + 1) * APART
    frame, calendar, season = KINDS[kind](rng, n)
    origins = n_train - 1 + APART * np.arange(n_origins)
    return Series(frame, n_train, origins, calendar, season)


def _autoregression(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, tuple[str, ...], int]:
    """Draw four numbers, each with its own past and that of one other."""
    p = 4
    slopes = np.diag(rng.uniform(0.3, 0.8, p))
    for child in range(p):
        slopes[child, (child + rng.integers(1, p)) % p] = rng.uniform(-0.4, 0.4)
    slopes *= min(1.0, 0.95 / np.abs(np.linalg.eigvals(slopes)).max())
    values = rng.normal(size=(n + 200, p))
    for step in range(1, len(values)):
        values[step] += slopes @ values[step - 1]
    return pd.DataFrame(values[200:], columns=[f"x{i}" for i in range(p)]), (), 1


def _categories(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, tuple[str, ...], int]:
    """Draw six categorical variables with two parents in the step before, or in the same step."""
    p = 6
    sizes = rng.integers(2, 5, p)
    parents = [(child, int((child + rng.integers(1, p)) % p)) for child in range(p)]
    tables = [
        rng.dirichlet(np.full(sizes[v], 0.5), (sizes[a], sizes[b]))
        for v, (a, b) in enumerate(parents)
    ]
    codes = np.zeros((n + 200, p), dtype=int)
    chance = rng.random(codes.shape)
    for step in range(1, len(codes)):
        for child, (own, other) in enumerate(parents):
            now = step if other < child else step - 1
            sums = np.cumsum(tables[child][codes[step - 1, own], codes[now, other]])
            codes[step, child] = min(int((sums <= chance[step, child]).sum()), sizes[child] - 1)
    frame = pd.DataFrame(codes[200:], columns=[f"s{i}" for i in range(p)])
    return frame.astype(str), (), 1


def _mixed(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, tuple[str, ...], int]:
    """Draw a mode that switches, a load and a heat that follow it, and an alarm."""
    stay, slope = rng.uniform(0.85, 0.95), rng.uniform(0.5, 0.8)
    shift = rng.uniform(1.0, 2.0)
    mode, alarm = np.zeros(n + 200, dtype=int), np.zeros(n + 200, dtype=int)
    load, heat = rng.normal(size=n + 200), 0.7 * rng.normal(size=n + 200)
    for step in range(1, n + 200):
        mode[step] = mode[step - 1] if rng.random() < stay else rng.integers(3)
        load[step] += slope * load[step - 1] + shift * (mode[step - 1] - 1)
        heat[step] += 0.7 * heat[step - 1] + 0.4 * load[step - 1]
        alarm[step] = rng.random() < 1 / (1 + np.exp(3 - 0.6 * heat[step] - 2.0 * alarm[step - 1]))
    frame = pd.DataFrame(
        {
            "mode": np.array(["idle", "run", "boost"])[mode],
            "load": load,
            "heat": heat,
            "alarm": np.where(alarm, "on", "off"),
        }
    )
    return frame[200:].reset_index(drop=True), (), 1


def _seasonal(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, tuple[str, ...], int]:
    """Draw three numbers with a daily season and noise that lasts; the hour is a column."""
    hours = np.arange(n) % DAY
    columns = {"hour": np.char.add("h", np.char.zfill(hours.astype(str), 2)).astype(object)}
    for number in range(3):
        noise = rng.normal(size=n)
        for step in range(1, n):
            noise[step] += 0.6 * noise[step - 1]
        phase = 2 * np.pi * hours / DAY + rng.uniform(0, 6.28)
        columns[f"x{number}"] = 2.0 * np.sin(phase) + 0.8 * np.sin(2 * phase) + noise
    return pd.DataFrame(columns), ("hour",), DAY


KINDS: dict[str, Callable[..., tuple[pd.DataFrame, tuple[str, ...], int]]] = {
    "vector autoregression": _autoregression,
    "categories": _categories,
    "mixed": _mixed,
    "daily season": _seasonal,
}


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Quantiles, shape (n_origins, n_steps, n_levels), and probabilities of states, by column."""

    quantiles: dict[str, Floats]
    shares: dict[str, dict[str, Floats]]


def by_bnsieve(series: Series) -> Forecasts:
    """Learn a network with two lags, and forecast all origins as series of their own."""
    frame = series.frame.assign(at=np.arange(len(series.frame)), series="one")
    learner = TsetlinSieve(random_state=0, time="at", by="series", lags=2)
    learner.fit(frame.iloc[: series.n_train])
    last = [
        frame.iloc[origin - 2 : origin + 1].assign(series=f"from {origin}")
        for origin in series.origins.tolist()
    ]
    found = learner.forecast(pd.concat(last), N_STEPS, keep_paths=bool(series.numbers))
    quantiles = {
        name: np.moveaxis(np.quantile(found.paths[name], LEVELS, axis=2), 0, 2)
        for name in series.numbers
        if name in found.numbers
    }
    shares = {
        name: {str(state): values[:, :, code] for code, state in enumerate(found.states[name])}
        for name, values in found.probabilities.items()
        if name in series.judged
    }
    return Forecasts(quantiles, shares)


def by_naive(series: Series) -> Forecasts:
    """Repeat the last value, or that of a season ago, with the errors it made in training."""
    quantiles: dict[str, Floats] = {}
    shares: dict[str, dict[str, Floats]] = {}
    for name in series.judged:
        values = series.frame[name].to_numpy()
        back = [-(-step // series.season) * series.season for step in range(1, N_STEPS + 1)]
        at = np.array([series.origins + step - back[step - 1] for step in range(1, N_STEPS + 1)]).T
        train = values[: series.n_train]
        if name in series.numbers:
            errors = [np.quantile(train[lag:] - train[:-lag], LEVELS) for lag in back]
            quantiles[name] = values[at][:, :, np.newaxis] + np.array(errors)
            continue
        shares[name] = {}
        for state in np.unique(train):
            share = np.empty(at.shape)
            for step, lag in enumerate(back):
                for before in np.unique(train):
                    rows = train[:-lag] == before
                    of_before = ((train[lag:] == state) & rows).sum() + 0.5
                    share[values[at[:, step]] == before, step] = of_before / (rows.sum() + 1)
            shares[name][state] = share
    return Forecasts(quantiles, shares)


def by_boosting(series: Series) -> Forecasts:
    """Fit a model for each column, horizon and level on six lags of all columns."""
    coded = series.frame.copy()
    for name in series.frame:
        if name not in series.numbers:
            coded[name] = pd.factorize(series.frame[name], sort=True)[0]
    values = coded.to_numpy(dtype=float)
    lagged = np.hstack([np.roll(values, lag, axis=0) for lag in range(N_LAGS)])
    categorical = [name not in series.numbers for name in series.frame] * N_LAGS
    quantiles, shares = {}, {}
    options: dict[str, Any] = {"max_iter": 100, "categorical_features": categorical}
    for name in series.judged:
        target = series.frame[name].to_numpy()
        if name in series.numbers:
            quantiles[name] = np.full((len(series.origins), N_STEPS, len(LEVELS)), np.nan)
        else:
            states = np.unique(target[: series.n_train])
            shares[name] = {s: np.full((len(series.origins), N_STEPS), np.nan) for s in states}
        for step in HORIZONS:
            rows = np.arange(N_LAGS, series.n_train - step)
            if name not in series.numbers:
                model = HistGradientBoostingClassifier(early_stopping=True, **options)
                model.fit(lagged[rows], target[rows + step])
                found = model.predict_proba(lagged[series.origins])
                for code, state in enumerate(model.classes_):
                    shares[name][state][:, step - 1] = found[:, code]
                continue
            for place, level in enumerate(LEVELS):
                model = HistGradientBoostingRegressor(
                    loss="quantile", quantile=level, early_stopping=True, **options
                )
                model.fit(lagged[rows], target[rows + step])
                quantiles[name][:, step - 1, place] = model.predict(lagged[series.origins])
    return Forecasts(quantiles, shares)


def by_var(series: Series, cache: Path) -> Forecasts:
    """Fit statsmodels' VAR to the numbers."""
    python = python_of("statsmodels", REQUIREMENTS, cache)
    values = series.frame[series.numbers].to_numpy()
    with tempfile.TemporaryDirectory() as scratch:
        source, target = Path(scratch) / "rows.npz", Path(scratch) / "forecasts.npz"
        before = np.array([values[at - 11 : at + 1] for at in series.origins.tolist()])
        np.savez(source, rows=values[: series.n_train], before=before, n_steps=N_STEPS)
        worker = Path(__file__).with_name("forecast_worker.py")
        subprocess.run([str(python), str(worker), str(source), str(target)], check=True)
        with np.load(target) as found:
            means, deviations = found["means"], found["deviations"]
    spread = deviations[..., np.newaxis] * ndtri(LEVELS)
    every = means[..., np.newaxis] + spread
    return Forecasts({name: every[:, :, i] for i, name in enumerate(series.numbers)}, {})


def judged(series: Series, found: Forecasts) -> Iterator[dict[str, Any]]:
    """Yield the loss and the coverage of each column and horizon."""
    levels = np.array(LEVELS)
    for step in range(1, N_STEPS + 1):
        for name, quantiles in found.quantiles.items():
            truth = series.frame[name].to_numpy()[series.origins + step]
            own = quantiles[:, step - 1]
            if np.isnan(own).any():
                continue
            off = (truth[:, np.newaxis] - own) / series.frame[name][: series.n_train].std()
            loss = np.maximum(levels * off, (levels - 1) * off).mean()
            held = ((truth >= own[:, 0]) & (truth <= own[:, -1])).mean()
            yield {"column": name, "step": step, "what": "number", "loss": loss, "held": held}
        for name, shares in found.shares.items():
            truth = series.frame[name].to_numpy()[series.origins + step]
            given = [shares[state][row, step - 1] for row, state in enumerate(truth)]
            if np.isnan(given).any():
                continue
            loss = -np.log(np.maximum(given, LEAST)).mean()
            yield {"column": name, "step": step, "what": "category", "loss": loss, "held": np.nan}


def main(arguments: list[str] | None = None) -> None:
    """Run all series, write forecast.csv and forecast.md."""
    parser = parser_of("time", __doc__)
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="folder of environments")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    options = parser.parse_args(arguments)
    methods: dict[str, Callable[[Series], Forecasts]] = {"bnsieve": by_bnsieve, "naive": by_naive}
    if options.peers is not None:
        methods["VAR"] = partial(by_var, cache=options.peers)
    methods["gradient boosting"] = by_boosting
    kinds, seeds, n_train, n_origins = options.kinds, options.seeds, 2000, 100
    if options.quick:
        kinds, seeds, n_train, n_origins = ["mixed"], [0], 500, 20
        methods.pop("gradient boosting")
    path = options.output / "forecast.csv"
    jobs = [
        Job(kind, seed, method, n_train, n_origins)
        for method, seed, kind in product(methods, seeds, kinds)
        if method != "VAR" or kind != "categories"
    ]
    perform = partial(run_job, methods=methods)
    for runs in performed(left(jobs, path), perform, minutes=options.minutes):
        append(path, runs)
        shown = [str(runs[0][name]) for name in ("kind", "seed", "method")]
        print(f"{', '.join(shown)}: {runs[0]['seconds']:.1f} s", flush=True)
    lines = page(read_runs(path))
    given = sys.argv[2:] if arguments is None else arguments
    marked = ["<!-- --8<-- [start:forecasts] -->", *lines, "<!-- --8<-- [end:forecasts] -->"]
    heading = head("Forecasts, measured", "time forecast", given)
    write(options.output / "forecast.md", [*heading, *marked])
    print("\n".join(lines))


def run_job(
    job: Job, methods: Mapping[str, Callable[[Series], Forecasts]]
) -> list[dict[str, object]]:
    """Forecast one series by one program, and judge every column and horizon."""
    series = drawn(job.kind, job.seed, job.n_train, job.n_origins)
    with warnings.catch_warnings(), timed() as spent:
        warnings.simplefilter("ignore")
        found = methods[job.method](series)
    seconds = {"seconds": spent.processor_seconds}
    return [run_of(job, seconds | line) for line in judged(series, found)]


def page(runs: pd.DataFrame) -> list[str]:
    """Return a table for numbers and one for categories: the mean loss at some horizons."""
    lines = []
    compared = runs[runs["step"].isin(HORIZONS)]
    for what, title in (("number", "Numbers: pinball loss"), ("category", "Categories: log loss")):
        part = compared[compared["what"] == what]
        if part.empty:
            continue
        rows = []
        for (kind, method), own in part.groupby(["kind", "method"]):
            by_step = own.groupby("step")["loss"].mean()
            cells = [f"{by_step[step]:.3f}" for step in HORIZONS]
            every = runs[(runs["kind"] == kind) & (runs["method"] == method)]
            held = every.loc[every["what"] == what, "held"].mean()
            cells += [f"{own['loss'].mean():.3f}", "-" if np.isnan(held) else f"{held:.3f}"]
            rows.append([str(kind), str(method), f"{own['seed'].nunique()}", *cells])
        horizons = [f"t+{step}" for step in HORIZONS]
        titles = ["series", "method", "drawn", *horizons, "mean", "90 % held"]
        lines += [f"**{title}**", "", *table(titles, rows, 2), ""]
    return lines


if __name__ == "__main__":
    main()
