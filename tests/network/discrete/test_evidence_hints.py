"""Hints about states that look alike but are of another type."""

import pytest

from bnsieve.network.discrete.evidence import nearest


@pytest.mark.parametrize(
    ("wanted", "known", "hint"),
    [
        ("True", (True, False), " (did you mean True of type bool, not str?)"),
        (1, ("1", "2"), " (did you mean '1' of type str, not int?)"),
        ("yess", ("no", "yes"), " (did you mean 'yes'?)"),
        ("Yes", ("no", "yes"), " (did you mean 'yes'?)"),
        ("blue", (True, False), ""),
    ],
)
def test_the_hint_says_what_differs(wanted, known, hint):
    assert nearest(wanted, known) == hint
