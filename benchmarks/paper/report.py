"""Runs in, the paper's tables out again: every figure of ours beside the paper's.

Goes out: ``summary.csv`` and ``report.md``. The paper's figures are shipped as
``paper_tables.csv``, transcribed from its tables (mean and deviation of ten runs).
"""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.paper.runner import ALGORITHMS, MEASURES, NETWORKS

TITLES = {
    "ci_tests": "CI tests",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "missing_nodes": "Missing nodes",
    "missing_edges": "Missing edges",
    "wrong_edges": "Wrong edges",
    "shd": "SHD (missing and wrong edges)",
    "seconds": "Seconds (not in the paper)",
}
SHARES = ("precision", "recall", "f1")


def paper_figures() -> pd.DataFrame:
    """Return the paper's means and deviations, indexed by measure, network and algorithm."""
    path = Path(__file__).with_name("paper_tables.csv")
    with path.open() as file:
        return pd.read_csv(file).set_index(["metric", "network", "algorithm"])


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean, deviation and number of runs of every measure, beside the paper's.

    Returns
    -------
    DataFrame
        Columns measure, network, algorithm, mean, std, runs, paper_mean, paper_std, difference.
    """
    tidy = runs.melt(["network", "algorithm", "run"], list(MEASURES), "measure")
    keys = ["measure", "network", "algorithm"]
    ours = tidy.groupby(keys, sort=False)["value"].agg(["mean", "std", "count"])
    paper = paper_figures().rename_axis(keys).add_prefix("paper_")
    both = ours.join(paper).rename(columns={"count": "runs"}).reset_index()
    both["difference"] = both["mean"] - both["paper_mean"]
    return both


def report(summary: pd.DataFrame, setting: str) -> str:
    """Return the tables as Markdown: ours, with the paper's figure in brackets, and differences."""
    lines = [
        "# The paper's tables, run again",
        "",
        setting,
        "",
        "<!-- --8<-- [start:tables] -->",
        "`tm` is `TsetlinPC`. Each cell has our mean ± standard deviation, and in brackets the "
        "paper's.",
        "",
    ]
    for measure, title in TITLES.items():
        part = summary[summary["measure"] == measure]
        algorithms = [name for name in ALGORITHMS if name in set(part["algorithm"])]
        lines += [
            f"### {title}",
            "",
            "| network | " + " | ".join(algorithms) + " |",
            "|---" * (len(algorithms) + 1) + "|",
        ]
        for network in NETWORKS:
            rows = part.loc[part["network"] == network].to_dict("records")
            if rows:
                cells = {str(row["algorithm"]): _cell(row, measure) for row in rows}
                line = " | ".join(cells.get(name, "") for name in algorithms)
                lines.append(f"| {network} | {line} |")
        lines.append("")
    lines += _factors(summary)
    return "\n".join([*lines, "<!-- --8<-- [end:tables] -->", ""])


def _factors(summary: pd.DataFrame) -> list[str]:
    """Return the lines of a table: tests of each algorithm for one of `tm`'s."""
    tests = summary[summary["measure"] == "ci_tests"].set_index(["network", "algorithm"])
    names = [name for name in ALGORITHMS if name != "tm" and name in tests.index.unique(1)]
    networks = [name for name in NETWORKS if (name, "tm") in tests.index]
    if not names or not networks:
        return []
    lines = [
        "### CI tests, as a multiple of those of `tm`",
        "",
        "| network | " + " | ".join(names) + " |",
        "|---" * (len(names) + 1) + "|",
    ]
    for network in networks:
        cells = []
        for name in names:
            if (network, name) in tests.index:
                both = tests.loc[(network, name), ["mean", "paper_mean"]]
                ours, paper = both / tests.loc[(network, "tm"), ["mean", "paper_mean"]]
                cells.append(f"{ours:,.1f} ({paper:,.1f})")
            else:
                cells.append("")
        lines.append(f"| {network} | {' | '.join(cells)} |")
    return [*lines, ""]


def _cell(row: dict[Hashable, Any], measure: str) -> str:
    digits = 2 if measure in SHARES or measure == "seconds" else 0
    cell = f"{row['mean']:,.{digits}f}"
    if row["runs"] > 1:
        cell += f" ± {row['std']:,.{digits}f}"
    if pd.notna(row["paper_mean"]):
        cell += f" ({row['paper_mean']:,.{digits}f} ± {row['paper_std']:,.{digits}f})"
    return cell


def write_report(folder: Path, setting: str) -> None:
    """Read ``runs.csv`` of a folder; write ``summary.csv`` and ``report.md`` beside it."""
    runs = pd.read_csv(folder / "runs.csv")
    summary = summarise(runs[runs["algorithm"].isin(list(ALGORITHMS))])
    summary.round(4).to_csv(folder / "summary.csv", index=False)
    (folder / "report.md").write_text(report(summary, setting), encoding="utf-8")
