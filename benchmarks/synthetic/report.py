"""Runs in, the lines of the page out."""

from collections.abc import Sequence

import pandas as pd

from benchmarks.common.pages import included, table

OURS, REAL = "bnsieve", "real rows"
_DISTANCES = ("margins", "pairs", "triples")
# What is within so much of the best counts as equal.
_EQUAL = 0.01


def report(runs: pd.DataFrame) -> list[str]:
    """Return shape, fidelity, time and what failed."""
    done = runs[runs["failed"].isna()]
    programs = [OURS, *(one for one in done["program"].unique() if one not in (OURS, REAL))]
    rows, seeds = int(runs["rows"].max()), runs["seed"].nunique()
    # Not all programs have rows of other seeds.
    of_first = done["seed"] == done["seed"].min()
    first, others = done[of_first], done[~of_first]
    versions = done.dropna(subset="version").groupby("program")["version"].first()
    named = [f"{program} {versions[program]}" for program in programs if program in versions]
    if done["judge"].notna().any():
        named.append(f"SDMetrics {done['judge'].dropna().iloc[0]}")
    lines = [
        f"{rows:,} rows to learn from, as many made, as many held out; seeds: {seeds}, the first "
        f"for fidelity and time. "
        f"{', '.join(named)}.",
        "",
        "## Shape",
        "",
        "Columns of another type, with values outside of the range, or written in a way that no "
        "original cell is. Identifiers have no range, because new ones are made. Roles are those "
        "that `prepare` infers. Rows contradict a relation if a category goes with another one "
        "than in all original rows.",
        "",
        *included("shape", _shape(done, programs)),
        "",
        *_named(done[done["program"] == OURS]),
        "## Fidelity",
        "",
        "Mean total variation distance from held-out rows: the lower, the closer. Prediction: "
        "gradient boosting trained on the made rows, on held-out rows (AUC of two categories, "
        "else accuracy).",
        "",
        *included("fidelity", _fidelity(first, programs)),
        "",
        *included("summary", _summary(first, programs)),
        "",
        "## Time",
        "",
        f"Seconds of {OURS}, of the other program that SDMetrics puts first on the table, and how "
        "many times as long that takes.",
        "",
        *included("time", _time(first)),
        "",
    ]
    if len(others):
        again = [one for one in programs if one in set(others["program"])]
        lines += ["## Other seeds", "", *included("seeds", _fidelity(others, again)), ""]
        lines += [*included("seeds-summary", _summary(others, again)), ""]
    failed = runs[runs["failed"].notna()]
    lines += [
        f"No rows: {program}, {', '.join(own['table'].unique())}: {reason}."
        for (program, reason), own in failed.groupby(["program", "failed"])
    ]
    return lines


def _shape(runs: pd.DataFrame, programs: Sequence[str]) -> list[str]:
    lines = []
    for name, of_table in runs.groupby("table", sort=False):
        for program in programs:
            own = of_table[of_table["program"] == program]
            if not len(own):
                continue
            relations = f"{own['contradictions'].sum():,.0f}" if own["implications"].any() else ""
            lines.append(
                [
                    str(name),
                    program,
                    f"{own['columns'].max():.0f}",
                    f"{own['left_out'].max():.0f}",
                    *(_n_columns(own[what]) for what in _WRONG),
                    f"{own['wrong_roles'].max():.0f}",
                    f"{own['implications'].max():,.0f}",
                    relations,
                ]
            )
    titles = ["table", "program", "columns", "left out", "type", "range", "format", "roles"]
    return table([*titles, "relations", "rows that contradict"], lines, 2)


def _named(runs: pd.DataFrame) -> list[str]:
    """Return which columns of ours are counted."""
    told = [
        f"{name}: {', '.join(sorted({*own.dropna().str.split(', ').explode()}))} ({what})"
        for what, title in zip(("type", "range", "format"), _WRONG, strict=True)
        for name, own in runs.groupby("table", sort=False)[title]
        if own.notna().any()
    ]
    return [f"Of {OURS}: {'; '.join(told)}.", ""] if told else []


_WRONG = ("wrong_types", "beyond_range", "wrong_formats")


def _n_columns(names: "pd.Series[str]") -> str:
    """Return the most columns of any run."""
    return str(max(0 if pd.isna(one) else len(str(one).split(", ")) for one in names))


def _fidelity(runs: pd.DataFrame, programs: Sequence[str]) -> list[str]:
    lines = []
    for name, of_table in runs.groupby("table", sort=False):
        for program in (*programs, REAL):
            own = of_table[of_table["program"] == program]
            if len(own):
                cells = [f"{own[what].mean():.3f}" for what in (*_DISTANCES, "predicted")]
                lines.append([str(name), program, *cells, _figure(own, "quality", 3)])
                lines[-1].append(_figure(own, "seconds", 1))
    titles = ["table", "program", *_DISTANCES, "prediction", "SDMetrics", "seconds"]
    return table(titles, lines, 2)


def _figure(runs: pd.DataFrame, what: str, digits: int) -> str:
    mean = runs[what].mean()
    return "" if pd.isna(mean) else f"{mean:.{digits}f}"


def _summary(runs: pd.DataFrame, programs: Sequence[str]) -> list[str]:
    """Return on how many tables each program is the best, or within .01 of it."""
    lines = []
    for what in ("margins", "pairs", "triples", "predicted", "quality"):
        means = runs[runs["program"] != REAL].pivot_table(
            index="table", columns="program", values=what
        )
        if means.empty:
            continue
        best = means.max(axis=1) if what in ("predicted", "quality") else means.min(axis=1)
        near = means.sub(best, axis=0).abs() <= _EQUAL
        counts = [
            f"{near[one].sum()} of {means[one].notna().sum()}" if one in near else ""
            for one in programs
        ]
        lines.append([what, *counts])
    return table(["best or within .01 of it, tables", *programs], lines)


def _time(runs: pd.DataFrame) -> list[str]:
    """Return the time beside that of the best other program, in the order of tables."""
    means = (
        runs[runs["program"] != REAL]
        .groupby(["table", "program"], sort=False)[["seconds", "quality"]]
        .mean()
    )
    lines = []
    for name, own in means.groupby("table", sort=False):
        programs = list(map(str, own.index.get_level_values("program")))
        seconds = dict(zip(programs, own["seconds"].tolist(), strict=True))
        qualities = {
            program: quality
            for program, quality in zip(programs, own["quality"].tolist(), strict=True)
            if program != OURS and quality == quality
        }
        if not qualities or OURS not in seconds:
            continue
        best = max(qualities, key=qualities.__getitem__)
        ours, other = seconds[OURS], seconds[best]
        lines.append([str(name), best, f"{ours:.1f}", f"{other:.1f}", f"{other / ours:.1f}"])
    return table(["table", "best other", f"{OURS}, s", "its s", "times"], lines, 2)
