"""Whether strengths are calibrated: of edges found in 85 % of the replicates, how many are true.

The same of directions: of edges that point one way in 85 % of the replicates that have them, how
many the true CPDAG has as arrows that way.

    python -m benchmarks confidence OUTPUT [--replicates 50] [--networks alarm water]
        [--resample half bootstrap] [--rows 5000] [--seeds 0 1 2]

Of each network one sample per seed is drawn, resampled and learned anew; ``strengths.csv`` has one
line per pair of variables that any replicate joined, written sample by sample, so that an
interrupted study goes on where it stopped; pairs never joined are not listed. ``README.md`` shows,
for each tenth of the strength, the share of true edges over all networks.
"""

import argparse
from datetime import date
from itertools import product
from pathlib import Path
from time import process_time
from typing import Literal

import numpy as np
import pandas as pd

from benchmarks.common.networks import PAPER_NETWORKS as NETWORKS
from bnsieve import TsetlinSieve, load_network

Resample = Literal["half", "bootstrap"]
BINS = np.linspace(0.0, 1.0, 11)


def strengths(name: str, resample: Resample, replicates: int, rows: int, seed: int) -> pd.DataFrame:
    truth = load_network(name)
    learner = TsetlinSieve(random_state=seed).fit(truth.sample(rows, random_state=seed))
    start = process_time()
    found = learner.bootstrap(replicates, resample=resample).to_frame().iloc[::2]
    seconds = process_time() - start
    joined = {frozenset(edge) for edge in truth.graph.edges}
    arrows = set(truth.graph.to_cpdag().directed_edges)
    ends = list(zip(found["from"], found["to"], strict=True))
    # The way that most of the replicates point.
    ways = [
        (a, b) if direction >= 0.5 else (b, a)
        for (a, b), direction in zip(ends, found["direction"], strict=True)
    ]
    return pd.DataFrame(
        {
            "network": name,
            "seed": seed,
            "resample": resample,
            "replicates": replicates,
            "from": found["from"],
            "to": found["to"],
            "strength": found["strength"].round(4),
            "true": [int(frozenset(pair) in joined) for pair in ends],
            "direction": np.maximum(found["direction"], 1 - found["direction"]).round(4),
            "right": [int(way in arrows) for way in ways],
            "cpu_seconds_per_replicate": round(seconds / replicates, 3),
        }
    )


def binned(frame: pd.DataFrame) -> pd.DataFrame:
    """Edges, true edges and mean strength by tenth; a strength on a border is in the upper one."""
    tenth = np.minimum(np.floor(frame["strength"] * 10 + 1e-9), 9).astype(int)
    groups = frame.assign(tenth=tenth).groupby(["resample", "tenth"])
    table = groups.agg(edges=("true", "size"), true=("true", "sum"), mean=("strength", "mean"))
    return table.assign(share=table["true"] / table["edges"])


def directions(frame: pd.DataFrame) -> list[str]:
    """Show how many directions are right, of true edges that most replicates have, by tenth."""
    if "direction" not in frame or not (known := frame["direction"].notna()).any():
        return []
    own = frame[known & (frame["strength"] >= 0.5) & (frame["true"] == 1)]
    lines = [
        "## Directions",
        "",
        "Of the true edges of strength 0.5 and more: the share of the replicates with the edge in "
        "which it points the way most do (an undirected one counts half), and how many of these "
        "arrows the true CPDAG has.",
        "",
        "| direction | edges | right | share right |",
        "|---|---|---|---|",
    ]
    tenth = np.minimum(np.floor(own["direction"] * 10 + 1e-9), 9).astype(int)
    for place, part in own.groupby(tenth):
        span = f"{int(place) / 10:.1f} to {(int(place) + 1) / 10:.1f}"
        right = part["right"]
        lines.append(f"| {span} | {len(part)} | {right.sum():.0f} | {right.mean():.2f} |")
    return [*lines, ""]


def report(frame: pd.DataFrame, rows: int) -> str:
    lines = [
        "# Reliability of edge strengths",
        "",
        f"`TsetlinSieve().bootstrap()` on {frame['seed'].nunique()} samples of {rows:,} rows of "
        f"each of {frame['network'].nunique()} networks, {date.today()}: of the edges whose "
        "strength lies in a tenth, the share that the true network has.",
        "",
    ]
    replicates_of = frame.groupby("resample")["replicates"].first()
    for resample, table in binned(frame).groupby("resample"):
        lines += [
            f'## resample="{resample}"',
            "",
            f"<!-- --8<-- [start:{resample}] -->",
            f"{replicates_of[resample]} replicates of each sample:",
            "",
            "| strength | edges | true | share true |",
            "|---|---|---|---|",
        ]
        tenths = table.index.get_level_values("tenth").tolist()
        for tenth, row in zip(tenths, table.itertuples(), strict=True):
            span = f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}"
            lines.append(f"| {span} | {row.edges:.0f} | {row.true:.0f} | {row.share:.2f} |")
        own = frame[frame["resample"] == resample]
        high = own[(own["strength"] >= 0.8) & (own["strength"] < 0.9)].groupby("network")["true"]
        parts = ", ".join(f"{name} {t.sum()} of {len(t)}" for name, t in high)
        lines += ["", f"True edges among those of strength 0.8 to 0.9, by network: {parts}.", ""]
        lines += [f"<!-- --8<-- [end:{resample}] -->", ""]
    lines += directions(frame)
    cost = frame.groupby(["network", "resample"])["cpu_seconds_per_replicate"].min().unstack()
    lines += ["CPU seconds per replicate:", "", "| network | " + " | ".join(cost.columns) + " |"]
    lines.append("|---" * (len(cost.columns) + 1) + "|")
    lines += [
        f"| {n} | " + " | ".join(f"{v:.2f}" for v in row) + " |" for n, row in cost.iterrows()
    ]
    return "\n".join([*lines, ""])


def main(arguments: list[str] | None = None) -> None:
    """Learn from what is left to learn from, and write the report."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks confidence",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("output", type=Path)
    parser.add_argument("--replicates", type=int, default=50)
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS))
    parser.add_argument("--resample", nargs="+", default=["half"])
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "strengths.csv"
    frame = pd.read_csv(path) if path.exists() else pd.DataFrame()
    done = set()
    if len(frame):
        done = set(frame[["network", "seed", "resample"]].itertuples(index=False, name=None))
    for seed, resample, name in product(options.seeds, options.resample, options.networks):
        if (name, seed, resample) in done:
            continue
        new = strengths(name, resample, options.replicates, options.rows, seed)
        frame = pd.concat([frame, new], ignore_index=True)
        frame.to_csv(path, index=False)
        print(name, seed, resample, new["cpu_seconds_per_replicate"].iloc[0], flush=True)
    (options.output / "README.md").write_text(report(frame, options.rows), encoding="utf-8")


if __name__ == "__main__":
    main()
