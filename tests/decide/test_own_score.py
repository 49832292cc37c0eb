"""A score of the user's own: the same sets, values and gains as the built-in score it repeats."""

import numpy as np
import pytest

import bnsieve as bn
from bnsieve.decide import CountScorer, OwnScorer, Score
from bnsieve.knowledge import Constraints, Knowledge
from bnsieve.table import Table


class Bic:
    """The Bayesian information criterion over the configurations that occur."""

    def score(self, counts, n_configurations):
        rows = counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = np.nansum(counts * np.log(counts / rows))
        return fit - np.log(counts.sum()) / 2 * len(counts) * (counts.shape[1] - 1)


class PossibleBic(Bic):
    """The same, over all configurations that could occur."""

    def score(self, counts, n_configurations):
        cost = np.log(counts.sum()) / 2 * (counts.shape[1] - 1)
        return super().score(counts, n_configurations) + cost * (len(counts) - n_configurations)


DATA = bn.load_network("child").sample(600, random_state=5)
COMPLETE = Table.from_data(DATA)
WITH_GAPS = Table.from_data(
    DATA.mask(np.random.default_rng(0).random(DATA.shape) < 0.1).assign(Age=DATA["Age"])
)
NO_KNOWLEDGE = Constraints.none(COMPLETE.n_variables)
KNOWLEDGE = Knowledge.from_dict(
    {"required": [["Disease", "LungFlow"]], "forbidden": [["Sick", "LungFlow"]]}
).resolve(COMPLETE.names)
CASES = [
    (COMPLETE, NO_KNOWLEDGE),
    (WITH_GAPS, NO_KNOWLEDGE),
    (COMPLETE, KNOWLEDGE),
    (WITH_GAPS, KNOWLEDGE),
]


def scorers(table, constraints, own=Bic, **score):
    built_in = CountScorer(table, Score("bic", **score), constraints, 4)
    return built_in, OwnScorer(table, Score(parent_cost=0.0), constraints, 4, own=own())


@pytest.mark.parametrize(("table", "constraints"), CASES[:3])
def test_sets_and_values_are_those_of_the_built_in_score(table, constraints):
    built_in, own = scorers(table, constraints)
    target = table.names.index("LungFlow")
    others = [v for v in range(table.n_variables) if constraints.allowed[v, target] and v != target]
    candidates = tuple(sorted({*others[:9], *constraints.required_parents(target)}))
    for centre in ((), candidates[2:5]):
        expected = built_in.score_sets(target, candidates, centre, None)
        found = own.score_sets(target, candidates, centre, None)
        assert found.candidates == expected.candidates
        assert len(expected.masks) >= 2
        both = dict(zip(found.masks.tolist(), found.scores, strict=True))
        # Larger sets are grown from the best: where two are as good, either may be.
        assert both.keys() == set(expected.masks.tolist())
        assert [both[mask] for mask in expected.masks.tolist()] == pytest.approx(expected.scores)


@pytest.mark.parametrize(("table", "constraints"), CASES)
def test_gains_are_those_of_the_built_in_score(table, constraints):
    built_in, own = scorers(table, constraints)
    target = table.names.index("LungFlow")
    for parents, more in (((), ()), ((0, 3), ()), ((0,), (3,))):
        expected = built_in.gains(target, parents, more)
        assert own.gains(target, parents, more) == pytest.approx(expected)
    few = built_in.gains(target, (0,), (), among=[2, 4])
    assert own.gains(target, (0,), (), among=[2, 4]) == pytest.approx(few)


def test_the_number_of_possible_configurations_is_passed():
    built_in, own = scorers(COMPLETE, NO_KNOWLEDGE, PossibleBic, observed=False)
    expected = built_in.score_sets(0, (1, 2, 3, 4, 5), (), None)
    found = own.score_sets(0, (1, 2, 3, 4, 5), (), None)
    assert found.masks.tolist() == expected.masks.tolist()
    assert found.scores == pytest.approx(expected.scores)


def test_a_cost_of_parents_is_taken_off():
    built_in, own = scorers(COMPLETE, NO_KNOWLEDGE)
    candidates = (1, 2, 3, 4, 5)
    expected = built_in.at_cost(3.0).score_sets(0, candidates, (), None)
    found = own.at_cost(3.0).score_sets(0, candidates, (), None)
    assert found.masks.tolist() == expected.masks.tolist()
    assert found.scores == pytest.approx(expected.scores)


def test_nan_is_refused():
    class Broken:
        def score(self, counts, n_configurations):
            return float("nan")

    with pytest.raises(ValueError, match=r"Broken\.score returned NaN"):
        scorers(COMPLETE, NO_KNOWLEDGE, Broken)[1].score_sets(0, (1, 2), (), None)
