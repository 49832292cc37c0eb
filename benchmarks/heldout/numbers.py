"""How likely new rows with numbers are, beside bnlearn's conditional Gaussian networks.

Both fit the same graph: the one that is given with a case, or the one that bnlearn found.

    Rscript benchmarks/heldout/conditional_gaussian.R FOLDER      (where bnlearn is)
    python -m benchmarks heldout numbers FOLDER OUTPUT

The R script says what a folder of cases holds. Out: ``numbers.csv``, one line per case: the mean
log-likelihood of a row of the test file under either, over the rows to which bnlearn gives a
density, the standard error of the difference, and to how many rows it gives none.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from bnsieve import Graph, fit_parameters


class Compared(NamedTuple):
    """One case: mean log-likelihoods, their difference, and rows without a density."""

    case: str
    ours: float
    bnlearn: float
    difference: float
    error: float
    impossible: int

    @property
    def ahead(self) -> bool:
        """Whether new rows are more likely under our network."""
        return self.impossible > 0 or self.difference > 0


def compare(folder: Path, case: str) -> Compared:
    """Fit bnlearn's graph, and compare the likelihood of new rows."""
    kinds = (folder / f"{case}.types").read_text(encoding="utf-8").strip()
    train, test = (pd.read_csv(folder / f"{case}.{part}.csv") for part in ("train", "test"))
    labels = [name for name, kind in zip(train.columns, kinds, strict=True) if kind == "d"]
    train, test = (frame.astype(dict.fromkeys(labels, str)) for frame in (train, test))
    arrows = pd.read_csv(folder / f"{case}.graph.csv", dtype=str, keep_default_na=False)
    graph = Graph(train.columns, list(arrows.itertuples(index=False, name=None)))
    network = fit_parameters(graph, train, numeric=[c for c in train.columns if c not in labels])
    theirs = pd.read_csv(folder / f"{case}.bnlearn.csv")["log_likelihood"].to_numpy(np.float64)
    # Neither has anything to say of labels that were not in the rows learned from.
    known = np.ones(len(test), dtype=bool)
    for name in labels:
        known &= test[name].isin(train[name]).to_numpy()
    ours = np.full(len(test), np.nan)
    ours[known] = network.log_likelihood(test[known])
    both = known & np.isfinite(theirs)
    difference = ours[both] - theirs[both]
    return Compared(
        case,
        float(ours[both].mean()),
        float(theirs[both].mean()),
        float(difference.mean()),
        float(difference.std(ddof=1) / np.sqrt(len(difference))),
        int((known & ~np.isfinite(theirs)).sum()),
    )


def judge(folder: Path, output: Path) -> None:
    """Compare all cases of a folder that bnlearn has finished, and write ``numbers.csv``."""
    output.mkdir(parents=True, exist_ok=True)
    found = []
    for path in sorted(folder.glob("*.bnlearn.csv")):
        found.append(compare(folder, path.name.removesuffix(".bnlearn.csv")))
        print(*found[-1], flush=True)
    if not found:
        raise SystemExit(f"{folder} has no *.bnlearn.csv: run the R script on it first")
    pd.DataFrame(found).to_csv(output / "numbers.csv", index=False, float_format="%.5f")
    print(f"ahead in {sum(one.ahead for one in found)} of {len(found)} cases")
