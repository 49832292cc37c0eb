"""Names of strangers are shown on a terminal, and do not command it."""

import json

import pytest

from bnsieve.cli.app import plain, print_grid, print_json, print_lines, say

HOSTILE = "a\x1b]0;owned\x07\x1b[2Jb\x9b31m\x7f\u202ec\ud800"
SHOWN = r"a\x1b]0;owned\x07\x1b[2Jb\x9b31m\x7f\u202ec\ud800"


def test_what_commands_a_terminal_is_shown():
    assert plain(HOSTILE) == SHOWN
    assert plain("é 漢 😀\tx\ny 'q'") == "é 漢 😀\tx\ny 'q'"


@pytest.mark.parametrize(
    "show",
    [
        say,
        lambda text: print_lines([(text, text)]),
        lambda text: print_grid([text], [[text]], numbers_from=1),
        print_json,
    ],
)
def test_nothing_reaches_the_terminal(show, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    show(HOSTILE)
    printed = capsys.readouterr().out
    assert not set("\x1b\x07\x9b\x7f\u202e\ud800") & set(printed)


def test_json_says_the_same(capsys):
    print_json({"name": HOSTILE})
    assert json.loads(capsys.readouterr().out) == {"name": HOSTILE}
