"""Folders of killed processes go; those of living ones stay."""

import os
import tempfile
import time

import pytest

from bnsieve.rows.scratch import scratch_folder

pytest.importorskip("fcntl")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(folder):
    hour_ago = time.time() - 3600
    os.utime(folder, (hour_ago, hour_ago))


def test_a_folder_ends_with_its_context(place):
    with scratch_folder() as folder:
        (folder / "rows.parquet").write_bytes(b"x")
        assert place in folder.parents
    assert not list(place.iterdir())


def test_what_a_killed_process_left_goes(place):
    left = place / "bnsieve-left"
    left.mkdir()
    (left / "bnsieve.lock").touch()
    (left / "rows").mkdir()
    young = place / "bnsieve-young"
    young.mkdir()
    (young / "bnsieve.lock").touch()
    other = place / "bnsieve-of-another-program"
    other.mkdir()
    aged(left)
    aged(other)
    with scratch_folder():
        assert not left.exists()
        assert young.exists()
        assert other.exists()


def test_what_is_in_use_stays(place):
    with scratch_folder() as mine:
        aged(mine.parent)
        with scratch_folder() as another:
            assert mine.exists()
            assert another != mine


def test_folders_beside_a_file_have_its_name(place):
    """Names may hold what a pattern would take for its own."""
    left, other = place / ".out[1]-left", place / ".out1-left"
    for folder in (left, other):
        folder.mkdir()
        (folder / "bnsieve.lock").touch()
        aged(folder)
    with scratch_folder(place, ".out[1]-") as folder:
        assert folder.parent.name.startswith(".out[1]-")
        assert not left.exists()
        assert other.exists()
