"""A fitted learner saved and loaded, and files that are not one."""

import contextlib
import json
import pickle
import zipfile
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import bnsieve
from bnsieve import FSMBPC, PC, HitonPC, Knowledge, TsetlinSieve, load, load_network
from bnsieve.decide import Score
from bnsieve.exchange import FormatError
from bnsieve.learners import FitResult, TsetlinPC
from bnsieve.learners.saving.loading import LEARNERS

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")


@pytest.fixture(scope="module")
def data():
    frame = load_network("asia").sample(1000, random_state=0).astype(object)
    frame.iloc[::50, 2] = None
    return frame.rename(columns={"tub": 'tub "{😀}", \n'})


@pytest.fixture(scope="module")
def saved(data, tmp_path_factory):
    """A file, its learner, and what is in the file."""
    learner = PC().fit(data)
    path = tmp_path_factory.mktemp("saved") / "learner.bnsieve"
    learner.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return path, learner, members


@pytest.mark.parametrize(
    "learner",
    [
        TsetlinSieve(random_state=0, knowledge=Knowledge(forbidden=[("lung", "smoke")])),
        TsetlinSieve(method="tests", random_state=np.int64(1), criterion=Score("bd", (1.0, 2.0))),
        TsetlinPC(random_state=0),
        PC(alpha=0.001),
        HitonPC(),
        FSMBPC(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_save_and_load(learner, data, tmp_path):
    learner.fit(data)
    path = tmp_path / "learner.bnsieve"
    learner.save(path)
    again = load(path)
    assert type(again) is type(learner)
    assert again.get_params() == learner.get_params()
    assert vars(again).keys() == vars(learner).keys()
    for name in ("graph_", "dag_", "separating_sets_", "timings_", "network_"):
        assert getattr(again, name) == getattr(learner, name)
    assert again.feature_names_in_.tolist() == learner.feature_names_in_.tolist()
    assert str(again.explain("smoke", "lung")) == str(learner.explain("smoke", "lung"))
    assert again.support_frame().equals(learner.support_frame())
    again.save(tmp_path / "again.bnsieve")
    assert (tmp_path / "again.bnsieve").read_bytes() == path.read_bytes()
    assert again.fit(data).graph_ == learner.graph_


def test_every_learner_can_be_loaded():
    public = {getattr(bnsieve, name) for name in bnsieve.__all__}
    learners = {one for one in public if isinstance(one, type) and hasattr(one, "explain")}
    assert learners <= set(LEARNERS.values())


def test_strengths_are_kept(data, tmp_path):
    learner = HitonPC().fit(data)
    learner.bootstrap(3, random_state=0)
    learner.save(tmp_path / "learner")
    again = load(tmp_path / "learner")
    assert again.strengths_.nodes == learner.strengths_.nodes
    assert np.array_equal(again.strengths_.pairs, learner.strengths_.pairs)
    assert np.array_equal(again.strengths_.counts, learner.strengths_.counts)


def test_rows_can_be_left_out(saved, tmp_path):
    _, learner, _ = saved
    learner.save(tmp_path / "learner", data=False)
    again = load(tmp_path / "learner")
    assert again.graph_ == learner.graph_
    assert again.network_ == learner.network_
    for ask in (lambda: again.explain("smoke", "lung"), lambda: again.bootstrap(2)):
        with pytest.raises(ValueError, match="saved without its data: fit it again to rows"):
            ask()


def test_samples_of_files_can_be_left_out(data, tmp_path):
    data.to_parquet(tmp_path / "rows.parquet")
    learner = TsetlinSieve(random_state=0, sample_rows=500, missing="testwise")
    learner.fit(tmp_path / "rows.parquet")
    assert learner.fit_result_.counted is not None
    learner.save(tmp_path / "learner")
    assert load(tmp_path / "learner").fit_result_.counted.found.n_rows == len(data)
    learner.save(tmp_path / "learner", data=False)
    again = load(tmp_path / "learner")
    assert again.network_ == learner.network_
    assert again.fit_result_.counted is None
    assert again.fit_result_.table is None


def test_what_cannot_be_saved(data, tmp_path):
    path = tmp_path / "learner"
    with pytest.raises(NotFittedError):
        PC().save(path)
    learner = TsetlinSieve(random_state=np.random.RandomState(0)).fit(data)
    with pytest.raises(TypeError, match=r"random_state holds a numpy.random.*RandomState"):
        learner.save(path)
    assert not path.exists()


def test_every_piece_is_needed(saved, tmp_path):
    document = json.loads(saved[2]["learner.json"])
    pieces = document["result"]["FitResult"]
    assert set(pieces) == {field.name for field in fields(FitResult)}
    for name in pieces:
        without = {key: value for key, value in pieces.items() if key != name}
        path = rewritten(tmp_path / "learner", saved[2], {"result": {"FitResult": without}})
        with pytest.raises(FormatError, match=name):
            load(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_tests": "many"}, "n_tests of a FitResult is not what"),
        ({"graph": {"tuple": []}}, "graph of a FitResult is not what"),
        ({"table": {"array": [99, "<i8", [1]]}}, "lacks arrays/99"),
        ({"graph": {"Graph": [["a"], [], []]}}, "do not fit together"),
        ({"confirmed_edges": {"tuple": [{"tuple": ["lung", "asia"]}]}}, "do not fit together"),
        ({"constant_features": {"tuple": ["nothing"]}}, "do not fit together"),
    ],
)
def test_pieces_that_do_not_fit(saved, tmp_path, changes, message):
    pieces = json.loads(saved[2]["learner.json"])["result"]["FitResult"] | changes
    path = rewritten(tmp_path / "learner", saved[2], {"result": {"FitResult": pieces}})
    with pytest.raises(FormatError, match=message):
        load(path)


def rewritten(path, members, document=None, **changes):
    """Write a file with some of its members or of the keys of its JSON changed."""
    content = {**json.loads(members["learner.json"]), **(document or {})}
    members = {**members, "learner.json": json.dumps(content), **changes}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            if text is not None:
                archive.writestr(name, text)
    return path


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"format": "bnsieve"}, "not a learner that bnsieve saved"),
        ({"version": 7}, "version: this bnsieve reads version 6 only: upgrade bnsieve"),
        ({"version": 5}, "version 6 only: .* so fit the learner again"),
        ({"version": "6"}, "version 6 only"),
        ({"class": "Popen"}, "class: this must be one of FSMBPC,"),
        ({"class": "subprocess.Popen"}, "class: this must be one of"),
        ({"code": "import os"}, "the key 'code' is unknown"),
        ({"parameters": {"shell": True}}, "a PC has no parameter 'shell'"),
        ({"parameters": {"alpha": {"eval": "1"}}}, "parameters.alpha: 'eval' is no kind"),
        ({"parameters": []}, "parameters: this must be an object"),
        ({"result": 1}, "result: this must be a FitResult"),
        ({"result": {"Popen": {}}}, "result: 'Popen' is no kind"),
        ({"result": {"FitResult": {"fit": 1}}}, "the key 'fit' is unknown"),
        ({"fitted": {}}, "the key 'fitted' is unknown"),
    ],
)
def test_hostile_documents(saved, tmp_path, document, message):
    path = rewritten(tmp_path / "learner", saved[2], document)
    with pytest.raises(FormatError, match=message) as caught:
        load(path)
    assert caught.value.path == str(path)


def test_hostile_archives(saved, tmp_path):
    path, _, members = saved
    whole = path.read_bytes()
    bad = tmp_path / "learner"
    for content in (b"", b"PK", whole[: len(whole) // 2], pickle.dumps({"a": 1}), b"\0" * 1000):
        bad.write_bytes(content)
        with pytest.raises(FormatError, match="not a learner that bnsieve saved"):
            load(bad)
    damaged = bytearray(whole)
    damaged[len(whole) // 3 : len(whole) // 3 + 50] = b"x" * 50
    bad.write_bytes(damaged)
    with pytest.raises(FormatError):
        load(bad)
    for changes, message in (
        ({"learner.json": None}, "lacks learner.json"),
        ({"learner.json": b"\xff\xfe"}, "not utf-8"),
        ({"learner.json": "{"}, "not JSON"),
        ({"learner.json": "[]"}, "must be an object"),
        ({"learner.json": "[" * 100_000}, "nested too deep"),
        ({"arrays/0": b"123"}, "has 3 bytes, which is not"),
        ({"arrays/0": None}, "lacks arrays/0"),
    ):
        with pytest.raises(FormatError, match=message):
            load(rewritten(bad, members, **changes))


def test_values_nested_deep(saved, tmp_path):
    document = json.loads(saved[2]["learner.json"]) | {"parameters": {"alpha": "deep"}}
    deep = '{"list": [' * 400 + "1" + "]}" * 400
    text = json.dumps(document).replace('"deep"', deep)
    path = rewritten(tmp_path / "learner", saved[2], **{"learner.json": text})
    with pytest.raises(FormatError, match="nested too deep"):
        load(path)


def test_a_file_that_unpacks_to_too_much(saved, tmp_path):
    path = rewritten(tmp_path / "learner", saved[2], **{"arrays/99": bytes(10_000_000)})
    assert path.stat().st_size < 100_000
    with pytest.raises(FormatError, match="more than max_bytes=1,000,000"):
        load(path, max_bytes=1_000_000)
    assert load(path).graph_ == saved[1].graph_


def test_codes_without_labels_are_refused(saved, tmp_path):
    """Compiled kernels would read beyond their arrays."""
    _, learner, members = saved
    size = learner.fit_result_.rows.codes.size
    name = next(name for name, content in members.items() if len(content) == size)
    with pytest.raises(FormatError, match="do not fit together"):
        load(rewritten(tmp_path / "learner", members, **{name: b"\xff" * size}))


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")


@given(st.data())
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_mutations_of_the_document(saved, tmp_path, data):
    """A damaged file ends in a FormatError or is read; nothing else ever happens."""
    members = saved[2]
    text = members["learner.json"].decode()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        piece = st.sampled_from(
            ["[", "]", "{}", "null", "-1", '"x"', "true", "1e999", "0", ",", '"']
        )
        text = text[:start] + data.draw(piece) + text[end:]
    path = rewritten(tmp_path / "learner", members, **{"learner.json": text})
    with contextlib.suppress(FormatError):
        assert type(load(path)).__name__ in LEARNERS
