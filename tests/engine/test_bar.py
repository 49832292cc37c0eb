"""What is shown and heard while work runs: a bar, a function, the log; nothing unless asked."""

import io
import logging
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console

import bnsieve as bn
from bnsieve.engine import Progress, announce, bar, inner_stage, progress, watch, watched

LEARNERS = [bn.TsetlinSieve, bn.PC, bn.HitonPC, bn.FSMBPC, bn.TsetlinPC]


@pytest.fixture(scope="module")
def data():
    return bn.load_network("asia").sample(1000, random_state=0)


@pytest.fixture
def notebook(monkeypatch):
    """What a notebook would show: each update of the line below the cell, in order."""
    updates = []
    handle = SimpleNamespace(update=updates.append)
    display = SimpleNamespace(HTML=str, display=lambda html, display_id: handle)
    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return updates


@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_are_silent_unless_asked(learner, data, capfd):
    fitted = learner().fit(data)
    fitted.bootstrap(2, random_state=0)
    assert capfd.readouterr() == ("", "")
    learner(verbose=True).fit(data)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("done in ")


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_says_how_far_it_is(learner, data):
    heard = []
    with watch(heard.append):
        learner().fit(data)
    known = [one for one in heard if one.total]
    assert known
    assert all(0 < one.done <= one.total for one in known)
    assert all(one.text.startswith(f"{one.done:,} of {one.total:,} ") for one in known)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bootstrap_tells_of_its_replicates_and_not_of_their_stages(data, n_jobs):
    learner, heard = bn.TsetlinSieve(random_state=0).fit(data), []
    with watch(heard.append):
        learner.bootstrap(4, n_jobs=n_jobs)
    assert {one.stage for one in heard} == {"bootstrap"}
    assert [one.done for one in heard if one.total] == [1, 2, 3, 4]


def test_a_bar_in_a_notebook(notebook, data):
    bn.TsetlinSieve(random_state=0, verbose=True).fit(data)
    assert '<progress aria-label="reading"></progress>' in notebook[0]
    assert any('value="8" max="8"' in html and "8 of 8 columns" in html for html in notebook)
    assert "done in " in notebook[-1]
    assert "<progress" not in notebook[-1]


def test_the_time_left_follows_from_the_share_that_is_done():
    left = progress.TimeLeft()
    assert left.of(Progress("search"), 100.0) == ""
    assert left.of(Progress("search", "", 1, 4), 110.0) == "about 30 s left"
    assert left.of(Progress("search", "", 2, 100), 120.0) == "about 16 min left"
    assert left.of(Progress("search", "", 100, 100), 130.0) == ""
    # Another round of the same stage, and another stage, start anew.
    assert left.of(Progress("search", "", 0, 4), 200.0) == ""
    assert left.of(Progress("search", "", 1, 4), 202.0) == "about 6 s left"
    left.of(Progress("bootstrap"), 300.0)
    assert left.of(Progress("bootstrap", "", 3, 4), 330.0) == "about 10 s left"


def test_a_bar_shows_the_time_left(notebook, monkeypatch):
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(progress, "perf_counter", lambda: float(next(clock)))
    with watch(), inner_stage("rows", 4, "rows") as tell:
        tell(1)
    assert "1 of 4 rows, about 30 s left" in notebook[1]


def test_what_is_said_stays_text(notebook):
    with watch():
        announce("<script>", "& more")
    assert "&lt;script&gt; &amp; more" in notebook[0]


def test_a_bar_of_much_to_do_is_not_drawn_each_time(notebook):
    with watch(), inner_stage("rows", 100_000, "rows") as tell:
        for _ in range(100_000):
            tell(1)
    assert len(notebook) < 1000
    assert 'value="100000"' in notebook[-2]


def test_one_bar_is_enough(notebook, data):
    with watch():
        bn.TsetlinSieve(random_state=0, verbose=True).fit(data)
    assert sum("done in" in html for html in notebook) == 1


def test_where_it_stopped(notebook):
    with pytest.raises(KeyboardInterrupt), watch():
        announce("search")
        raise KeyboardInterrupt
    assert ", in search" in notebook[-1]
    with pytest.raises(ValueError, match="verbose must be True or False; got 'yes'"):
        bn.TsetlinSieve(verbose="yes").fit([[1, 2]])


def test_what_a_callback_raises_ends_the_work(data):
    def stop(progress):
        if progress.stage == "search":
            raise TimeoutError("enough")

    with pytest.raises(TimeoutError, match="enough"), watch(stop):
        bn.TsetlinSieve(random_state=0).fit(data)


def test_a_bar_on_a_terminal(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console",
        lambda stderr: Console(file=screen, force_terminal=True, width=100),
    )
    shown = bar.Bar(bar.TerminalLine())
    with watched(shown.show), inner_stage("reading", 4, "rows") as tell:
        tell(4)
        announce("search")
    shown.end(whole=True)
    assert "search" in screen.getvalue()
    assert screen.getvalue().rstrip().endswith("s")
    assert "done in" in screen.getvalue()


def test_both_hear_where_one_watches_inside_another(data):
    outer, inner = [], []
    with watch(outer.append), watch(inner.append):
        announce("search")
    assert outer == inner == [Progress("search")]


def test_the_log(data, caplog):
    with caplog.at_level(logging.INFO, logger="bnsieve"):
        learner = bn.TsetlinSieve(random_state=0).fit(data)
        said = caplog.messages.copy()
        caplog.clear()
        learner.bootstrap(3)
    assert "search begins" in said
    assert any(line.startswith("search took ") for line in said)
    assert caplog.messages == ["bootstrap: 3 replicates"]


def test_the_rows_of_a_file(tmp_path, data):
    data.to_csv(tmp_path / "rows.csv", index=False)
    heard = []
    with watch(heard.append):
        bn.prepare(tmp_path / "rows.csv")
    assert Progress("reading", "1,000 rows") in heard
