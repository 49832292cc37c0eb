"""Connections to Ray, without a cluster: who makes them, who shares them, what they need."""

import threading
import time

import pytest

import bnsieve as bn

ray = pytest.importorskip("ray", reason="Ray has no wheel here")


def test_an_address_of_rays_client_says_what_it_needs(monkeypatch):
    def without_the_client(**_):
        raise ImportError("Ray Client requires pip package `ray[client]`")

    monkeypatch.setattr(ray, "init", without_the_client)
    rows = bn.load_network("asia").sample(50, random_state=0)
    learner = bn.TsetlinSieve(engine="ray://somewhere:10001")
    with pytest.raises(
        ImportError, match=r"engine='ray://somewhere:10001' needs Ray's client: pip"
    ):
        learner.fit(rows)


def test_fits_in_several_threads_share_one_connection(monkeypatch):
    """Ray ends the process where two threads connect at once, or one ends what another uses."""
    from bnsieve.engine.ray import connected

    made, n_inside = [], []

    def init(**settings):
        assert not made, "connected twice"
        time.sleep(0.05)
        made.append(settings["address"])

    def shutdown():
        assert not n_inside, "ended while in use"
        made.clear()

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray, "shutdown", shutdown)
    monkeypatch.setattr(ray, "is_initialized", lambda: bool(made))
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 2.0})
    wrong = []

    def use(number):
        try:
            for _ in range(3):
                with connected("somewhere:1", 2) as engine:
                    n_inside.append(number)
                    assert engine.n_workers == 2
                    time.sleep(0.01 * number)
                    n_inside.remove(number)
        except BaseException as error:
            wrong.append(error)

    users = [threading.Thread(target=use, args=(number,)) for number in range(6)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert not wrong
    assert not made, "the last one ends it"
    made.append("the user's own")
    with connected("ray"):
        pass
    assert made == ["the user's own"], "a connection that was there stays"


def test_replicates_of_a_bootstrap_start_no_cluster_each(monkeypatch):
    rows = bn.load_network("asia").sample(200, random_state=0)
    learner = bn.TsetlinSieve(random_state=0, n_jobs=2).fit(rows)
    expected = learner.bootstrap(4).counts

    def init(**_):
        raise AssertionError("a replicate has connected to Ray")

    monkeypatch.setattr(ray, "init", init)
    learner.set_params(engine="ray")
    assert (learner.bootstrap(4).counts == expected).all()
