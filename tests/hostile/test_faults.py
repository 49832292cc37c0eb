"""Faults of the machine: nothing lost that was written, nothing half-written that looks whole."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="limits are set as on Linux"),
]

LIMITED = """
import resource, sys
resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]),) * 2)
sys.argv = ["bnsieve", *sys.argv[3:]]
from bnsieve.cli import main
main()
"""
# Moments at which a run is ended; more by BNSIEVE_KILLS=60 pytest tests/hostile/test_faults.py.
N_KILLED = int(os.environ.get("BNSIEVE_KILLS", "6"))


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Two tables of one form, so that files of two runs can be told apart."""
    folder = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(0)
    for name, n in (("old", 400), ("new", 20_000)):
        codes = rng.integers(0, 3, (n, 8))
        codes[:, 1:] = np.where(rng.random((n, 7)) < 0.4, codes[:, :-1], codes[:, 1:])
        pd.DataFrame(codes).add_prefix(f"{name}_").to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def old_run(rows, tmp_path_factory):
    """Return the files of an earlier run, and their bytes."""
    folder = tmp_path_factory.mktemp("earlier") / "out"
    done = command("learn", rows / "old.csv", "-o", folder, "--jobs", "1")
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def command(*arguments, limit=None):
    start = ["-m", "bnsieve"] if limit is None else ["-c", LIMITED, limit[0], str(limit[1])]
    return subprocess.run(
        [sys.executable, *start, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def put(files, folder):
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def one_line(done):
    assert done.returncode == 1, (done.returncode, done.stderr[-600:])
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def whole(folder):
    """Tell which run a folder with a record is of, after looking at all that is in it."""
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    nodes = record["graph"]["nodes"]
    assert list(bn.read(folder / "graph.json").nodes) == nodes
    assert list(bn.read(folder / "network.bif").graph.nodes) == nodes
    assert list(bn.load(folder / "learner.bnsieve").graph_.nodes) == nodes
    assert "</html>" in (folder / "report.html").read_text(encoding="utf-8")
    return nodes[0].split("_")[0]


def learn_again_with(limit, rows, old_run, place):
    """Learn over an earlier run under a limit, after which the folder is of one run, and alone.

    Returns the command that failed, None where the limit was wide enough.
    """
    out = place / "out"
    put(old_run, out)
    done = command("learn", rows / "new.csv", "-o", out, "--force", "--jobs", "1", limit=limit)
    if done.returncode == 0:
        assert whole(out) == "new"
        return None
    assert {path.name: path.read_bytes() for path in out.iterdir()} == old_run
    assert list(place.iterdir()) == [out]
    return done


@pytest.mark.parametrize("kilobytes", [1, 4, 20, 60])
def test_a_disk_that_is_full_keeps_the_earlier_run(rows, old_run, tmp_path, kilobytes):
    """No file may be larger than some: the write fails as on a disk without room."""
    failed = learn_again_with(("RLIMIT_FSIZE", kilobytes << 10), rows, old_run, tmp_path)
    assert failed is None or "File too large" in one_line(failed)


def test_saving_on_a_full_disk_keeps_the_earlier_file(tmp_path):
    """Every way to write over a file."""
    code = """
import resource, sys
import bnsieve as bn
network = bn.load_network("alarm")
learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(network.sample(300, random_state=0))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for path in sys.argv[1:]:
    try:
        learner.save(path) if path.endswith("bnsieve") else bn.write(network, path)
    except OSError as error:
        print(error.errno)
"""
    names = [
        "a.bnsieve",
        *(f"a.{end}" for end in ("bif", "bif.gz", "json", "xmlbif", "xdsl", "net")),
    ]
    for name in names:
        (tmp_path / name).write_bytes(b"earlier")
    done = subprocess.run(
        [sys.executable, "-c", code, *(str(tmp_path / name) for name in names)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["27"] * len(names), done.stderr
    assert {path.name for path in tmp_path.iterdir()} == set(names)
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"earlier"}


@pytest.mark.parametrize("megabytes", [450, 600, 800])
def test_too_little_memory_keeps_the_earlier_run(rows, old_run, tmp_path, megabytes):
    failed = learn_again_with(("RLIMIT_AS", megabytes << 20), rows, old_run, tmp_path)
    # Libraries that cannot even be loaded end the process before there is a command.
    if failed is not None and failed.stderr.startswith("error: "):
        one_line(failed)


def limited_memory(megabytes, *arguments):
    """Run Python under a limit from its first moment, on as many threads everywhere."""
    limit = f'ulimit -v {megabytes << 10}; exec "$@"'
    return subprocess.run(
        ["sh", "-c", limit, "sh", sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "2"},
    )


def test_too_little_memory_to_load_libraries_is_said_and_does_not_hang():
    """OpenBLAS would try to allocate its buffers without end."""
    said = one_line(limited_memory(200, "-m", "bnsieve", "doctor"))
    assert "200 MB (ulimit -v), leaves too little to load" in said


def age(folder):
    """Make what was left older than what may still be in use."""
    for one in folder.iterdir():
        os.utime(one, (0, 0))


def until_writing(process, place, left=()):
    """Wait until the process has made the folder that it writes to first, or has ended."""
    while process.poll() is None and not set(place.glob(".out-*")).difference(left):
        time.sleep(0.002)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals_at_random_moments(rows, old_run, tmp_path, number):
    """What is in the folder is of one run, whenever the signal comes, and nothing else is left."""
    chance = random.Random(int(number))
    scratch, place = tmp_path / "scratch", tmp_path / "place"
    scratch.mkdir()
    place.mkdir()
    out = place / "out"
    line = [sys.executable, "-m", "bnsieve", "learn", str(rows / "new.csv"), "--force"]
    line += ["--jobs", "1", "-o", str(out)]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    # How long a run takes, and how long it writes.
    start = time.monotonic()
    undisturbed = subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL)
    until_writing(undisturbed, place)
    began = time.monotonic()
    assert undisturbed.wait() == 0
    usual, writing = time.monotonic() - start, time.monotonic() - began
    ends = Counter()
    for i in range(N_KILLED):
        shutil.rmtree(out)
        put(old_run, out)
        left = set(place.iterdir())
        process = subprocess.Popen(
            line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        # Half of them while files are written, however long it took to come there.
        if i % 2:
            until_writing(process, place, left)
        time.sleep(chance.uniform(0, 1) * (writing if i % 2 else usual))
        process.send_signal(number)
        complained = process.communicate(timeout=120)[1]
        assert "Traceback" not in complained, complained
        assert process.returncode in {0, 128 + number, -number}
        is_whole = (out / "run.json").exists()
        ends[whole(out) if is_whole else "none"] += 1
        files = {path.name: path.read_bytes() for path in out.iterdir()}
        assert is_whole or number == signal.SIGKILL, "files are replaced undisturbed"
        assert not is_whole or whole(out) == "new" or files == old_run, "nothing is lost"
        if number != signal.SIGKILL:
            assert (process.returncode == 0) == (files != old_run), "what is said is true"
            assert list(place.iterdir()) == [out]
            assert not list(scratch.iterdir())
        age(place)
        age(scratch)
    print(f"{signal.Signals(number).name} at {N_KILLED} moments: {dict(ends)}")
    again = subprocess.run(line, env=environment, check=False, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert whole(out) == "new"
    assert list(place.iterdir()) == [out], "what a killed process left goes at the next run"
    assert not list(scratch.iterdir())


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "nowhere.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("missing.csv", "dangling.csv", "loop.csv", "folder.csv", "missing.parquet"):
        said = one_line(command("learn", tmp_path / name, "-o", tmp_path / "out"))
        assert name in said
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read(rows, tmp_path):
    for name in ("rows.csv", "rows.parquet"):
        path = tmp_path / name
        path.write_bytes(b"x,y\n")
        path.chmod(0)
        assert name in one_line(command("learn", path, "-o", tmp_path / "out"))


def test_a_file_that_vanishes_between_two_readings(tmp_path, monkeypatch):
    from bnsieve.rows import parquet

    path = tmp_path / "rows.parquet"
    bn.load_network("asia").sample(500, random_state=0).to_parquet(path)
    opened = parquet.ParquetSource._opened
    n_opened = 0

    def vanishing(self, file):
        nonlocal n_opened
        n_opened += 1
        if n_opened == 2:
            Path(path).unlink()
        return opened(self, file)

    monkeypatch.setattr(parquet.ParquetSource, "_opened", vanishing)
    with pytest.raises(FileNotFoundError, match=r"rows\.parquet has vanished"):
        bn.TsetlinSieve(random_state=0, n_jobs=1).fit(path)
