"""Threads: the same answers in the same order, errors passed on."""

import threading

import pytest
from joblib import cpu_count, parallel_config

from bnsieve.engine import open_engine, threads
from bnsieve.engine.local import Threads


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5, -1])
@pytest.mark.parametrize("n_items", [0, 1, 7, 1000])
def test_answers_come_in_the_order_of_the_items(n_jobs, n_items):
    with threads(n_jobs) as run:
        assert list(run(lambda i: i * i, range(n_items))) == [i * i for i in range(n_items)]


def test_several_threads_work_at_once():
    barrier = threading.Barrier(3, timeout=300)
    with threads(3) as run:
        assert sorted(run(lambda _: barrier.wait(), range(3))) == [0, 1, 2]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_reach_the_caller(n_jobs):
    with threads(n_jobs) as run, pytest.raises(ZeroDivisionError):
        list(run(lambda i: 1 // i, [1, 0]))


def test_number_of_threads_as_in_scikit_learn():
    for n_jobs, expected in [(None, 1), (3, 3), (-1, cpu_count()), (-1000, 1)]:
        with open_engine("local", n_jobs) as engine:
            assert engine.n_workers == expected
    with parallel_config(backend="threading", n_jobs=2), open_engine("local", None) as engine:
        assert engine.n_workers == 2
    with pytest.raises(ValueError, match="n_jobs == 0"), threads(0):
        pass


def test_an_interrupt_leaves_the_rest_undone():
    begun = threading.Event()
    release = threading.Event()
    done = []

    def work(item):
        begun.set()
        release.wait(10)
        done.append(item)

    with pytest.raises(KeyboardInterrupt), threads(2) as run:
        run(work, range(1_000))
        begun.wait(10)
        threading.Timer(0.2, release.set).start()
        raise KeyboardInterrupt
    assert len(done) <= 2


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_fold_merges_and_passes_on_what_it_is_told(n_jobs):
    told = []

    def work(item, tell):
        for _ in range(item):
            tell(1)
        return item

    with threads(n_jobs) as run:
        engine = Threads(n_jobs, run)
        assert engine.fold(work, range(1, 5), int.__add__, told.append) == 10
    assert sum(told) == 10


def test_one_thread_needs_no_parts():
    assert Threads(1, map).n_parts == 1
    assert Threads(2, map).n_parts == 4


def test_threads_that_cannot_be_started(monkeypatch):
    """The interpreter says no more than that; what is short is memory."""

    def start(self):
        raise RuntimeError("can't start new thread")

    said = "no memory left to start 3 threads: use fewer"
    with pytest.raises(MemoryError, match=said), threads(3) as run:
        monkeypatch.setattr(threading.Thread, "start", start)
        list(run(abs, range(10)))
