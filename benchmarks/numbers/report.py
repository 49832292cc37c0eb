"""Runs in, tables of Markdown out: F1 and distance by sample size, by kind and by program."""

import pandas as pd

from benchmarks.common.pages import table
from benchmarks.numbers import bnrep, published
from benchmarks.numbers.kinds import KINDS
from benchmarks.numbers.runner import OURS

_SAMPLE = ["data", "columns", "rows", "seed"]


def report(runs: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    """Return the tables of each label."""
    lines = [
        "Skeleton F1 x 100 / CPDAG SHD: mean ± standard error over samples (their number in "
        "brackets). Kinds: "
        + ", ".join(f"{kind} {about}" for kind, about in KINDS.items())
        + ". Every program learned from the same rows, with columns in the same random order.",
        "",
    ]
    finished = peers[pd.to_numeric(peers["f1"], errors="coerce").notna()]
    finished = finished.astype({"f1": float, "shd": float, "cpu_seconds": float})
    finished["program"] = finished["program"].str.replace(", cut", ", binned")
    for label, own in runs.groupby("label", sort=False):
        lines += [f"## {label}", "", *_cells(own, finished), ""]
        for title, names in _GROUPS.items():
            part = own[own.data.isin(names)]
            if part.empty:
                continue
            mark = title.lower().replace(",", "").replace(" ", "-")
            start, end = (f"<!-- --8<-- [{side}:{mark}] -->" for side in ("start", "end"))
            lines += [f"### {title}", "", start, "", *_programs(part, finished), "", end, ""]
    failed = peers[~peers.index.isin(finished.index)]
    if len(failed):
        counted = (failed["program"] + ": " + failed["note"]).value_counts(sort=False)
        lines += ["## Runs of other programs without a result", ""]
        lines += [f"- {what} ({n})" for what, n in counted.items()]
    return lines


_GROUPS = {
    **{f"Kind {kind}, {about}": (kind,) for kind, about in KINDS.items()},
    "All four kinds": tuple(KINDS),
    "Published Gaussian networks": published.NAMES,
    "Networks of bnRep": bnrep.NAMES,
}


def _cells(runs: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    """Return a line per kind and size, beside the best of the others there."""
    rows = []
    for key, part in runs.groupby(_SAMPLE[:3]):
        data, columns, size = key
        cells = [f"{data} {columns}" if columns else str(data), f"{size:,}"]
        cells += [figures(part[part.program == one]) for one in OURS]
        others = peers.merge(part[part.program == "numbers"][_SAMPLE], on=_SAMPLE)
        by_program = {str(name): one for name, one in others.groupby("program")}
        if by_program:
            best = max(by_program, key=lambda name: by_program[name].f1.mean())
            nearest = min(by_program, key=lambda name: by_program[name].shd.mean())
            cells += [f"{figures(by_program[name])} {name}" for name in (best, nearest)]
        else:
            cells += ["", ""]
        seconds = part[part.program == "numbers"].cpu_seconds
        rows.append([*cells, f"{seconds.mean():.1f}" if len(seconds) else ""])
    titles = ["data", "rows", "default", "binned", "best F1 of others", "best SHD of others", "s"]
    return table(titles, rows, 2)


def _programs(runs: pd.DataFrame, peers: pd.DataFrame) -> list[str]:
    """Return a line per other program, beside ours on the samples that it has a result of."""
    own = runs[runs.program == "numbers"]
    cut = runs[runs.program == "cut"]
    rows = []
    for name, theirs in peers.groupby("program"):
        both = theirs[_SAMPLE].merge(own[_SAMPLE], on=_SAMPLE)
        if len(both):
            rows.append([str(name), *(figures(one.merge(both)) for one in (theirs, own, cut))])
    alone = ["(all samples)", "", figures(own), figures(cut.merge(own[_SAMPLE], on=_SAMPLE))]
    titles = ["program", "its figures", "default, the same", "binned, the same"]
    return table(titles, [*rows, alone])


def figures(part: pd.DataFrame) -> str:
    """Return means and standard errors of F1 and distance, and the number of runs."""
    if part.empty:
        return ""
    f1, shd = 100 * part.f1, part.shd
    errors = [one.std(ddof=1) / len(one) ** 0.5 if len(one) > 1 else 0.0 for one in (f1, shd)]
    return f"{f1.mean():.1f} ± {errors[0]:.1f} / {shd.mean():.1f} ± {errors[1]:.1f} ({len(part)})"
