"""Our runs and other programs' runs on the same samples in, tables out: means, wins, significance.

Programs were not all run on as many networks: each is compared on what it was run on, and all of
them together on what all were run on. Every network counts once: by its mean over its samples.
"""

from dataclasses import dataclass

import pandas as pd
from scipy.stats import wilcoxon

from benchmarks.common.pages import table

_SAMPLE = ["network", "rows", "sample"]
MEASURES = ["f1", "cpdag_shd"]


@dataclass(frozen=True)
class Beside:
    """Runs on the samples of one size that we and all configurations were run on.

    Attributes
    ----------
    size : int
        Rows of the samples.
    ours, theirs : DataFrame
        The others' runs have the column ``name``.
    """

    size: int
    ours: pd.DataFrame
    theirs: pd.DataFrame

    def best(self, measure: str) -> str:
        """Return the name of the configuration of the best mean."""
        means = self.theirs.groupby("name", sort=False)[measure].mean().dropna()
        return str(means.idxmax() if measure == "f1" else means.idxmin())

    def of(self, name: str) -> pd.DataFrame:
        """Return the means of a configuration, by network."""
        return by_network(self.theirs[self.theirs.name == name])

    def hindsight(self) -> pd.DataFrame:
        """Return the best mean of any configuration, by network and measure."""
        means = self.theirs.groupby(["network", "name"])[MEASURES].mean()
        found = means.groupby(level="network").agg({"f1": "max", "cpdag_shd": "min"})
        return pd.DataFrame(found)


def by_network(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the means of runs, by network."""
    return runs.groupby("network")[MEASURES].mean()


def shared(ours: pd.DataFrame, peers: pd.DataFrame) -> list[Beside]:
    """Return, size by size, the runs on samples that we and all configurations were run on."""
    peers = peers.assign(name=_names(peers))
    found = []
    for size, own in ours.groupby("rows"):
        theirs = peers[peers.rows == size]
        theirs = theirs[_keys(theirs).isin(_keys(own))]
        n_each = theirs.groupby(_SAMPLE).name.nunique()
        if not len(n_each):
            continue
        both = n_each[n_each == theirs.name.nunique()].index
        parts = [runs[_keys(runs).isin(both)] for runs in (own, theirs)]
        if len(both):
            found.append(Beside(int(str(size)), *parts))
    return found


def beside_peers(ours: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    """Return the lines of the report that compare.

    Parameters
    ----------
    ours : DataFrame
        Runs of one program of ours.
    peers : DataFrame
        Runs of others, with the columns tool, version, algorithm, settings and status.
    """
    lines = [
        "## Beside other programs",
        "",
        "The same samples, columns and names shuffled, one thread. A run that failed or took too",
        "long counts as an empty graph; the last column says how many did. Nats: log-likelihood of",
        "a new row, tables fitted in the same way for all, where all graphs could be directed.",
        "Network by network, means over its samples; p by Wilcoxon's signed-rank test, two-sided.",
        "",
    ]
    tools = list(peers.tool.unique())
    for tool in tools:
        own = peers[peers.tool == tool]
        versions = ", ".join(own.version.dropna().astype(str).unique())
        lines += _compared(tool, f"{tool} {versions}", shared(ours, own))
    if len(tools) > 1:
        lines += _compared("all", "All of them, on what all were run on", shared(ours, peers))
    return lines


def _compared(mark: str, title: str, sizes: list[Beside]) -> list[str]:
    """Return tables between marks, by which pages of the documentation include them."""
    if not sizes:
        return []
    rows, against = [], []
    for one in sizes:
        rows.append(_line("**bnsieve**", one.size, one.ours, ""))
        for name, part in one.theirs.groupby("name", sort=False):
            failed = int((part.status != "ok").sum())
            rows.append(_line(str(name), one.size, part, f"{failed}" if failed else ""))
        means = by_network(one.ours)
        best, nearest = one.best("f1"), one.best("cpdag_shd")
        for rival, theirs, measure in (
            (f"best single: {best}", one.of(best), "f1"),
            ("best of all on each network", one.hindsight(), "f1"),
            (f"lowest distance: {nearest}", one.of(nearest), "cpdag_shd"),
            ("lowest distance on each network", one.hindsight(), "cpdag_shd"),
        ):
            against.append(_paired(one.size, rival, means, theirs, measure))
    titles = ["program", "rows", "networks", "samples", "F1", "CPDAG SHD", "directions right"]
    sides = ["against", "rows", "measure", "ours", "theirs", "ratio", "better", "equal", "worse"]
    return [
        f"### {title}",
        "",
        *_marked(mark, table([*titles, "nats", "seconds", "failed"], rows)),
        *_marked(f"{mark}-paired", table([*sides, "p"], against)),
    ]


def _marked(mark: str, lines: list[str]) -> list[str]:
    start, end = (f"<!-- --8<-- [{side}:{mark}] -->" for side in ("start", "end"))
    return [start, "", *lines, "", end, ""]


def _keys(runs: pd.DataFrame) -> pd.Index:
    return runs.set_index(_SAMPLE).index


def _names(runs: pd.DataFrame) -> "pd.Series[str]":
    parts = runs[["tool", "algorithm", "settings"]].fillna("").astype(str)
    return (parts.tool + " " + parts.algorithm + " " + parts.settings).str.strip()


def _line(name: str, size: int, runs: pd.DataFrame, failed: str) -> list[str]:
    arrows = pd.to_numeric(runs.arrows).sum()
    right = pd.to_numeric(runs.right_arrows).sum()
    nats = pd.to_numeric(runs.held_out)
    means = by_network(runs).mean()
    return [
        name,
        f"{size:,}",
        f"{runs.network.nunique()}",
        f"{len(runs)}",
        f"{means.f1:.3f}",
        _shown(means.cpdag_shd, ".1f"),
        f"{right / arrows:.2f}" if arrows else "",
        _shown(nats.mean(), ".3f") if nats.notna().all() else "",
        f"{runs.cpu_seconds.mean():.2f}",
        failed,
    ]


def _shown(value: float, form: str) -> str:
    return "" if pd.isna(value) else format(value, form)


def _paired(
    size: int, title: str, ours: pd.DataFrame, theirs: pd.DataFrame, measure: str
) -> list[str]:
    both = ours[[measure]].join(theirs[measure].rename("theirs")).dropna()
    change = both[measure] - both.theirs
    if measure != "f1":
        change = -change
    better, worse = int((change > 1e-9).sum()), int((change < -1e-9).sum())
    p_value = float(wilcoxon(change).pvalue) if better + worse else 1.0
    form = ".3f" if measure == "f1" else ".1f"
    means = both.mean()
    figures = [format(means[one], form) for one in (measure, "theirs")]
    ratio = f"{means[measure] / means.theirs:.2f}" if means.theirs else ""
    counts = [str(better), str(len(both) - better - worse), str(worse)]
    return [title, f"{size:,}", measure, *figures, ratio, *counts, f"{p_value:.1g}"]
