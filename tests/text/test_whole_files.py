"""Files appear whole, under names that nothing else has."""

import errno
import os
import stat
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.learners import load
from bnsieve.rows import write_frame
from bnsieve.table.prepare import Preparation
from bnsieve.text import replacing, write_whole

FRAME = pd.DataFrame(np.random.default_rng(0).choice(list("ab"), (60, 3)), columns=list("xyz"))


def learner():
    return bn.TsetlinSieve(random_state=0).fit(FRAME)


WRITERS = {
    "report.html": lambda path: learner().report(path),
    "graph.svg": lambda path: bn.load_network("asia").graph.plot(path),
    "plan.json": lambda path: bn.prepare(FRAME).save(path),
    "learner.bnsieve": lambda path: learner().save(path),
    "network.bif": lambda path: bn.write(bn.load_network("asia"), path),
    "rows.csv": lambda path: write_frame(FRAME, path),
    "rows.parquet": lambda path: write_frame(FRAME, path),
    "rows.xlsx": lambda path: write_frame(FRAME, path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_earlier_file(name, tmp_path, monkeypatch):
    path = tmp_path / name
    path.write_text("earlier")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        WRITERS[name](path)
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", WRITERS)
def test_other_files_are_left_alone(name, tmp_path):
    mine = [tmp_path / f"{name}.part", tmp_path / f".{name}.part{Path(name).suffix}"]
    for path in mine:
        path.write_text("mine")
    WRITERS[name](tmp_path / name)
    assert [path.read_text() for path in mine] == ["mine", "mine"]
    assert (tmp_path / name).stat().st_size > 0


def test_a_link_under_the_old_name_of_the_partial_file_is_not_followed(tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "model.json"
    victim.write_text("mine")
    path.with_name("model.json.part").symlink_to(victim)
    bn.write(bn.load_network("asia"), path)
    assert victim.read_text() == "mine"


def test_two_threads_that_save_to_one_path_never_damage_a_read(tmp_path):
    path, fitted = tmp_path / "learner.bnsieve", learner()
    fitted.save(path)
    errors, done = [], threading.Event()

    def save():
        while not done.is_set():
            fitted.save(path)

    def guarded(work):
        try:
            work()
        except Exception as error:  # any of them is a finding
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(save,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(15):
        guarded(lambda: load(path))
    done.set()
    for thread in threads:
        thread.join()
    assert errors == []


def test_permissions_stay_and_new_files_get_the_usual_ones(tmp_path):
    old, new, usual = tmp_path / "old", tmp_path / "new", tmp_path / "usual"
    old.write_text("")
    old.chmod(0o640)
    usual.write_text("")
    write_whole("text", old)
    write_whole("text", new)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert new.stat().st_mode == usual.stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("earlier")
    link.symlink_to(real)
    write_whole("new", link)
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_what_is_no_file_is_written_to():
    write_whole("text", "/dev/null")


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none/file\.txt"):
        write_whole("text", tmp_path / "none/file.txt")


def test_long_names_can_be_written(tmp_path):
    path = tmp_path / ("x" * 250 + ".json")
    write_whole("text", path)
    assert path.read_text() == "text"


def test_an_error_in_the_context_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="mine"), replacing(tmp_path / "file") as partial:
        partial.write_text("half")
        raise ValueError("mine")
    assert not any(tmp_path.iterdir())


def test_a_saved_preparation_is_read_again(tmp_path):
    bn.prepare(FRAME).save(tmp_path / "plan.json")
    assert Preparation.load(tmp_path / "plan.json").n_rows == 60
