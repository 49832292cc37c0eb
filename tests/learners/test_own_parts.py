"""Parts of the user's own: a CI test, a score, candidates."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from sklearn.base import clone

import bnsieve as bn
from bnsieve.decide import CountsTest, Score
from bnsieve.table import LIMITS

ASIA = bn.load_network("asia").sample(1_500, random_state=0)
EVERY_TEST_BASED = [
    bn.PC(),
    bn.PC(variant="original"),
    bn.HitonPC(),
    bn.FSMBPC(),
    bn.TsetlinPC(random_state=0),
    bn.TsetlinSieve(random_state=0, method="tests"),
]


class GTest:
    """What "g2" does, in plain Python, stratum by stratum."""

    def p_value(self, joint):
        *given, x, y = joint.configurations
        keys = [tuple(column) for column in np.array(given).T.tolist()] if given else None
        frame = pd.DataFrame({"x": x, "y": y, "n": joint.counts, "key": keys or 0})
        statistic = df = 0
        for _, rows in frame.groupby("key"):
            cells = rows.pivot_table(index="x", columns="y", values="n", fill_value=0).to_numpy()
            expected = cells.sum(1, keepdims=True) * cells.sum(0) / cells.sum()
            filled = cells > 0
            statistic += 2 * (cells[filled] * np.log(cells[filled] / expected[filled])).sum()
            df += (cells.shape[0] - 1) * (cells.shape[1] - 1)
        return chi2.sf(statistic, df) if df else float("nan")


class Bic:
    def score(self, counts, n_configurations):
        rows = counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = np.nansum(counts * np.log(counts / rows))
        return fit - np.log(counts.sum()) / 2 * len(counts) * (counts.shape[1] - 1)


@pytest.mark.parametrize("learner", EVERY_TEST_BASED, ids=repr)
def test_a_test_of_ones_own_decides_as_the_built_in_that_it_repeats(learner):
    expected = clone(learner).set_params(ci_test="g2").fit(ASIA)
    own = clone(learner).set_params(ci_test=GTest())
    assert isinstance(own.get_params()["ci_test"], GTest)
    found = clone(own).fit(ASIA)
    assert found.graph_ == expected.graph_
    assert found.graph_.n_edges > 3
    assert found.separating_sets_ == expected.separating_sets_
    assert found.fit_result_.n_tests == expected.fit_result_.n_tests


def test_rows_with_missing_values_do_not_reach_a_test():
    data = ASIA.mask(np.random.default_rng(1).random(ASIA.shape) < 0.1)
    expected = bn.PC(ci_test="g2", missing="testwise").fit(data)
    found = bn.PC(ci_test=GTest(), missing="testwise").fit(data)
    assert found.graph_ == expected.graph_
    assert found.fit_result_.n_tests == expected.fit_result_.n_tests


def test_a_score_of_ones_own_finds_what_the_built_in_finds_that_it_repeats():
    data = bn.load_network("child").sample(800, random_state=1)
    expected = bn.TsetlinSieve(random_state=0, criterion=Score("bic")).fit(data)
    found = clone(bn.TsetlinSieve(random_state=0, criterion=Bic())).fit(data)
    assert found.graph_ == expected.graph_
    assert found.score_ == pytest.approx(expected.score_)
    assert found.candidates_ == expected.candidates_


@pytest.mark.parametrize("network", ["child", "alarm"])
def test_the_number_of_possible_configurations_counts_as_in_the_built_in_score(network):
    class PossibleBic(Bic):
        def score(self, counts, n_configurations):
            cost = np.log(counts.sum()) / 2 * (counts.shape[1] - 1)
            return super().score(counts, n_configurations) + cost * (len(counts) - n_configurations)

    data = bn.load_network(network).sample(1_000, random_state=0)
    expected = bn.TsetlinSieve(random_state=0, criterion=Score("bic", observed=False)).fit(data)
    found = bn.TsetlinSieve(random_state=0, criterion=PossibleBic()).fit(data)
    assert found.graph_ == expected.graph_
    assert found.candidates_ == expected.candidates_
    assert found.score_ == pytest.approx(expected.score_)


def test_a_score_of_ones_own_on_rows_in_files(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    ASIA.astype(str).to_parquet(path)
    monkeypatch.setattr(LIMITS, "in_memory", 0)
    settings = {"random_state": 0, "sample_rows": 500}
    expected = bn.TsetlinSieve(criterion=Score("bic"), **settings).fit(path)
    found = bn.TsetlinSieve(criterion=Bic(), **settings).fit(path)
    assert found.graph_ == expected.graph_
    assert found.score_ == pytest.approx(expected.score_)


def test_numbers_are_binned_for_a_score_of_ones_own():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    data = pd.DataFrame({"x": x, "y": x + rng.normal(size=500), "z": rng.normal(size=500)})
    learner = bn.TsetlinSieve(random_state=0, criterion=Bic()).fit(data)
    assert learner.numeric_features_ == ()
    assert learner.graph_.skeleton().edges == (("x", "y"),)


def test_the_search_considers_the_given_candidates_only():
    given = {"dysp": ["either", "bronc"], "either": ["tub", "lung"], "lung": ["smoke"]}
    learner = bn.TsetlinSieve(random_state=0, candidates=given)
    assert clone(learner).get_params()["candidates"] == given
    learner.fit(ASIA)
    assert {name: set(own) for name, own in learner.candidates_.items() if own} == {
        name: set(own) for name, own in given.items()
    }
    allowed = {frozenset((name, one)) for name, own in given.items() for one in own}
    edges = set(map(frozenset, learner.graph_.skeleton().edges))
    assert len(edges) >= 4
    assert edges <= allowed


def test_a_function_finds_candidates_in_the_sample():
    seen = []

    def all_others(sample):
        seen.append(sample)
        return {name: [one for one in sample if one != name] for name in sample}

    data = ASIA.assign(same="x", copy=ASIA["lung"].astype(str) + "!")
    learner = bn.TsetlinSieve(random_state=0, candidates=all_others).fit(data)
    assert learner.graph_.skeleton() == bn.TsetlinSieve(random_state=0).fit(data).graph_.skeleton()
    (sample,) = seen
    # Constant and duplicate columns take no part.
    assert set(sample) == set(ASIA.columns) - {"lung"} | {"copy"}
    assert all(sample[name].dtype == "category" for name in sample)
    assert learner.duplicates_ == {"lung": "copy"}


def test_a_function_sees_numbers_as_numbers():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    data = pd.DataFrame({"x": x, "y": x + rng.normal(size=400), "z": rng.normal(size=400)})

    def correlated(sample):
        strong = sample.corr().abs() > 0.3
        return {a: [b for b in sample if a != b and strong.loc[a, b]] for a in sample}

    learner = bn.TsetlinSieve(random_state=0, candidates=correlated).fit(data)
    assert learner.candidates_ == {"x": ("y",), "y": ("x",), "z": ()}
    assert learner.graph_.skeleton().edges == (("x", "y"),)


def test_what_is_wrong_with_candidates_is_said():
    many = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (50, 40))).add_prefix("v")
    for given, message in (
        ({"lungs": ["smoke"]}, "candidates contain 'lungs'"),
        ({"lung": ["smokes"]}, "candidates contain 'smokes'"),
        ({"lung": "smoke"}, "must be a list of names"),
        ({"lung": ["lung"]}, "contain .lung. itself"),
        (lambda sample: None, "must return a mapping"),
        (["smoke"], "candidates must be a mapping"),
    ):
        with pytest.raises(ValueError, match=message):
            bn.TsetlinSieve(candidates=given).fit(ASIA)
    with pytest.raises(ValueError, match="'v0' has 39 candidates, and at most 32"):
        bn.TsetlinSieve(candidates={"v0": list(many)[1:]}).fit(many.astype(str))


def test_what_is_no_test_and_no_score_is_refused():
    class Wrong:
        def p_value(self, joint):
            return 1.5

    for learner, message in (
        (bn.PC(ci_test=object()), r"ci_test must be one of auto, .*p_value\(joint\)"),
        (bn.PC(ci_test=GTest), "ci_test must be"),
        (bn.TsetlinSieve(criterion=object()), r"criterion must be .*score\(counts"),
        (bn.TsetlinSieve(criterion=Bic), "criterion must be"),
        (bn.PC(ci_test=Wrong()), r"Wrong\.p_value returned 1\.5"),
        (bn.TsetlinSieve(method="tests", ci_test=GTest(), by="asia"), "assumes independent rows"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.fit(ASIA)


def test_dependent_rows_need_a_test_that_allows_for_them():
    with pytest.raises(ValueError, match="assumes independent rows"):
        CountsTest(None, method=GTest(), dependence=object())


def test_a_fit_with_ones_own_parts_answers_as_any_other(tmp_path):
    names = list(ASIA)
    learner = bn.TsetlinSieve(
        random_state=0,
        method="tests",
        ci_test=GTest(),
        criterion=Bic(),
        candidates={name: [one for one in names if one != name] for name in names},
    ).fit(ASIA)
    assert "GTest" in str(learner.explain("smoke", "lung"))
    learner.bootstrap(2)
    assert learner.strengths_ is not None
    learner.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "a score of our own, Bic" in page
    assert "our own, GTest" in page
    assert "chosen beforehand" in page
    with pytest.raises(TypeError, match="ci_test"):
        learner.save(tmp_path / "learner")


@pytest.mark.parametrize(
    ("answer", "kind"), [(None, "NoneType"), (np.array([0.1, 0.2]), "ndarray")]
)
def test_a_test_that_returns_no_number_is_named(answer, kind):
    class Unsure:
        def p_value(self, joint):
            return answer

    with pytest.raises(TypeError, match=rf"^Unsure\.p_value must return a number, not {kind}$"):
        bn.PC(ci_test=Unsure()).fit(ASIA)


@pytest.mark.parametrize(
    ("answer", "kind"), [(None, "NoneType"), (np.array([0.1, 0.2]), "ndarray")]
)
def test_a_score_that_returns_no_number_is_named(answer, kind):
    class Unsure:
        def score(self, counts, n_configurations):
            return answer

    with pytest.raises(TypeError, match=rf"^Unsure\.score must return a number, not {kind}$"):
        bn.TsetlinSieve(criterion=Unsure()).fit(ASIA)


def test_candidates_that_are_no_list_are_named():
    with pytest.raises(
        ValueError, match=r"^candidates of 'lung' must be a list of names, not None$"
    ):
        bn.TsetlinSieve(candidates={"lung": None}).fit(ASIA)
