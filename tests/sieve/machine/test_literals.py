import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from bnsieve.sieve.machine import Literals

pytestmark = pytest.mark.kernel


@given(data=st.data(), n_variables=st.integers(1, 40), n_rows=st.integers(1, 130))
def test_packing_equals_reference(data, n_variables, n_rows):
    seed = data.draw(st.integers(0, 10_000))
    kind = data.draw(st.sampled_from([np.uint8, np.uint16]))
    unseen = data.draw(st.integers(0, 2))
    rng = np.random.default_rng(seed)
    n_categories = rng.integers(1, 9, n_variables)
    codes = np.array([rng.integers(0, k + unseen, n_rows) for k in n_categories]).astype(kind)
    literals = Literals.of(codes, n_categories)
    expected = reference.pack_literals(codes, n_categories)
    plain, negated = literals.layout.unpack(literals.bits)
    assert (np.hstack([plain, negated]) == expected).all()
    assert (literals.layout.pack(plain, negated) == literals.bits).all()


def test_packing_at_every_level(simd_level):
    codes = np.array([[0, 1, 2, 1], [1, 0, 0, 1]], dtype=np.uint8)
    literals = Literals.of(codes, [3, 2])
    plain, negated = literals.layout.unpack(literals.bits)
    assert plain.tolist() == [
        [True, False, False, False, True],
        [False, True, False, True, False],
        [False, False, True, True, False],
        [False, True, False, False, True],
    ]
    assert (negated == ~plain).all()


def test_unseen_code_makes_no_literal_of_its_variable_true():
    literals = Literals.of(np.array([[2], [1]], dtype=np.uint8), [2, 2])
    plain, negated = literals.layout.unpack(literals.bits)
    assert plain.tolist() == [[False, False, False, True]]
    assert negated.tolist() == [[False, False, True, False]]


def test_allowed_hides_both_signs_of_a_variable_and_the_padding():
    literals = Literals.of(np.zeros((3, 1), dtype=np.uint8), [2, 3, 2])
    plain, negated = literals.layout.unpack(literals.layout.allowed([1]))
    assert plain.tolist() == negated.tolist() == [True, True, False, False, False, True, True]
    assert int(np.bitwise_count(literals.layout.allowed([1])).sum()) == 8


def test_matrix_is_read_only_and_aligned():
    literals = Literals.of(np.zeros((3, 5), dtype=np.uint8), [2, 3, 2])
    assert not literals.bits.flags.writeable
    assert literals.bits.ctypes.data % 64 == 0
