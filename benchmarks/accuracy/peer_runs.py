"""Runs of other programs on the same samples in, their best per network out.

A table of runs has the columns tool, version, algorithm, settings, network, seed, cpu_s, f1,
cpdag_shd and status ("ok", or why there is no result); ``benchmarks/accuracy`` has such tables and
makes more. A program's configuration counts by its mean over the seeds it was run with; of runs
made again on the same sample, perhaps by another version, the best of each measure counts.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd


def read_runs(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the runs of all files that came to an end, with a column `name` for who it was."""
    frames = [pd.read_csv(path, dtype={"settings": str, "version": str}) for path in paths]
    runs = pd.concat(frames) if frames else _NO_RUNS
    runs = runs[runs["status"] == "ok"].copy()
    parts = runs[["tool", "algorithm", "settings"]].fillna("").astype(str)
    runs["name"] = (parts["tool"] + " " + parts["algorithm"] + " " + parts["settings"]).str.strip()
    return runs


_NO_RUNS = pd.DataFrame(
    columns=[
        "tool",
        "version",
        "algorithm",
        "settings",
        "network",
        "seed",
        "cpu_s",
        "f1",
        "cpdag_shd",
        "status",
    ]
)


def configuration_means(runs: pd.DataFrame) -> pd.DataFrame:
    """Return each configuration's means on each network.

    Returns
    -------
    DataFrame
        Columns network, tool, name, f1, cpdag_shd (missing where only a skeleton is learned),
        cpu_s, seeds.
    """
    configuration = ["network", "tool", "name"]
    best_of = {"f1": "max", "cpdag_shd": "min", "cpu_s": "min"}
    by_sample = runs.groupby([*configuration, "seed"], sort=False).agg(best_of)
    grouped = by_sample.groupby(level=configuration, sort=False)
    return grouped.mean().assign(seeds=grouped.size()).reset_index()


def best(means: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return for each network the configuration of highest F1, or of lowest distance."""
    known = means.dropna(subset=[measure])
    by_network = known.groupby("network", sort=False)[measure]
    index = by_network.idxmax() if measure == "f1" else by_network.idxmin()
    return known.loc[index].set_index("network")


def both_faster_and_better(means: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """Return the configurations with a higher F1 and a lower time than ours on the same network.

    Parameters
    ----------
    means : DataFrame
        As `configuration_means` returns it.
    ours : DataFrame
        Indexed by network, with the columns f1 and cpu_seconds.
    """
    beside = means.join(ours[["f1", "cpu_seconds"]].add_prefix("our_"), on="network", how="inner")
    better = (beside["f1"] > beside["our_f1"] + 5e-5) & (
        beside["cpu_s"] < beside["our_cpu_seconds"]
    )
    return beside[better].sort_values(["network", "f1"], ascending=[True, False])
