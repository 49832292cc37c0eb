"""Networks with numbers: fitted, asked, drawn, written and read."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import multivariate_normal

import bnsieve as bn
from bnsieve.cli.networks import write_rows
from bnsieve.exchange import read, write


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Sex shifts height, height makes weight, weight and sex make illness; colour is apart."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 800)
    height = rng.normal(165, 7, 800) + 12 * (sex == "m")
    weight = 0.9 * height - 90 + rng.normal(0, 6, 800)
    ill = rng.random(800) < 1 / (1 + np.exp(-(weight - 70) / 8 - (sex == "m")))
    columns = {"sex": sex, "height": height, "weight": weight, "ill": np.where(ill, "yes", "no")}
    return pd.DataFrame({**columns, "colour": rng.choice(["blue", "red"], 800)})


ARROWS = [("sex", "height"), ("height", "weight"), ("weight", "ill"), ("sex", "ill")]


@pytest.fixture(scope="module")
def network(people: pd.DataFrame) -> bn.BayesianNetwork:
    return bn.fit_parameters(bn.Graph(people.columns, ARROWS), people)


def _chain() -> tuple[bn.BayesianNetwork, pd.DataFrame]:
    rng = np.random.default_rng(1)
    x = rng.normal(10, 2, 3000)
    y = 3 * x + rng.normal(0, 4, 3000)
    z = -0.5 * y + x + rng.normal(0, 1, 3000)
    data = pd.DataFrame({"x": x, "y": y, "z": z})
    graph = bn.Graph(data.columns, [("x", "y"), ("y", "z"), ("x", "z")])
    return bn.fit_parameters(graph, data), data


def test_fractions_are_numbers_and_the_rest_labels(network: bn.BayesianNetwork) -> None:
    assert network.numbers == ("height", "weight")
    assert set(network.regressions) == {"height", "weight", "ill"}
    assert set(network.tables) == {"sex", "colour"}


def test_tables_of_labels_are_those_without_numbers(
    network: bn.BayesianNetwork, people: pd.DataFrame
) -> None:
    alone = bn.fit_parameters(bn.Graph(["sex", "colour"]), people[["sex", "colour"]])
    np.testing.assert_array_equal(network.tables["sex"], alone.tables["sex"])


def test_likelihood_of_a_full_linear_graph_is_that_of_the_joint_normal() -> None:
    network, data = _chain()
    values = data.to_numpy()
    joint = multivariate_normal(values.mean(axis=0), np.cov(values.T, bias=True))
    found = network.log_likelihood(data).mean()
    assert found == pytest.approx(joint.logpdf(values).mean(), abs=1e-4)


def test_change_of_units_shifts_the_likelihood_by_its_logarithm() -> None:
    network, data = _chain()
    scaled = data.assign(y=data["y"] * 1000)
    other = bn.fit_parameters(network.graph, scaled)
    change = network.log_likelihood(data) - other.log_likelihood(scaled)
    np.testing.assert_allclose(change, np.log(1000), atol=1e-6)


def test_exact_answer_is_conditioning_of_the_joint_normal() -> None:
    network, data = _chain()
    mean, covariance = data.mean().to_numpy(), np.cov(data.to_numpy().T, bias=True)
    gain = covariance[0, 1:] @ np.linalg.inv(covariance[1:, 1:])
    expected = mean[0] + gain @ (np.array([35.0, -8.0]) - mean[1:])
    variance = covariance[0, 0] - gain @ covariance[1:, 0]
    answer = network.expect("x", given={"y": 35.0, "z": -8.0})
    assert answer.mean == pytest.approx(expected, rel=1e-3)
    assert answer.deviation == pytest.approx(np.sqrt(variance), rel=5e-3)
    assert answer.quantiles[0.5] == pytest.approx(answer.mean)


def test_sampled_answers_agree_with_exact_ones(network: bn.BayesianNetwork) -> None:
    given = {"weight": 80.0}
    exact = network.expect("height", given)
    drawn = network.expect("height", given, method="sampling", random_state=0)
    assert drawn.error is not None
    assert abs(drawn.mean - exact.mean) < 5 * drawn.error
    sexes = network.query("sex", given)
    shares = network.query("sex", given, method="sampling", random_state=0)
    assert shares.errors is not None
    assert abs(shares["m"] - sexes["m"]) < 5 * shares.errors[1]


def test_label_given_a_number_is_bayes_rule(network: bn.BayesianNetwork) -> None:
    row = pd.DataFrame({"height": [180.0, 180.0], "sex": ["f", "m"]})
    part = bn.BayesianNetwork(
        bn.Graph(["sex", "height"], [("sex", "height")]),
        {"sex": network.states["sex"]},
        {"sex": network.tables["sex"]},
        None,
        {"height": network.regressions["height"]},
    )
    joint = np.exp(part.log_likelihood(row))
    assert network.query("sex", {"height": 180.0})["m"] == pytest.approx(joint[1] / joint.sum())
    assert part.predict_proba(row, "sex").loc[0, "m"] == pytest.approx(joint[1] / joint.sum())


def test_sample_has_the_moments_of_the_data(
    network: bn.BayesianNetwork, people: pd.DataFrame
) -> None:
    drawn = network.sample(20_000, random_state=0)
    for name in ("height", "weight"):
        assert drawn[name].mean() == pytest.approx(people[name].mean(), abs=0.7)
        assert drawn[name].std() == pytest.approx(people[name].std(), rel=0.05)
    own = drawn[["height", "weight"]].corr().iloc[0, 1]
    assert own == pytest.approx(people[["height", "weight"]].corr().iloc[0, 1], abs=0.04)
    assert (drawn["ill"] == "yes").mean() == pytest.approx(
        (people["ill"] == "yes").mean(), abs=0.04
    )


def test_samples_continue(network: bn.BayesianNetwork) -> None:
    whole = network.sample(10, random_state=3)
    rest = network.sample(6, random_state=3, first_row=4)
    pd.testing.assert_frame_equal(whole.iloc[4:].reset_index(drop=True), rest)


def test_json_and_pickle_keep_every_bit(network: bn.BayesianNetwork, tmp_path: Path) -> None:
    write(network, tmp_path / "people.json")
    assert read(tmp_path / "people.json") == network
    assert '"version": 2' in (tmp_path / "people.json").read_text()
    assert pickle.loads(pickle.dumps(network)) == network


@pytest.mark.parametrize("suffix", ["bif", "xmlbif", "net", "xdsl"])
def test_formats_of_tables_refuse_numbers(
    network: bn.BayesianNetwork, tmp_path: Path, suffix: str
) -> None:
    with pytest.raises(ValueError, match=r"has numbers \('height' and 'weight'\).*JSON"):
        write(network, tmp_path / f"people.{suffix}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "ask",
    [
        lambda network: network.do({"sex": "m"}),
        lambda network: network.most_probable(),
        lambda network: network.effect("sex", "colour"),
        lambda network: network.impute(pd.DataFrame({"sex": ["m"]})),
        lambda network: network.sample_codes(3),
        lambda network: network.to_pyagrum(),
    ],
)
def test_what_needs_tables_is_refused(network: bn.BayesianNetwork, ask) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"has numbers \('height' and 'weight'\)|has no state"):
        ask(network)


def test_no_exact_answer_is_said(network: bn.BayesianNetwork) -> None:
    with pytest.raises(ValueError, match=r"'ill' is categorical and depends on numbers.*sampling"):
        network.query("sex", {"ill": "yes"})


def test_impossible_evidence_is_refused_rather_than_estimated(network: bn.BayesianNetwork) -> None:
    with pytest.raises(ValueError, match="draws have an effective size of only"):
        network.expect("height", {"weight": 900.0}, method="sampling", random_state=0)


def test_incomplete_rows_are_refused(network: bn.BayesianNetwork, people: pd.DataFrame) -> None:
    gappy = people.copy()
    gappy.loc[7, "weight"] = np.nan
    with pytest.raises(ValueError, match="row 7 lacks 'weight'"):
        network.log_likelihood(gappy)
    fitted = bn.fit_parameters(network.graph, gappy)  # a row counts where its cells are known
    assert fitted.log_likelihood(people).mean() == pytest.approx(
        network.log_likelihood(people).mean(), abs=0.01
    )


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.inf, "'height' holds inf in row 0"),
        (1.5, "'height' has only the value 1.5"),
        (np.nan, "'height' has no value"),
    ],
)
def test_columns_without_a_density_are_refused(
    network: bn.BayesianNetwork, people: pd.DataFrame, column: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bn.fit_parameters(network.graph, people.assign(height=column))


def test_whole_numbers_are_numbers_on_request(people: pd.DataFrame) -> None:
    data = pd.DataFrame({"cm": people["height"].round().astype(int), "sex": people["sex"]})
    graph = bn.Graph(data.columns, [("sex", "cm")])
    assert bn.fit_parameters(graph, data).numbers == ()
    assert bn.fit_parameters(graph, data, numeric=["cm"]).numbers == ("cm",)
    with pytest.raises(TypeError, match="'sex' must hold numbers"):
        bn.fit_parameters(graph, data, numeric=["sex"])


def test_polars_gives_the_same_network(network: bn.BayesianNetwork, people: pd.DataFrame) -> None:
    assert bn.fit_parameters(network.graph, pl.from_pandas(people)) == network


def test_networks_of_labels_are_written_as_before() -> None:
    asia = bn.load_network("asia")
    assert asia.regressions == {}
    assert asia.numbers == ()


def test_a_notebook_shows_numbers(network: bn.BayesianNetwork) -> None:
    assert "numeric" in network._repr_html_()


def test_networks_with_and_without_numbers_in_common_are_compared(people: pd.DataFrame) -> None:
    train, test = people[:500], people[500:]
    apart = bn.fit_parameters(bn.Graph(people.columns), train)
    joined = bn.fit_parameters(bn.Graph(people.columns, ARROWS), train)
    found = bn.metrics.held_out({"apart": apart, "joined": joined}, test)
    assert (found.best, found.n_rows) == ("joined", 300)


def test_the_command_line_draws_numbers(network: bn.BayesianNetwork, tmp_path: Path) -> None:
    write_rows(network, 20, 1, tmp_path / "rows.csv")
    drawn = pd.read_csv(tmp_path / "rows.csv")
    np.testing.assert_allclose(drawn["height"], network.sample(20, 1)["height"])
