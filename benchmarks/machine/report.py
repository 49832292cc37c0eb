"""The Markdown pages of this folder's benchmarks: who ran where, and the figures."""

import statistics
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from benchmarks.common.pages import table
from benchmarks.machine import runner
from bnsieve import __version__
from bnsieve.engine import facts


class Answer(NamedTuple):
    """What one tool took for one job."""

    network: str
    target: str
    n_classes: int
    seed: int
    tool: str
    seconds: float
    processor_seconds: float
    accuracy: float


def circumstances(command: str) -> str:
    """Say when, where and how."""
    found = facts()
    models = [
        line.partition(":")[2].strip()
        for line in _lines("/proc/cpuinfo")
        if line.startswith("model name")
    ]
    available = ", ".join(found["instructions"]["available"])
    load = next(iter(_lines("/proc/loadavg")), "").split(" ")[0]
    return "\n".join(
        [
            f"- {date.today().isoformat()}, bnsieve {__version__}, Python {found['python']}, "
            f"{found['platform']}",
            f"- {models[0] if models else 'processor unknown'}, {found['processors']} processors "
            f"({available}), shared with other programs; load at the end {load or 'unknown'}",
            f"- `{command}`",
        ]
    )


def write_report(answers: list[Answer], versions: dict[str, str], command: str) -> str:
    """Return the page that compares the tools."""
    networks = list(dict.fromkeys(one.network for one in answers))
    tools = list(dict.fromkeys(one.tool for one in answers))
    ours = [tool for tool in tools if tool.startswith("bnsieve")]
    fastest = ours[-1]
    per_tool = {
        (t, n): [a for a in answers if (a.tool, a.network) == (t, n)]
        for t in tools
        for n in networks
    }
    micros = {key: microseconds(found) for key, found in per_tool.items()}
    wall = {key: microseconds(found, "seconds") for key, found in per_tool.items()}
    accuracy = {key: statistics.fmean(a.accuracy for a in found) for key, found in per_tool.items()}

    targets = {
        n: dict.fromkeys((a.target, a.n_classes) for a in answers if a.network == n)
        for n in networks
    }
    parts = [
        "# Tsetlin machines side by side",
        "",
        circumstances(command),
        "- " + "; ".join(f"{tool} {versions[tool]}" for tool in tools),
        f"- {runner.N_TRAIN:,} rows, {runner.EPOCHS} epochs, {runner.SETTINGS.n_clauses} clauses "
        f"per class, T = {runner.SETTINGS.threshold}, s = {runner.SETTINGS.specificity:g}, "
        f"weighted clauses, true positives boosted, one thread; {runner.N_HELD_OUT:,} rows held "
        f"out; seeds: {max(a.seed for a in answers)}",
        *(
            f"- {n}: " + ", ".join(f"{target} ({k} classes)" for target, k in targets[n])
            for n in networks
        ),
        "",
        "## Microseconds per row, epoch and target",
        "",
        "Processor time of the training alone: of each target the least over the seeds, then the "
        "mean over targets. In brackets the same by the clock on the wall.",
        "",
        *table(
            ["", *networks],
            [[t, *(f"{micros[t, n]:.2f} ({wall[t, n]:.2f})" for n in networks)] for t in tools],
        ),
    ]
    if len(tools) > len(ours):
        peers = [tool for tool in tools if tool not in ours]
        parts += [
            "",
            f"## Times as fast: {fastest} against each",
            "",
            *table(
                ["", *networks],
                [
                    [t, *(f"{micros[t, n] / micros[fastest, n]:.0f}" for n in networks)]
                    for t in peers
                ],
            ),
        ]
    parts += [
        "",
        "## Accuracy on the rows held out",
        "",
        "Mean over targets and seeds. bnsieve's is the same at every instruction set, to the bit.",
        "",
        *table(
            ["", *networks],
            [[t, *(f"{accuracy[t, n]:.4f}" for n in networks)] for t in tools],
        ),
    ]
    if "tmu" in tools:
        differences = [difference(per_tool[fastest, n], per_tool["tmu", n]) for n in networks]
        parts += [
            "",
            "bnsieve less tmu, with the standard error over seeds: "
            + ", ".join(
                f"{n} {mean:+.4f} ± {error:.4f}"
                for n, (mean, error) in zip(networks, differences, strict=True)
            )
            + ".",
        ]
    return "\n".join(parts)


def microseconds(answers: Iterable[Answer], clock: str = "processor_seconds") -> float:
    """Least time of each target over the seeds, mean over targets, per row and epoch."""
    least: dict[str, float] = {}
    for one in answers:
        least[one.target] = min(least.get(one.target, float("inf")), getattr(one, clock))
    return statistics.fmean(least.values()) * 1e6 / (runner.N_TRAIN * runner.EPOCHS)


def difference(ours: list[Answer], theirs: list[Answer]) -> tuple[float, float]:
    """Mean difference of accuracy and its standard error over seeds."""
    by_seed = []
    for seed in sorted({one.seed for one in ours}):
        mean = [
            statistics.fmean(a.accuracy for a in group if a.seed == seed)
            for group in (ours, theirs)
        ]
        by_seed.append(mean[0] - mean[1])
    error = statistics.stdev(by_seed) / len(by_seed) ** 0.5 if len(by_seed) > 1 else float("nan")
    return statistics.fmean(by_seed), error


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []
