"""What is fuzzed: for each target some whole inputs, how they are mutated, and what reads one.

A target ends well, or in an error that bnsieve raised itself and that names what is wrong. All else
is a finding: see `bnsieve_said`.
"""

import random
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import bnsieve as bn
from benchmarks.fuzz import frames
from benchmarks.fuzz.mutations import mutated, mutated_archive, mutated_json

SEEDS = Path(__file__).parent / "seeds"
SOURCE = str(Path(bn.__file__).parent)
MAX_MESSAGE = 2_000


@dataclass(frozen=True)
class Target:
    """Whole inputs, and what is done with a mutated one.

    Attributes
    ----------
    seeds : callable
        Returns the whole inputs.
    run : callable
        Takes one input; returns anything, or raises.
    named : str
        What every message of a refusal must hold: the name of the file.
    mutate : callable
    """

    seeds: Callable[[], list[bytes]]
    run: Callable[[bytes], object]
    named: str = ""
    mutate: Callable[[bytes, random.Random], bytes] = mutated


def bnsieve_said(error: BaseException, named: str) -> bool:
    """Say whether an error is a refusal: raised by bnsieve itself, in words that name the thing."""
    if not isinstance(error, ValueError | TypeError):
        return False
    where = traceback.extract_tb(error.__traceback__)[-1].filename
    text = str(error)
    return where.startswith(SOURCE) and 0 < len(text) <= MAX_MESSAGE and named in text


@cache
def folder() -> Path:
    """Return a folder that lasts as long as the process."""
    kept = tempfile.TemporaryDirectory(prefix="bnsieve-fuzz-")
    _KEPT.append(kept)
    return Path(kept.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def put(content: bytes, name: str) -> Path:
    path = folder() / name
    path.write_bytes(content)
    return path


def kept(name: str) -> Callable[[], list[bytes]]:
    """Return what gives the whole inputs of the repository for a target."""
    return lambda: [path.read_bytes() for path in sorted((SEEDS / name).iterdir())]


def network_file(ends: str) -> Callable[[bytes], object]:
    """Return what reads a network or a graph, and writes and reads again what was read."""

    def run(content: bytes) -> None:
        found = bn.read(put(content, f"mutated.{ends}"))
        again = folder() / f"again.{ends}"
        bn.write(found, again)
        assert same(bn.read(again), found), "what was written is read as something else"

    return run


def same(one: object, other: object) -> bool:
    """Say whether two networks or graphs are the same, but for the last digits of numbers."""
    if not isinstance(one, bn.BayesianNetwork) or not isinstance(other, bn.BayesianNetwork):
        return one == other
    if one.graph != other.graph or one.states != other.states:
        return False
    names = [name for name in one.graph.nodes if name in one.tables]
    return all(np.allclose(one.tables[name], other.tables[name], atol=1e-6) for name in names)


def run_knowledge(content: bytes) -> None:
    """Read the bytes as JSON and as YAML; both refusals must be refusals."""
    refused: list[ValueError | TypeError] = []
    for ends in ("json", "yaml"):
        try:
            known = bn.read(put(content, f"mutated.{ends}"))
        except (ValueError, TypeError) as error:
            if not bnsieve_said(error, f"mutated.{ends}"):
                raise
            refused.append(error)
        else:
            if isinstance(known, bn.Knowledge):
                assert bn.Knowledge.from_dict(known.to_dict()) == known
    if len(refused) == 2:
        raise refused[0]


def run_csv(content: bytes) -> None:
    """Look at a table, and learn from it now and then, which takes some times as long."""
    path = put(content, "mutated.csv")
    str(bn.prepare(path))
    if len(content) % 4 == 0:
        bn.TsetlinSieve(random_state=0, n_jobs=1).fit(path)


@cache
def learners() -> list[bytes]:
    rows = bn.load_network("cancer").sample(60, random_state=0)
    wide = rows.assign(number=np.random.default_rng(0).normal(size=len(rows)))
    path = folder() / "whole.bnsieve"
    found = []
    for own in (rows, wide.mask(np.random.default_rng(1).random(wide.shape) < 0.05)):
        bn.TsetlinSieve(random_state=0, n_jobs=1).fit(own).save(path)
        found.append(path.read_bytes())
    return found


def run_learner(content: bytes) -> None:
    """Load a learner; then do with it what reaches compiled code."""
    learner = bn.load(put(content, "mutated.bnsieve"))
    rows = bn.load_network("cancer").sample(20, random_state=1)
    for use in (
        lambda: learner.update(rows),
        lambda: learner.predict(rows, "Xray"),
        lambda: learner.network_.query("Cancer", given={"Smoker": "True"}),
        lambda: learner.save(folder() / "again.bnsieve"),
    ):
        try:
            use()
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            # What fits no longer, once loaded, is refused by the stage that meets it, or is not
            # there. That nothing breaks is what is asked; the names are those of the stages.
            if not isinstance(error, AttributeError | KeyError) and not bnsieve_said(error, ""):
                raise


TARGETS: dict[str, Target] = {
    "bif": Target(kept("bif"), network_file("bif"), "mutated.bif"),
    "xmlbif": Target(kept("xmlbif"), network_file("xmlbif"), "mutated.xmlbif"),
    "json": Target(kept("json"), network_file("json"), "mutated.json", mutated_json),
    "edges": Target(kept("edges"), network_file("csv"), "mutated.csv"),
    "knowledge": Target(kept("knowledge"), run_knowledge, "mutated", mutated_json),
    "csv": Target(kept("csv"), run_csv, "mutated.csv"),
    "learner": Target(learners, run_learner, "mutated.bnsieve", mutated_archive),
    "prepare": Target(frames.seeds, frames.run_prepare),
    "table": Target(frames.seeds, frames.run_table),
}
