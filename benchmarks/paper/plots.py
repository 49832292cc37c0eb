"""Runs in, pictures out: tests, F1, tests against F1, and the paper's two heatmaps."""

from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.common.pictures import require_matplotlib
from benchmarks.paper.report import paper_figures, summarise
from benchmarks.paper.runner import (
    ALGORITHMS,
    HEATMAP_CLAUSES,
    HEATMAP_NETWORKS,
    HEATMAP_SPECIFICITIES,
    NETWORKS,
)

COLOURS = dict(
    zip(ALGORITHMS, ["#d1495b", "#66a182", "#2e4057", "#edae49", "#8d96a3"], strict=True)
)


def draw(folder: Path) -> list[Path]:
    """Draw everything that the folder's ``runs.csv`` has data for, as PNG; return the files."""
    require_matplotlib()
    runs = pd.read_csv(folder / "runs.csv")
    tables = runs[runs["algorithm"].isin(list(ALGORITHMS))]
    summary = summarise(tables).set_index(["measure", "network", "algorithm"])
    drawn = [
        _bars(summary, "ci_tests", "CI tests (log scale)", folder / "tests.png", log=True),
        _bars(summary, "f1", "F1", folder / "f1.png", log=False),
        _tests_against_f1(summary, folder / "tests_against_f1.png"),
    ]
    grid = runs[runs["algorithm"].str.startswith("tm B=")]
    if not grid.empty:
        drawn.append(_heatmaps(grid, folder / "heatmaps.png"))
    return drawn


def _bars(summary: pd.DataFrame, measure: str, title: str, path: Path, *, log: bool) -> Path:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 4.2), layout="constrained")
    ours = summary["mean"][measure]
    networks = [name for name in NETWORKS if name in ours.index.get_level_values(0)]
    width = 0.8 / len(ALGORITHMS)
    for i, algorithm in enumerate(ALGORITHMS):
        places = [x + (i - 2) * width for x in range(len(networks))]
        heights = [ours.get((network, algorithm), float("nan")) for network in networks]
        axes.bar(places, heights, width, color=COLOURS[algorithm], label=algorithm)
        paper = [_paper_mean(measure, network, algorithm) for network in networks]
        axes.plot(places, paper, "k_", markersize=9, label="paper" if i == 0 else None)
    axes.set_xticks(range(len(networks)), networks)
    axes.set_ylabel(title)
    axes.set_yscale("log" if log else "linear")
    axes.legend(ncols=6, loc="upper left", fontsize=8, frameon=False)
    axes.margins(y=0.2)
    return _saved(figure, path)


def _tests_against_f1(summary: pd.DataFrame, path: Path) -> Path:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for algorithm, colour in COLOURS.items():
        for network in NETWORKS:
            if (key := ("ci_tests", network, algorithm)) not in summary.index:
                continue
            x = summary["mean"][key]
            y = summary["mean"]["f1", network, algorithm]
            axes.scatter(x, y, color=colour, s=30)
            axes.annotate(network, (x, y), (3, 3), textcoords="offset points", fontsize=6)
        axes.scatter([], [], color=colour, label=algorithm)
    axes.set_xscale("log")
    axes.set_xlabel("CI tests (log scale)")
    axes.set_ylabel("F1")
    axes.legend(fontsize=8, frameon=False)
    return _saved(figure, path)


def _heatmaps(runs: pd.DataFrame, path: Path) -> Path:
    import matplotlib.pyplot as plt

    measures = {"f1": "F1", "missing_nodes": "missing nodes"}
    figure, grid = plt.subplots(2, 2, figsize=(7.5, 6), layout="constrained")
    for row, network in zip(grid, HEATMAP_NETWORKS, strict=True):
        of_network = runs[runs["network"] == network].groupby("algorithm")[list(measures)].mean()
        for axes, (measure, title) in zip(row, measures.items(), strict=True):
            values = [
                [
                    of_network[measure].get(f"tm B={b} S={s:g}", float("nan"))
                    for s in HEATMAP_SPECIFICITIES
                ]
                for b in HEATMAP_CLAUSES
            ]
            shades = axes.imshow(
                values, cmap="YlGn" if measure == "f1" else "YlGn_r", aspect="auto"
            )
            for i, line in enumerate(values):
                for j, value in enumerate(line):
                    text = f"{value:.2f}" if measure == "f1" else f"{value:.1f}"
                    dark = sum(shades.to_rgba(value)[:3]) < 1.2
                    color = "white" if dark else "black"
                    axes.text(j, i, text, ha="center", va="center", weight="bold", color=color)
            axes.set_xticks(range(3), [f"S={s:g}" for s in HEATMAP_SPECIFICITIES])
            axes.set_yticks(range(3), [f"B={b}" for b in HEATMAP_CLAUSES])
            axes.set_title(f"{network}: {title}")
    return _saved(figure, path)


def _paper_mean(measure: str, network: str, algorithm: str) -> float:
    return float(paper_figures()["mean"][measure, network, algorithm])


def _saved(figure: Any, path: Path) -> Path:
    import matplotlib.pyplot as plt

    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path
