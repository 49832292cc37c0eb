"""The quality of a learner's synthetic rows, and their distance from the training rows.

In: a learner, held-out rows of its table, and optionally the training rows. Out: a
`SyntheticEvaluation`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from bnsieve.engine import RandomState, one_thread_each, seed_of
from bnsieve.learners.synthesizing import synthesizer_of
from bnsieve.rows import open_data
from bnsieve.synthesize import (
    Disclosure,
    Fidelity,
    Synthesizer,
    disclosure_of,
    fidelity_of,
    to_frame,
)
from bnsieve.table.prepare import Preparation, require_known
from bnsieve.text import counted, listed

# Rows that are compared; of more, so many are drawn. Of distances each row has one to all others.
_MOST_ROWS, _MOST_NEIGHBOURS = 20_000, 2_000
_FEWEST_ROWS = 20


@dataclass(frozen=True)
class SyntheticEvaluation:
    """How similar synthetic rows are to held-out rows, and how near to the training rows.

    Attributes
    ----------
    fidelity : Fidelity
        How close the synthetic rows are to held-out rows.
    disclosure : Disclosure or None
        How near synthetic rows are to training rows; None if these were not passed.
    """

    fidelity: Fidelity
    disclosure: Disclosure | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "fidelity": self.fidelity.to_dict(),
            "disclosure": None if self.disclosure is None else self.disclosure.to_dict(),
        }

    def __str__(self) -> str:
        parts = [self.fidelity, *filter(None, [self.disclosure])]
        return "\n\n".join(map(str, parts))


def evaluate_synthetic(
    learner: Any,
    held_out: Any,
    training: Any = None,
    *,
    target: str | None = None,
    random_state: RandomState = None,
) -> SyntheticEvaluation:
    """Compare synthetic rows, and real rows, with held-out rows of the table.

    Fidelity is the mean total variation distance from held-out rows, for margins, pairs and triples
    of variables. It is computed for synthetic rows, and for as many real rows, which show the best
    possible value. Numbers are compared in ten bins. With a target, gradient boosting is trained on
    the synthetic rows and on the real rows to predict it in the held-out rows. The real rows are
    drawn from `training`. Without it, one half of the held-out rows is compared with the other.

    With `training`, the result also counts synthetic rows that are copies of training rows, and
    rows that are nearer to training rows than to held-out rows. This finds memorised rows. It is
    not a privacy guarantee.

    Parameters
    ----------
    held_out : table, path or iterator
        Rows of the same table that are not among the training rows, in any form that `fit` accepts.
    training : table, path or iterator, optional
        The training rows.
    target : str, optional
        A variable to predict.
    random_state : int, RandomState, Generator or None, default None
        Seed of the synthetic rows and of all other random draws.

    Returns
    -------
    SyntheticEvaluation

    Raises
    ------
    ValueError
        If the learner cannot synthesize (see `synthesize`), or if there are too few rows or they
        are from another table.
    """
    with one_thread_each():
        synthesizer = synthesizer_of(learner)
        seed = seed_of(random_state)
        rng = np.random.default_rng(seed)
        plan: Preparation = learner.fit_result_.preparation
        others = _some(_frame(plan, held_out, "held_out"), _MOST_ROWS, rng)
        if training is None:
            half = len(others) // 2
            real, others = others.iloc[:half], others.iloc[half:]
            rows_learned = None
        else:
            rows_learned = _frame(plan, training, "training")
            real = _some(rows_learned, len(others), rng)
        made = _made(synthesizer, len(real), seed)
        plan = _common(plan, synthesizer, [others, real])
        synthetic, real_rows, other_rows = (_variables(plan, one) for one in (made, real, others))
        numbers = {output.name for output in plan.outputs if output.is_number}
        if target is not None:
            require_known([target], [output.name for output in plan.outputs], "variable")
        found = fidelity_of(synthetic, real_rows, other_rows, numbers, target, rng)
        if rows_learned is None:
            return SyntheticEvaluation(found)
        n = min(len(rows_learned), len(others), _MOST_NEIGHBOURS)
        near = disclosure_of(
            synthetic.head(_MOST_NEIGHBOURS), real_rows.head(n), other_rows.head(n), numbers
        )
        return SyntheticEvaluation(found, near)


def _frame(plan: Preparation, rows: Any, what: str) -> pd.DataFrame:
    """Return rows from anywhere as a frame."""
    with open_data(rows, plan.missing_texts) as data:
        frame = data.to_frame()
    if len(frame) < _FEWEST_ROWS:
        raise ValueError(
            f"{what} has {counted(len(frame), 'row')}, too few to compare distributions: pass "
            f"{_FEWEST_ROWS} or more"
        )
    return frame


def _some(frame: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return rows in random order, so many at most."""
    return frame.iloc[rng.permutation(len(frame))[:n]].reset_index(drop=True)


def _made(synthesizer: Synthesizer, n: int, seed: int) -> pd.DataFrame:
    """Return synthetic rows, whose rare categories are those of the table."""
    pieces = list(synthesizer.tables(n, {}, seed, "drawn"))
    return to_frame(pa.concat_tables(pieces), synthesizer.record.columns)


def _common(plan: Preparation, synthesizer: Synthesizer, frames: list[pd.DataFrame]) -> Preparation:
    """Return the plan for columns of which there are values in all rows."""
    made = [name for name in plan.needed if name not in synthesizer.left_out]
    absent = [name for name in made if any(name not in one for one in frames)]
    if absent:
        raise ValueError(
            f"the rows lack {listed(map(repr, absent))}: pass rows with the columns of the "
            "training rows"
        )
    if not made:
        raise ValueError("synthetic rows have no column: there is nothing to compare")
    return plan.among(made)


def _variables(plan: Preparation, frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows as variables: categories as they were grouped, numbers as numbers."""
    categories = plan.apply(frame)
    numbers = plan.numbers(frame)
    columns = {
        output.name: numbers.get(output.name, categories[output.name].to_numpy(dtype=object))
        for output in plan.outputs
    }
    return pd.DataFrame(columns)
