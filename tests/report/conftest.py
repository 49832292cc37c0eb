"""Pages that several tests read."""

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.cli.run.files import record_of, write_files
from bnsieve.cli.run.run import RunSettings, learn
from hostile_names import hostile_network


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory):
    """The report of a learner whose columns and labels have hostile names, as a path."""
    data = hostile_network().sample(600, random_state=0)
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    bn.TsetlinSieve(random_state=0).fit(data).report(path, title="<img src=x onerror=alert(3)>")
    return path


@pytest.fixture(scope="session")
def asia_learner():
    """A learner of asia, with replicates."""
    data = bn.load_network("asia").sample(2_000, random_state=0)
    learner = bn.TsetlinSieve(random_state=0).fit(data)
    learner.bootstrap(4)
    return learner


@pytest.fixture(scope="session")
def asia_page(asia_learner, tmp_path_factory):
    """Its report, as a path."""
    path = tmp_path_factory.mktemp("asia") / "report.html"
    asia_learner.report(path, title="asia.csv")
    return path


@pytest.fixture(scope="session")
def churn_run(tmp_path_factory):
    """A run for the target churn, and the path of its page: age drives plan and churn."""
    rng = np.random.default_rng(0)
    old = rng.random(6_000) < 0.5
    pro = rng.random(6_000) < np.where(old, 0.85, 0.15)
    calls = rng.random(6_000) < np.where(pro, 0.6, 0.1)
    churn = rng.random(6_000) < 0.1 + 0.4 * old - 0.08 * pro
    folder = tmp_path_factory.mktemp("churn")
    columns = {"age": np.where(old, "old", "young"), "plan": np.where(pro, "pro", "free")}
    columns["calls"], columns["churn"] = (np.where(one, "yes", "no") for one in (calls, churn))
    columns["coin"] = rng.choice(["heads", "tails"], 6_000)
    pd.DataFrame(columns).to_csv(folder / "churn.csv", index=False)
    (folder / "known.json").write_text('{"tiers": [["age"], ["plan", "coin"], ["calls", "churn"]]}')
    settings = RunSettings(folder / "churn.csv", target="churn", knowledge=folder / "known.json")
    outcome = learn(settings)
    write_files(outcome, record_of(outcome), folder / "run")
    return outcome, folder / "run" / "report.html"
