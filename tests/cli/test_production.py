"""The nightly job of docs/production.md: without a home, as another user, with little memory."""

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import bnsieve as bn

resource = pytest.importorskip("resource", reason="Windows has no such limits")

PAGE = Path(__file__).parents[2] / "docs" / "production.md"
MEGABYTES = 2_000
# Another user, who may read what this Python is made of wherever it lies, and write nothing there.
NOBODY = [
    "setpriv",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
    "--inh-caps=+dac_read_search",
    "--ambient-caps=+dac_read_search",
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder that everybody may write to; those of pytest are the user's own."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o777)
    yield made
    shutil.rmtree(made)


def run_night(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command as a container does: few variables, nobody's rights, limited memory."""
    environment = {
        "PATH": f"{folder}:/usr/bin:/bin",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "HOME": "/nonexistent",
        "PYTHONPATH": str(Path(bn.__file__).parents[1]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    is_root = os.geteuid() == 0 and shutil.which("setpriv") is not None
    return subprocess.run(
        [*(NOBODY if is_root else ()), *arguments],
        cwd=folder,
        env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20,) * 2),
        capture_output=True,
        text=True,
        check=False,
    )


def blocks_of(language: str) -> list[str]:
    """Return what the page has in one language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def write_commands(folder: Path) -> None:
    """Write the script of the page, and `bnsieve` of this Python; skip if nobody may run it."""
    (script,) = blocks_of("bash")
    command = f'#!/bin/sh\nexec "{sys.executable}" -m bnsieve "$@"\n'
    for name, text in (("nightly.sh", script), ("bnsieve", command)):
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    if run_night(folder, sys.executable, "-c", "import bnsieve").returncode:
        pytest.skip("another user may not run this Python")


@pytest.mark.slow
def test_the_examples_of_the_page_run_in_a_container(folder: Path) -> None:
    write_commands(folder)
    first, *others = blocks_of("python")
    (console,) = blocks_of("console")
    done = run_night(folder, sys.executable, "-c", first)
    assert done.returncode == 0, done.stderr
    commands = re.findall(r"^\$ (.*)$", console, re.MULTILINE)
    assert len(commands) == 2
    for command in (*commands, "./nightly.sh model tuesday.csv"):
        done = run_night(folder, *shlex.split(command))
        assert done.returncode == 0, done.stderr
    assert len(others) == 4
    done = run_night(folder, sys.executable, "-c", "\n".join(["import bnsieve as bn", *others]))
    assert done.returncode == 0, done.stderr
    assert "bnsieve_rows 3000" in (folder / "bnsieve.prom").read_text()


@pytest.mark.slow
def test_the_nightly_job_runs_in_a_container(folder: Path) -> None:
    write_commands(folder)
    asia = bn.load_network("asia")
    for day, seed in (("monday", 1), ("tuesday", 2), ("wednesday", 3)):
        rows = asia.sample(3_000, random_state=seed).astype(object)
        rows.insert(0, "patient", [f"p{seed}-{i:05}" for i in range(len(rows))])
        if day == "wednesday":  # a cause that lost its effect, and a category that is new
            rows["bronc"] = np.random.default_rng(0).permutation(rows["bronc"].to_numpy())
            rows.loc[rows.index[:90], "xray"] = "unclear"
        rows.to_csv(folder / f"{day}.csv", index=False)
    learned = run_night(folder, "bnsieve", "learn", "monday.csv", "-o", "model", "--quiet")
    assert learned.returncode == 0, learned.stderr
    night = run_night(folder, "./nightly.sh", "model", "tuesday.csv")
    assert night.returncode == 0, night.stderr
    assert json.loads((folder / "model.next" / "run.json").read_text())["data"]["rows"] == 6_000
    assert len((folder / "predicted.csv").read_text().splitlines()) == 3_001
    shutil.rmtree(folder / "model.next")
    night = run_night(folder, "./nightly.sh", "model", "wednesday.csv")
    assert night.returncode == 3, night.stderr
    changed = json.loads((folder / "check.json").read_text())["changed"]
    assert {"schema", "mechanisms"} <= set(changed)
    assert len((folder / "predicted.csv").read_text().splitlines()) == 3_001
    assert not (folder / "model.next").exists()
