"""Stages and how far they are: heard where someone watches, silent where nobody does."""

import os
import subprocess
import sys
from threading import Thread

import pytest

import bnsieve as bn
from bnsieve.engine import Progress, Timings, announce, inner_stage, progress, watched

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    frame = bn.load_network("asia").sample(9_000, random_state=3)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for i in range(3):
        parquet.write_table(
            table.slice(i * 3000, 3000), folder / f"{i}.parquet", row_group_size=1500
        )
    return folder


def fit(data, n_jobs):
    heard = []
    learner = bn.TsetlinSieve(random_state=0, sample_rows=2000, n_jobs=n_jobs)
    with watched(heard.append):
        learner.fit(data)
    return learner, heard


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_both_passes_say_how_far_they_are(folder, n_jobs):
    learner, heard = fit(folder, n_jobs)
    for stage in ("reading", "counting"):
        shares = [one[1:] for one in heard if one.stage == stage and "rows" in one.text]
        assert shares == [(f"{n:,} of 9,000 rows", n, 9000) for n in range(1500, 9001, 1500)]
    # The second pass is part of the search, which goes on after it.
    stages = [one.stage for one in heard if not one.text]
    place = stages.index("counting")
    assert stages[place - 1] == stages[place + 1] == "search"
    unheard = bn.TsetlinSieve(random_state=0, sample_rows=2000).fit(folder)
    assert learner.score_ == unheard.score_
    assert learner.graph_ == unheard.graph_


def test_what_is_not_at_rest_is_converted_first(folder):
    batches = parquet.read_table(folder).to_batches(3000)
    _, heard = fit(iter(batches), 1)
    assert Progress("reading", "9,000 rows") in heard


def test_new_rows_say_how_far_they_are(folder):
    learner, _ = fit(folder, 1)
    heard = []
    with watched(heard.append):
        learner.update(folder / "0.parquet")
    assert Progress("counting", "3,000 of 3,000 rows", 3000, 3000) in heard


def test_an_inner_stage_gives_way_to_the_outer():
    heard = []
    with watched(heard.append):
        announce("outer")
        with inner_stage("inner", 2, "items") as tell:
            # Threads start without the context, and are heard all the same.
            thread = Thread(target=tell, args=(2,))
            thread.start()
            thread.join()
    assert heard == [
        Progress("outer"),
        Progress("inner"),
        Progress("inner", "2 of 2 items", 2, 2),
        Progress("outer"),
    ]


def test_an_inner_stage_that_nobody_watches():
    with inner_stage("inner", 2, "items") as tell:
        tell(1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_fit_is_silent_on_a_terminal(folder):
    import pty

    program = f"""
import bnsieve
bnsieve.TsetlinSieve(random_state=0, sample_rows=2000, n_jobs=2).fit({str(folder)!r})
"""
    ours, theirs = pty.openpty()
    process = subprocess.run(
        [sys.executable, "-c", program], stdin=theirs, stdout=theirs, stderr=theirs, check=True
    )
    os.set_blocking(ours, False)
    os.close(theirs)
    try:
        printed = os.read(ours, 1000)
    except (BlockingIOError, OSError):  # nothing there, or the other end is closed
        printed = b""
    os.close(ours)
    assert (process.returncode, printed) == (0, b"")


def test_a_stage_inside_another_is_not_counted_twice(monkeypatch):
    clock = iter([0.0, 1.0, 4.0, 4.5, 10.0, 12.0])
    monkeypatch.setattr(progress, "perf_counter", lambda: next(clock))
    timings, heard = Timings(), []
    with watched(lambda one: heard.append(one.stage)):
        with timings.stage("search"), timings.stage("counting"):
            pass
        with timings.stage("search"):
            pass
    assert timings == {"search": 1.0 + 0.5 + 2.0, "counting": 3.0}
    assert list(timings) == ["search", "counting"]
    assert heard == ["search", "counting", "search", "search"]
