"""The CSV files of a folder of results in, two pictures out: seconds against rows and columns."""

from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.scale.costs import growth

OURS = "#d1495b"
READING = "#8d96a3"
PEERS = ["#2e4057", "#66a182", "#5b7db1", "#edae49", "#9a6fb0"]


def draw(folder: Path, studies: dict[str, pd.DataFrame]) -> list[Path]:
    """Draw what there are data for, as PNG; return the files."""
    import matplotlib.pyplot as plt

    drawn = []
    for study, by in (("rows", "rows"), ("variables", "columns")):
        if study not in studies:
            continue
        figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
        table = growth(studies[study], by)
        axes.plot(table.index, table["seconds"], "o-", color=OURS, label="bnsieve")
        axes.plot(table.index, table["reading_seconds"], "o--", color=READING, label="reading only")
        networks = set(studies[study]["network"])
        _peers(axes, studies.get("peers"), networks, by)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(f"{by} (log scale)")
        axes.set_ylabel("seconds (log scale)")
        axes.legend(fontsize=8, frameon=False)
        path = folder / f"{study}.png"
        figure.savefig(path, dpi=130)
        plt.close(figure)
        drawn.append(path)
    return drawn


def _peers(axes: Any, peers: pd.DataFrame | None, networks: set[str], by: str) -> None:
    """Draw a line for each other program, as far as it came."""
    if peers is None:
        return
    shown = peers[
        (peers["task"] == "learning")
        & (peers["status"] == "done")
        & (peers["tool"] != "bnsieve")
        & peers["network"].isin(networks)
    ]
    for (tool, own), colour in zip(shown.groupby("tool", sort=False), PEERS, strict=False):
        seconds = own.groupby(by)["seconds"].median()
        axes.plot(seconds.index, seconds, "s-", markersize=4, color=colour, label=str(tool))
