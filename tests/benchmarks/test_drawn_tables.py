"""The twelve tables are what they say: the truth shows in their cells, and files hold these."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

from benchmarks.tables.catalogue import PIECE_ROWS, TABLES, complete, truth_of
from benchmarks.tables.drawn.hospital import TIERS
from benchmarks.tables.make import file_of
from benchmarks.tables.sheet import GONE
from bnsieve import Graph
from real_tables import SMALLER

N_ROWS = 8_000
EACH = pytest.mark.parametrize("name", SMALLER)


def chance(one, other):
    """Return the chance of as much dependence among known cells if there is none."""
    known = (one != GONE) & (other != GONE)
    counts = pd.crosstab(one[known], other[known])
    # Levels of a few rows are not chi-squared.
    counts = counts.loc[counts.sum(axis=1) >= 60, counts.sum(axis=0) >= 60]
    return chi2_contingency(counts).pvalue if min(counts.shape) > 1 else 1.0


def chance_given(one, other, third):
    return min(
        (chance(one[third == level], other[third == level]) for level in np.unique(third)),
        default=1.0,
    )


@pytest.fixture(scope="module")
def drawn():
    # Of the tests in gaps three cells in a hundred are known.
    rows = dict.fromkeys(SMALLER, N_ROWS) | {"gaps": 10 * N_ROWS}
    tables = {name: table.prepared(rows[name], seed=5) for name, table in SMALLER.items()}
    return {name: (tables[name], truth_of(table)) for name, table in SMALLER.items()}


@EACH
def test_true_edges_show(name, drawn):
    cells, truth = drawn[name]
    hidden = []
    for tail, head in truth.edges:
        others = [parent for parent, child in truth.edges if child == head and parent != tail]
        shown = min(
            chance(cells[tail], cells[head]),
            *(chance_given(cells[tail], cells[head], cells[other]) for other in others[:4]),
            1.0,
        )
        if shown > 1e-3:
            hidden.append((tail, head))
    # Weak effects are part of real tables; most must show.
    assert len(hidden) <= 0.1 * len(truth.edges), hidden


@EACH
def test_columns_without_a_common_cause_are_independent(name, drawn):
    cells, truth = drawn[name]
    judged = [column for column in cells if column not in {*truth.judged_as, *truth.unjudged}]
    graph = Graph(judged, directed=list(truth.edges))
    apart = [pair for pair in combinations(judged, 2) if graph.d_separated(*pair, [])]
    chances = [chance(cells[a], cells[b]) for a, b in apart[:400]]
    # Of 400 independent pairs the least is below 1e-6 in one sample of 2,500.
    assert min(chances, default=1.0) > 1e-6, apart[int(np.argmin(chances))]


@EACH
def test_the_truth_has_no_circle_and_names_columns_of_the_file(name, drawn):
    _, truth = drawn[name]
    columns = set(SMALLER[name].frame(20).columns)
    assert set(truth.roles) == columns
    assert {end for edge in truth.edges for end in edge} <= columns
    assert Graph(list(columns), directed=list(truth.edges)).is_dag
    assert {"identifier", "constant"} <= set("|".join(truth.roles.values()).split("|"))


def test_no_cause_of_the_hospital_is_in_a_later_tier():
    tier = {name: number for number, names in enumerate(TIERS) for name in names}
    truth = truth_of(TABLES["hospital"])
    assert set(tier) == {end for edge in truth.edges for end in edge}
    assert all(tier[tail] <= tier[head] for tail, head in truth.edges)


@EACH
def test_both_forms_hold_the_cells_that_were_drawn(name, tmp_path):
    table = SMALLER[name]
    frame = table.frame(300)
    csv = pd.read_csv(
        file_of(table, tmp_path, 300),
        sep=table.separator,
        encoding=table.encoding,
        dtype=str,
        keep_default_na=False,
    )
    parquet = pd.read_parquet(file_of(table, tmp_path, 300, parquet=True))
    assert list(csv.columns) == list(parquet.columns) == list(frame.columns)
    for column in frame:
        missing = frame[column].isna().to_numpy()
        assert (csv[column].eq("").to_numpy() == missing).all()
        assert (parquet[column].isna().to_numpy() == missing).all()
        known = frame[column][~missing]
        if known.dtype == object:
            assert list(csv[column][~missing]) == list(known)
        assert (parquet[column][~missing] == known).all()


def test_a_longer_table_begins_with_the_pieces_of_a_shorter_one():
    table = TABLES["gaps"]
    first = next(iter(table.pieces(2 * PIECE_ROWS)))
    again = next(iter(table.pieces(PIECE_ROWS)))
    other = next(iter(table.pieces(PIECE_ROWS, seed=1)))
    assert (first.prepared["cost"] == again.prepared["cost"]).all()
    assert (first.prepared["cost"] != other.prepared["cost"]).any()


def test_the_wide_table_has_two_thousand_columns():
    assert TABLES["genetics"].frame(2).shape == (2, 2_000)


def test_most_cells_of_the_tests_in_gaps_are_missing():
    frame = TABLES["gaps"].frame(5_000)
    shares = frame[[name for name in frame if name.startswith("test_")]].isna().mean()
    assert len(shares) == 40
    assert shares.mean() == pytest.approx(0.97, abs=0.005)


def test_rows_with_gaps_are_left_out_where_half_of_the_rows_are_whole():
    few = pd.DataFrame({"a": [0, 1, GONE, 1], "b": [1, 0, 0, 1]})
    many = pd.DataFrame({"a": [GONE, 1, GONE, GONE], "b": [1, 0, 0, 1]})
    assert len(complete(few)) == 3
    assert len(complete(many)) == 4
