"""One Tsetlin machine library as a process: jobs come in on standard input, figures go out.

    python peer_worker.py tmu | pyTsetlinMachine | green_tsetlin | bnsieve [LEVEL]

Each line in is a job, each line out its answer, as JSON; the first line out says what runs here.
Only the training is timed; one-hot columns, in the type that the library takes, and our packed
literals, which all targets share, are ready before. Every library trains in one thread, with
weighted clauses, ``clauses`` per class, and boosts true positives. `peers.py` starts these, each
in an environment of its own.
"""

import ctypes
import functools
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

Train = Callable[[], None]
Predict = Callable[[], Any]


@functools.cache
def load(path: str) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return dict(file)


@functools.lru_cache(maxsize=1)
def one_hot(path: str, target: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Columns for every level of every variable but the target, and the target: all rows."""
    data = load(path)
    columns = [
        data["codes"][v] == level
        for v, n_levels in enumerate(data["n_levels"])
        if v != target
        for level in range(n_levels)
    ]
    rows = np.ascontiguousarray(np.array(columns).T, dtype=dtype)
    return rows, data["codes"][target].astype(np.uint32)


def split(job: dict[str, Any], dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training rows and labels, and rows held out."""
    rows, labels = one_hot(job["data"], job["target"], dtype)
    n = job["n_train"]
    return rows[:n], np.ascontiguousarray(labels[:n]), np.ascontiguousarray(rows[n:])


def tmu(job: dict[str, Any]) -> tuple[Train, Predict]:
    logging.disable(logging.ERROR)  # it complains at length that there is no CUDA
    from tmu.models.classification.vanilla_classifier import TMClassifier

    rows, labels, held_out = split(job, "uint32")
    machine = TMClassifier(
        job["clauses"],
        job["T"],
        job["s"],
        weighted_clauses=True,
        boost_true_positive_feedback=1,
        platform="CPU",
        seed=job["seed"],
    )

    def train() -> None:
        for _ in range(job["epochs"]):
            machine.fit(rows, labels)

    return train, lambda: machine.predict(held_out)


def py_tsetlin_machine(job: dict[str, Any]) -> tuple[Train, Predict]:
    from pyTsetlinMachine.tm import MultiClassTsetlinMachine

    rows, labels, held_out = split(job, "uint32")
    machine = MultiClassTsetlinMachine(
        job["clauses"], job["T"], job["s"], boost_true_positive_feedback=1, weighted_clauses=True
    )
    # It has no seed: order and opponents are drawn from the C library's generator, which can be
    # seeded, feedback from one of its own, which cannot and goes on from job to job.
    ctypes.CDLL(None).srand(job["seed"])
    return lambda: machine.fit(rows, labels, epochs=job["epochs"]), lambda: machine.predict(
        held_out
    )


def green_tsetlin(job: dict[str, Any]) -> tuple[Train, Predict]:
    import green_tsetlin as gt

    rows, labels, held_out = split(job, "uint8")
    # Its clauses are shared by the classes, with a weight for each: as many as others have in all.
    machine = gt.TsetlinMachine(
        n_literals=rows.shape[1],
        n_clauses=job["clauses"] * job["n_classes"],
        n_classes=job["n_classes"],
        s=float(job["s"]),
        threshold=job["T"],
        boost_true_positives=True,
    )
    trainer = gt.Trainer(
        machine,
        feedback_type="uniform",  # the other class is drawn evenly, as by everyone else here
        n_jobs=1,
        n_epochs=job["epochs"],
        seed=job["seed"],
        early_exit_acc=2.0,  # never: all run the same number of epochs
        load_best_state=False,
        progress_bar=False,
    )
    trainer.set_train_data(rows, labels)
    # It wants rows to judge each epoch by; one costs nothing.
    trainer.set_eval_data(rows[:1], labels[:1])

    def predict() -> list[int]:
        predictor = machine.get_predictor()
        return [predictor.predict(row) for row in held_out]

    return trainer.train, predict


@functools.cache
def literals_of(path: str) -> Any:
    from bnsieve.sieve.machine import Layout, Literals

    data = load(path)
    return Literals.from_codes(data["codes"], Layout.of(data["n_levels"]))


def bnsieve(job: dict[str, Any]) -> tuple[Train, Predict]:
    from bnsieve.sieve.machine import Machine, MachineSettings

    literals = literals_of(job["data"])
    settings = MachineSettings(job["clauses"], job["T"], job["s"], boost=True)
    n, target = job["n_train"], job["target"]
    rows = np.arange(literals.n_rows, dtype=np.int32)
    labels = load(job["data"])["codes"][target, :n].astype(np.int32)
    trained = []

    def train() -> None:
        machine = Machine.new(job["n_classes"], literals.layout.n_words, settings)
        allowed = literals.layout.allowed([target])
        machine.train(literals, rows[:n], labels, allowed, epochs=job["epochs"], seed=job["seed"])
        trained.append(machine)

    return train, lambda: trained[0].votes(literals, rows[n:]).argmax(axis=1)


TOOLS = {
    "tmu": tmu,
    "pyTsetlinMachine": py_tsetlin_machine,
    "green_tsetlin": green_tsetlin,
    "bnsieve": bnsieve,
}


def run(tool: str, job: dict[str, Any]) -> dict[str, float]:
    train, predict = TOOLS[tool](job)
    start, processor_start = time.perf_counter(), time.process_time()
    train()
    seconds, processor_seconds = time.perf_counter() - start, time.process_time() - processor_start
    truth = load(job["data"])["codes"][job["target"], job["n_train"] :]
    accuracy = float((np.asarray(predict()) == truth).mean())
    return {"seconds": seconds, "processor_seconds": processor_seconds, "accuracy": accuracy}


def main() -> None:
    tool, *level = sys.argv[1:]
    # Whatever a library prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    if level:
        from bnsieve import _native

        _native.force_simd_level(level[0])
    print(json.dumps({"version": version(tool), "numpy": np.__version__}), file=answers)
    for line in sys.stdin:
        print(json.dumps(run(tool, json.loads(line))), file=answers)


if __name__ == "__main__":
    main()
