"""Pages that several tests read."""

import pytest

import bnsieve as bn
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
