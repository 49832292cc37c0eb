"""The studies' files in, ``report.md`` out: every figure of ours beside the best of the peers'.

Sections are marked as snippets, so that the documentation can include them one by one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.accuracy import bars as judge
from benchmarks.accuracy import interactions, peer_runs, runner
from benchmarks.common import pages
from benchmarks.common.networks import NETWORKS

# Files of a folder of results, by name, and what their lines are.
OUTCOMES: dict[str, type[Any]] = {
    "runs": runner.Outcome,
    "stability": runner.StabilityOutcome,
    "interactions": interactions.Outcome,
}
_TITLES = {"given": "the given samples", "drawn": "samples drawn afresh"}


@dataclass(frozen=True)
class Results:
    """All that a report is made of.

    Attributes
    ----------
    runs, stability, interactions : DataFrame
        Of one label; empty if there are none. Runs have their columns in order and shuffled.
    peers : DataFrame
        Means of the peers' configurations by network.
    interaction_peers : DataFrame
        Runs of the peers on the networks of interactions.
    rows : int
        Rows of the samples on which networks are compared.
    columns : str
        Which runs the report is on: those with columns "in order", or "shuffled".
    """

    runs: pd.DataFrame
    stability: pd.DataFrame
    interactions: pd.DataFrame
    peers: pd.DataFrame
    interaction_peers: pd.DataFrame
    rows: int
    columns: str

    def on(self, samples: str) -> pd.DataFrame:
        """Return the runs on samples of that origin and the compared size, in our order."""
        runs = self.of_any_size(samples)
        chosen = runs[runs["rows"] == self.rows]
        places = chosen["network"].map({name: i for i, name in enumerate(NETWORKS)})
        return chosen.loc[places.sort_values(kind="stable").index]

    def of_any_size(self, samples: str) -> pd.DataFrame:
        """Return the runs on samples of that origin."""
        runs = self.runs
        return runs[(runs["samples"] == samples) & (runs["columns"] == self.columns)]

    @property
    def main(self) -> pd.DataFrame:
        """The runs on the given samples, or on those drawn if none were given."""
        given = self.on("given")
        return self.on("drawn") if given.empty else given


def read_results(
    folder: Path,
    label: str,
    rows: int,
    peer_files: Iterable[Path] = (),
    columns: str = runner.IN_ORDER,
) -> Results:
    """Read a folder's files, the lines of one label; peers' files are told by their columns."""
    ours = {}
    for name, outcome in OUTCOMES.items():
        path = folder / f"{name}.csv"
        if path.exists():
            frame = pd.read_csv(path)
            ours[name] = frame[frame["label"] == label].reset_index(drop=True)
        else:
            ours[name] = pd.DataFrame(columns=[field.name for field in fields(outcome)])
    ours["stability"] = ours["stability"][ours["stability"]["columns"] == columns]
    of_kind: dict[bool, list[Path]] = {False: [], True: []}
    for path in peer_files:
        of_kind["right_edges" in pd.read_csv(path, nrows=0).columns].append(path)
    return Results(
        **ours,
        peers=peer_runs.configuration_means(peer_runs.read_runs(of_kind[False])),
        interaction_peers=peer_runs.read_runs(of_kind[True]),
        rows=rows,
        columns=columns,
    )


def report(results: Results, setting: str) -> str:
    """Return the report as Markdown."""
    sections = {
        "bars": _bars(results),
        "given": _networks(results, "given"),
        "drawn": _networks(results, "drawn"),
        "order": _order(results),
        "tests": _tests(results),
        "faster": _faster(results),
        "ablations": _ablations(results),
        "rows": _rows(results),
        "stability": _stability(results),
        "interactions": _interactions(results),
    }
    lines = ["# How accurate TsetlinSieve is", "", setting, ""]
    for name, section in sections.items():
        if section:
            title, *text = section
            marks = [f"<!-- --8<-- [{end}:{name}] -->" for end in ("start", "end")]
            lines += [f"## {title}", "", marks[0], *text, marks[1], ""]
    return "\n".join(lines)


def write_report(folder: Path, results: Results, setting: str) -> Path:
    """Write ``report.md`` into the folder."""
    path = folder / "report.md"
    path.write_text(report(results, setting), encoding="utf-8")
    return path


def _bars(results: Results) -> list[str]:
    table = judge.beside_peers(results.main, results.peers)
    bars = [
        *judge.network_bars(table),
        *judge.time_bars(results.main, results.peers),
        *judge.bars_by_tests(results.main),
        *judge.interaction_bars(results.interactions),
        *judge.row_bars(results.of_any_size("drawn")),
        *judge.stability_bars(results.stability),
    ]
    rows = [[bar.asked, bar.measured, bar.verdict] for bar in bars]
    return (
        ["What was asked", *pages.table(["asked", "measured", "reached"], rows, None)]
        if rows
        else []
    )


def _networks(results: Results, samples: str) -> list[str]:
    runs = results.on(samples)
    runs = runs[runs["configuration"] == "search"]
    if runs.empty:
        return []
    table = judge.beside_peers(runs, results.peers)
    seeds = runs.groupby("network", sort=False)["f1"].agg(_by_seed)
    head = ["network", "F1 (by seed)", "best peer's", "lead", "CPDAG SHD", "best peer's"]
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
            f"{row['seconds']:.1f}",
        ]
        for network, row in _by_network(table)
    ]
    mean = ["mean", f"{table['f1'].mean():.3f}", _number(table["best_f1_f1"].mean(), ".3f")]
    rows.append([*mean, _number(table["f1_lead"].mean(), "+.3f"), *[""] * 7])
    rest = ["edges", "precision", "recall", "processor s", "wall s"]
    return [f"Networks: {_TITLES[samples]}", *pages.table([*head, *rest], rows, None)]


def _order(results: Results) -> list[str]:
    """Set columns in order beside columns shuffled, on the samples that have both."""
    in_order, as_shuffled = (
        _search_by_sample(replace(results, columns=columns).main)
        for columns in (runner.IN_ORDER, runner.SHUFFLED)
    )
    pairs = in_order.join(as_shuffled.add_suffix("_shuffled"), how="inner")
    if pairs.empty:
        return []
    means = pairs.groupby(level="network", sort=False).mean()
    means.loc["mean"] = means.mean()
    n_seeds = pairs.groupby(level="network").size()
    rows = [
        [
            network,
            f"{n_seeds.get(network, '')}",
            f"{row['f1']:.3f}",
            f"{row['f1_shuffled']:.3f}",
            f"{row['cpdag_shd']:.1f}",
            f"{row['cpdag_shd_shuffled']:.1f}",
        ]
        for network, row in _by_network(means)
    ]
    head = ["network", "samples", "F1", "shuffled", "CPDAG SHD", "shuffled"]
    return ["Columns in order and shuffled", *pages.table(head, rows, None)]


def _search_by_sample(runs: pd.DataFrame) -> pd.DataFrame:
    chosen = runs[runs["configuration"] == "search"]
    return chosen.set_index(["network", "samples", "seed"])[["f1", "cpdag_shd"]]


def _tests(results: Results) -> list[str]:
    ours = judge.means_of(results.main, "tests")
    if ours.empty:
        return []
    both = ours.join(judge.best_of_paper().add_prefix("paper_"))
    rows = [
        [
            network,
            f"{row['f1']:.3f}",
            _number(row["paper_f1"], ".2f"),
            f"{row['ci_tests']:,.0f}",
            _number(row["paper_ci_tests"], ",.0f"),
            f"{row['orientation_tests']:,.0f}",
            f"{row['cpdag_shd']:.1f}",
            f"{row['cpu_seconds']:.1f}",
        ]
        for network, row in _by_network(both)
    ]
    head = ["network", "F1", "paper's best", "tests", "paper's", "to direct", "CPDAG SHD"]
    return ['By tests: `method="tests"`', *pages.table([*head, "processor s"], rows, None)]


def _faster(results: Results) -> list[str]:
    ours = judge.means_of(results.main, "search")
    if ours.empty or results.peers.empty:
        return []
    beaten = peer_runs.both_faster_and_better(results.peers, ours)
    rows = [
        [
            row["network"],
            row["name"],
            f"{row['f1']:.3f}",
            f"{row['our_f1']:.3f}",
            f"{row['cpu_s']:.1f}",
            f"{row['our_cpu_seconds']:.1f}",
            f"{row['seeds']}",
        ]
        for _, row in beaten.iterrows()
    ]
    head = ["network", "configuration", "F1", "ours", "processor s", "ours", "its seeds"]
    return [
        "Peers both faster and more accurate",
        *(pages.table(head, rows, None) if rows else ["There are none."]),
    ]


def _ablations(results: Results) -> list[str]:
    runs = results.main
    if runs["configuration"].nunique() < 3:
        return []
    f1, seconds, n_seeds = judge.ablation_means(runs)
    rows = [
        [
            name,
            *(f"{value:.3f}" for value in f1.loc[name]),
            f"{f1.loc[name].mean():.3f}",
            f"{seconds.loc[name].sum():.1f}",
        ]
        for name in f1.index
    ]
    head = ["configuration", *f1.columns, "mean", "processor s"]
    note = f"All configurations on the same samples: {n_seeds} of each network."
    return ["What each part is worth (F1)", note, "", *pages.table(head, rows, None)]


def _rows(results: Results) -> list[str]:
    runs = results.of_any_size("drawn")
    chosen = runs[runs["configuration"] == "search"]
    if chosen["rows"].nunique() < 2:
        return []
    means = chosen.groupby(["network", "rows"])[["f1", "cpu_seconds"]].mean()
    sizes = sorted(chosen["rows"].unique())
    cells = {key: f"{row['f1']:.3f}, {row['cpu_seconds']:.1f} s" for key, row in means.iterrows()}
    rows = [
        [name, *(cells.get((name, size), "") for size in sizes)]
        for name in NETWORKS
        if sum((name, size) in cells for size in sizes) > 1
    ]
    head = ["network", *(f"{size:,}" for size in sizes)]
    return ["More rows (F1, processor seconds)", *pages.table(head, rows, None)]


def _stability(results: Results) -> list[str]:
    rows = [
        [row["network"], f"{row['learners']}", f"{row['mean_f1']:.3f}", f"{row['least_f1']:.3f}"]
        for _, row in results.stability.iterrows()
    ]
    head = ["network", "seeds", "mean F1", "least F1"]
    return (
        ["F1 between graphs of several seeds of the learner", *pages.table(head, rows, None)]
        if rows
        else []
    )


def _interactions(results: Results) -> list[str]:
    ours, others = results.interactions, results.interaction_peers
    if ours.empty:
        return []
    ours = ours.assign(name="TsetlinSieve, " + ours["configuration"], cpu_s=ours["cpu_seconds"])
    rows = []
    for frame in (ours, others):
        for name, runs in frame.groupby("name", sort=False):
            total = runs.sum(numeric_only=True)
            rows.append(
                [
                    str(name),
                    f"{runs['seed'].nunique()}",
                    f"{total['found']:.0f} of {total['interactions']:.0f}",
                    f"{total['found'] / total['interactions']:.0%}",
                    f"{total['right_edges'] / max(1, total['edges']):.1%}",
                    f"{total['ordinary_found'] / total['ordinary_edges']:.1%}",
                    f"{runs['cpu_s'].mean():.1f}",
                ]
            )
    head = ["learner", "seeds", "exclusive ors", "found", "edges right", "other edges found"]
    return ["Pure interactions", *pages.table([*head, "processor s"], rows, None)]


def _by_network(table: pd.DataFrame) -> list[tuple[str, pd.Series]]:
    return [(str(network), row) for network, row in table.iterrows()]


def _by_seed(values: pd.Series) -> str:
    return " ".join(f"{value:.3f}".removeprefix("0") for value in values)


def _rival(row: pd.Series, measure: str, digits: int) -> str:
    value = row[f"best_{measure}_{measure}"]
    if pd.isna(value):
        return ""
    n_seeds = int(row[f"best_{measure}_seeds"])
    seeds = "1 seed" if n_seeds == 1 else f"{n_seeds} seeds"
    return f"{value:.{digits}f} ({row[f'best_{measure}_name']}, {seeds})"


def _number(value: float, form: str) -> str:
    return "" if pd.isna(value) else f"{value:{form}}"
