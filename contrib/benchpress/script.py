"""bnsieve as a Benchpress module: a data file in, an adjacency matrix out.

Snakemake runs this file in the Benchpress folder and puts the object `snakemake` before it.
"""

import json
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pandas as pd

from bnsieve import Knowledge, TsetlinPC, TsetlinSieve

sys.path.append("workflow/scripts/utils")
from add_timeout import timeoutf  # Benchpress's own, found by the line above


def read_data(path):
    """Read rows of labels: the first line holds the names, the second the cardinalities.

    Returns
    -------
    pandas.DataFrame
        Of text; a cell without a value is missing.
    """
    frame = pd.read_csv(path, dtype=str, encoding="utf-8-sig")
    cardinalities, rows = frame.iloc[0], frame.iloc[1:].reset_index(drop=True)
    for name in frame.columns:
        n_levels = rows[name].nunique()
        if not cardinalities[name].strip().isdigit():
            raise ValueError(
                f"the second line of {path} says {cardinalities[name]!r} for column {name!r}, "
                "which is no number of categories: bnsieve takes categorical data in this module"
            )
        if n_levels > int(cardinalities[name]):
            raise ValueError(
                f"column {name!r} of {path} has {n_levels} categories, but its second line says "
                f"{cardinalities[name]}: is a line missing?"
            )
    return rows


def read_constraints(path, columns):
    """Return what a file of edge constraints says about these columns; an empty one says nothing.

    Variables that the data lacks are ignored, as the documentation of Benchpress asks.
    """
    text = Path(path).read_text(encoding="utf-8-sig")
    given = json.loads(text) if text.strip() else {}
    columns = list(columns)

    def known(names):
        return [str(name) for name in names if str(name) in columns]

    def arrows(kind):
        pairs = [tuple(map(str, pair)) for pair in given.get(f"{kind}_edges", [])]
        for group in given.get(f"{kind}_groups", []):
            pairs += [(str(a), str(b)) for a in group["cause"] for b in group["effect"]]
        return [pair for pair in pairs if set(pair) <= set(columns)]

    required, forbidden = arrows("required"), arrows("forbidden")
    tiers = [known(tier) for tier in given.get("tiers", [])]
    settings = given.get("tier_settings", {})
    # The documentation's text and its example spell this one in two ways.
    if settings.get("forbid_within_tiers") or settings.get("forbidden_within_tiers"):
        forbidden += [(a, b) for tier in tiers for a in tier for b in tier if a != b]
    if settings.get("can_only_cause_next_tier"):
        for i, tier in enumerate(tiers):
            beyond = [name for later in tiers[i + 2 :] for name in later]
            forbidden += [(a, b) for a in tier for b in beyond]

    # Context variables have no parents, and are parents of all others: of all, or of their tier.
    everywhere, in_tier = known(given.get("context_all", [])), known(given.get("context_tier", []))
    context = {*everywhere, *in_tier}
    for tier in tiers:
        required += [(a, b) for a in in_tier if a in tier for b in tier if b not in context]
    required += [(a, b) for a in everywhere for b in columns if b not in context]
    no_parents = context.union(known(given.get("source_nodes", [])))
    return Knowledge(required, forbidden, tiers, no_parents=no_parents)


def learner_of(wildcards, knowledge):
    """Return the learner that the configuration asks for; null leaves a parameter as it is."""
    chosen = {"knowledge": knowledge, "random_state": int(wildcards["seed"]), "n_jobs": 1}
    # The columns hold labels: there is nothing to find out about them, and none is left out.
    chosen["prepare"] = None
    if wildcards["alpha"] != "None":
        chosen["alpha"] = float(wildcards["alpha"])
    if wildcards["method"] == "tsetlin-pc":
        return TsetlinPC(**chosen)
    if wildcards["maxParents"] != "None":
        chosen["max_parents"] = int(wildcards["maxParents"])
    return TsetlinSieve(method=wildcards["method"], **chosen)


def adjacency_of(graph, columns):
    """Return the matrix as Benchpress has it: a line between two nodes is a 1 both ways."""
    matrix = pd.DataFrame(graph.adjacency_matrix(), index=graph.nodes, columns=graph.nodes)
    return matrix.reindex(index=columns, columns=columns, fill_value=0)


def run(files, results, wildcards, start):
    """Learn a graph and write it, the time that it took and the number of tests."""
    rows = read_data(files["data"])
    knowledge = read_constraints(files["edge_constraints"], rows.columns)
    learner = learner_of(wildcards, knowledge).fit(rows)
    seconds = time.perf_counter() - start

    adjacency_of(learner.graph_, rows.columns).to_csv(results["adjmat"], index=False)
    Path(results["time"]).write_text(str(seconds))
    # A search by score makes no tests.
    n_tests = learner.fit_result_.n_tests + learner.fit_result_.n_orientation_tests
    Path(results["ntests"]).write_text(str(n_tests or None))


if "snakemake" in globals():
    started, limit = time.perf_counter(), snakemake.wildcards["timeout"]  # noqa: F821
    outputs = snakemake.output  # noqa: F821
    guard = nullcontext()
    if limit != "None":
        places = (outputs["adjmat"], outputs["time"], outputs["ntests"])
        guard = timeoutf(int(limit), *places, started)
    with guard:
        run(snakemake.input, outputs, snakemake.wildcards, started)  # noqa: F821
