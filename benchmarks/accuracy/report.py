"""Runs in, tables out: every figure of ours beside the best of the peers'.

Tables are marked as snippets, so that the documentation can include them one by one.
"""

from collections.abc import Callable

import pandas as pd

from benchmarks.accuracy import peer_runs
from benchmarks.common.networks import NETWORKS
from benchmarks.common.pages import table
from benchmarks.paper.report import paper_figures

MEASURES = ("f1", "precision", "recall", "cpdag_shd", "edges", "cpu_seconds", "ci_tests")


def report(runs: pd.DataFrame, columns: str, peers: pd.DataFrame) -> list[str]:
    """Return the tables of one label.

    Parameters
    ----------
    runs : DataFrame
        Of one label and one size, with columns in order and shuffled.
    columns : str
        Which of the two is compared with other programs.
    peers : DataFrame
        Means of the peers' configurations by network.
    """
    own = runs[runs["columns"] == columns]
    return [
        *_section("drawn", "Networks", _networks(own, peers)),
        *_section("order", "Columns in order and shuffled", _order(runs)),
        *_section("tests", 'By tests: `method="tests"`', _tests(own)),
        *_section("faster", "Peers faster and more accurate", _faster(own, peers)),
    ]


def _section(mark: str, title: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    start, end = (f"<!-- --8<-- [{side}:{mark}] -->" for side in ("start", "end"))
    return [f"## {title}", "", start, *lines, end, ""]


def means_of(runs: pd.DataFrame, configuration: str) -> pd.DataFrame:
    """Return a configuration's means over seeds, by network, in the order of the catalogue."""
    chosen = runs[runs["configuration"] == configuration]
    means = chosen.groupby("network", sort=False)[list(MEASURES)].mean()
    places = {name: i for i, name in enumerate(NETWORKS)}
    return means.sort_index(key=lambda names: names.map(lambda name: places.get(name, 99)))


def beside_peers(ours: pd.DataFrame, peers: pd.DataFrame) -> pd.DataFrame:
    """Return means, by network, beside the best peer of each measure."""
    for measure in ("f1", "cpdag_shd"):
        rival = peer_runs.best(peers, measure)[[measure, "name", "seeds"]]
        ours = ours.join(rival.add_prefix(f"best_{measure}_"))
    return ours.assign(f1_lead=ours["f1"] - ours["best_f1_f1"])


def _networks(runs: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    means = beside_peers(means_of(runs, "search"), peers)
    seeds = runs[runs["configuration"] == "search"].groupby("network")["f1"].agg(_by_seed)
    rows = [
        [
            network,
            f"{row['f1']:.3f} ({seeds[network]})",
            _rival(row, "f1", 3),
            _number(row["f1_lead"], "+.3f"),
            f"{row['cpdag_shd']:.1f}",
            _rival(row, "cpdag_shd", 1),
            f"{row['edges']:.0f}",
            f"{row['precision']:.3f}",
            f"{row['recall']:.3f}",
            f"{row['cpu_seconds']:.1f}",
        ]
        for network, row in _by_network(means)
    ]
    mean = ["mean", f"{means['f1'].mean():.3f}", _number(means["best_f1_f1"].mean(), ".3f")]
    rows.append([*mean, _number(means["f1_lead"].mean(), "+.3f"), *[""] * 6])
    titles = ["network", "F1 (by seed)", "best peer's", "lead", "CPDAG SHD", "best peer's"]
    return table([*titles, "edges", "precision", "recall", "processor s"], rows, None)


def _order(runs: pd.DataFrame) -> list[str]:
    """Set columns in order beside columns shuffled, on the samples that have both."""
    search = runs[runs["configuration"] == "search"]
    wide = search.pivot_table(["f1", "cpdag_shd"], ["network", "seed"], "columns")
    if search["columns"].nunique() < 2:
        return []
    means = wide.dropna().groupby(level="network", sort=False).mean()
    rows = [
        [
            network,
            *(f"{row['f1', way]:.3f}" for way in ("in order", "shuffled")),
            *(f"{row['cpdag_shd', way]:.1f}" for way in ("in order", "shuffled")),
        ]
        for network, row in _by_network(means)
    ]
    return table(["network", "F1, in order", "shuffled", "CPDAG SHD, in order", "shuffled"], rows)


def _tests(runs: pd.DataFrame) -> list[str]:
    ours = means_of(runs, "tests")
    if ours.empty:
        return []
    figures = paper_figures()["mean"].unstack("metric")[["f1", "ci_tests"]].reset_index()
    ordered = figures.sort_values(["f1", "ci_tests"], ascending=[False, True])
    both = ours.join(ordered.groupby("network").first().add_prefix("paper_"))
    rows = [
        [
            network,
            f"{row['f1']:.3f}",
            _number(row["paper_f1"], ".2f"),
            f"{row['ci_tests']:,.0f}",
            _number(row["paper_ci_tests"], ",.0f"),
            f"{row['cpdag_shd']:.1f}",
            f"{row['cpu_seconds']:.1f}",
        ]
        for network, row in _by_network(both)
    ]
    titles = ["network", "F1", "paper's best F1", "tests", "paper's tests", "CPDAG SHD"]
    return table([*titles, "processor s"], rows, None)


def _faster(runs: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    ours = means_of(runs, "search")
    if ours.empty or peers.empty:
        return []
    shown: dict[str, Callable[[pd.Series], str]] = {
        "network": lambda row: str(row["network"]),
        "configuration": lambda row: str(row["name"]),
        "F1": lambda row: f"{row['f1']:.3f}",
        "our F1": lambda row: f"{row['our_f1']:.3f}",
        "processor s": lambda row: f"{row['cpu_s']:.1f}",
        "our s": lambda row: f"{row['our_cpu_seconds']:.1f}",
        "its seeds": lambda row: f"{row['seeds']}",
    }
    beaten = peer_runs.both_faster_and_better(peers, ours)
    rows = [[cell(row) for cell in shown.values()] for _, row in beaten.iterrows()]
    return table(list(shown), rows, None) if rows else ["There are none."]


def _by_network(means: pd.DataFrame) -> list[tuple[str, pd.Series]]:
    return [(str(network), row) for network, row in means.iterrows()]


def _by_seed(values: pd.Series) -> str:
    return " ".join(f"{value:.3f}".removeprefix("0") for value in values)


def _rival(row: pd.Series, measure: str, digits: int) -> str:
    value = row[f"best_{measure}_{measure}"]
    if pd.isna(value):
        return ""
    seeds = int(row[f"best_{measure}_seeds"])
    name = row[f"best_{measure}_name"]
    return f"{value:.{digits}f} ({name}, {seeds} seed{'' if seeds == 1 else 's'})"


def _number(value: float, form: str) -> str:
    return "" if pd.isna(value) else f"{value:{form}}"
