"""The CSV files of a folder of results in, ``README.md`` and pictures out.

Every figure is computed here from the files beside the report; nothing is written by hand. Sections
are marked as snippets, so that the documentation can include them one by one.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from benchmarks.common import pages
from benchmarks.common.pictures import require_matplotlib
from benchmarks.scale.costs import (
    computed,
    fixed_seconds,
    growth,
    pass_ratios,
    read_studies,
    unit_costs,
)
from benchmarks.scale.plots import draw

Studies = dict[str, pd.DataFrame]
Section = tuple[str, list[str]]
# What cannot be run on one machine, and on how many cores it is thought to run.
_COMPUTED = [(10**8, 37), (10**9, 37), (10**9, 100), (10**11, 100)]
_CORES = 64
_INTRODUCTION = """\
Made by `python -m benchmarks scale report` from the CSV files beside it, one to a study, one line
to a measurement with version and date. Figures are medians of the repeats. Rows are drawn from a
known network and lie in Parquet files; *reading* is pyarrow reading all columns and nothing else.
Processor seconds are those of all threads; where other work shares the machine they are disturbed
less than the clock. Peak memory is that of a process that does nothing else, less what it has after
its imports."""


def write_report(folder: Path) -> list[Path]:
    """Write ``README.md`` and the pictures that there are data for; return the files."""
    require_matplotlib()
    studies = read_studies(folder)
    if not studies:
        raise FileNotFoundError(f"{folder} has no results of python -m benchmarks scale")
    pictures = draw(folder, studies)
    path = folder / "README.md"
    path.write_text(report(studies, [picture.name for picture in pictures]), encoding="utf-8")
    return [path, *pictures]


def report(studies: Studies, pictures: Sequence[str] = ()) -> str:
    """Return the report as Markdown."""
    sections: dict[str, Callable[[Studies], Section | None]] = {
        "rows": _rows,
        "variables": _variables,
        "passes": _passes,
        "sample": _sample,
        "update": _update,
        "learning-peers": _learning_peers,
        "counting-peers": _counting_peers,
        "computed": _computed,
    }
    lines = ["# Scale", "", _INTRODUCTION, ""]
    for name, make in sections.items():
        section = make(studies)
        if section is not None:
            title, text = section
            lines += [f"## {title}", "", f"<!-- --8<-- [start:{name}] -->", *text]
            lines += [f"<!-- --8<-- [end:{name}] -->", ""]
            if f"{name}.png" in pictures:
                lines += [f"![{title}]({name}.png)", ""]
    return "\n".join(lines)


def _rows(studies: Studies) -> Section | None:
    if "rows" not in studies:
        return None
    table = growth(studies["rows"], "rows")
    reference = table["per_row"].get(10**7)
    lines = [
        [
            f"{rows:,}",
            *_costs(line),
            f"{line['per_row']:,.0f}",
            _number(line["per_row"] / reference, 2) if reference else "",
            *_stages(line),
            _number(line.get("detail.configurations"), 0),
            _number(line["peak_mb"], 0),
            _f1(line),
        ]
        for rows, line in table.iterrows()
    ]
    headers = ["rows", "reading s", "learning s", "processor s", "ns per row", "to 10^7"]
    headers += [*_STAGES.values(), "configurations", "peak MB", "F1"]
    return f"Rows{_setting(studies['rows'])}", pages.table(headers, lines, None)


def _variables(studies: Studies) -> Section | None:
    if "variables" not in studies:
        return None
    lines = [
        [
            f"{columns:,}",
            *_costs(line),
            _number(line["seconds"] / columns * 1000, 1),
            *_stages(line),
            _number(line["peak_mb"], 0),
            _f1(line),
        ]
        for columns, line in growth(studies["variables"], "columns").iterrows()
    ]
    headers = ["columns", "reading s", "learning s", "processor s", "ms per column"]
    headers += [*_STAGES.values(), "peak MB", "F1"]
    rows = ", ".join(f"{rows:,}" for rows in sorted(set(studies["variables"]["rows"])))
    title = f"Variables: random sparse networks, {rows} rows{_setting(studies['variables'], '')}"
    return title, pages.table(headers, lines, None)


def _passes(studies: Studies) -> Section | None:
    if "passes" not in studies:
        return None
    ratios = pass_ratios(studies["passes"])
    lines = [
        [
            str(line["network"]),
            f"{line['rows']:,}",
            f"{'threads' if line['engine'] == 'local' else 'Ray'}: {line['workers']}",
            *(_number(line[name], 2) for name in ("reading", "first", "second")),
            *(_number(line[name], 2) for name in ("first_ratio", "second_ratio")),
            *(_number(line[name], 2) for name in ("first_processor", "second_processor")),
            _number(None if line["engine"] == "local" else line["to_threads"], 2),
            str(line["repeats"]),
        ]
        for line in ratios.reset_index().to_dict("records")
    ]
    headers = ["network", "rows", "workers", "reading s", "first s", "second s"]
    headers += ["first / reading", "second / reading", "first / reading, processor"]
    headers += ["second / reading, processor", "second / threads", "repeats"]
    text = [
        "Ratios are of two measures of one repeat, all engines taking turns; medians of these. "
        "Ray's workers are processes whose processor seconds are not seen.",
        "",
        *pages.table(headers, lines, None),
    ]
    return "The passes beside reading only", text


def _sample(studies: Studies) -> Section | None:
    if "sample" not in studies:
        return None
    means = studies["sample"].pivot_table("f1", ["network", "rows"], "sample_rows")
    lines = [
        [f"{line['network']}, {line['rows']:,}", *(_number(line[n], 3) for n in means.columns)]
        for line in means.reset_index().to_dict("records")
    ]
    headers = ["network, rows", *(f"{size:,}" for size in means.columns)]
    return "F1 against the size of the sample, mean of the seeds", pages.table(headers, lines, None)


def _update(studies: Studies) -> Section | None:
    if "update" not in studies:
        return None
    study = studies["update"]
    setting = ["network", "rows"]
    wide = study.pivot_table("processor_seconds", [*setting, "repeat"], "what").reset_index()
    wide["ratio"] = wide["update"] / wide["second pass"]
    share = (study["detail.new"] / study["detail.files"]).iloc[0]
    lines = [
        [str(network), f"{rows:,}", f"{share:.0%}"]
        + [_number(own[name].median(), 2) for name in ("second pass", "update", "ratio")]
        for (network, rows), own in wide.groupby(setting)
    ]
    headers = ["network", "rows", "of them new", "all counted, processor s"]
    headers += ["new ones added, processor s", "ratio"]
    return "New rows added to counts", pages.table(headers, lines, None)


def _learning_peers(studies: Studies) -> Section | None:
    peers = _of_task(studies, "learning")
    if peers.empty:
        return None
    headers = ["network", "rows", "columns", "tool", "seconds", "processor s"]
    headers += ["times ours, processor", "F1", "outcome"]
    text = [
        "In one run: ours from Parquet to network and probability tables, the others' learning "
        "only, from rows in memory; one thread each. Ours is the line `bnsieve`.",
        "",
        *pages.table(headers, _beside_ours(peers, "f1"), None),
    ]
    return "Other programs, learning", text


def _counting_peers(studies: Studies) -> Section | None:
    peers = _of_task(studies, "counting")
    if peers.empty:
        return None
    headers = ["network", "rows", "columns", "tool", "seconds", "processor s"]
    headers += ["times ours, processor", "outcome"]
    text = [
        "In one run: the tables of the second pass from the same files, one thread.",
        "",
        *pages.table(headers, _beside_ours(peers), None),
    ]
    return "Other programs, counting", text


def _of_task(studies: Studies, task: str) -> pd.DataFrame:
    peers = studies.get("peers", pd.DataFrame(columns=["task"]))
    return peers[peers["task"] == task]


def _beside_ours(peers: pd.DataFrame, *more: str) -> list[list[str]]:
    """Return a line for each tool at each size; ratios are of measures of one repeat."""
    setting = ["network", "rows", "columns", "repeat"]
    ours = peers[peers["tool"] == "bnsieve"].set_index(setting)["processor_seconds"]
    beside = peers.join(ours.rename("ours"), on=setting).sort_values(setting[:3], kind="stable")
    beside["ratio"] = beside["processor_seconds"] / beside["ours"]
    lines = []
    for (network, rows, columns, tool), own in beside.groupby([*setting[:3], "tool"], sort=False):
        done = own[own["status"] == "done"]
        lines.append(
            [
                str(network),
                f"{rows:,}",
                f"{columns:,}",
                " ".join([str(tool), str(own["version"].iloc[-1])]),
                _number(done["seconds"].median(), 2),
                _number(done["processor_seconds"].median(), 2),
                _number(done["ratio"].median(), 1),
                *(_number(done[name].mean(), 3) for name in more),
                "" if len(done) else str(own["status"].iloc[-1]),
            ]
        )
    return lines


def _computed(studies: Studies) -> Section | None:
    costs = unit_costs(studies)
    if costs is None:
        return None
    table = computed(costs, fixed_seconds(studies), _COMPUTED, _CORES)
    lines = [
        [
            f"{_power(line['rows'])} x {line['columns']:.0f}",
            f"{line['cells']:.1e}",
            _number(line["processor_hours"], 2),
            _duration(line["seconds"]),
            _duration(line["fixed"]),
            _number(line["bytes"] / 1e9, 1),
        ]
        for _, line in table.iterrows()
    ]
    headers = ["rows x columns", "cells", "processor hours, both passes"]
    headers += [f"both passes on {_CORES} cores", "sieve and search", "Parquet GB"]
    text = [
        f"Unit costs, measured on {costs.rows:,} rows of {costs.columns} columns in one thread, in "
        f"nanoseconds of processor per cell (row and column): reading {costs.reading:.1f}, first "
        f"pass {costs.first:.1f}, second pass {costs.second:.1f}; {costs.size:.2f} bytes of "
        "Parquet. What follows is computed from these, not measured:",
        "",
        *pages.table(headers, lines, None),
        "",
        "Assumed: columns and tables like those measured; every core as fast as one here; storage "
        "that keeps up; work divided evenly. Starting workers and merging their tables is not in "
        "it. Sieve and search do not grow with rows, but for the distinct configurations; their "
        "time is that measured here for this many columns, where it was.",
    ]
    return "Unit costs, and more rows than were measured", text


# Stages shown, by their name in the learner's timings.
_STAGES = {
    "reading": "first pass s",
    "sieve": "sieve s",
    "counting": "second pass s",
    "search": "search s",
}


def _costs(line: "pd.Series[float]") -> list[str]:
    return [_number(line[name], 2) for name in ("reading_seconds", "seconds", "processor_seconds")]


def _stages(line: "pd.Series[float]") -> list[str]:
    return [_number(line.get(f"detail.{stage}"), 2) for stage in _STAGES]


def _f1(line: "pd.Series[float]") -> str:
    return f"{line['f1']:.3f} ({line['f1_min']:.3f} to {line['f1_max']:.3f})"


def _setting(study: pd.DataFrame, before: str = ": ") -> str:
    """Return the network and the number of threads of a study, as the end of a title."""
    names = ", ".join(sorted(set(study["network"]))) if before else ""
    threads = ", ".join(map(str, sorted(set(study["workers"]))))
    return f"{before}{names}, {threads} thread{'' if threads == '1' else 's'}"


def _number(value: float | None, digits: int) -> str:
    return "" if value is None or pd.isna(value) else f"{value:,.{digits}f}"


def _power(value: float) -> str:
    exponent = len(f"{value:.0f}") - 1
    return f"10^{exponent}" if value == 10**exponent else f"{value:,.0f}"


def _duration(seconds: float) -> str:
    if pd.isna(seconds):
        return ""
    return f"{seconds / 60:,.0f} min" if seconds > 300 else f"{seconds:,.1f} s"
