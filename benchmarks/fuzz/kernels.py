"""Bytes in, a call of compiled code out: one that learning makes, with some arguments made wrong.

Calls are recorded while a few rows are learned from, sampled, filled and asked about, so that every
bound function is met with arguments that it takes. The bytes then choose a call and what is done to
its arguments: other types, shapes, strides, values out of range, read-only, misaligned, huge.
"""

import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bnsieve as bn
from benchmarks.fuzz.choices import Choices
from bnsieve import _native

CLASSES = ("NetworkRows", "Tally")
# They choose the instruction set, or end the process's work: nothing is handed to them.
LEFT_OUT = ("simd_level", "simd_levels", "force_simd_level", "obey", "stop_if_asked", "StopFlag")
N_EACH = 3
MAX_BYTES = 1 << 16
ALIGNMENT = 64

TYPES = [
    "u1",
    "u2",
    "i4",
    "u4",
    "i8",
    "u8",
    "f4",
    "f8",
    "?",
    "O",
    "c16",
    "U3",
    ">i8",
    ">f8",
    "M8[s]",
]
INTEGERS = [
    *(0, 1, -1, 2, 3, 7, 63, 64, 255, 256, 65_535, 65_536, 2**31 - 1, 2**31, -(2**31), 2**32),
    *(2**40, 2**61, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64),
]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e308, -1e308, 5e-324, np.nan, np.inf, -np.inf]
OTHERS: list[Any] = [None, "x", b"x", 1.5, [], (), {}, object(), np.zeros(0), np.float64(1)]
# Arguments that ask for work: large ones are taken, and take their time.
WORK: dict[str, tuple[int, ...]] = {
    "search_orders": (6,),
    "falls_if_turned": (7,),
    "train_machine": (12,),
    "permutation_p_value": (3, 4),
}


@dataclass
class Step:
    """A function, or a method of what the step before returned, and its arguments."""

    name: str
    arguments: list[Any]
    named: dict[str, Any] = field(default_factory=dict)

    def fresh(self) -> "Step":
        """Return a copy, for compiled code to write into."""
        own = {name: fresh(value) for name, value in self.named.items()}
        return Step(self.name, fresh(self.arguments), own)


def fresh(value: Any) -> Any:
    """Return a copy of a value, and of the arrays in it, each where a cache line begins."""
    if isinstance(value, list | tuple):
        return type(value)(map(fresh, value))
    if not isinstance(value, np.ndarray):
        return value
    room = np.zeros(value.nbytes + ALIGNMENT, np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    own = room[start : start + value.nbytes].view(value.dtype).reshape(value.shape)
    own[...] = value
    return own


class _Recorded:
    """An object of a bound class, whose calls are kept too."""

    def __init__(self, keep: Callable[..., None], own: Any, made: Step) -> None:
        self._keep, self._own, self._made = keep, own, made

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._own, name)

        def called(*arguments: Any, **named: Any) -> Any:
            self._keep(self._made, Step(name, list(arguments), named))
            return method(*arguments, **named)

        return called


@cache
def recorded() -> list[list[Step]]:
    """Return calls that work, some of every function."""
    calls: list[list[Step]] = []
    met: Counter[str] = Counter()

    def keep(*steps: Step) -> None:
        name = ".".join(step.name for step in steps)
        sizes = [one.nbytes for step in steps for one in step.arguments if hasattr(one, "nbytes")]
        if met[name] < N_EACH and max(sizes, default=0) <= MAX_BYTES:
            met[name] += 1
            calls.append([step.fresh() for step in steps])

    def keeping(name: str, own: Any) -> Any:
        def called(*arguments: Any, **named: Any) -> Any:
            step = Step(name, list(arguments), named)
            if name in CLASSES:
                made = own(*arguments, **named)
                keep(step)
                return _Recorded(keep, made, step.fresh())
            keep(step)
            return own(*arguments, **named)

        return called

    bound = {name: own for name, own in vars(_native).items() if callable(own)}
    try:
        for name, own in bound.items():
            if not name.startswith("_") and name not in (*LEFT_OUT, "StrataStatistics"):
                setattr(_native, name, keeping(name, own))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _work()
    finally:
        for name, own in bound.items():
            setattr(_native, name, own)
    return [*calls, *([step] for step in _by_hand())]


def _work() -> None:
    """Do a little of everything that compiled code is there for."""
    network = bn.load_network("cancer")
    rows = network.sample(150, random_state=0)
    holes = rows.mask(np.random.default_rng(0).random(rows.shape) < 0.1)
    numbers = rows.assign(a=np.random.default_rng(1).normal(size=150))
    numbers["b"] = numbers["a"] + np.random.default_rng(2).normal(size=150)
    sieve = bn.TsetlinSieve(random_state=0, n_jobs=1)
    for own in (rows, holes, numbers):
        sieve.fit(own).network_.query("Cancer")
    sieve.fit(rows).bootstrap(2)
    bn.TsetlinSieve(method="tests", random_state=0, n_jobs=1).fit(numbers)
    bn.PC(n_jobs=1).fit(rows)
    bn.TsetlinPC(random_state=0, n_jobs=1).fit(rows)
    classifier = bn.WeightedTsetlinClassifier(random_state=0)
    classifier.fit(rows.iloc[:, :4], rows.iloc[:, 4]).predict(rows.iloc[:, :4])
    network.log_likelihood(rows)
    network.predict(rows.drop(columns="Xray"), "Xray")
    network.impute(holes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        for own in (rows, numbers):
            own.to_csv(path, index=False)
            bn.TsetlinSieve(random_state=0, n_jobs=1).fit(path)
            own.to_parquet(path.with_suffix(".parquet"))
            bn.TsetlinSieve(random_state=0, n_jobs=1, sample_rows=50).fit(
                path.with_suffix(".parquet")
            )


def _by_hand() -> list[Step]:
    """Return calls that only larger tables lead to."""
    chance = np.random.default_rng(0)
    codes = chance.integers(0, 3, (4, 60), dtype=np.uint8)
    keys, counts = np.arange(4, dtype=np.uint64), np.full(4, 2)
    sets = [
        np.array([0, 1, 2, 2]),
        np.array([1, 0], dtype=np.int32),
        np.array([0, 2, 4, 5]),
        np.array([1, 0, 1, 0, 0], dtype=np.uint32),
        np.array([-1.0, -2.0, -1.5, -2.0, -1.0]),
        np.array([0, 1, 2], dtype=np.int32),
    ]
    text = b'a,"b\n",1\n' * 9 + b'c,"d""e",2\n'
    return [
        Step("search_orders", [*sets, 3, 0]),
        Step("falls_if_turned", [*sets, np.array([[0, 1]], dtype=np.int32), 2, 0]),
        Step("strata_statistics", [codes, np.ones(60, dtype=np.int64)]),
        Step("strata_statistics", [codes.astype(np.uint16), np.ones(60, dtype=np.int64)]),
        Step("add_counted", [[2, 2], 10, 2, keys, counts, 1, keys[:2], counts[:2]]),
        Step("split_cells", [text, 3, b",", 10, True]),
        Step("split_cells", [text, 3, b",", 2, False]),
        Step(
            "sum_axes",
            [chance.random(24), np.array([2, 3, 4]), np.array([4, 0, 1]), np.zeros(8)],
        ),
        *(
            Step(
                "elimination_order",
                [
                    np.array([0, 1, 1, 2, 0, 3], dtype=np.int32),
                    np.array([0, 2, 4, 6]),
                    np.ones(4),
                    np.array([0, 0, 1, -1], dtype=np.int32),
                    2,
                    rule,
                ],
            )
            for rule in ("fill", "weight")
        ),
    ]


def wrong(value: Any, choices: Choices, is_work: bool) -> Any:
    """Return an argument made wrong, in the way that the bytes choose."""
    if choices.below(16) == 15:
        return choices.pick(OTHERS)
    if isinstance(value, np.ndarray):
        return wrong_array(value, choices)
    if isinstance(value, bool):
        return choices.pick([not value, 2, None])
    if isinstance(value, int):
        return choices.pick([0, 1, -1, 2, -(2**63)] if is_work else INTEGERS)
    if isinstance(value, float):
        return choices.pick([0.0, -1.0, np.nan] if is_work else FLOATS)
    if isinstance(value, str):
        return choices.pick(["", "x", value * 2, "bd", "bdeu", "bic", "qnml", "\0"])
    if isinstance(value, bytes):
        return choices.pick([b"", b"\0", value[:-1], value * 2, choices.take(9), b'"' + value])
    if isinstance(value, list | tuple) and value:
        own = list(value)
        at = choices.below(len(own))
        changed = wrong(own[at], choices, False)
        return type(value)(choices.pick([own[:-1], own * 2, [*own[:at], changed, *own[at + 1 :]]]))
    return choices.pick([np.zeros(1), np.zeros((2, 2), dtype=bool), np.zeros(0, np.int64), 0, [0]])


def wrong_array(array: NDArray[Any], choices: Choices) -> Any:
    """Return an array made wrong: its type, shape, strides, values or memory."""
    if array.size > MAX_BYTES or array.dtype.kind not in "biuf":  # it is wrong already
        return array
    own = fresh(array)
    match choices.below(10):
        case 0:
            with np.errstate(all="ignore"):
                return own.astype(choices.pick(TYPES), casting="unsafe")
        case 1:
            return choices.pick([own[:0], own[..., :0], own[:-1], own[..., :-1], own[:1]])
        case 2:
            return choices.pick(
                [own.ravel(), own[None], own[..., None], np.concatenate([own, own])]
            )
        case 3:
            return choices.pick(
                [own[::-1], own[..., ::-1], own[::2], own.T, np.asfortranarray(own)]
            )
        case 4:
            own.flags.writeable = False
            return own
        case 5:
            moved = np.empty(own.nbytes + 1, np.uint8)[1:].view(np.uint8)
            moved[:] = np.frombuffer(own.tobytes(), np.uint8)
            return moved.view(own.dtype).reshape(own.shape) if own.size else own
        case 6:
            return np.broadcast_to(own.ravel()[:1].sum(), (2**40, *own.shape[1:]))
        case 7:
            return np.broadcast_to(own.ravel()[0] if own.size else own.dtype.type(0), own.shape)
        case _ if own.size:
            values = FLOATS if own.dtype.kind == "f" else INTEGERS
            with np.errstate(all="ignore"):
                value = np.array(float(choices.pick(values))).astype(own.dtype, casting="unsafe")
            own.ravel()[choices.below(own.size) if choices.below(4) else slice(None)] = value
            return own
    return own


def seeds() -> list[bytes]:
    """Return bytes that choose every recorded call once."""
    return [bytes([number % 256, number // 256, *range(12)]) for number in range(len(recorded()))]


def run(content: bytes) -> None:
    choices = Choices(content)
    calls = recorded()
    chosen = calls[int.from_bytes(choices.take(2), "little") % len(calls)]
    steps = [step.fresh() for step in chosen]
    for _ in range(1 + choices.below(3)):
        step = choices.pick(steps)
        if step.arguments:
            at = choices.below(len(step.arguments))
            is_work = at in WORK.get(step.name, ())
            step.arguments[at] = wrong(step.arguments[at], choices, is_work)
    holder: Any = _native
    try:
        for step in steps:
            holder = getattr(holder, step.name)(*step.arguments, **step.named)
    except (MemoryError, IndexError):
        # An array of 2**40 cells was asked for, or a table that a tally lacks.
        return
