"""Fits at once in several threads are those of lone fits, also beside one that is ended."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import bnsieve as bn
from bnsieve.engine import watch

NETWORKS = ("asia", "cancer", "sachs")


def rows_of(number):
    """Networks, sizes and types vary."""
    rng = np.random.default_rng(number)
    network = bn.load_network(NETWORKS[number % len(NETWORKS)])
    rows = network.sample(200 + 100 * number, random_state=number)
    if number % 3 == 0:
        rows = rows.mask(rng.random(rows.shape) < 0.05)
    if number % 4 == 0:
        rows["number"] = rng.normal(size=len(rows))
    return rows


def graph_of(number):
    return bn.TsetlinSieve(random_state=number, n_jobs=1 + number % 2).fit(rows_of(number)).graph_


def test_fits_at_once_are_those_of_lone_fits():
    alone = [graph_of(number) for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(graph_of, range(6))) == alone


def test_a_fit_beside_one_that_is_ended():
    class EndedError(Exception):
        pass

    def end(progress):
        if progress.stage == "search":
            raise EndedError

    def ended():
        with pytest.raises(EndedError), watch(end):
            graph_of(1)

    alone = graph_of(0)
    with ThreadPoolExecutor(2) as pool:
        stopped, beside = pool.submit(ended), pool.submit(graph_of, 0)
        stopped.result()
        assert beside.result() == alone
