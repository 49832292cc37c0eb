"""Saved learners with parts deleted or exchanged: refused when loaded, or as good as before."""

import copy
import json
import random
import zipfile

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve import load
from bnsieve.exchange import FormatError

N_DAMAGED = 150
OTHERS = (None, 0, -1, 10**400, 1e308, "", "x", True, [], {}, {"dict": []}, {"tuple": []})


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"n": rng.normal(size=120), "a": rng.choice(list("xyz"), 120)})
    frame["m"] = frame["n"] + rng.normal(size=120)
    path = tmp_path_factory.mktemp("whole") / "learner"
    bn.TsetlinSieve(random_state=0).fit(frame).save(path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path, members, document):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, json.dumps(document) if name == "learner.json" else content)


def use(learner):
    """Read all that a fitted learner says."""
    for name in dir(learner):
        if name.endswith("_") and not name.startswith("_"):
            getattr(learner, name)
    str(learner)
    learner._repr_html_()


def test_every_attribute_that_is_deleted_is_missed(members, tmp_path):
    whole = json.loads(members["learner.json"])
    ((kind, record),) = whole["result"].items()
    for name in record:
        for change in ("deleted", "null"):
            document = copy.deepcopy(whole)
            if change == "deleted":
                del document["result"][kind][name]
            else:
                document["result"][kind][name] = None
            write(tmp_path / "learner", members, document)
            try:
                learner = load(tmp_path / "learner")
            except FormatError as error:
                assert "learner" in str(error)
                continue
            assert change == "null", name
            use(learner)


def places(value, path=()):
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in parts:
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))
        else:
            yield (*path, key)


def test_exchanged_parts_are_refused_or_harmless(members, tmp_path):
    whole = json.loads(members["learner.json"])
    chosen = [place for place in places(whole) if place]
    n_refused = 0
    for seed in range(N_DAMAGED):
        chance = random.Random(seed)
        *before, last = chance.choice(chosen)
        document = copy.deepcopy(whole)
        inside = document
        for key in before:
            inside = inside[key]
        inside[last] = chance.choice(OTHERS)
        write(tmp_path / "learner", members, document)
        try:
            load(tmp_path / "learner")
        except FormatError:
            n_refused += 1
    assert n_refused > N_DAMAGED / 3


@pytest.mark.parametrize("label", [{"dict": []}, {"list": ["a"]}, {"Graph": [["a"], [], []]}])
def test_a_category_is_a_plain_value(members, tmp_path, label):
    text = members["learner.json"].decode()
    assert '"x"' in text
    document = json.loads(text.replace('"x"', json.dumps(label)))
    write(tmp_path / "learner", members, document)
    with pytest.raises(FormatError):
        load(tmp_path / "learner")


def test_a_number_beyond_floats_is_refused(members, tmp_path):
    document = json.loads(members["learner.json"])

    def enlarge(value):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if key == "highest":
                value[key] = 10**400
            elif isinstance(part, dict | list):
                enlarge(part)

    enlarge(document)
    write(tmp_path / "learner", members, document)
    with pytest.raises(FormatError, match="highest"):
        load(tmp_path / "learner")
