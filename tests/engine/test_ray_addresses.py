"""Addresses of Ray clusters that take more than Ray itself."""

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
