"""The record of a run that was changed by hand is refused, and the file and the part are named."""

import copy
import json

import pytest
from typer.testing import CliRunner

import bnsieve as bn
from bnsieve.cli.app import app
from bnsieve.cli.run.files import _comparable_gain
from bnsieve.explain import Edge


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    bn.load_network("asia").sample(200, random_state=0).to_csv(place / "d.csv", index=False)
    assert run("learn", place / "d.csv", "-o", place / "net", "-q").exit_code == 0
    return place / "net"


def parts_of(value, path=()):
    """Yield the path of each part that a command uses."""
    used = ("command", "versions", "settings", "learner", "data", "changes")
    for key, part in value.items() if isinstance(value, dict) else ():
        if path or key in used:
            yield (*path, key)
            if path in ((), ("data",)) and isinstance(part, dict):
                yield from parts_of(part, (*path, key))


def test_damaged_records_are_refused(folder):
    path = folder / "run.json"
    whole = path.read_text(encoding="utf-8")
    n_refused = 0
    for part in list(parts_of(json.loads(whole))):
        for damage in ("removed", "changed"):
            record = copy.deepcopy(json.loads(whole))
            *before, last = part
            inside = record
            for key in before:
                inside = inside[key]
            if damage == "removed":
                del inside[last]
            else:
                inside[last] = {"not": ["this"]} if isinstance(inside[last], list) else [1, [2]]
            path.write_text(json.dumps(record), encoding="utf-8")
            result = run("report", folder)
            if result.exit_code:
                assert result.exit_code == 1, (part, damage, result.exception)
                assert isinstance(result.exception, SystemExit), (part, damage)
                assert "run.json is not a record" in result.stderr, (part, damage)
                n_refused += 1
    for text in ("", "[]", "{}", "nothing", whole[:-20], '"text"', "[" * 100_000):
        path.write_text(text, encoding="utf-8")
        for line in (("report", folder), ("ask", folder, "dysp"), ("update", folder, "d.csv")):
            result = run(*line)
            assert result.exit_code == 1, (text[:20], line)
            assert "run.json is not a record" in result.stderr
    path.write_text(whole, encoding="utf-8")
    assert run("report", folder).exit_code == 0
    assert n_refused > 40


@pytest.mark.parametrize(
    ("gain", "margin", "shown"),
    [
        (10.0, 8.0, 10.0),
        (8.0, 8.0, 8.0),
        (551.0, 230_509.0, None),
        (-307.0, 9_014.0, None),
        (5.0, float("inf"), 5.0),
        (5.0, None, 5.0),
        (None, 5.0, None),
    ],
)
def test_no_margin_exceeds_the_gain_beside_it(gain, margin, shown):
    assert _comparable_gain(Edge("a", "b", True, gain, margin=margin)) == shown
