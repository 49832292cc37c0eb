"""Missing values that are informative: Cramer's V by SciPy, and only what is no chance."""

import numpy as np
import pytest
from scipy.stats.contingency import association

from bnsieve.table.prepare.planning import associated_with_missing


def columns(strength, n=2_000, seed=0):
    """Blanks, and a column that they are associated with, by some V."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, n)
    missing = np.where(rng.random(n) < strength, codes == 1, rng.random(n) < 0.5)
    table = [[np.sum((codes == c) & (missing == m)) for m in (False, True)] for c in (0, 1)]
    return missing, codes, association(np.array(table), method="cramer")


def test_the_column_that_is_told_most_about():
    missing, strong, v = columns(0.6)
    weak = np.where(np.random.default_rng(1).random(2_000) < 0.5, strong, 1 - strong // 2)
    assert v > 0.5
    noise = np.random.default_rng(2).integers(0, 5, 2_000)
    others = {"noise": noise, "weak": weak, "strong": strong}
    assert associated_with_missing(missing, others) == "strong"
    assert associated_with_missing(missing, {"noise": noise}) is None
    assert associated_with_missing(missing, {}) is None


@pytest.mark.parametrize(("strength", "told"), [(0.05, False), (0.15, True)])
def test_what_is_sure_may_still_be_of_no_use(strength, told):
    # In 50,000 rows both are beyond chance; one V is below a tenth, the other above.
    missing, codes, v = columns(strength, n=50_000)
    assert (v > 0.1) == told
    assert (associated_with_missing(missing, {"c": codes}) == "c") == told
    assert (
        associated_with_missing(missing, {"c": codes}, is_tick=True) == "c"
    )  # a tick can tell no more


def test_chance_is_shared_by_the_columns_that_are_looked_at():
    missing, codes, v = columns(0.27, n=400, seed=5)
    p = np.exp(-0.5 * 400 * v**2)  # about the tail of chi-square with one degree
    assert 1e-9 < p < 1e-5
    others = {"c": codes}
    assert associated_with_missing(missing, others) == "c"
    constant = {f"k{i}": np.zeros(400, dtype=np.int64) for i in range(100_000)}
    assert associated_with_missing(missing, others | constant) is None


def test_missing_cells_of_the_other_column_count_for_nothing():
    missing, codes, _ = columns(0.8)
    hidden = np.where(np.arange(2_000) < 1_000, -1, codes)
    assert associated_with_missing(missing, {"c": hidden}) == "c"
    assert associated_with_missing(missing, {"c": np.full(2_000, -1)}) is None
    # Blank only where the other is missing too: nothing can be told.
    assert associated_with_missing(hidden < 0, {"c": hidden}) is None
    assert associated_with_missing(np.ones(2_000, dtype=bool), {"c": codes}) is None


def test_codes_that_no_row_has_cost_no_degrees_of_freedom():
    missing, codes, _ = columns(0.6)
    assert associated_with_missing(missing, {"c": 500 * codes}) == "c"


@pytest.mark.parametrize(("more", "told"), [(17, None), (18, "c")])
def test_chance_is_that_of_a_table_of_two_by_two(more, told):
    # Statistics 23.1 and 25.9 with one degree of freedom: chances of 1.5 and 0.4 in a million.
    codes = np.repeat([0, 0, 1, 1], [50 + more, 50 - more, 50 - more, 50 + more])
    missing = np.repeat([True, False, True, False], [50 + more, 50 - more, 50 - more, 50 + more])
    assert associated_with_missing(missing, {"c": codes}) == told
