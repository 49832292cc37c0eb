"""How fast the weighted Tsetlin machine learns, and how well: the sieve's own job, measured.

In: the names of networks. Out: one `Measure` per network, instruction set and number of threads.
The job is the paper's: 4,000 rows to learn from and 1,000 held out; every variable that varies is a
target once, with 50 clauses per class, T = 50, s = 5, for 10 epochs.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from bnsieve import _native
from bnsieve.engine import threads
from bnsieve.exchange import load_network
from bnsieve.sieve import pack
from bnsieve.sieve.machine import Literals, Machine, MachineSettings
from bnsieve.table import Table

NETWORKS = ("alarm", "hailfinder", "munin1")
SETTINGS = MachineSettings(n_clauses=50, threshold=50, specificity=5.0, boost=True)
EPOCHS = 10
N_TRAIN = 4_000
N_HELD_OUT = 1_000


@dataclass(frozen=True, eq=False)
class Job:
    """Machines to train on one table.

    Attributes
    ----------
    table : Table
        ``N_TRAIN`` rows to learn from, then ``N_HELD_OUT`` to judge by.
    literals : Literals
        The table's literals, packed once for all targets.
    targets : tuple of int
        Variables to predict from all others.
    seed : int
    """

    table: Table
    literals: Literals
    targets: tuple[int, ...]
    seed: int = 0


@dataclass(frozen=True)
class Measure:
    """What one pass over all targets took; the least of several passes.

    Attributes
    ----------
    network, level, n_threads
        What was trained, and how.
    n_targets : int
    seconds : float
        Wall-clock time.
    processor_seconds : float
        Time that processors spent on it, all threads together. Where other programs keep the
        processors busy, this is the time that says something.
    accuracy : float
        Share of the held-out rows predicted right, mean over the targets.
    digest : str
        Hash of every trained machine, to the bit.
    """

    network: str
    level: str
    n_threads: int
    n_targets: int
    seconds: float
    processor_seconds: float
    accuracy: float
    digest: str

    @property
    def microseconds(self) -> float:
        """Wall-clock time per row, epoch and target."""
        return self.seconds * 1e6 / (self.n_targets * N_TRAIN * EPOCHS)

    @property
    def processor_microseconds(self) -> float:
        """Processor time per row, epoch and target."""
        return self.processor_seconds * 1e6 / (self.n_targets * N_TRAIN * EPOCHS)


def prepare(network: str, n_targets: int | None = None) -> Job:
    """Sample the network and pack its literals.

    Parameters
    ----------
    network : str
        One of those that `bnsieve.list_networks` lists.
    n_targets : int, optional
        Take so many targets, evenly spaced in the order of the file, rather than all.
    """
    rows = load_network(network).sample(N_TRAIN + N_HELD_OUT, random_state=0)
    table = Table.from_data(rows)
    return Job(table, pack(table), spaced_targets(table, n_targets))


def spaced_targets(table: Table, n_targets: int | None = None) -> tuple[int, ...]:
    """Return all variables that vary among the training rows, or some of them, evenly spaced."""
    varying = [v for v in range(table.n_variables) if len(np.unique(table.codes[v, :N_TRAIN])) > 1]
    if n_targets is None or n_targets >= len(varying):
        return tuple(varying)
    places = np.linspace(0, len(varying) - 1, n_targets).round().astype(int)
    return tuple(varying[place] for place in places)


def train(job: Job, target: int) -> Machine:
    """Train the machine of one target on the first ``N_TRAIN`` rows, unbalanced."""
    labels = job.table.codes[target, :N_TRAIN].astype(np.int32)
    stream = np.random.SeedSequence(job.seed, spawn_key=(target,))
    machine = Machine.new(int(job.table.n_levels[target]), job.literals.layout.n_words, SETTINGS)
    machine.train(
        job.literals,
        np.arange(N_TRAIN, dtype=np.int32),
        labels,
        job.literals.layout.allowed([target]),
        epochs=EPOCHS,
        seed=int(stream.generate_state(1, np.uint64)[0]),
    )
    return machine


def accuracy(job: Job, target: int, machine: Machine) -> float:
    """Return the share of held-out rows whose label gets most votes."""
    held_out = np.arange(N_TRAIN, N_TRAIN + N_HELD_OUT, dtype=np.int32)
    predicted = machine.votes(job.literals, held_out).argmax(axis=1)
    return float((predicted == job.table.codes[target, N_TRAIN:]).mean())


def digest(machines: Sequence[Machine]) -> str:
    """Return a hash of all bits of the machines."""
    state = hashlib.blake2b(digest_size=8)
    for machine in machines:
        for array in (machine.include, machine.depth, machine.weights):
            state.update(np.ascontiguousarray(array).data)
    return state.hexdigest()


def measure(
    networks: Sequence[str] = NETWORKS,
    *,
    n_threads: Sequence[int] = (1, 2),
    n_targets: int | None = None,
    repeats: int = 3,
    report: Callable[[str], None] = lambda _: None,
) -> list[Measure]:
    """Time the training at every instruction set of this processor.

    Instruction sets and numbers of threads take turns in each repeat, so that whatever else the
    machine does meets them alike; the least time of each counts.

    Parameters
    ----------
    networks, n_threads : sequences
        What to train, and with how many threads; targets are spread over the threads.
    n_targets : int, optional
        As for `prepare`.
    repeats : int
    report : callable
        Is told what is under way.
    """
    found: list[Measure] = []
    for network in networks:
        job = prepare(network, n_targets)
        best: dict[tuple[str, int], Measure] = {}
        for repeat in range(repeats):
            for level in _native.simd_levels():
                for count in n_threads:
                    report(f"{network}, {level}, threads: {count}, repeat {repeat + 1}/{repeats}")
                    with simd_level(level):
                        now = _one_pass(network, job, level, count)
                    best[level, count] = _least(best.get((level, count), now), now)
        found += best.values()
    return found


@contextmanager
def simd_level(level: str) -> Iterator[None]:
    """Use this instruction set as long as the context lasts."""
    before = _native.simd_level()
    _native.force_simd_level(level)
    try:
        yield
    finally:
        _native.force_simd_level(before)


def _one_pass(network: str, job: Job, level: str, n_threads: int) -> Measure:
    with threads(n_threads) as run:
        start, processor_start = time.perf_counter(), time.process_time()
        machines = list(run(lambda target: train(job, target), job.targets))
        seconds = time.perf_counter() - start
        processor_seconds = time.process_time() - processor_start
    right = [accuracy(job, t, machine) for t, machine in zip(job.targets, machines, strict=True)]
    return Measure(
        network,
        level,
        n_threads,
        len(job.targets),
        seconds,
        processor_seconds,
        float(np.mean(right)),
        digest(machines),
    )


def _least(a: Measure, b: Measure) -> Measure:
    return replace(
        a,
        seconds=min(a.seconds, b.seconds),
        processor_seconds=min(a.processor_seconds, b.processor_seconds),
    )
