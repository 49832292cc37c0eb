"""How likely new rows are under the learned network, and under other programs' graphs.

Three steps; the other programs run in environments of their own and read and write CSV only:

    python -m benchmarks heldout draw WORK [--runs 3] [--networks alarm insurance]
    python -P benchmarks/heldout/pyagrum_worker.py WORK      (where pyAgrum is)
    Rscript benchmarks/heldout/bnlearn_graphs.R WORK      (where bnlearn is)
    python -m benchmarks heldout judge WORK OUTPUT

`draw` writes one table of 5,000 rows per network and run, labels as numbers and columns as v0, v1,
...; the others write an edge list beside it for each algorithm. `judge` learns a graph from each
table, fits every graph's tables with the same estimator (BDeu prior, equivalent sample size 1, the
labels that the true network declares), and compares them on 10,000 new rows: ``runs.csv`` and
``README.md``. ``heldout numbers`` compares networks with numbers; see ``numbers.py``.
"""

import argparse
import math
import platform
from datetime import date
from pathlib import Path

import pandas as pd

from benchmarks.common.networks import PAPER_NETWORKS as NETWORKS
from benchmarks.heldout import numbers
from bnsieve import BayesianNetwork, Graph, TsetlinSieve, fit_parameters, load_network
from bnsieve.metrics import held_out

TRAIN_ROWS = 5_000
TEST_ROWS = 10_000
TEST_SEED = 1_000
OURS = "bnsieve TsetlinSieve"


def renamed(name: str) -> BayesianNetwork:
    """Return a network with numbers for labels, so that no program stumbles over them."""
    truth = load_network(name)
    short = {node: f"v{i}" for i, node in enumerate(truth.graph.nodes)}
    return BayesianNetwork(
        truth.graph.relabel(short),
        {short[node]: tuple(range(len(labels))) for node, labels in truth.levels.items()},
        {short[node]: table for node, table in truth.tables.items()},
        {short[node]: [short[p] for p in truth.parents(node)] for node in truth.graph.nodes},
    )


def draw(folder: Path, networks: list[str], runs: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in networks:
        network = renamed(name)
        for run in range(runs):
            rows = network.sample(TRAIN_ROWS, random_state=run)
            varying = [column for column in rows if rows[column].nunique() > 1]
            rows[varying].to_csv(folder / f"{name}.{run}.csv", index=False)


def peer_graphs(folder: Path, name: str, run: int, nodes: tuple[str, ...]) -> dict[str, Graph]:
    graphs = {}
    for path in sorted(folder.glob(f"{name}.{run}.*.edges.csv")):
        edges = pd.read_csv(path)
        arrows = zip(edges["from"].astype(str), edges["to"].astype(str), strict=True)
        graphs[path.name.split(".")[2].replace("_", " ")] = Graph(nodes, arrows)
    return graphs


def judge(folder: Path, output: Path, networks: list[str]) -> None:
    lines = []
    tables = (path for path in folder.glob("*.csv") if not path.name.endswith(".edges.csv"))
    keys = sorted((p.name.split(".")[0], int(p.name.split(".")[1])) for p in tables)
    for name, run in keys:
        if name not in networks:
            continue
        truth = renamed(name)
        train = truth.sample(TRAIN_ROWS, random_state=run)
        test = truth.sample(TEST_ROWS, random_state=TEST_SEED + run)
        graphs = peer_graphs(folder, name, run, truth.graph.nodes)
        graphs[OURS] = TsetlinSieve(random_state=run).fit(train).dag_
        graphs["true graph"] = truth.graph
        models = {
            method: fit_parameters(graph, train, levels=truth.levels)
            for method, graph in graphs.items()
        }
        peers = {m: model for m, model in models.items() if m not in (OURS, "true graph")}
        best = held_out(peers, test).best
        pair = held_out({OURS: models[OURS], best: models[best]}, test)
        sign = 1 if pair.best == OURS else -1
        other = pair.networks[1]
        # held_out takes the better of the two as zero; here the best peer is zero.
        lead, error = -sign * other.difference, other.difference_error
        for method, model in models.items():
            lines.append(
                {
                    "network": name,
                    "run": run,
                    "method": method,
                    "edges": graphs[method].n_edges,
                    "log_likelihood": float(model.log_likelihood(test).mean()),
                    "best_peer": best,
                    "lead_of_ours": lead,
                    "standard_error": error,
                }
            )
        verdict = "ok" if lead >= -error else "BEHIND"
        print(
            f"{name:<12}{run}  {lead:+.4f} s.e. {error:.4f} against {best}: {verdict}", flush=True
        )
    output.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(lines)
    frame.round(5).to_csv(output / "runs.csv", index=False)
    (output / "README.md").write_text(report(frame), encoding="utf-8")


def report(frame: pd.DataFrame) -> str:
    """One line per network: the mean over runs of every method, and the lead over the best peer."""
    means = frame.pivot_table(index="network", columns="method", values="log_likelihood")
    means = means.loc[[name for name in NETWORKS if name in means.index]]
    one_per_run = frame.drop_duplicates(["network", "run"]).groupby("network")
    lead = one_per_run["lead_of_ours"].mean()
    error = one_per_run["standard_error"].agg(lambda e: math.sqrt((e**2).sum()) / len(e))
    methods = [OURS, *(m for m in means.columns if m not in (OURS, "true graph")), "true graph"]
    head = f"| network | {' | '.join(methods)} | lead over the best peer (s.e.) |"
    lines = [
        "# Held-out log-likelihood",
        "",
        f"Nats per row on {TEST_ROWS:,} new rows, mean over {frame['run'].nunique()} runs of "
        f"{TRAIN_ROWS:,} training rows. Every graph has its tables estimated alike: BDeu prior, "
        "equivalent sample size 1. The lead is over the best of the other programs, picked run by "
        "run by the same rows, which favours them; its standard error is of the rows' differences, "
        f"training samples fixed. {date.today()}, {platform.machine()}.",
        "",
        head,
        "|---" * (len(methods) + 2) + "|",
    ]
    for name in means.index.astype(str):
        row = means.loc[name]
        cells = " | ".join(f"{row[method]:.3f}" for method in methods)
        lines.append(f"| {name} | {cells} | {lead[name]:+.4f} ({error[name]:.4f}) |")
    within = int(sum(lead[name] >= -error[name] for name in means.index))
    lines += ["", f"No worse than one standard error: {within} of {len(means)} networks.", ""]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Draw the tables, or judge the graphs that were learned from them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks heldout",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    cases = commands.add_parser("numbers")
    cases.add_argument("work", type=Path)
    cases.add_argument("output", type=Path)
    for command in ("draw", "judge"):
        own = commands.add_parser(command)
        own.add_argument("work", type=Path)
        own.add_argument("--networks", nargs="+", default=list(NETWORKS))
        if command == "draw":
            own.add_argument("--runs", type=int, default=3)
        else:
            own.add_argument("output", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "numbers":
        numbers.judge(options.work, options.output)
    elif options.command == "draw":
        draw(options.work, options.networks, options.runs)
    else:
        judge(options.work, options.output, options.networks)


if __name__ == "__main__":
    main()
