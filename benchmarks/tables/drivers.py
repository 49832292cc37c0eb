"""Drivers of five targets, beside their true effects: ``python -m benchmarks tables drivers``.

Rows are drawn, a network is learned, and the drivers of a target are listed. The true effect of
each cause is that of setting it in the mechanism that drew the rows: to values of the rows with
either of the two settings that its driver compares. Judged are variables with a directed path to
the target in the true graph whose true effect is at least a point of a state's probability, or a
hundredth of a numeric target's standard deviation, and of these the direct causes: are they in the
list, in the order of their true effects, and with the right sign?
"""

import sys
import time
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import spearmanr

import bnsieve as bn
from benchmarks.common.options import parser_of
from benchmarks.common.pages import head, table, write
from benchmarks.tables.catalogue import PIECE_ROWS, TABLES, RealTable
from benchmarks.tables.drawn import churn, hospital
from benchmarks.tables.sheet import Sheet
from bnsieve.explain import Drivers
from bnsieve.explain.driver_rows import TargetRows
from bnsieve.network import ContrastRows

# What people ask of these tables.
TARGETS = (
    ("churn", "Churn"),
    ("hospital", "outcome"),
    ("hospital", "readmitted"),
    ("sensors", "status"),
    ("sensors", "pm10_ugm3"),
)
# The order of time that a person would know: a column has no cause in a later tier.
TIERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "churn": (
        ("gender", "SeniorCitizen"),
        ("Partner", "Dependents"),
        ("Contract", "PlanCode", "PhoneService", "InternetService"),
        ("tenure", "MultipleLines", "PaperlessBilling", "PaymentMethod", *churn.SERVICES),
        ("MonthlyCharges", "TotalCharges"),
        ("Churn",),
    ),
    "hospital": hospital.TIERS,
    "sensors": (
        ("timestamp", "station"),
        ("site", "firmware"),
        ("pressure_hpa", "temperature_c"),
        ("humidity_pct", "wind_ms", "vehicles"),
        ("rain_mm", "battery_v"),
        ("no2_ugm3", "pm10_ugm3", "status"),
    ),
}
# Each has 50,000 rows, with the same chances under both settings.
_TRUTH_PIECES = 1
# Smaller effects are not judged: points of a probability, standard deviations of a number.
_LEAST = 0.01


def main(arguments: list[str] | None = None) -> None:
    """Learn, list and judge."""
    parser = parser_of("tables", __doc__)
    parser.add_argument("--rows", nargs="+", type=int, default=[20_000])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(arguments)
    rows = [3_000] if asked.quick else asked.rows
    targets = TARGETS[:1] if asked.quick else TARGETS
    runs, lines = [], []
    for n_rows in rows:
        for seed in asked.seeds:
            for (name, target), has_tiers in product(targets, (False, True)):
                run, listed = judged(TABLES[name], target, has_tiers, n_rows, seed)
                print(" ".join(f"{key}={value}" for key, value in run.items()), flush=True)
                runs.append(run)
                lines.append(listed)
    asked.output.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(runs).to_csv(asked.output / "drivers.csv", index=False)
    pd.concat(lines).to_csv(asked.output / "drivers_listed.csv", index=False)
    cells = [["" if pd.isna(value) else str(value) for value in run.values()] for run in runs]
    lines_of_table = table(list(runs[0]), cells, 3)
    text = [
        *head("Drivers", "tables drivers", arguments),
        "<!-- --8<-- [start:drivers] -->",
        *lines_of_table,
        "<!-- --8<-- [end:drivers] -->",
    ]
    write(asked.output / "drivers.md", text)


def judged(
    source: RealTable, target: str, has_tiers: bool, n_rows: int, seed: int
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Return what became of one target, and the list itself beside the true effects."""
    learner = _fitted(source, has_tiers, n_rows, seed)
    start = time.process_time()
    drivers = learner.drivers(target)
    seconds = time.process_time() - start
    sheets = list(source.pieces(n_rows, seed))
    values = {
        name: np.concatenate([sheet.values[name] for sheet in sheets]) for name in sheets[0].values
    }
    found = pd.DataFrame(
        [
            _beside_truth(source, learner, drivers, name, values)
            for name in _ancestors(sheets[0], target)
            if name in learner.dag_.nodes
        ]
    )
    spread = float(np.std(values[target])) if drivers.is_numeric else 1.0
    true = found[found.truth.abs() >= _LEAST * spread]
    direct = true[true.variable.isin([tail for tail, head in sheets[0].edges if head == target])]
    in_list = true[true.place.notna()]
    stated = in_list[in_list.sign != ""]
    wrong = stated[np.sign(stated.difference) != np.sign(stated.truth)]
    inside = (in_list.low <= in_list.truth) & (in_list.truth <= in_list.high)
    run = {
        "table": source.name,
        "target": target,
        "tiers": "yes" if has_tiers else "no",
        "rows": n_rows,
        "seed": seed,
        "direct causes": len(direct),
        "of these in the list": int(direct.place.notna().sum()),
        "their rank correlation": _order(direct),
        "all causes": len(true),
        "in the list": len(in_list),
        "rank correlation": _order(true),
        "wrong signs": len(wrong),
        "inside the interval": int(inside.sum()),
        "seconds": round(seconds, 1),
    }
    details = {key: run[key] for key in ("table", "target", "tiers", "rows", "seed")}
    return run, found.assign(**details)


@cache
def _fitted(source: RealTable, has_tiers: bool, n_rows: int, seed: int) -> Any:
    """Learn from a table."""
    frame = source.frame(n_rows, seed)
    knowledge = None
    if has_tiers:
        plan = bn.prepare(frame)
        tiers = [
            [output.name for column in tier for output in plan[column].outputs]
            for tier in TIERS[source.name]
        ]
        knowledge = bn.Knowledge(tiers=tiers)
    return bn.TsetlinSieve(knowledge=knowledge, random_state=0).fit(frame)


def _order(causes: pd.DataFrame) -> float:
    """Return the rank correlation of places in the list and true effects; missing ones are last."""
    places = causes.place.fillna(np.inf).rank()
    if len(causes) < 2:
        return np.nan
    return round(float(spearmanr(-places, causes.truth.abs()).statistic), 3)


def _ancestors(sheet: Sheet, target: str) -> list[str]:
    """Return the variables with a directed path to the target, parts of dates for dates."""
    found: set[str] = set()
    waiting = [target]
    while waiting:
        head_ = waiting.pop()
        new = {tail for tail, head in sheet.edges if head == head_} - found
        found |= new
        waiting += new
    parts = {name.rsplit("_", 1)[0] for name in sheet.values if name not in sheet.roles}
    return [
        name
        for name in sheet.values
        if name in found or (name.rsplit("_", 1)[0] in found & parts and name not in sheet.roles)
    ]


def _beside_truth(
    source: RealTable,
    learner: Any,
    drivers: Drivers,
    name: str,
    values: Mapping[str, npt.NDArray[Any]],
) -> dict[str, Any]:
    """Return a driver's line with the true effect of the same settings."""
    places = {driver.name: number for number, driver in enumerate(drivers, start=1)}
    driver = drivers[name] if name in places else None
    rows = learner.fit_result_.rows
    every = ContrastRows(rows, np.ones(rows.n_rows, dtype=np.bool_), {})
    asked = TargetRows(
        every, drivers.target, learner.network_.parts.numbers, drivers.state, drivers.level
    ).known([name])
    arms = asked.arms(name, () if driver is None else driver.adjustment or ())
    if arms is None:
        raise ValueError(f"{name} is constant")
    state = asked.outcome_moved(arms)[0]
    outcome = _outcome(source, drivers.target, state)
    truth = np.mean(
        [
            outcome(source, piece, name, values[name][arms.in_treated])
            - outcome(source, piece, name, values[name][arms.in_control])
            for piece in range(_TRUTH_PIECES)
        ]
    )
    line = {"variable": name, "truth": truth, "place": places.get(name, np.nan), "state": state}
    if driver is None:
        return line | {"kind": "", "sign": "", "difference": np.nan, "low": np.nan, "high": np.nan}
    line |= {"kind": driver.kind, "sign": driver.sign, "difference": driver.difference}
    line |= {"low": driver.low, "high": driver.high, "settings": driver.settings}
    return line | {"how": driver.how, "direction": driver.direction}


def _outcome(source: RealTable, target: str, state: Any) -> Any:
    """Return a function from a setting to the mean outcome, on rows that no table has."""
    first = source.sheet(0, 2_000)
    shown, own = first.shown[target].astype(str), first.values[target]
    code = None if state is None else own[np.flatnonzero(shown == str(state))[0]]

    def mean(source: RealTable, piece: int, name: str, pool: npt.NDArray[Any]) -> float:
        chosen = np.random.default_rng(piece).choice(pool, PIECE_ROWS)
        start = (1_000 + piece) * PIECE_ROWS
        found = source.sheet(start, PIECE_ROWS, interventions={name: chosen}).values[target]
        return float(found.mean() if code is None else (found == code).mean())

    return mean


if __name__ == "__main__":
    main()
