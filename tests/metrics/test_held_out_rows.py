import numpy as np
import pandas as pd
import pytest

from bnsieve import BayesianNetwork, Graph, metrics

NODES = Graph(["a"])


def coin(share):
    return BayesianNetwork(NODES, {"a": ["x", "y"]}, {"a": [share, 1 - share]})


ROWS = pd.DataFrame({"a": ["x", "x", "x", "y"]})


def test_means_and_errors_are_those_of_the_rows():
    result = metrics.held_out({"fair": coin(0.5), "right": coin(0.75)}, ROWS)
    right = np.log([0.75, 0.75, 0.75, 0.25])
    differences = np.log(0.5) - right
    assert result.best == "right"
    assert result["right"].difference == result["right"].difference_error == 0.0
    assert result["right"].mean == pytest.approx(right.mean())
    assert result["right"].standard_error == pytest.approx(right.std(ddof=1) / 2)
    assert result["fair"].difference == pytest.approx(differences.mean())
    assert result["fair"].difference_error == pytest.approx(differences.std(ddof=1) / 2)
    assert list(result.to_frame().index) == ["right", "fair"]
    assert result.n_rows == 4
    assert "right  -0.5623  best" in str(result)
    with pytest.raises(KeyError):
        result["other"]


def test_impossible_rows_are_counted():
    result = metrics.held_out(
        {"never y": coin(1.0), "nor here": coin(1.0), "fair": coin(0.5)}, ROWS
    )
    assert result.best == "fair"
    assert result["never y"].n_impossible == 1
    assert result["never y"].mean == result["never y"].difference == -np.inf
    assert np.isnan(result["never y"].difference_error)


def test_impossible_for_the_best_too():
    result = metrics.held_out({"never y": coin(1.0), "nor here": coin(1.0)}, ROWS)
    assert [one.difference for one in result.networks] == [0.0, 0.0]


def test_something_must_be_compared():
    with pytest.raises(ValueError, match="at least one"):
        metrics.held_out({}, ROWS)
