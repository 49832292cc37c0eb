"""Lists, counts and short texts in the words that every message uses."""

import pytest

from bnsieve.text import counted, listed, one_line, shortened


@pytest.mark.parametrize(
    ("items", "most", "words"),
    [
        ([], 5, ""),
        (["a"], 5, "a"),
        (["a", "b"], 5, "a and b"),
        (["a", "b", "c"], 5, "a, b and c"),
        ("abcdefgh", 2, "a, b and 6 more"),
        ("abc", 2, "a, b and c"),  # "1 more" would be as long as the name
        ("abcdefgh", None, "a, b, c, d, e, f, g and h"),
        (range(2_000), 1, "0 and 1,999 more"),
    ],
)
def test_items_are_listed_in_words(items, most, words):
    assert listed(items, most) == words


def test_a_number_agrees_with_its_noun():
    assert counted(1, "edge") == "1 edge"
    assert counted(1_200, "edge") == "1,200 edges"
    assert counted(0, "category", "categories") == "0 categories"


def test_a_short_text_stays_and_a_long_one_ends_in_an_ellipsis():
    assert shortened("abcde", 5) == "abcde"
    assert shortened("abcdef", 5) == "abcd…"


def test_one_line_has_no_control_characters_and_no_marks_of_direction():
    assert one_line(" a\n\tb\x00\u202ec\ud800 ") == "a b c"


def test_the_last_of_a_list_may_follow_another_word():
    assert listed("abc", last="or") == "a, b or c"
    assert listed("abcdefg", most=2, last="or") == "a, b or 5 more"
