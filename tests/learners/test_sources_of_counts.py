"""Sources of counts of the user's own: what a learner cannot do with them, and what it checks."""

import pytest

import bnsieve as bn
from bnsieve.counts import TableRows
from bnsieve.rows import SqlTable
from bnsieve.table import Table

ASIA = bn.load_network("asia").sample(1_000, random_state=0)
SETTINGS = {"random_state": 0}


class Dictionary:
    """A source of counts that has just what the protocol asks."""

    def __init__(self, n_rows=1_000, n_tables=None):
        self.counted, self.n_rows, self.n_tables = (
            TableRows(Table.from_data(ASIA)),
            n_rows,
            n_tables,
        )
        self.categories, self.trimmed = self.counted.categories, {}

    def sample(self):
        return self.counted.sample()

    def larger_sample(self, names):
        return self.counted.larger_sample(names)

    def joint_counts(self, families, *, trim=False):
        return self.counted.joint_counts(families, trim=trim)[: self.n_tables]


@pytest.fixture
def source():
    return Dictionary()


def test_counts_are_learned_from_as_the_rows_are(source):
    expected = bn.TsetlinSieve(**SETTINGS).fit(ASIA)
    for prepare in ("auto", None):
        learner = bn.TsetlinSieve(**SETTINGS, prepare=prepare).fit(source)
        assert learner.graph_ == expected.graph_


@pytest.mark.parametrize(
    "settings",
    [
        {"by": "lung"},
        {"time": "lung"},
        {"key": "nope"},
        {"prepare": bn.Discretizer()},
        {"prepare": bn.prepare(ASIA)},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_settings_about_rows_are_refused(source, settings):
    message = "^Dictionary gives counts, not rows .*: leave out prepare=, time=, by= and key=$"
    with pytest.raises(ValueError, match=message):
        bn.TsetlinSieve(**SETTINGS, **settings).fit(source)


@pytest.mark.parametrize("prepare", [None, bn.Discretizer(), bn.prepare(ASIA)], ids=repr)
def test_rows_in_a_database_are_not_prepared(prepare):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("asia", ASIA.astype(str))
        table = SqlTable(connection, "select * from asia")
        bn.TsetlinSieve(**SETTINGS).fit(table)
        with pytest.raises(ValueError, match=r"are prepared there: leave out prepare=, and prepa"):
            bn.TsetlinSieve(**SETTINGS, prepare=prepare).fit(table)


@pytest.mark.parametrize("n_rows", [999, 1_001])
def test_counts_that_do_not_sum_to_the_rows_are_refused(n_rows):
    source = Dictionary(n_rows)
    message = rf"^Dictionary.joint_counts returned .* sum to 1,000, but n_rows is {n_rows:,}: count"
    with pytest.raises(ValueError, match=message) as refused:
        bn.TsetlinSieve(**SETTINGS).fit(source)
    assert any(repr(name) in str(refused.value) for name in ASIA)
    graph = bn.load_network("asia").graph
    with pytest.raises(ValueError, match=message):
        bn.fit_parameters(graph, source)


def test_a_table_for_each_family():
    with pytest.raises(
        ValueError, match=r"Dictionary.joint_counts returned 7 tables for 8 families"
    ):
        bn.fit_parameters(bn.load_network("asia").graph, Dictionary(n_tables=7))
