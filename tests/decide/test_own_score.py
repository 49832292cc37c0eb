"""A score of the user's own: the same sets, values and gains as the built-in score it repeats."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnsieve as bn
from bnsieve.decide import CountScorer, OwnScorer, Score
from bnsieve.knowledge import Constraints, Knowledge
from bnsieve.table import Table


class Bic:
    """The Bayesian information criterion over the configurations that occur."""

    def __init__(self, penalty=1.0):
        self.penalty = penalty

    def score(self, counts, n_configurations):
        rows = counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = np.nansum(counts * np.log(counts / rows))
        return fit - self.cost(counts) * len(counts)

    def cost(self, counts):
        return self.penalty * np.log(counts.sum()) / 2 * (counts.shape[1] - 1)


class PossibleBic(Bic):
    """The same, over all configurations that could occur."""

    def score(self, counts, n_configurations):
        missing = n_configurations - len(counts)
        return super().score(counts, n_configurations) - self.cost(counts) * missing


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


@st.composite
def searches(draw):
    """Rows of a random network, required parents, and candidates and centre of each scoring."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_rows = draw(st.integers(4, 13)), draw(st.integers(40, 400))
    data, parents = pd.DataFrame(index=range(n_rows)), []
    for v in range(n):
        # Sums of several parents tell little about one of them.
        parents = rng.permutation(v)[: rng.integers(0, 6)].tolist()
        noise = rng.integers(0, 3, n_rows) * (rng.random(n_rows) < rng.choice([0.1, 0.5]))
        total = data.iloc[:, parents].sum(axis=1)
        data[f"v{v}"] = (total + noise) % rng.integers(2, 4)
    if draw(st.booleans()):
        data = data.mask(rng.random(data.shape) < rng.choice([0.0, 0.2], n))
    others = rng.permutation(n - 1).tolist()
    required = others[: draw(st.integers(0, 2))]
    steps = []
    for _ in range(3):
        candidates = [v for v in others if v in required or rng.random() < 0.8]
        near = [v for v in candidates if rng.random() < (0.8 if v in parents else 0.1)]
        steps.append((candidates, near))
    return Table.from_data(data.astype("Int64").astype("category")), required, steps


@given(searches(), st.integers(1, 6), st.sampled_from([0.1, 0.4, 1.0]))
def test_rescoring_gives_the_sets_of_the_built_in_score(search, max_parents, penalty):
    table, required, steps = search
    target = table.n_variables - 1
    knowledge = {"required": [[table.names[v], table.names[target]] for v in required]}
    constraints = Knowledge.from_dict(knowledge).resolve(table.names)
    # With a cost below zero, the kernel scores also the sets that its bound rules out.
    score = Score("bic", penalty=penalty, observed=False, parent_cost=-1e-7)
    built_in = CountScorer(table, score, constraints, max_parents)
    own = OwnScorer(table, score, constraints, max_parents, own=PossibleBic(penalty))
    for candidates, centre in steps:
        everyone, parents = [[() for _ in table.names] for _ in range(2)]
        everyone[target], parents[target] = tuple(candidates), tuple(centre)
        expected = built_in.parent_sets(everyone, map, parents)[target]
        found = own.parent_sets(everyone, map, parents)[target]
        assert found.candidates == expected.candidates
        values = dict(zip(found.masks.tolist(), found.scores.tolist(), strict=True))
        assert values.keys() == set(expected.masks.tolist())
        assert [values[mask] for mask in expected.masks.tolist()] == pytest.approx(expected.scores)


def test_a_member_without_effect_beside_smaller_sets_is_found_around_the_centre():
    rng = np.random.default_rng(0)
    signs = rng.choice([-1, 1], size=(2_000, 6))
    three = signs[:, :3].prod(axis=1)
    target = rng.random(2_000) < 0.5 + 0.2 * three + 0.25 * three * signs[:, 3]
    table = Table.from_data(pd.DataFrame({"target": target, **dict(enumerate(signs.T))}, dtype=str))
    constraints = Constraints.none(table.n_variables)
    built_in, own = scorers(table, constraints, PossibleBic, observed=False)
    candidates, all_four = (1, 2, 3, 4, 5, 6), 0b1111
    for centre in ((), (1, 2, 3, 4)):
        expected = built_in.score_sets(0, candidates, centre, None)
        found = own.score_sets(0, candidates, centre, None)
        assert found.masks.tolist() == expected.masks.tolist()
        assert found.scores == pytest.approx(expected.scores)
        assert (all_four in found.masks) == bool(centre)
    # The centre is scored as any other set, also if it was not scored before.
    assert found.masks[0] == all_four


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
