"""Runs in, the report of the study out."""

import numpy as np
import pandas as pd

from benchmarks.common.pages import table

GRAPHS = {
    "true": "true graph given",
    "tiers": "tiers given, graph learned",
    "learned": "learned graph alone",
}
# A statement is outside overlap if it is about more members without overlap than this.
OUTSIDE = 0.01


def lines(runs: pd.DataFrame, peers: pd.DataFrame | None) -> list[str]:
    """Return the sections of the report."""
    sections = {"coverage": coverage(runs), "kinds": by_kind(runs)}
    if peers is not None and len(peers):
        sections["peers"] = beside(peers)
    result = [f"Networks: {runs['network'].nunique()}.", ""]
    for name, section in sections.items():
        start, end = (f"<!-- --8<-- [{word}:{name}] -->" for word in ("start", "end"))
        result += [f"## {TITLES[name]}", "", start, *section, end, ""]
    return result


TITLES = {
    "coverage": "Intervals, signs and overlap",
    "kinds": "Intervals that contain the truth, by kind",
    "peers": "Other programs",
}


def judged(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that say something, and whether it is right."""
    said = runs[~runs.said.isin(["refused", "nothing"])].copy()
    slack = 1e-12
    said["held"] = (said.low - slack <= said.truth) & (said.truth <= said.high + slack)
    is_zero = said.truth.abs() < 1e-6
    stated = (said.low > 0) | (said.high < 0)
    said["stated"] = stated
    said["wrong_sign"] = stated & ~is_zero & (np.sign(said.low + said.high) != np.sign(said.truth))
    said["from_nothing"] = np.where(is_zero, stated, np.nan)
    said["off_overlap"] = said.outside.fillna(0) > OUTSIDE
    return said


def coverage(runs: pd.DataFrame) -> list[str]:
    """Return the table of what intervals hold, by graph and number of rows."""
    titles = ["graph", "rows", "asked", "answered", "intervals that contain the truth"]
    titles += ["wrong sign, zero excluded", "zero excluded where the truth is 0"]
    titles += ["outside overlap", "several cases"]
    rows = []
    for graph, name in GRAPHS.items():
        own = runs[runs.graph == graph]
        groups = [*own.groupby("rows"), ("all", own)]
        for size, some in groups:
            said = judged(some)
            rows.append(
                [
                    name,
                    f"{size:,}" if size != "all" else "all",
                    f"{len(some)}",
                    f"{len(said)}",
                    f"{said.held.mean():.3f}",
                    f"{int(said.wrong_sign.sum())} ({said.wrong_sign.mean():.1%})",
                    f"{said.from_nothing.mean():.3f}",
                    f"{int(said.off_overlap.sum())}",
                    f"{(said.cases > 1).mean():.2f}",
                ]
            )
    return table(titles, rows, 2)


def by_kind(runs: pd.DataFrame) -> list[str]:
    """Return the table of coverage by kinds of variables, zeros and paths."""
    said = judged(runs)
    rows = []
    groups = {
        "treatment, outcome": ["treatment", "outcome"],
        "structural zeros": ["zeros"],
        "directed path": ["path"],
    }
    for title, names in groups.items():
        for key, some in said.groupby(names):
            cells = [f"{title}: {', '.join(map(str, key))}"]
            for graph in GRAPHS:
                own = some[some.graph == graph]
                cells.append(f"{own.held.mean():.3f} ({len(own)})" if len(own) else "")
            rows.append(cells)
    return table(["", *GRAPHS.values()], rows)


def beside(peers: pd.DataFrame) -> list[str]:
    """Return the table of errors, each estimator beside ours on the contrasts that both answer."""
    wide = peers.assign(off=peers.value - peers.truth)
    ours = wide[wide.estimator == "bnsieve"].set_index(["network", "rows"]).off
    titles = ["estimator", "rows", "contrasts", "RMSE", "ours", "ratio"]
    titles += ["median error", "ours", "ratio", "failed"]
    rows = []
    for name, own in wide[wide.estimator != "bnsieve"].groupby("estimator"):
        for size, some in [*own.groupby("rows"), ("all", own)]:
            theirs = some.set_index(["network", "rows"]).off
            both = pd.DataFrame({"theirs": theirs, "ours": ours}).dropna()
            squares, middle = np.sqrt((both**2).mean()), both.abs().median()
            rows.append(
                [
                    str(name),
                    f"{size:,}" if size != "all" else "all",
                    f"{len(both)}",
                    f"{squares.theirs:.4f}",
                    f"{squares.ours:.4f}",
                    f"{squares.ours / squares.theirs:.2f}",
                    f"{middle.theirs:.4f}",
                    f"{middle.ours:.4f}",
                    f"{middle.ours / middle.theirs:.2f}",
                    f"{int(some.value.isna().sum())}",
                ]
            )
    return table(titles, rows, 2)
