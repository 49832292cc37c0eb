"""Our runs and other programs' runs on the same samples in, tables out: means, wins, significance.

Every network counts once: by its mean over the samples that all programs were run on.
"""

import pandas as pd
from scipy.stats import wilcoxon

from benchmarks.common.pages import table

_SAMPLE = ["network", "rows", "sample"]


def beside_peers(ours: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    """Return the lines of the report that compare.

    Parameters
    ----------
    ours : DataFrame
        Runs of one program of ours.
    peers : DataFrame
        Runs of others, with the columns tool, algorithm, settings and status.
    """
    peers = peers.assign(name=_names(peers))
    rows, against = [], []
    for size, own in ours.groupby("rows"):
        theirs = peers[peers.rows == size]
        keys = own.set_index(_SAMPLE).index
        theirs = theirs[theirs.set_index(_SAMPLE).index.isin(keys)]
        # Only samples that every configuration was run on, so that all are judged by the same.
        n_each = theirs.groupby(_SAMPLE).name.nunique()
        shared = n_each[n_each == n_each.max()].index if len(n_each) else n_each.index
        if not len(shared):
            continue
        own = own[own.set_index(_SAMPLE).index.isin(shared)]
        theirs = theirs[theirs.set_index(_SAMPLE).index.isin(shared)]
        best_f1, best_shd = _best(theirs, "f1"), _best(theirs, "cpdag_shd")
        rows.append(_line("**bnsieve**", size, own, ""))
        for name, part in theirs.groupby("name", sort=False):
            failed = int((part.status != "ok").sum())
            rows.append(_line(str(name), size, part, f"{failed}" if failed else ""))
        means = _by_network(own)
        for title, rival in (
            (f"best single: {best_f1}", _by_network(theirs[theirs.name == best_f1])),
            ("best of all on each network", _hindsight(theirs)),
        ):
            against.append(_paired(size, title, means, rival, "f1"))
        single = _by_network(theirs[theirs.name == best_shd])
        against.append(_paired(size, f"least distance: {best_shd}", means, single, "cpdag_shd"))
    titles = ["program", "rows", "samples", "F1", "CPDAG SHD", "right arrows", "nats", "seconds"]
    sides = ["against", "rows", "measure", "ours", "theirs", "better", "level", "worse", "p"]
    return [
        "## Beside other programs",
        "",
        "The same samples, columns and names shuffled, one thread. A run that failed or took too",
        "long counts as an empty graph; the last column says how many did. Nats: log-likelihood of",
        "a new row, tables fitted in the same way for all, where all graphs could be directed.",
        "",
        *table([*titles, "failed"], rows),
        "",
        "Network by network, means over its samples; p by Wilcoxon's signed-rank test, two-sided:",
        "",
        *table(sides, against),
        "",
    ]


def _names(runs: pd.DataFrame) -> "pd.Series[str]":
    parts = runs[["tool", "algorithm", "settings"]].fillna("").astype(str)
    return (parts.tool + " " + parts.algorithm + " " + parts.settings).str.strip()


def _best(runs: pd.DataFrame, measure: str) -> str:
    means = runs.groupby("name", sort=False)[measure].mean().dropna()
    return str(means.idxmax() if measure == "f1" else means.idxmin())


def _by_network(runs: pd.DataFrame) -> pd.DataFrame:
    return runs.groupby("network")[["f1", "cpdag_shd"]].mean()


def _hindsight(runs: pd.DataFrame) -> pd.DataFrame:
    means = runs.groupby(["network", "name"])[["f1", "cpdag_shd"]].mean()
    found = means.groupby(level="network").agg({"f1": "max", "cpdag_shd": "min"})
    return pd.DataFrame(found)


def _line(name: str, size: object, runs: pd.DataFrame, failed: str) -> list[str]:
    arrows = pd.to_numeric(runs.arrows).sum()
    right = pd.to_numeric(runs.right_arrows).sum()
    nats = pd.to_numeric(runs.held_out)
    return [
        name,
        f"{size:,}",
        f"{len(runs)}",
        f"{runs.f1.mean():.3f}",
        _shown(pd.to_numeric(runs.cpdag_shd).mean(), ".1f"),
        f"{right / arrows:.2f}" if arrows else "",
        _shown(nats.mean(), ".3f") if nats.notna().all() else "",
        f"{runs.cpu_seconds.mean():.2f}",
        failed,
    ]


def _shown(value: float, form: str) -> str:
    return "" if pd.isna(value) else format(value, form)


def _paired(
    size: object, title: str, ours: pd.DataFrame, theirs: pd.DataFrame, measure: str
) -> list[str]:
    both = ours[[measure]].join(theirs[measure].rename("theirs")).dropna()
    change = both[measure] - both.theirs
    if measure != "f1":
        change = -change
    better, worse = int((change > 1e-9).sum()), int((change < -1e-9).sum())
    p_value = float(wilcoxon(change).pvalue) if better + worse else 1.0
    form = ".3f" if measure == "f1" else ".1f"
    figures = [format(both[one].mean(), form) for one in (measure, "theirs")]
    counts = [str(better), str(len(both) - better - worse), str(worse)]
    return [title, f"{size:,}", measure, *figures, *counts, f"{p_value:.1g}"]
