"""Runs in, the report of the study out."""

from collections.abc import Mapping

import pandas as pd

from benchmarks.common.pages import table

# Kinds in which only a variable's own past matters: every other edge is false.
INDEPENDENT = ("autoregressive", "walks", "markov")
MEASURES = ("lagged_f1", "contemporaneous_f1", "direction_f1")


def lines(runs: pd.DataFrame, titles: Mapping[str, str]) -> list[str]:
    """Return the sections of the report."""
    runs = runs.assign(failure=runs.failure.fillna(""))
    related = runs[~runs.kind.isin(INDEPENDENT)]
    unrelated = runs[runs.kind.isin(INDEPENDENT)]
    sections = {
        "graphs": ("Graphs over time", graphs(related, titles)),
        "independent": ("Independent series", independent(unrelated, titles)),
    }
    result: list[str] = []
    for name, (title, section) in sections.items():
        start, end = (f"<!-- --8<-- [{word}:{name}] -->" for word in ("start", "end"))
        result += [f"## {title}", "", start, *section, end, ""]
    return result


def groups(runs: pd.DataFrame, titles: Mapping[str, str]) -> list[tuple[str, pd.DataFrame]]:
    """Return the runs of each kind, in the order of the titles."""
    return [(kind, runs[runs.kind == kind]) for kind in titles if (runs.kind == kind).any()]


def graphs(runs: pd.DataFrame, titles: Mapping[str, str]) -> list[str]:
    """Return the table of F1: a line for each kind, number of rows and program."""
    rows = []
    for kind, of_kind in groups(runs, titles):
        for size, of_size in of_kind.groupby("rows"):
            for method, own in of_size.groupby("method", sort=False):
                rows.append([titles[kind], f"{size:,}", str(method), f"{len(own)}", *cells(own)])
    head = ["data", "rows", "program", "series", "lagged", "contemporaneous", "direction"]
    return table([*head, "false lagged", "seconds", "failed"], rows, 3)


def independent(runs: pd.DataFrame, titles: Mapping[str, str]) -> list[str]:
    """Return the table of false edges where there are none between different variables."""
    rows = []
    for kind, of_kind in groups(runs, titles):
        for size, of_size in of_kind.groupby("rows"):
            for method, own in of_size.groupby("method", sort=False):
                done = own[own.failure == ""]
                rows.append(
                    [
                        titles[kind],
                        f"{size:,}",
                        str(method),
                        f"{len(own)}",
                        _mean(done.false_lagged, 1),
                        _mean(done.false_contemporaneous, 1),
                        _mean(done.processor_seconds, 1),
                        _failures(own),
                    ]
                )
    head = ["data", "rows", "program", "series", "false lagged", "false contemporaneous"]
    return table([*head, "seconds", "failed"], rows, 3)


def cells(own: pd.DataFrame) -> list[str]:
    """Return the means of some runs that did not fail, and how many did."""
    done = own[own.failure == ""]
    shown = [_mean(done[name], 2) for name in MEASURES]
    shown += [_mean(done.false_lagged, 1), _mean(done.processor_seconds, 1)]
    return [*shown, _failures(own)]


def _mean(values: pd.Series, digits: int) -> str:
    return f"{values.mean():.{digits}f}" if len(values) else "-"


def _failures(own: pd.DataFrame) -> str:
    failed = own[own.failure != ""]
    if failed.empty:
        return ""
    return f"{len(failed)} of {len(own)}: {failed.failure.iloc[0]}"
