"""The independence tests are wrong as often as they say, in full tables and in sparse ones."""

import numpy as np
import pandas as pd
import pytest

from bnsieve.counts import count
from bnsieve.decide import ci_tests
from bnsieve.table import Table

N_TABLES = 400
# Rows, categories of x and y, categories of what is given.
CASES = [
    (200, 2, ()),
    (200, 2, (2, 4, 10)),
    (200, 10, (4,)),
    (200, 50, ()),
    (1_000, 4, (2, 10)),
    (1_000, 50, (2, 4, 10)),
]


def drawn(n_rows, n_categories, given, rng, share=0.0):
    """x and y depend on what is given, and on each other only in a share of the rows."""

    def column(n, shifts):
        odds = np.log(rng.dirichlet(np.full(n, rng.choice([0.3, 1.0, 10.0]))) + 1e-12)
        push = sum((rng.normal(0, 0.5, (max(z) + 1, n))[z] for z in shifts), np.zeros((n_rows, n)))
        return np.argmax(odds + push + rng.gumbel(size=(n_rows, n)), axis=1)

    conditions = [column(n, []) for n in given]
    x, y = column(n_categories, conditions), column(n_categories, conditions)
    y = np.where(rng.random(n_rows) < share, x, y)
    names = [*(f"z{i}" for i in range(len(given))), "x", "y"]
    return Table.from_data(pd.DataFrame(dict(zip(names, [*conditions, x, y], strict=True))))


def p_values(case, method, share=0.0):
    rng = np.random.default_rng([case[0], case[1], len(case[2])])
    tables = (drawn(*case, rng, share) for _ in range(N_TABLES))
    counted = (count(table, range(table.n_variables)) for table in tables)
    return np.array([ci_tests.METHODS[method](one, 0.05).p_value for one in counted])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_default_test_is_calibrated(case):
    told = p_values(case, "auto")
    told = told[~np.isnan(told)]
    assert len(told) > N_TABLES / 4
    # Four hundred tables leave a deviation of one percent.
    assert 0.01 <= (told < 0.05).mean() <= 0.085
    assert (told < 0.5).mean() == pytest.approx(0.5, abs=0.15)


@pytest.mark.slow
def test_the_textbook_test_is_not_calibrated_in_sparse_tables():
    assert (p_values((1_000, 50, (2, 4, 10)), "chi2") < 0.05).mean() > 0.5


def test_in_full_tables_the_default_has_the_textbooks_power():
    case = (1_000, 4, ())
    default, textbook = (
        (p_values(case, method, share=2 / 1_000**0.5) < 0.05).mean() for method in ("auto", "chi2")
    )
    assert default >= textbook - 0.01
    assert default > 0.5
