"""Values as JSON and arrays, and back."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsieve import Knowledge, load_network
from bnsieve.counts import JointCounts
from bnsieve.decide import Score
from bnsieve.exchange import Entry, FormatError
from bnsieve.learners.saving.values import decode, encode, fits
from bnsieve.table import Table
from reference import dense
from strategies import pdags

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
KEYS = st.recursive(
    st.integers() | st.text(max_size=5),
    lambda inner: st.tuples(inner, inner) | st.frozensets(st.text(max_size=3), max_size=3),
    max_leaves=4,
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.sets(st.text(max_size=3), max_size=3)
    ),
    max_leaves=10,
)


def bytes_of(arrays):
    """Return what gives the bytes of an array by its number, as an archive does."""
    return lambda number: np.frombuffer(arrays[number].tobytes(), dtype=np.uint8).copy()


def there_and_back(value):
    arrays = []
    text = json.dumps(encode(value, "value", arrays))
    return decode(Entry(json.loads(text), "", None), bytes_of(arrays))


@given(VALUES)
def test_plain_values(value):
    again = there_and_back(value)
    assert again == value
    assert repr(again) == repr(value) or isinstance(value, dict | set | tuple | list)


@given(pdags())
@settings(max_examples=20)
def test_graphs(graph):
    again = there_and_back(graph)
    assert again == graph
    assert again.nodes == graph.nodes


@pytest.mark.parametrize("dtype", ["?", "u1", "u2", "u4", "u8", "i4", "i8", "f4", "f8", ">i4"])
def test_arrays(dtype):
    array = (np.arange(24) % 5).astype(dtype).reshape(2, 3, 4)
    again = there_and_back(array.transpose(2, 0, 1))
    assert np.array_equal(again, array.transpose(2, 0, 1))
    assert again.dtype == array.dtype.newbyteorder("=")
    again[0] = 1  # it is the reader's own


def test_other_values():
    assert math.isnan(there_and_back(math.nan))
    assert there_and_back(-math.inf) == -math.inf
    assert there_and_back(np.float64(2.5)) == 2.5
    assert there_and_back(np.empty((0, 3))).shape == (0, 3)
    knowledge = Knowledge(required=[("a", "b")], parents_of={"c": ["a"]}, tiers=[["a"], ["b"]])
    assert there_and_back(knowledge) == knowledge
    assert there_and_back(Score("bic", penalty=0.5)) == Score("bic", penalty=0.5)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"x": (1, object())}, r"value\['x'\]\[1\] holds a builtins.object, which no file"),
        (np.random.RandomState(0), "numpy.random.*RandomState"),
        (np.array([1j]), "an array of complex128"),
        (np.array(["a", "b"], dtype=object), "an array of object"),
        (print, "builtin_function"),
        (int, "builtins.type"),
        (b"bytes", "builtins.bytes"),
    ],
)
def test_types_that_no_file_can_hold(value, message):
    with pytest.raises(TypeError, match=message):
        encode(value, "value", [])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], "a list must say what it is"),
        ({}, "one key"),
        ({"a": 1, "b": 2}, "one key"),
        ({"function": "print"}, "'function' is no kind of value"),
        ({"float": "1e5"}, "float: this must be nan, inf or -inf"),
        ({"tuple": 1}, "tuple: this must be a list"),
        ({"dict": [[1]]}, "must be a list|a key and a value"),
        ({"dict": [{"list": [1, 2]}]}, "must be a list"),
        ({"dict": [[1, 2], [1, 3]]}, "two keys are the same"),
        ({"dict": [[{"list": []}, 3]]}, "cannot be one"),
        ({"frozenset": [1, 1]}, "two keys are the same"),
        ({"array": [0, "|O8", [1]]}, "not an array"),
        ({"array": [0, ["<i8"], [1]]}, "not an array"),
        ({"array": ["0", "<i8", [1]]}, "not an array"),
        ({"array": [0, "<i8"]}, "not an array"),
        ({"array": [0, "<i8", [2]]}, "has 8 bytes, which is not"),
        ({"array": [0, "<i8", [-1]]}, "shape must be whole numbers"),
        ({"array": [0, "<i8", [2**70]]}, "shape must be whole numbers"),
        ({"array": [0, "<i8", [2**40, 2**40]]}, "has 8 bytes, which is not"),
        ({"Graph": [["a", "b"], [[0, 1]]]}, "a graph is nodes"),
        ({"Graph": [["a", "b"], [[0, 5]], []]}, "names node 5"),
        ({"Graph": [["a", "b"], [[0, 1.5]], []]}, "two numbers of nodes"),
        ({"Graph": [["a", "b"], [[0, 2**80]], []]}, "int|edges"),
        ({"Graph": [["a", "b"], [[0, 1]], [[0, 1]]]}, "more than one edge"),
        ({"Score": {}}, "Score: the key 'kind' is missing"),
        ({"Score": {"kind": "bic", "code": "x"}}, "'code' is unknown"),
    ],
)
def test_hostile_values(value, message):
    with pytest.raises(FormatError, match=message):
        decode(Entry(value, "", None), bytes_of([np.zeros(1, dtype="<i8")] * 100))


def record(value, **changes):
    """Encode a record with some fields changed, and decode it."""
    arrays = []
    ((kind, content),) = encode(value, "value", arrays).items()
    content |= {name: encode(one, name, arrays) for name, one in changes.items()}
    return decode(Entry({kind: content}, "", None), bytes_of(arrays))


def test_tables_are_checked_cell_by_cell():
    frame = load_network("asia").sample(20, random_state=0).astype(object)
    frame.iloc[3, 2] = None
    table = Table.from_data(frame)
    again = record(table)
    assert again.to_frame().equals(table.to_frame())
    assert not again.codes.flags.writeable
    codes, mask = table.codes.copy(), table.missing[2]
    for changes, message in (
        ({"codes": codes + 2}, "do not fit together"),
        ({"codes": codes[:2]}, "do not fit together"),
        ({"codes": codes.astype(np.int64)}, "codes of a Table is not what"),
        ({"codes": codes[:, :0]}, "do not fit together"),
        ({"names": ("a",) * 8}, "do not fit together"),
        ({"categories": (("x", "x"),) * 8}, "do not fit together"),
        ({"missing": {9: mask}}, "do not fit together"),
        ({"missing": {0: mask[1:]}}, "do not fit together"),
        ({"missing": {2: np.ones_like(mask)}}, "do not fit together"),
    ):
        with pytest.raises(FormatError, match=message):
            record(table, **changes)


def test_joint_tables_are_checked_cell_by_cell():
    configurations = np.array([[0, 0, 1], [0, 2, 1]], dtype=np.uint8)
    counts = np.array([3, 1, 2])
    joint = JointCounts((4, 7), (2, 2), (False, True), configurations, counts)
    assert dense(record(joint)).tolist() == [[3, 0], [0, 2]]
    for changes, message in (
        ({"has_missing": (False, False)}, "do not fit together"),
        ({"configurations": configurations[:1]}, "do not fit together"),
        ({"counts": counts[:2]}, "do not fit together"),
        ({"counts": counts - 1}, "do not fit together"),
        ({"counts": counts.astype(np.float64)}, "counts of a JointCounts is not"),
        ({"n_categories": (2, 0)}, "do not fit together"),
        ({"n_categories": (2,)}, "do not fit together"),
        ({"variables": (4, 4)}, "do not fit together"),
        ({"variables": (-1, 4)}, "do not fit together"),
    ):
        with pytest.raises(FormatError, match=message):
            record(joint, **changes)


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        (1, int, True),
        (True, int, False),
        (1, float, True),
        ("1", float, False),
        (None, int | None, True),
        ((1, 2), tuple[int, ...], True),
        ((1, "2"), tuple[int, ...], False),
        ((1, "2"), tuple[int, str], True),
        ([1], tuple[int, ...], False),
        ([1], list[int], True),
        ({frozenset("ab"): ("c",)}, dict[frozenset[str], tuple[str, ...]], True),
        ({frozenset("ab"): "c"}, dict[frozenset[str], tuple[str, ...]], False),
        (print, str, False),
    ],
)
def test_declared_types(value, hint, expected):
    assert fits(value, hint) is expected
