"""Measures in, what follows from them out: medians, ratios within a run, unit costs, larger sizes.

In: the CSV files of a folder of results. Out: data frames for the report.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

STUDIES = ("rows", "variables", "passes", "sample", "update", "peers")
# Stages whose time does not depend on the number of rows, only on the columns: they work on the
# sample, and on tables of counts.
_FIXED = ("table", "association", "sieve", "search", "families")


def read_studies(folder: Path) -> dict[str, pd.DataFrame]:
    """Return the studies that a folder has, by name; details become columns ``detail.NAME``."""
    found = {}
    for name in STUDIES:
        path = folder / f"{name}.csv"
        if path.exists():
            frame = pd.read_csv(path)
            if "detail" in frame:
                details = pd.DataFrame([json.loads(text) for text in frame.pop("detail")])
                frame = frame.join(details.add_prefix("detail."))
            found[name] = frame
    return found


def growth(study: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return one line per size: what reading and learning took, by the median of the repeats.

    Parameters
    ----------
    study : DataFrame
        The study of rows or of variables.
    by : {"rows", "columns"}

    Returns
    -------
    DataFrame
        Indexed by size. F1 is the mean, with ``f1_min`` and ``f1_max`` beside; ``per_row`` is
        nanoseconds of processor per row; ``detail.`` columns are medians where there are any.
    """
    learning = study[study["what"] == "learning"].groupby(by)
    reading = study[study["what"] == "reading"].groupby(by)
    details = [name for name in study.columns if name.startswith("detail.")]
    medians = ["rows", "columns", "workers", "seconds", "processor_seconds", "peak_mb", *details]
    table = learning[medians].median()
    table["reading_seconds"] = reading["seconds"].median()
    table["reading_processor_seconds"] = reading["processor_seconds"].median()
    table["f1"], table["f1_min"] = learning["f1"].mean(), learning["f1"].min()
    table["f1_max"], table["repeats"] = learning["f1"].max(), learning.size()
    table["per_row"] = table["processor_seconds"] / table["rows"] * 1e9
    return table


def pass_ratios(passes: pd.DataFrame) -> pd.DataFrame:
    """Return how the passes stand to reading alone, and Ray to threads: medians of the repeats.

    Every ratio is of two measures of one repeat, which were taken one after the other. Ratios to
    reading are of processor seconds, where these are known; Ray's are by the clock.

    Returns
    -------
    DataFrame
        Indexed by network, rows, engine and workers. Columns: ``reading``, ``first``, ``second``
        in seconds by the clock; ``first_ratio``, ``second_ratio`` to reading alone by the clock,
        and ``..._processor``; ``to_threads``, the second pass to that of as many threads.
    """
    setting = ["network", "rows", "engine", "workers"]
    single = passes.replace({"what": {"first pass": "first", "second pass": "second"}})
    single = single.set_index([*setting, "repeat", "what"])
    clock, processor = (single[name].unstack() for name in ("seconds", "processor_seconds"))
    table = clock[["reading", "first", "second"]].copy()
    for name in ("first", "second"):
        table[f"{name}_ratio"] = clock[name] / clock["reading"]
        table[f"{name}_processor"] = processor[name] / processor["reading"]
    threads = clock["second"].reset_index()
    threads = threads[threads["engine"] == "local"].drop(columns="engine")
    keys = ["network", "rows", "workers", "repeat"]
    both = clock["second"].reset_index().merge(threads, "left", keys, suffixes=("", "_local"))
    table["to_threads"] = (both["second"] / both["second_local"]).to_numpy()
    medians = table.groupby(level=setting, sort=False).median()
    medians["repeats"] = table.groupby(level=setting, sort=False).size()
    return medians


@dataclass(frozen=True)
class UnitCosts:
    """Nanoseconds of one processor per cell, and bytes of Parquet per cell.

    Attributes
    ----------
    reading, first, second : float
        Of reading alone and of the passes, one thread.
    size : float
        Bytes; NaN if not known.
    rows, columns : int
        What they were measured on.
    """

    reading: float
    first: float
    second: float
    size: float
    rows: int
    columns: int


def unit_costs(studies: dict[str, pd.DataFrame]) -> UnitCosts | None:
    """Return what a cell costs where most rows were measured in one thread; None if nowhere."""
    passes = studies.get("passes", pd.DataFrame(columns=["engine", "workers"]))
    alone = passes[(passes["engine"] == "local") & (passes["workers"] == 1)]
    if alone.empty:
        return None
    largest = alone[alone["rows"] == alone["rows"].max()]
    rows, columns = int(largest["rows"].iloc[0]), int(largest["columns"].iloc[0])
    cost = largest.groupby("what")["processor_seconds"].median() / (rows * columns) * 1e9
    size = float("nan")
    if "rows" in studies:
        known = studies["rows"].nlargest(1, "rows")
        size = float((known["detail.bytes"] / (known["rows"] * known["columns"])).iloc[0])
    return UnitCosts(
        float(cost["reading"]),
        float(cost["first pass"]),
        float(cost["second pass"]),
        size,
        rows,
        columns,
    )


def fixed_seconds(studies: dict[str, pd.DataFrame]) -> dict[int, float]:
    """Return, by number of columns, the seconds of the stages that do not grow with rows.

    Taken where most rows, and thus most configurations, were measured in one thread.
    """
    found = {}
    for name, by in (("variables", "columns"), ("rows", "rows")):
        if name in studies:
            one = studies[name][studies[name]["what"] == "learning"]
            for _, line in growth(one, by).iterrows():
                stages = [f"detail.{stage}" for stage in _FIXED if f"detail.{stage}" in line]
                found[int(line["columns"])] = float(line[stages].sum())
    return found


def computed(
    costs: UnitCosts, fixed: dict[int, float], sizes: list[tuple[int, int]], cores: int
) -> pd.DataFrame:
    """Compute what cannot be measured here: both passes of more rows on more cores.

    Returns
    -------
    DataFrame
        One line per size: ``rows``, ``columns``, ``cells``, ``processor_hours`` of both passes,
        ``seconds`` of both on so many cores, ``fixed`` for the stages between and after (NaN where
        no measured number of columns is near), ``bytes`` of Parquet.
    """
    lines = []
    for rows, columns in sizes:
        cells = float(rows) * columns
        processor = cells * (costs.first + costs.second) / 1e9
        near = [n for n in fixed if 0.8 <= n / columns <= 1.25]
        lines.append(
            {
                "rows": rows,
                "columns": columns,
                "cells": cells,
                "processor_hours": processor / 3600,
                "seconds": processor / cores,
                "fixed": fixed[min(near, key=lambda n: abs(n - columns))] if near else None,
                "bytes": cells * costs.size,
            }
        )
    return pd.DataFrame(lines).astype({"fixed": float})
