import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from bnsieve import FSMBPC, PC, Discretizer, HitonPC, TsetlinSieve, load
from bnsieve.learners import TsetlinPC
from bnsieve.table import Table, bin_labels, cut_points

METHODS = ["quantile", "width", "information", "supervised"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    return pd.DataFrame(
        {
            "x": x,
            "y": x + 0.5 * rng.normal(size=2000),
            "ill": np.where(x > 1.3, "yes", "no"),
            "rooms": rng.integers(1, 6, 2000),
            "age": rng.integers(18, 90, 2000),
        }
    )


def test_equal_frequency_parts_evenly():
    found = cut_points.equal_frequency(np.arange(100.0), 4)
    assert np.bincount(cut_points.binned(np.arange(100.0), found)).tolist() == [25, 25, 25, 25]


def test_equal_values_stay_together():
    values = np.array([0.0] * 70 + [1.0] * 10 + [2.0] * 20)
    found = cut_points.equal_frequency(values, 5)
    assert len(set(cut_points.binned(values, found).tolist())) == len(found) + 1
    assert cut_points.equal_frequency(np.zeros(10), 4).size == 0


def test_equal_width_is_of_equal_width():
    assert cut_points.equal_width(np.array([0.0, 2.0, 4.0, 7.0, 10.0]), 5).tolist() == [2, 4, 6, 8]
    # No bin without values: between 0 and 10 nothing lies.
    assert cut_points.equal_width(np.array([0.0, 10.0]), 5).size == 1


@settings(max_examples=100)
@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=2, max_size=40),
    st.integers(2, 8),
    st.sampled_from([cut_points.equal_frequency, cut_points.equal_width]),
)
def test_every_bin_has_values_and_cuts_ascend(values, n_bins, way):
    values = np.array(values)
    found = way(values, n_bins)
    assert len(found) < n_bins
    assert (np.diff(found) > 0).all()
    assert len(np.unique(cut_points.binned(values, found))) == len(found) + 1


def test_cuts_have_no_more_digits_than_they_need():
    values = np.array([1.4873, 1.4901, 1.5121, 1.5306])
    assert cut_points.equal_frequency(values, 2).tolist() == [1.5]


def test_supervised_cuts_are_where_another_column_changes(frame):
    found = Discretizer().fit(frame[["x", "ill"]]).bin_edges_["x"]
    assert np.abs(found - 1.3).min() < 0.15
    assert len(found) < 4


def test_information_is_kept_where_it_is(frame):
    found = Discretizer(method="information", n_bins=2).fit(frame[["x", "ill"]]).bin_edges_["x"]
    assert found.size == 1
    assert abs(found[0] - 1.3) < 0.15


def test_columns_that_tell_nothing_are_still_cut():
    rng = np.random.default_rng(1)
    alone = pd.DataFrame({"x": rng.normal(size=500), "same": "a"})
    for method in METHODS:
        found = Discretizer(method=method, n_bins=4).fit(alone).bin_edges_["x"]
        assert 1 <= len(found) <= 3
    even = Discretizer(method="information", n_bins=4).fit_transform(alone)["x"]
    assert even.value_counts(normalize=True).between(0.15, 0.45).all()


@pytest.mark.parametrize("method", METHODS)
def test_numbers_become_ordered_labels_that_are_true(frame, method):
    discretizer = Discretizer(method=method, n_bins=3).fit(frame)
    result = discretizer.transform(frame)
    assert set(discretizer.bin_edges_) == {"x", "y", "age"}
    assert (result["rooms"] == frame["rooms"]).all()
    assert (result["ill"] == frame["ill"]).all()
    assert Table.from_data(result).n_variables == 5
    for name, own in discretizer.bin_edges_.items():
        labels = discretizer.categories_[name]
        assert result[name].cat.ordered
        assert tuple(result[name].cat.categories) == labels
        assert len(own) + 1 == len(labels) <= 3
        assert labels[0].startswith("< ")
        assert labels[-1].startswith(">= ")
        low = frame[name][result[name] == labels[0]]
        assert low.max() < own[0] == float(labels[0][2:])
        assert frame[name][result[name] == labels[-1]].min() >= own[-1]
    if len(discretizer.bin_edges_["age"]) == 2:
        assert discretizer.categories_["age"][1].startswith("[")


def test_missing_cells_stay_missing_and_new_numbers_fall_into_the_outer_bins(frame):
    holes = frame.assign(x=frame["x"].where(frame["x"] > -1))
    discretizer = Discretizer(n_bins=3).fit(holes)
    result = discretizer.transform(holes)
    assert (result["x"].isna() == holes["x"].isna()).all()
    new = holes.iloc[:2].assign(x=[-99.0, 99.0])
    labels = discretizer.categories_["x"]
    assert discretizer.transform(new)["x"].tolist() == [labels[0], labels[-1]]


def test_frames_of_others_give_the_same_labels(frame):
    expected = Discretizer().fit_transform(frame)
    as_polars = Discretizer().fit_transform(pl.from_pandas(frame))
    as_arrow = Discretizer().fit_transform(pa.Table.from_pandas(frame))
    for name in frame:
        assert as_polars[name].cast(pl.String).to_list() == expected[name].astype(str).tolist()
        assert list(map(str, as_arrow[name].to_pylist())) == expected[name].astype(str).tolist()
    assert Table.from_data(as_polars).categories[0] == tuple(expected["x"].cat.categories)
    assert (
        Table.from_data(as_arrow).n_categories.tolist()
        == Table.from_data(as_polars).n_categories.tolist()
    )


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_few_whole_numbers_become_integer_labels(kind):
    data = kind({"n": [1.0, 2.0, None, 1.0], "z": ["a", "b", "a", "b"]})
    discretizer = Discretizer().fit(data)
    assert discretizer.whole_ == ("n",)
    table = Table.from_data(discretizer.transform(data))
    assert table.categories[0] == (1, 2)
    assert table.missing[0].tolist() == [False, False, True, False]


def test_missing_cells_of_polars_and_arrow_are_kept():
    values = [0.5, None, 1.5, 2.5] * 10
    for data in (pl.DataFrame({"v": values}), pa.table({"v": values})):
        result = Discretizer(method="quantile", n_bins=3).fit_transform(data)
        assert Table.from_data(result).missing[0].sum() == 10


def test_arrays_and_objects_of_numbers():
    rng = np.random.default_rng(0)
    result = Discretizer().fit_transform(rng.normal(size=(100, 2)))
    assert list(result.columns) == ["x0", "x1"]
    objects = pd.DataFrame({3: pd.Series(rng.normal(size=50), dtype=object)})
    assert list(Discretizer().fit(objects).bin_edges_) == ["3"]
    with pytest.raises(ValueError, match="3 dimensions"):
        Discretizer().fit(np.zeros((2, 2, 2)))


def test_bins_may_differ_by_column(frame):
    discretizer = Discretizer(method="quantile", n_bins={"x": 2}).fit(frame)
    assert len(discretizer.categories_["x"]) == 2
    assert len(discretizer.categories_["y"]) == 5


def test_a_constant_number_has_one_label():
    result = Discretizer(method="width").fit_transform(pd.DataFrame({"v": [1.5, 1.5]}))
    assert result["v"].tolist() == ["any", "any"]
    assert Discretizer().fit(pd.DataFrame({"v": [1.5, 1.5]})).bin_edges_["v"].size == 0


@pytest.mark.parametrize(
    ("arguments", "data", "message"),
    [
        ({"method": "best"}, {"v": [0.5]}, "method must be one of .* got 'best'"),
        ({"n_bins": 1}, {"v": [0.5, 1.5]}, "at least 2, got 1 for column 'v'"),
        ({}, {"v": [0.5, np.inf]}, "column 'v' holds infinite numbers"),
    ],
)
def test_what_cannot_be_cut_is_named(arguments, data, message):
    with pytest.raises(ValueError, match=message):
        Discretizer(**arguments).fit(pd.DataFrame(data))


def test_later_data_must_fit(frame):
    discretizer = Discretizer(method="quantile").fit(frame)
    with pytest.raises(ValueError, match="lacks the column 'x', which was binned in fit"):
        discretizer.transform(frame[["y", "age"]])
    with pytest.raises(TypeError, match="column 'x' held numbers in fit, but is now of type"):
        discretizer.transform(frame.assign(x="high"))
    with pytest.raises(NotFittedError):
        Discretizer().transform(frame)
    assert clone(discretizer).get_params() == discretizer.get_params()


def test_many_rows_are_thinned(frame):
    many = pd.concat([frame] * 40, ignore_index=True)
    few, all_rows = Discretizer().fit(frame), Discretizer().fit(many)
    assert np.abs(all_rows.bin_edges_["x"] - 1.3).min() < 0.15
    assert set(few.bin_edges_) == set(all_rows.bin_edges_)


def test_the_picture_shows_every_column_that_was_cut(frame):
    figure = Discretizer(n_bins=3).fit(frame).plot_bins()
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert [title.split(":")[0] for title in titles] == ["x", "y", "age"]
    nothing = Discretizer().fit(frame[["ill"]]).plot_bins()
    assert not [axes.get_title() for axes in nothing.axes if axes.get_title()]


def test_the_picture_says_what_to_install(frame, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"bnsieve\[plot\]"):
        Discretizer(method="width").fit(frame).plot_bins()


@pytest.mark.parametrize(
    "learner",
    [PC(), HitonPC(), FSMBPC(), TsetlinPC(random_state=0), TsetlinSieve(random_state=0)],
    ids=lambda learner: type(learner).__name__,
)
def test_every_learner_says_what_to_do_and_does_it_if_asked(frame, learner):
    with pytest.raises(TypeError, match=r"column 'x' .* prepare at 'auto'"):
        clone(learner).set_params(prepare=None).fit(frame)
    learner = clone(learner).set_params(prepare=Discretizer()).fit(frame)
    assert set(learner.preparation_.bin_edges) == {"x", "y", "age"}
    assert "y" in learner.graph_.adjacent("x")
    assert learner.network_.states["x"] == bin_labels(learner.preparation_.bin_edges["x"])
    rows = learner.preparation_.apply(frame.iloc[:3])
    assert np.isfinite(learner.network_.log_likelihood(rows)).all()


def test_learners_take_a_discretizer(frame):
    own = Discretizer(method="quantile", n_bins=2)
    learner = PC(prepare=own).fit(frame)
    assert not hasattr(own, "bin_edges_")
    assert len(learner.preparation_.bin_edges["x"]) == 1
    assert PC(prepare=Discretizer()).fit(frame[["ill", "rooms"]]).preparation_.bin_edges == {}
    table = Table.from_data(frame[["ill"]])
    assert PC(prepare=Discretizer()).fit(table).preparation_ is None
    message = "must be 'auto', a Preparation, a Discretizer or None; got 'yes'"
    with pytest.raises(ValueError, match=message):
        PC(prepare="yes").fit(frame)
    strengths = learner.bootstrap(3, random_state=0)
    assert strengths.of("x", "y")[0] == 1.0


def test_saved_learners_keep_what_binned_their_numbers(frame, tmp_path):
    learner = PC(prepare=Discretizer(n_bins={"x": 3})).fit(frame)
    learner.save(tmp_path / "learner")
    loaded = load(tmp_path / "learner")
    assert loaded.prepare.get_params() == learner.prepare.get_params()
    assert loaded.preparation_ == learner.preparation_


def test_whole_numbers_too_large_to_be_exact_are_cut():
    values = np.repeat([1e25, 2e25, 3e25], 20)
    discretizer = Discretizer(method="quantile").fit(pd.DataFrame({"v": values}))
    assert discretizer.whole_ == ()
    assert len(discretizer.categories_["v"]) == 3


@pytest.mark.parametrize("values", [[1e25] * 9, [0.5] * 9, [1e25, np.nextafter(1e25, np.inf)] * 9])
def test_numbers_too_close_for_bars_are_drawn_as_one(values):
    discretizer = Discretizer(method="width").fit(pd.DataFrame({"v": values}))
    counts, edges = discretizer._histograms["v"]
    assert counts.tolist() == [len(values)]
    assert edges[0] <= min(values) <= max(values) < edges[1]
    discretizer.plot_bins()
