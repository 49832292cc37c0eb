"""Results in, pictures out: F1 beside the best peer's, against time, against rows, part by part."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.accuracy import peer_runs
from benchmarks.accuracy.bars import ablation_means, means_of
from benchmarks.accuracy.report import Results
from benchmarks.common.networks import NETWORKS
from benchmarks.common.pictures import require_matplotlib

OURS = "#d1495b"
OURS_BY_TESTS = "#edae49"
TOOLS = {
    "bnlearn": "#2e4057",
    "tetrad": "#66a182",
    "pyagrum": "#5b7db1",
    "causallearn": "#9a6fb0",
    "pgmpy": "#8d96a3",
    "pycausalfs": "#b8a888",
}


def draw(folder: Path, results: Results) -> list[Path]:
    """Draw everything that there are data for, as PNG; return the files."""
    require_matplotlib()
    drawn = {
        "f1": _beside_best(results),
        "time": _against_time(results),
        "ablations": _ablations(results),
        "rows": _against_rows(results),
        "interactions": _interactions(results),
    }
    return [_saved(figure, folder / f"{name}.png") for name, figure in drawn.items() if figure]


def _beside_best(results: Results) -> Any:
    import matplotlib.pyplot as plt

    runs = results.main[results.main["configuration"] == "search"]
    if runs.empty:
        return None
    ours = means_of(runs, "search")
    rivals = peer_runs.best(results.peers, "f1")["f1"].reindex(ours.index)
    figure, axes = plt.subplots(figsize=(10, 4.2), layout="constrained")
    places = np.arange(len(ours))
    axes.bar(places - 0.2, ours["f1"], 0.4, color=OURS, label="TsetlinSieve")
    axes.bar(places + 0.2, rivals, 0.4, color="#c3c9d1", label="best peer on each network")
    for place, network in enumerate(ours.index):
        values = runs.loc[runs["network"] == network, "f1"]
        axes.plot([place - 0.2] * len(values), values, "k.", markersize=4)
    axes.plot([], [], "k.", markersize=4, label="one sample")
    axes.set_xticks(places, list(ours.index), rotation=30, ha="right")
    axes.set_ylabel("F1 of the skeleton")
    axes.set_ylim(0, 1.16)
    axes.legend(ncols=3, loc="upper left", fontsize=8, frameon=False)
    return figure


def _against_time(results: Results) -> Any:
    import matplotlib.pyplot as plt

    ours = {name: means_of(results.main, name) for name in ("search", "tests")}
    networks = [name for name in NETWORKS if name in ours["search"].index]
    if not networks or results.peers.empty:
        return None
    n_columns = min(4, len(networks))
    n_rows = -(-len(networks) // n_columns)
    figure, grid = plt.subplots(
        n_rows,
        n_columns,
        figsize=(3.0 * n_columns, 2.4 * n_rows),
        layout="constrained",
        squeeze=False,
    )
    panels = list(grid.flat)
    for axes, network in zip(panels, networks, strict=False):
        of_network = results.peers[results.peers["network"] == network]
        for tool, colour in TOOLS.items():
            part = of_network[of_network["tool"] == tool]
            axes.scatter(part["cpu_s"], part["f1"], s=14, color=colour)
        for name, colour in (("search", OURS), ("tests", OURS_BY_TESTS)):
            if network in ours[name].index:
                row = ours[name].loc[network]
                axes.scatter(row["cpu_seconds"], row["f1"], s=90, marker="*", color=colour)
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter("")
        axes.set_title(network, fontsize=9)
        axes.tick_params(labelsize=7)
    for axes in panels[len(networks) :]:
        axes.axis("off")
    names = {"TsetlinSieve": OURS, "TsetlinSieve, tests": OURS_BY_TESTS}
    handles = [panels[0].scatter([], [], s=90, marker="*", color=c) for c in names.values()]
    tools = {tool: c for tool, c in TOOLS.items() if tool in set(results.peers["tool"])}
    handles += [panels[0].scatter([], [], s=14, color=colour) for colour in tools.values()]
    figure.legend(
        handles, [*names, *tools], fontsize=8, frameon=False, loc="outside upper center", ncols=4
    )
    figure.supxlabel("processor seconds, one thread (log scale)", fontsize=9)
    figure.supylabel("F1 of the skeleton", fontsize=9)
    return figure


def _ablations(results: Results) -> Any:
    import matplotlib.pyplot as plt

    if results.main["configuration"].nunique() < 3:
        return None
    ordered, _, _ = ablation_means(results.main)
    values = ordered.to_numpy()
    difference = values - values[0]
    figure, axes = plt.subplots(
        figsize=(2.8 + 0.75 * ordered.shape[1], 0.8 + 0.36 * len(ordered)), layout="constrained"
    )
    axes.imshow(difference, cmap="RdYlGn", vmin=-0.15, vmax=0.15, aspect="auto")
    for i, j in np.ndindex(difference.shape):
        text = f"{values[i, j]:.3f}".removeprefix("0")
        axes.text(j, i, text, ha="center", va="center", fontsize=8)
    axes.set_xticks(range(ordered.shape[1]), list(ordered.columns), fontsize=8, rotation=30)
    axes.set_yticks(range(len(ordered)), list(ordered.index), fontsize=8)
    axes.set_xlabel("F1; colour: difference from search", fontsize=8)
    return figure


def _against_rows(results: Results) -> Any:
    import matplotlib.pyplot as plt

    runs = results.of_any_size("drawn")
    chosen = runs[runs["configuration"] == "search"]
    if chosen["rows"].nunique() < 2:
        return None
    figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    titles = {"f1": "F1 of the skeleton", "cpu_seconds": "processor seconds, one thread"}
    for axes, (measure, title) in zip(panels, titles.items(), strict=True):
        for network in NETWORKS:
            means = chosen[chosen["network"] == network].groupby("rows")[measure].mean()
            if len(means) > 1:
                axes.plot(means.index, means, "o-", markersize=4, label=network)
        axes.set_xscale("log")
        axes.set_xlabel("rows (log scale)")
        axes.set_ylabel(title)
    panels[1].set_yscale("log")
    panels[0].legend(fontsize=8, frameon=False)
    return figure


def _interactions(results: Results) -> Any:
    import matplotlib.pyplot as plt

    ours, others = results.interactions, results.interaction_peers
    if ours.empty:
        return None
    ours = ours.assign(name="TsetlinSieve, " + ours["configuration"])
    shares: dict[str, float] = {}
    for frame in (ours, others):
        for name, runs in frame.groupby("name", sort=False):
            shares[str(name)] = runs["found"].sum() / runs["interactions"].sum()
    ordered = pd.Series(shares)[::-1]
    colours = [OURS if name.startswith("TsetlinSieve") else "#c3c9d1" for name in ordered.index]
    figure, axes = plt.subplots(figsize=(8, 0.8 + 0.3 * len(ordered)), layout="constrained")
    bars = axes.barh(list(ordered.index), ordered, color=colours)
    axes.bar_label(bars, [f"{share:.0%}" for share in ordered], padding=3, fontsize=8)
    axes.set_xlim(0, 1.1)
    axes.tick_params(labelsize=8)
    axes.set_xlabel("share of exclusive ors found")
    return figure


def _saved(figure: Any, path: Path) -> Path:
    import matplotlib.pyplot as plt

    figure.savefig(path, dpi=130)
    plt.close(figure)
    return path
