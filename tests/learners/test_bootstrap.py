"""A bootstrap that was ended goes on, and ends as if it had not been."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import bnsieve as bn

# Moments at which a bootstrap is killed; ten by BNSIEVE_KILLS=10 pytest -m slow THIS_FILE.
N_KILLED = int(os.environ.get("BNSIEVE_KILLS", "3"))
N = 3 * N_KILLED + 3
BOOTSTRAP = f"""
import sys
import bnsieve as bn
rows = bn.load_network("alarm").sample(1000, random_state=0)
learner = bn.TsetlinSieve(random_state=0, n_jobs=1).fit(rows)
strengths = learner.bootstrap({N}, folder=sys.argv[1] if len(sys.argv) > 1 else None)
print(strengths.pairs.tolist(), strengths.counts.tolist())
print([dag.directed_edges for dag in learner.fit_result_.replicate_dags])
"""


@pytest.fixture(scope="module")
def rows():
    return bn.load_network("asia").sample(400, random_state=0)


def fitted(rows, **parameters):
    return bn.TsetlinSieve(**{"random_state": 0, "n_jobs": 1} | parameters).fit(rows)


def counted_fits(monkeypatch):
    """Return a list that grows by one with each fit."""
    fits = []
    settings = bn.TsetlinSieve._settings

    def counted(self, *given):
        fits.append(self)
        return settings(self, *given)

    monkeypatch.setattr(bn.TsetlinSieve, "_settings", counted)
    return fits


def test_what_is_kept_is_not_learned_again(rows, tmp_path, monkeypatch):
    learner = fitted(rows)
    plain = learner.bootstrap(5)
    plain_dags = learner.fit_result_.replicate_dags
    fits = counted_fits(monkeypatch)
    first = learner.bootstrap(5, folder=tmp_path / "new" / "kept")
    assert len(fits) == 5
    again = learner.bootstrap(5, folder=tmp_path / "new" / "kept", n_jobs=2)
    assert len(fits) == 5
    for strengths in (first, again):
        np.testing.assert_array_equal(strengths.pairs, plain.pairs)
        np.testing.assert_array_equal(strengths.counts, plain.counts)
    assert learner.fit_result_.replicate_dags == plain_dags
    lost = sorted((tmp_path / "new" / "kept").glob("*.graph.json"))[2]
    lost.unlink()
    learner.bootstrap(5, folder=tmp_path / "new" / "kept")
    assert len(fits) == 6


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: fitted(rows.iloc[:-1]),
        lambda rows: fitted(rows, max_parents=2),
        lambda rows: fitted(rows, knowledge=bn.Knowledge(forbidden=[("asia", "tub")])),
        lambda rows: fitted(rows.rename(columns={"asia": "Asia"})),
    ],
)
def test_replicates_of_something_else_are_not_taken(rows, tmp_path, monkeypatch, change):
    fitted(rows).bootstrap(2, folder=tmp_path)
    other = change(rows)
    fits = counted_fits(monkeypatch)
    other.bootstrap(2, folder=tmp_path)
    assert len(fits) == 2


def test_numbers_and_missing_cells_are_part_of_what_is_kept(rows, tmp_path, monkeypatch):
    chance = np.random.default_rng(0)
    numbers = rows.assign(a=chance.normal(size=len(rows)), b=chance.normal(size=len(rows)))
    fitted(numbers).bootstrap(2, folder=tmp_path)
    fits = counted_fits(monkeypatch)
    fitted(numbers).bootstrap(2, folder=tmp_path)
    assert len(fits) == 1
    moved = numbers.assign(a=numbers["a"] + 1e-9 * chance.normal(size=len(rows)))
    fitted(moved.mask(chance.random(moved.shape) < 0.01)).bootstrap(2, folder=tmp_path)
    assert len(fits) == 4


@pytest.mark.parametrize("kind", ["graph", "dag"])
def test_a_damaged_replicate_is_named_and_learned_anew_once_removed(
    rows, tmp_path, monkeypatch, kind
):
    learner = fitted(rows)
    plain = learner.bootstrap(2, folder=tmp_path)
    path = sorted(tmp_path.glob(f"*.{kind}.json"))[0]
    cure = "Remove this file and run again"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"{path.name}, line 1, .*{cure}"):
        learner.bootstrap(2, folder=tmp_path)
    bn.write(bn.load_network("asia"), path)
    with pytest.raises(ValueError, match=rf"{path.name}: .*no graph of a replicate.*{cure}"):
        learner.bootstrap(2, folder=tmp_path)
    path.unlink()
    fits = counted_fits(monkeypatch)
    np.testing.assert_array_equal(learner.bootstrap(2, folder=tmp_path).counts, plain.counts)
    assert len(fits) == 1


def test_without_a_seed_nothing_can_be_found_again(rows, tmp_path):
    with pytest.raises(ValueError, match="need a seed: pass random_state"):
        fitted(rows, random_state=None).bootstrap(2, folder=tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed as on POSIX")
def test_killed_at_random_moments_it_ends_as_if_undisturbed(tmp_path):
    command = [sys.executable, "-c", BOOTSTRAP]
    alone = subprocess.run(command, capture_output=True, text=True, check=True)
    chance = random.Random(0)
    n_kept = [0]
    for _ in range(N_KILLED):
        process = subprocess.Popen([*command, str(tmp_path)], stdout=subprocess.DEVNULL)
        # Some while after one or two more replicates: while another is learned, or written.
        enough = n_kept[-1] + chance.choice([1, 2])
        while len(list(tmp_path.glob("*.graph.json"))) < enough and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        n_kept.append(len(list(tmp_path.glob("*.graph.json"))))
    print(f"kept after each of {N_KILLED} kills: {n_kept} of {N}")
    assert n_kept == sorted(n_kept), "nothing that was kept is lost"
    resumed = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=True)
    assert resumed.stdout == alone.stdout
