"""How close synthetic rows are to real rows.

In: three frames of variables: synthetic rows, as many real rows, and held-out real rows. Out: a
`Fidelity`. Two samples of one distribution are never equal, and small samples differ more. Each
distance of synthetic rows is therefore reported beside that of the real rows, the best possible
value.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve.synthesize.remember import state_text
from bnsieve.table.prepare import require_known
from bnsieve.text import counted

Codes = NDArray[np.int64]

# Bins of a number, of about equally many held-out rows.
_BINS = 10
# Pairs and triples of variables that are compared; of more, so many are drawn.
_MOST_TABLES = 1_000
_KINDS = ("margins", "pairs", "triples")
_SHOWN = 3
# What scikit-learn's histograms take for a category.
_MOST_CATEGORIES = 254


@dataclass(frozen=True)
class Distance:
    """Total variation distance from held-out rows: 0 means equal, 1 nothing in common.

    Attributes
    ----------
    what : str
        A variable; "margins", "pairs" or "triples" of them.
    n_tables : int
        The number of tables whose distances are averaged.
    synthetic, real : float
        The distance of synthetic rows, and of as many real rows.
    """

    what: str
    n_tables: int
    synthetic: float
    real: float

    @property
    def ratio(self) -> float:
        """The ratio of the two distances; 1 if both are equal."""
        if self.real > 0:
            return self.synthetic / self.real
        return 1.0 if self.synthetic == 0 else math.inf


@dataclass(frozen=True)
class Prediction:
    """How well a model predicts a target in held-out rows.

    Attributes
    ----------
    target : str
        The variable that is predicted.
    score : {"AUC", "accuracy", "R2"}
        The measure: AUC for two categories, accuracy for more, and R2 for numbers.
    synthetic, real : float
        The score after training on synthetic rows, and on as many real rows.
    """

    target: str
    score: str
    synthetic: float
    real: float


@dataclass(frozen=True)
class Fidelity:
    """How close synthetic rows are to held-out rows, compared with real rows.

    Attributes
    ----------
    n_rows, n_held_out : int
        The numbers of synthetic rows (and of real rows), and of held-out rows.
    distances : tuple of Distance
        Means over margins, pairs and triples of variables, if there are that many variables.
    variables : tuple of Distance
        The distance of each variable, first the one that exceeds the real rows most.
    prediction : Prediction or None
        How well synthetic and real rows train a model; None without a target.
    """

    n_rows: int
    n_held_out: int
    distances: tuple[Distance, ...]
    variables: tuple[Distance, ...]
    prediction: Prediction | None = None

    def __getitem__(self, what: str) -> Distance:
        """Return the distance of margins, pairs, triples or a variable."""
        for one in (*self.distances, *self.variables):
            if one.what == what:
                return one
        raise KeyError(what)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)

    def __str__(self) -> str:
        held_out = counted(self.n_held_out, "held-out row")
        lines = [
            f"Fidelity: mean total variation distance from {held_out}",
            f"  {'':8}  synthetic  real rows  ratio  ({counted(self.n_rows, 'row')} each)",
        ]
        lines += [
            f"  {one.what:8}  {one.synthetic:9.4f}  {one.real:9.4f}  {one.ratio:5.2f}"
            for one in self.distances
        ]
        far = [one for one in self.variables if one.synthetic > one.real][:_SHOWN]
        if far:
            shown = ", ".join(
                f"{one.what} {one.synthetic:.3f} (real {one.real:.3f})" for one in far
            )
            lines.append(f"  furthest beyond real rows: {shown}")
        if self.prediction is not None:
            one = self.prediction
            lines.append(
                f"  {one.score} of predicting {one.target} in held-out rows: "
                f"{one.synthetic:.3f} trained on synthetic rows, {one.real:.3f} on real ones"
            )
        return "\n".join(lines)


def fidelity_of(
    synthetic: pd.DataFrame,
    real: pd.DataFrame,
    held_out: pd.DataFrame,
    numbers: Collection[str],
    target: str | None,
    rng: np.random.Generator,
) -> Fidelity:
    """Compare synthetic rows with held-out rows, beside real rows.

    Parameters
    ----------
    synthetic, real : DataFrame, as many rows each
        Variables.
    held_out : DataFrame
        Other real rows.
    numbers : collection of str
        The variables that are numbers.
    target : str or None
        A variable to predict.
    rng : Generator
        Draws pairs and triples if there are too many.
    """
    names = [str(name) for name in held_out if name in synthetic and name in real]
    parts = (synthetic, real, held_out)
    coded = {name: _coded([one[name] for one in parts], name in numbers) for name in names}
    margins = [_distance(name, [coded[name]]) for name in names]
    distances = [_mean(_KINDS[0], margins)]
    for order in (2, 3):
        chosen = _some_tables(names, order, rng)
        if chosen:
            compared = [_distance("", [coded[name] for name in one]) for one in chosen]
            distances.append(_mean(_KINDS[order - 1], compared))
    return Fidelity(
        len(synthetic),
        len(held_out),
        tuple(distances),
        tuple(sorted(margins, key=lambda one: one.real - one.synthetic)),
        None if target is None else _prediction(target, parts, names, numbers),
    )


def exact_codes(parts: Sequence["pd.Series[Any]"]) -> list[Codes]:
    """Return the cells of a variable in several samples as codes; 0 is a missing value."""
    places, values = pd.factorize(np.concatenate([one.to_numpy(dtype=object) for one in parts]))
    code_of_text: dict[str, int] = {}
    codes = [code_of_text.setdefault(state_text(value), len(code_of_text)) for value in values]
    found = np.append(np.array(codes, dtype=np.int64), -1)[places] + 1
    return np.split(found, np.cumsum([len(one) for one in parts])[:-1])


def as_numbers(values: "pd.Series[Any]") -> NDArray[np.float64]:
    """Return a variable of numbers; NaN where one is missing."""
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def _coded(parts: Sequence["pd.Series[Any]"], is_number: bool) -> list[Codes]:
    """Return a variable as codes, a number by bins of the last sample."""
    known = as_numbers(parts[-1]) if is_number else np.zeros(0)
    known = known[~np.isnan(known)]
    if len(np.unique(known)) <= _BINS:
        return exact_codes(parts)
    edges = np.unique(np.quantile(known, np.linspace(0, 1, _BINS + 1)[1:-1]))
    samples = [as_numbers(one) for one in parts]
    return [
        np.where(np.isnan(one), 0, 1 + np.searchsorted(edges, one, side="right")) for one in samples
    ]


def _some_tables(
    names: Sequence[str], order: int, rng: np.random.Generator
) -> list[tuple[str, ...]]:
    """Return all sets of so many variables, or some."""
    if math.comb(len(names), order) <= _MOST_TABLES:
        return list(combinations(names, order))
    found: dict[tuple[str, ...], None] = {}
    while len(found) < _MOST_TABLES:
        places = np.sort(rng.choice(len(names), order, replace=False))
        found[tuple(names[place] for place in places.tolist())] = None
    return list(found)


def _distance(what: str, variables: Sequence[list[Codes]]) -> Distance:
    """Return the distances of the first and the second sample from the third."""
    sizes = [len(sample) for sample in variables[0]]
    joint = np.zeros(sum(sizes), dtype=np.int64)
    for samples in variables:
        codes = np.concatenate(samples)
        joint = joint * (int(codes.max(initial=0)) + 1) + codes
    _, cells = np.unique(joint, return_inverse=True)
    n_cells = int(cells.max(initial=0)) + 1
    shares = [
        np.bincount(one, minlength=n_cells) / len(one)
        for one in np.split(cells, np.cumsum(sizes)[:-1])
    ]
    synthetic, real = (float(np.abs(one - shares[2]).sum() / 2) for one in shares[:2])
    return Distance(what, 1, synthetic, real)


def _mean(what: str, distances: Sequence[Distance]) -> Distance:
    synthetic = float(np.mean([one.synthetic for one in distances]))
    real = float(np.mean([one.real for one in distances]))
    return Distance(what, len(distances), synthetic, real)


def _prediction(
    target: str,
    parts: Sequence[pd.DataFrame],
    names: Sequence[str],
    numbers: Collection[str],
) -> Prediction:
    """Return how well gradient boosting predicts a variable from all others."""
    require_known([target], list(names), "variable")
    others = [name for name in names if name != target]
    columns = [
        [as_numbers(one[name]) for one in parts]
        if name in numbers
        else [np.minimum(one, _MOST_CATEGORIES) for one in exact_codes([p[name] for p in parts])]
        for name in others
    ]
    is_category = [name not in numbers for name in others]
    features = [
        np.column_stack([column[i] for column in columns]).astype(np.float64)
        if columns
        else np.zeros((len(one), 1))
        for i, one in enumerate(parts)
    ]
    if target in numbers:
        targets = [as_numbers(one[target]) for one in parts]
        known = [~np.isnan(one) for one in targets]
    else:
        codes = exact_codes([one[target] for one in parts])
        targets, known = [one.astype(np.float64) for one in codes], [one > 0 for one in codes]
    samples = [(x[rows], y[rows]) for x, y, rows in zip(features, targets, known, strict=True)]
    score = _score_of(samples[2][1], target in numbers)
    synthetic, real = (
        _scored(one, samples[2], score, is_category if columns else [False]) for one in samples[:2]
    )
    return Prediction(target, score, synthetic, real)


def _score_of(held_out: NDArray[np.float64], is_number: bool) -> str:
    n_different = len(np.unique(held_out))
    if n_different < 2:
        raise ValueError("the target has a single value in the held-out rows: nothing to predict")
    if is_number:
        return "R2"
    return "AUC" if n_different == 2 else "accuracy"


def _scored(
    training: tuple[NDArray[np.float64], NDArray[np.float64]],
    held_out: tuple[NDArray[np.float64], NDArray[np.float64]],
    score: str,
    is_category: Sequence[bool],
) -> float:
    """Train on some rows, and score the predictions of others."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.metrics import r2_score, roc_auc_score

    (x, y), (new_x, new_y) = training, held_out
    if len(np.unique(y)) < 2:  # always the same prediction
        if score == "AUC":
            return 0.5
        only = np.full(len(new_y), y[0] if len(y) else np.nan)
        return float(np.mean(only == new_y)) if score == "accuracy" else 0.0
    settings = {"categorical_features": is_category, "early_stopping": False, "random_state": 0}
    if score == "R2":
        model = HistGradientBoostingRegressor(**settings).fit(x, y)
        return float(r2_score(new_y, model.predict(new_x)))
    model = HistGradientBoostingClassifier(**settings).fit(x, y)
    if score == "accuracy":
        return float(np.mean(model.predict(new_x) == new_y))
    place = np.flatnonzero(model.classes_ == new_y.max())
    likely = model.predict_proba(new_x)[:, place[0]] if len(place) else np.zeros(len(new_y))
    return float(roc_auc_score(new_y == new_y.max(), likely))
