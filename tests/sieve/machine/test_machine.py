"""The kernel against its twin, bit for bit, and the laws the machine obeys."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import reference
from bnsieve import _native
from bnsieve.sieve.machine import Literals, Machine, MachineSettings, balanced_rows
from bnsieve.sieve.machine.machine import aligned_copy, every_row

pytestmark = pytest.mark.kernel


def random_codes(n_variables, n_rows, max_levels, seed):
    rng = np.random.default_rng(seed)
    n_categories = rng.integers(2, max_levels + 1, n_variables)
    n_categories[0] = min(n_categories[0], 4)
    codes = np.array([rng.integers(0, k, n_rows) for k in n_categories])
    return codes.astype(np.uint8 if max_levels <= 256 else np.uint16), n_categories


def as_rows(words):
    """Packed words as booleans over all automata, padding included."""
    as_bytes = np.ascontiguousarray(words).astype("<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, bitorder="little").astype(bool)


def states_of(machine, n_words):
    """Automata states of a kernel machine, shape (K, C, 64 * n_words), read plane by plane."""
    k, c, _ = machine.include.shape
    planes = machine.depth.reshape(k, c, n_words // 8, _native.DEPTH_PLANES, 8)
    states = as_rows(machine.include).astype(int) << _native.DEPTH_PLANES
    for p in range(_native.DEPTH_PLANES):
        plane = planes[:, :, :, p, :].reshape(k, c, n_words)
        states += as_rows(plane).astype(int) << p
    return states


def train_both(*, n_variables, n_rows, max_levels, n_clauses, T, s, boost, epochs, seed):
    codes, n_categories = random_codes(n_variables, n_rows, max_levels, seed)
    literals = Literals.of(codes, n_categories)
    labels = codes[0].astype(np.int32)
    allowed = literals.layout.allowed([0])
    kernel = Machine.new(
        n_categories[0], literals.layout.n_words, MachineSettings(n_clauses, T, s, boost)
    )
    kernel.train(literals, every_row(literals), labels, allowed, epochs=epochs, seed=seed)
    rows = as_rows(literals.bits)
    twin = reference.WeightedTsetlinMachine(n_categories[0], n_clauses, rows.shape[1], T, boost)
    stream = reference.MachineStream(seed, literals.layout.n_words, s)
    twin.fit(rows, labels, as_rows(allowed), epochs, stream)
    return literals, labels, rows, kernel, twin


SMALL = {"n_rows": 40, "max_levels": 3, "n_clauses": 8, "T": 4, "s": 5.0, "boost": True}
CASES = {
    "one block": SMALL | {"n_variables": 6, "n_rows": 60, "max_levels": 4, "s": 3.0},
    "no boost": SMALL | {"n_variables": 6, "n_rows": 60, "max_levels": 4, "boost": False},
    "two groups of clauses": SMALL | {"n_variables": 5, "n_clauses": 70, "T": 9, "s": 2.5},
    "one clause": SMALL | {"n_variables": 5, "n_clauses": 1},
    "two blocks": SMALL | {"n_variables": 80, "n_rows": 25, "max_levels": 5},
    "nine blocks": SMALL | {"n_variables": 600, "n_rows": 10, "max_levels": 5},
    "seventy blocks": SMALL | {"n_variables": 120, "n_rows": 20, "max_levels": 300, "n_clauses": 4},
    "specificity one": SMALL | {"n_variables": 5, "s": 1.0},
    "many categories": SMALL | {"n_variables": 3, "max_levels": 300},
}


@pytest.mark.parametrize("case", CASES)
def test_kernel_equals_reference(simd_level, case):
    literals, labels, rows, kernel, twin = train_both(**CASES[case], epochs=2, seed=7)
    assert (states_of(kernel, literals.layout.n_words) == twin.states).all()
    assert (kernel.clause_weights == twin.weights * twin.polarity).all()
    assert (kernel.votes(literals) == twin.votes(rows)).all()
    assert (
        kernel.matches(literals, every_row(literals), labels) == twin.matches(rows, labels)
    ).all()


@hypothesis_settings(max_examples=15, deadline=None)
@given(
    n_variables=st.integers(2, 12),
    n_rows=st.integers(1, 30),
    max_levels=st.integers(2, 6),
    n_clauses=st.integers(1, 20),
    T=st.integers(1, 30),
    s=st.floats(1.0, 30.0),
    boost=st.booleans(),
    seed=st.integers(0, 2**64 - 1),
)
def test_kernel_equals_reference_anywhere(**case):
    literals, _, _, kernel, twin = train_both(**case, epochs=1)
    assert (states_of(kernel, literals.layout.n_words) == twin.states).all()
    assert (kernel.clause_weights == twin.weights * twin.polarity).all()


def test_literals_can_be_trained_on_in_another_process():
    codes = np.arange(60, dtype=np.uint8).reshape(2, 30) % 3
    literals = Literals.of(codes, [3, 3])
    # Pickled words begin anywhere: with most lengths of what lies before them, not on a cache line.
    for length in range(8):
        _, copy_of = pickle.loads(pickle.dumps((b"x" * length, literals)))
        assert copy_of.bits.ctypes.data % 64 == 0
        assert not copy_of.bits.flags.writeable
        np.testing.assert_array_equal(copy_of.bits, literals.bits)


def test_epochs_in_two_stretches_equal_epochs_in_one():
    codes, n_categories = random_codes(8, 200, 4, seed=1)
    literals = Literals.of(codes, n_categories)
    labels, allowed = codes[0].astype(np.int32), literals.layout.allowed([0])
    whole = Machine.new(n_categories[0], literals.layout.n_words, MachineSettings())
    whole.train(literals, every_row(literals), labels, allowed, epochs=5, seed=3)
    parts = Machine.new(n_categories[0], literals.layout.n_words, MachineSettings())
    parts.train(literals, every_row(literals), labels, allowed, epochs=2, seed=3)
    parts = copy.deepcopy(parts)
    parts.train(literals, every_row(literals), labels, allowed, epochs=3, seed=3)
    assert (whole.include == parts.include).all()
    assert (whole.depth == parts.depth).all()
    assert (whole.weights == parts.weights).all()


@pytest.mark.parametrize("n_threads", [2, 7])
def test_threads_do_not_change_the_result(n_threads):
    codes, n_categories = random_codes(8, 200, 6, seed=4)
    literals = Literals.of(codes, n_categories)
    labels, allowed = codes[0].astype(np.int32), literals.layout.allowed([0])
    trained = []
    for threads in (1, n_threads):
        machine = Machine.new(n_categories[0], literals.layout.n_words, MachineSettings())
        machine.train(
            literals, every_row(literals), labels, allowed, epochs=3, seed=3, n_threads=threads
        )
        trained.append(machine)
    assert (trained[0].include == trained[1].include).all()
    assert (trained[0].depth == trained[1].depth).all()
    assert (trained[0].weights == trained[1].weights).all()


def train_targets(codes, n_categories, targets, n_threads):
    """Machines of several targets that share one literal matrix, by target."""
    literals = Literals.of(codes, n_categories)

    def train(target):
        machine = Machine.new(
            n_categories[target], literals.layout.n_words, MachineSettings(n_clauses=10)
        )
        labels, allowed = codes[target].astype(np.int32), literals.layout.allowed([target])
        machine.train(literals, every_row(literals), labels, allowed, epochs=2, seed=target)
        return machine

    with ThreadPoolExecutor(n_threads) as pool:
        return dict(zip(targets, pool.map(train, targets), strict=True))


def test_neither_level_nor_threads_nor_order_of_targets_change_a_bit(simd_level):
    codes, n_categories = random_codes(14, 200, 5, seed=6)
    _native.force_simd_level("baseline")
    expected = train_targets(codes, n_categories, range(14), n_threads=1)
    _native.force_simd_level(simd_level)
    shuffled = np.random.default_rng(0).permutation(14).tolist()
    for n_threads, targets in [(1, range(14)), (2, range(13, -1, -1)), (7, shuffled)]:
        for target, machine in train_targets(codes, n_categories, targets, n_threads).items():
            assert (machine.include == expected[target].include).all()
            assert (machine.depth == expected[target].depth).all()
            assert (machine.weights == expected[target].weights).all()


def test_hidden_variables_and_padding_never_enter_a_clause():
    codes, n_categories = random_codes(8, 300, 4, seed=2)
    literals = Literals.of(codes, n_categories)
    machine = Machine.new(
        n_categories[0], literals.layout.n_words, MachineSettings(n_clauses=20, threshold=10)
    )
    allowed = literals.layout.allowed([0, 3])
    labels = codes[0].astype(np.int32)
    machine.train(literals, every_row(literals), labels, allowed, epochs=20, seed=0)
    assert machine.include.any()
    assert not (machine.include & ~allowed).any()


def test_weights_and_votes_stay_in_bounds():
    """Weights at their cap are not pushed over it, and their votes are summed without overflow."""
    codes = np.zeros((2, 4), dtype=np.uint8)
    literals = Literals.of(codes, [1, 1])
    machine = Machine.new(
        1, literals.layout.n_words, MachineSettings(n_clauses=640, threshold=1 << 20)
    )
    machine.weights[:, ::2] = _native.MAX_WEIGHT
    machine.weights[:, 1::2] = 0
    # One literal in every clause, so that all of them vote.
    machine.include[:] = literals.layout.pack(np.array([False, True]), np.array([False, False]))
    assert (machine.votes(literals) == 320 * _native.MAX_WEIGHT).all()
    # The vote sum is over the threshold: no feedback, nothing moves.
    # A sum wrapped to 32 bits would not be.
    before = machine.weights.copy()
    labels = np.zeros(4, dtype=np.int32)
    machine.train(
        literals, every_row(literals), labels, literals.layout.allowed([0]), epochs=2, seed=0
    )
    assert (machine.weights == before).all()


def test_weight_stops_at_its_cap():
    literals = Literals.of(np.zeros((2, 4), dtype=np.uint8), [1, 1])
    labels = np.zeros(4, dtype=np.int32)

    def weight_after_training(weight, seed):
        machine = Machine.new(
            1, literals.layout.n_words, MachineSettings(n_clauses=2, threshold=1 << 20)
        )
        machine.weights[0, :2] = weight, -_native.MAX_WEIGHT
        machine.train(
            literals, every_row(literals), labels, literals.layout.allowed([0]), epochs=2, seed=seed
        )
        return int(machine.weights[0, 0])

    below = {weight_after_training(_native.MAX_WEIGHT - 1, seed) for seed in range(20)}
    assert _native.MAX_WEIGHT in below
    assert {weight_after_training(_native.MAX_WEIGHT, seed) for seed in range(20)} == {
        _native.MAX_WEIGHT
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": np.array([0, 9], dtype=np.int32)}, "row is out of range"),
        ({"rows": np.array([0, -1], dtype=np.int32)}, "row is out of range"),
        ({"labels": np.array([0, 2], dtype=np.int32)}, "label is out of range"),
        ({"labels": np.array([0], dtype=np.int32)}, "same length"),
        ({"allowed": np.zeros(8, dtype=np.uint64)[1:]}, "aligned|one bit"),
    ],
)
def test_bindings_refuse_what_would_leave_the_arrays(change, message):
    literals = Literals.of(np.zeros((2, 9), dtype=np.uint8), [2, 2])
    machine = Machine.new(2, literals.layout.n_words, MachineSettings())
    arguments = {
        "rows": np.array([0, 1], dtype=np.int32),
        "labels": np.array([0, 1], dtype=np.int32),
        "allowed": literals.layout.allowed([0]),
    } | change
    with pytest.raises(ValueError, match=message):
        machine.train(literals, **arguments, epochs=1, seed=0)


def test_misaligned_state_is_refused():
    literals = Literals.of(np.zeros((2, 9), dtype=np.uint8), [2, 2])
    machine = Machine.new(2, literals.layout.n_words, MachineSettings(n_clauses=3))
    raw = np.zeros(machine.include.size + 9, dtype=np.uint64)
    start = 1 + (-raw.ctypes.data // 8) % 8
    machine.include = raw[start : start + machine.include.size].reshape(machine.include.shape)
    with pytest.raises(ValueError, match="include must be aligned"):
        machine.votes(literals)
    assert aligned_copy(machine.include).ctypes.data % 64 == 0


@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
)
def test_balanced_rows(sizes, seed):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = balanced_rows(labels, np.random.default_rng(seed))
    assert len(rows) == len(labels)
    drawn = np.bincount(labels[rows], minlength=len(sizes))
    assert drawn.max() - drawn.min() <= 1
    times = np.bincount(rows, minlength=len(labels))
    for k in range(len(sizes)):
        assert np.ptp(times[labels == k]) <= 1
