"""Kernels that would run for years end when they are told to."""

import _thread
import signal
import threading

import numpy as np
import pytest

from bnsieve import _native
from bnsieve.engine import threads
from bnsieve.sieve.machine import Literals, Machine, MachineSettings

FOREVER = 1 << 50


def search(_=None):
    """Search orders of variables that are each other's candidates, without end."""
    n = 6
    candidates = np.array([u for v in range(n) for u in range(n) if u != v], dtype=np.int32)
    masks = np.tile(np.arange(1 << (n - 1), dtype=np.uint32), n)
    scores = np.tile(-np.arange(1 << (n - 1), dtype=np.float64), n)
    _native.search_orders(
        np.arange(n + 1) * (n - 1),
        candidates,
        np.arange(n + 1) * (1 << (n - 1)),
        masks,
        scores,
        np.arange(n, dtype=np.int32),
        FOREVER,
        0,
    )


def train(_=None):
    """Train a machine without end."""
    codes = np.random.default_rng(0).integers(0, 2, (3, 200)).astype(np.uint8)
    literals = Literals.of(codes, [2, 2, 2])
    machine = Machine.new(2, literals.layout.n_words, MachineSettings())
    rows, labels = np.arange(200, dtype=np.int32), codes[0].astype(np.int32)
    machine.train(literals, rows, labels, literals.layout.allowed([0]), epochs=FOREVER, seed=0)


def count_pairs(_=None):
    """Count pairs of bits again and again."""
    bits, counts = np.zeros((64, 64), dtype=np.uint64), np.empty((64, 64))
    while True:
        _native.count_pairs(bits, bits, counts)


def ask(_=None):
    """Ask as Python does between columns of wide files."""
    while True:
        _native.stop_if_asked()


WORKS = [search, train, count_pairs, ask]


@pytest.fixture
def sigint_heard():
    """Hear SIGINT as a program of its own does; a worker of pytest-xdist ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("sigint_heard")
@pytest.mark.parametrize("work", WORKS)
def test_a_signal_ends_a_kernel_of_the_main_thread(work):
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        work()


@pytest.mark.parametrize("work", WORKS)
def test_kernels_of_a_pool_end_with_it(work):
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), threads(2) as run:
        run(work, range(10))
        raise ZeroDivisionError
    assert threading.active_count() == before


def test_a_pool_that_was_stopped_stops_no_other():
    with pytest.raises(ZeroDivisionError), threads(2) as run:
        run(search, range(2))
        raise ZeroDivisionError
    with threads(2) as run:
        assert list(run(lambda i: i, range(4))) == [0, 1, 2, 3]
