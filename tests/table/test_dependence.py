"""Rows that depend on each other are found, and sorted tables of independent rows are not."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.rows import dependent_rows, open_data
from bnsieve.table import RowDependence


def found_in(frame: pd.DataFrame) -> RowDependence | None:
    with open_data(frame) as data:
        return dependent_rows(data, bn.prepare(frame))


def series(rng, n_rows, n_series, memory):
    x = rng.normal(size=(n_rows, n_series))
    for t in range(1, n_rows):
        x[t] += memory * x[t - 1]
    return pd.DataFrame(x, columns=[f"v{i}" for i in range(n_series)])


def panel(rng, n_entities, n_steps, memory=0.9):
    frame = pd.concat([series(rng, n_steps, 5, memory) for _ in range(n_entities)])
    frame.insert(0, "day", np.tile(np.arange(n_steps), n_entities))
    frame.insert(0, "machine", np.repeat([f"M{e:04}" for e in range(n_entities)], n_steps))
    return frame.reset_index(drop=True)


def categories(rng, n_rows, n_columns=8):
    """Return a chain of categories, each row drawn on its own."""
    x = rng.integers(0, 3, (n_rows, n_columns))
    for j in range(1, n_columns):
        same = rng.random(n_rows) < 0.6
        x[same, j] = x[same, j - 1]
    return pd.DataFrame(x, columns=[f"c{j}" for j in range(n_columns)]).astype(str)


def test_eight_independent_sensors_that_remember_are_found():
    found = found_in(series(np.random.default_rng(0), 8_640, 8, 0.999))
    assert found is not None
    assert found.kind == "successive"
    assert len(found.columns) == 8
    assert min(found.columns.values()) > 0.9


def test_the_correlation_told_is_that_of_the_process():
    found = found_in(series(np.random.default_rng(1), 10_000, 6, 0.7))
    assert found is not None
    assert max(found.columns.values()) == pytest.approx(0.7, abs=0.05)


def test_chains_that_cycle_are_found():
    """A state is followed by another one, and never by itself."""
    rng = np.random.default_rng(2)
    steps = np.where(rng.random((2_000, 4)) < 0.8, 1, 2)
    frame = pd.DataFrame(np.cumsum(steps, axis=0) % 3, columns=list("abcd")).astype(str)
    found = found_in(frame)
    assert found is not None
    assert found.kind == "successive"


@pytest.mark.parametrize("seed", range(5))
def test_independent_categories_sorted_by_any_column_are_not(seed):
    frame = categories(np.random.default_rng(seed), 1_000)
    assert found_in(frame) is None
    for name in frame:
        ordered = frame.sort_values(name, kind="stable")
        assert found_in(ordered) is None
        assert found_in(ordered.drop(columns=name)) is None


@pytest.mark.parametrize("seed", range(5))
def test_independent_numbers_sorted_by_a_cause_are_not(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=2_000)
    frame = pd.DataFrame({f"y{j}": x + 0.05 * rng.normal(size=2_000) for j in range(6)})
    frame["x"] = x
    ordered = frame.sort_values("x")
    assert found_in(ordered) is None
    assert found_in(ordered.drop(columns="x")) is None


def test_a_table_sorted_by_a_factor_is_not():
    """Rows of one site are alike, but sites are drawn like any other column."""
    rng = np.random.default_rng(3)
    site = np.sort(rng.integers(0, 12, 3_000))
    level = rng.normal(size=(12, 5))[site]
    frame = pd.DataFrame(level + rng.normal(size=(3_000, 5)), columns=list("abcde"))
    frame["site"] = pd.Categorical([f"site {s}" for s in site])
    assert found_in(frame) is None
    assert found_in(frame.drop(columns="site")) is None


@pytest.mark.parametrize("n_groups", [60, 150])
@pytest.mark.parametrize("seed", range(3))
def test_categories_that_are_equally_frequent_are_not(seed, n_groups):
    """Two columns depend on the store, and all others on these two."""
    rng = np.random.default_rng(seed)
    store = rng.permutation(np.arange(1_500) % n_groups)
    x = rng.normal(size=(1_500, 6))
    x[:, :2] += rng.normal(size=(n_groups, 2))[store]
    for j in range(2, 6):
        x[:, j] += x[:, j - 1] + x[:, j - 2]
    frame = pd.DataFrame(x, columns=list("abcdef"))
    frame["store"] = [f"S{s:03}" for s in store]
    frame["region"] = frame["store"].str[1:].astype(int) % 4
    frame["region"] = frame["region"].map(dict(enumerate("nesw")))
    assert found_in(frame) is None
    assert found_in(frame.sort_values("store").reset_index(drop=True)) is None


def test_bands_of_a_number_are_not():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2_000)
    frame = pd.DataFrame({f"y{j}": x**2 + 0.5 * rng.normal(size=2_000) for j in range(4)})
    frame["x"] = x
    frame["band"] = pd.qcut(x, 80, labels=[f"band {i}" for i in range(80)]).astype(str)
    assert found_in(frame) is None


@pytest.mark.parametrize("n_columns", [2, 6])
def test_entities_of_equal_size_are_found_by_levels_of_their_own(n_columns):
    """No name and no time says that schools are entities: each has its own level everywhere."""
    rng = np.random.default_rng(1)
    school = rng.permutation(np.arange(2_000) % 200)
    x = rng.normal(size=(2_000, n_columns))
    x += rng.normal(size=(200, n_columns))[school]
    x[:, 1] += x[:, 0]
    frame = pd.DataFrame(x, columns=list("abcdef")[:n_columns])
    frame["school"] = [f"S{s:03}" for s in school]
    frame["founder"] = rng.choice(["state", "church"], 200)[school]
    found = found_in(frame)
    assert found is not None
    assert (found.kind, found.by) == ("entity", "school")


@pytest.mark.parametrize("order", ["entity", "time", "chance"])
def test_short_panels_are_found_in_any_order(order):
    rng = np.random.default_rng(4)
    frame = panel(rng, 400, 5)
    if order == "time":
        frame = frame.sort_values(["day", "machine"])
    elif order == "chance":
        frame = frame.iloc[rng.permutation(len(frame))]
    found = found_in(frame.reset_index(drop=True))
    assert found is not None
    assert (found.kind, found.time, found.by) == ("entity", "day", "machine")


def test_long_series_of_few_machines_are_found_shuffled():
    rng = np.random.default_rng(5)
    frame = panel(rng, 4, 600)
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(frame["day"], "D")
    found = found_in(frame.iloc[rng.permutation(len(frame))].reset_index(drop=True))
    assert found is not None
    assert (found.time, found.by) == ("day", "machine")


def test_levels_of_patients_without_a_time_are_found():
    rng = np.random.default_rng(6)
    patient = rng.integers(0, 300, 2_000)
    frame = pd.DataFrame(
        rng.normal(size=(300, 6))[patient] + rng.normal(size=(2_000, 6)), columns=list("abcdef")
    )
    frame["patient_id"] = [f"P{p:03}" for p in patient]
    found = found_in(frame)
    assert found is not None
    assert (found.kind, found.time, found.by) == ("entity", None, "patient_id")
    # The variance of the level is half of the variance of a cell.
    assert found.overall == pytest.approx(0.5, abs=0.05)


def test_repeated_identifiers_without_an_effect_are_not():
    rng = np.random.default_rng(7)
    frame = categories(rng, 2_000)
    frame["patient_id"] = np.repeat(np.arange(400), 5)
    assert found_in(frame) is None


def test_independent_rows_with_dates_and_codes_are_not():
    rng = np.random.default_rng(8)
    frame = categories(rng, 2_000)
    frame["when"] = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 365, 2_000), "D")
    frame["zip"] = rng.integers(0, 300, 2_000)
    for names in (["when"], ["zip", "when"]):
        assert found_in(frame.sort_values(names).reset_index(drop=True)) is None


def test_many_missing_values_hide_nothing():
    rng = np.random.default_rng(9)
    dependent, independent = series(rng, 3_000, 6, 0.95), categories(rng, 3_000)
    gone = rng.random((3_000, 14)) < 0.3
    assert found_in(dependent.mask(gone[:, :6])) is not None
    assert found_in(independent.mask(gone[:, 6:])) is None


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": ["x"], "b": [1.5]}),
        pd.DataFrame({"a": ["x"] * 500, "b": [2] * 500}),
        pd.DataFrame({"a": ["x", None] * 250, "b": [None] * 500}),
        pd.DataFrame({"a": [1.0, np.inf, -np.inf, np.nan] * 5, "b": list("abcd") * 5}),
        pd.DataFrame({"a": [[1], [2]] * 100, "b": ["x"] * 200}),
    ],
    ids=["one row", "constants", "empty", "not finite", "lists"],
)
def test_tables_that_say_nothing_say_nothing(frame):
    assert found_in(frame) is None


def test_advice_is_in_the_words_of_the_reader():
    found = RowDependence("entity", {"a": 0.5}, 0.5, 3, "at", "the machine")
    assert found.advice().startswith("learn again with TsetlinSieve(time='at', by='the machine')")
    assert found.advice(command_line=True).startswith(
        "learn again with --time at --by 'the machine'"
    )
    unknown = RowDependence("successive", {"a": 0.5}, 0.5, 3)
    assert "time= of TsetlinSieve" in unknown.advice()
    assert "--time" in unknown.advice(command_line=True)


@pytest.mark.parametrize("name", ["paid", "acid", "PAID", "grid", "covid"])
def test_a_word_that_ends_like_an_identifier_is_no_entity(name):
    rng = np.random.default_rng(0)
    size = rng.integers(0, 3, 600)
    frame = pd.DataFrame(
        {
            name: 10 * size + rng.integers(0, 10, 600),
            "size": np.array(["low", "medium", "high"])[size],
            "other": rng.choice(list("ab"), 600),
        }
    )
    assert found_in(frame) is None
    frame[name] = frame[name].map("k{}".format)
    assert found_in(frame) is None


@pytest.mark.parametrize("name", ["patientId", "patientid", "PATIENT_ID", "user-id", "caseID"])
def test_names_of_entities_are_recognised(name):
    rng = np.random.default_rng(0)
    whose = rng.permutation(np.repeat(np.arange(60), 10))
    levels = rng.normal(size=(60, 4))
    frame = pd.DataFrame(levels[whose] + rng.normal(size=(600, 4)), columns=list("abcd"))
    frame[name] = [f"P{one:03}" for one in whose]
    found = found_in(frame)
    assert found is not None
    assert (found.kind, found.by) == ("entity", name)


def test_fractions_are_no_entities():
    """Their name says so, but no entity is numbered 12.4."""
    rng = np.random.default_rng(0)
    size = rng.integers(0, 3, 600)
    amount = np.round(10 * size + 8 * rng.random(600), 1)
    frame = pd.DataFrame({"unit": amount, "size": np.array(list("lmh"))[size]})
    frame["other"] = rng.choice(list("ab"), 600)
    assert found_in(frame) is None
