"""Saved learners of strangers: what they hold may harm neither memory nor anyone's network."""

import contextlib
import json
import socket
import zipfile

import numpy as np
import pytest

from bnsieve import TsetlinSieve, load, load_network
from bnsieve.exchange import FormatError
from memory import BASE_MEGABYTES, measures_memory, run_measured

pytestmark = pytest.mark.usefixtures("rows_stay_in_files")

LOAD = """
import sys
from bnsieve import load
from bnsieve.exchange import FormatError
try:
    load(sys.argv[1])
except FormatError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("strangers")
    rows = load_network("asia").sample(2000, random_state=0)
    rows.iloc[:1500].to_parquet(folder / "rows.parquet")
    rows.iloc[1500:].to_parquet(folder / "more.parquet")
    return folder


@pytest.fixture(scope="module")
def learner(folder):
    return TsetlinSieve(random_state=0, sample_rows=500).fit(folder / "rows.parquet")


@pytest.fixture(scope="module")
def members(folder, learner):
    learner.save(folder / "learner")
    with zipfile.ZipFile(folder / "learner") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path, members, **changes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members | changes).items():
            archive.writestr(name, content)
    return path


def int64_arrays(members):
    """Return the names of the arrays of 64-bit integers: counts, and numbers of rows."""
    found = set()

    def look(value):
        if isinstance(value, dict):
            if "array" in value and value["array"][1] == "<i8":
                found.add(f"arrays/{value['array'][0]}")
            value = list(value.values())
        if isinstance(value, list):
            for one in value:
                look(one)

    look(json.loads(members["learner.json"]))
    return sorted(found)


@measures_memory
def test_counts_that_overflow(folder, members):
    """Update hands counts to compiled code, which uses their sums as sizes."""
    code = """
import sys, warnings
from bnsieve import load
warnings.simplefilter("ignore")
more, *paths = sys.argv[1:]
for path in paths:
    try:
        load(path).update(more)
    except ValueError as error:
        print(error)
"""
    names = int64_arrays(members)
    assert len(names) > 10
    paths = []
    for count in (2**62, -1, -(2**63), 2**63 - 1, 0):
        changed = {
            name: np.full(len(members[name]) // 8, count, dtype="<i8").tobytes() for name in names
        }
        for some in (dict([*changed.items()][:1]), changed):
            paths.append(written(folder / f"overflow{len(paths)}", members, **some))
    done = run_measured(code, folder / "more.parquet", *paths)
    assert done.code == 0, done.errors
    assert len(done.output.splitlines()) == len(paths)


@pytest.mark.parametrize("count", [2**62, 2**53, -1])
def test_counts_of_labels(folder, members, count):
    document = json.loads(members["learner.json"])
    scan = document["result"]["FitResult"]["counted"]["Counted"]["found"]["Scan"]
    scan["counts"]["tuple"][0]["dict"][0][1] = count
    path = written(folder / "labels", members, **{"learner.json": json.dumps(document)})
    with pytest.raises(FormatError, match="do not fit together"):
        load(path)


def test_counts_of_families_fit_their_labels(folder, members):
    """Else the network that is made of them when it is first asked for would fail."""
    document = json.loads(members["learner.json"])
    families = document["result"]["FitResult"]["family_counts"]["FamilyCounts"]
    name, labels = families["states"]["dict"][0]
    assert name == "asia"
    for wrong in (labels["tuple"][:1], [*labels["tuple"], "more"], labels["tuple"][:1] * 2):
        families["states"]["dict"][0][1] = {"tuple": wrong}
        path = written(folder / "families", members, **{"learner.json": json.dumps(document)})
        with pytest.raises(FormatError, match="do not fit together"):
            load(path)
    families["states"]["dict"][0][1] = {"tuple": [{"dict": []}, {"dict": []}]}
    path = written(folder / "families", members, **{"learner.json": json.dumps(document)})
    with pytest.raises(FormatError, match="is not what it must be"):
        load(path)
    del families["states"]["dict"][0]
    path = written(folder / "families", members, **{"learner.json": json.dumps(document)})
    with pytest.raises(FormatError, match="do not fit together"):
        load(path)


def test_no_file_says_where_code_runs(folder, learner, members):
    """An address in a file would be connected to, and be sent the rows and what to do with them."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        address = "{}:{}".format(*server.getsockname())
        document = json.loads(members["learner.json"])
        document["parameters"] |= {"engine": address, "n_jobs": 500, "verbose": True}
        path = written(folder / "peer", members, **{"learner.json": json.dumps(document)})
        loaded = load(path)
        assert loaded.engine == "local"
        assert loaded.n_jobs is None
        assert loaded.verbose is False
        loaded.update(folder / "more.parquet")
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()


def test_where_work_ran_is_not_saved(folder, learner):
    learner.set_params(n_jobs=2).save(folder / "here")
    learner.set_params(n_jobs=None)
    with zipfile.ZipFile(folder / "here") as archive:
        parameters = json.loads(archive.read("learner.json"))["parameters"]
    assert not {"engine", "n_jobs", "verbose"} & set(parameters)
    assert "random_state" in parameters


@measures_memory
def test_one_array_named_many_times(folder, members):
    document = json.loads(members["learner.json"])
    big = {"array": [0, "|u1", [50_000_000]]}
    document["parameters"]["random_state"] = {"list": [big] * 200}
    changes = {"learner.json": json.dumps(document), "arrays/0": bytes(50_000_000)}
    path = written(folder / "named", members, **changes)
    assert path.stat().st_size < 300_000
    done = run_measured(LOAD, path)
    assert "arrays/0 is named twice" in done.output
    assert done.megabytes < BASE_MEGABYTES + 100


@measures_memory
@pytest.mark.parametrize("value", ["[]", "1e9"])
def test_a_flood_of_values(folder, members, value):
    """Two characters in a file are a hundred bytes in memory."""
    document = json.loads(members["learner.json"])
    document["parameters"]["random_state"] = {"list": ["here"]}
    text = json.dumps(document).replace('"here"', ",".join([value] * 4_000_000))
    path = written(folder / "flood", members, **{"learner.json": text})
    done = run_measured(LOAD.replace("sys.argv[1]", "sys.argv[1], max_bytes=100_000_000"), path)
    assert f"{path}: its values would take more than 33,333,333 bytes" in done.output
    assert done.megabytes < BASE_MEGABYTES + 150


@measures_memory
def test_values_that_are_just_few_enough_take_no_more_than_said(folder, members):
    """The limit of memory is a limit: 50 MB of values, 150 MB in all."""
    document = json.loads(members["learner.json"])
    document["parameters"]["random_state"] = {"list": ["here"]}
    for value, takes in (('{"list":[]}', 450),):
        flood = ",".join([value] * (47_000_000 // takes))
        text = json.dumps(document).replace('"here"', flood)
        path = written(folder / "few", members, **{"learner.json": text})
        code = LOAD.replace("sys.argv[1]", "sys.argv[1], max_bytes=150_000_000")
        done = run_measured(code, path)
        assert "would take" not in done.output
        assert done.code == 0
        assert done.megabytes < BASE_MEGABYTES + 150


@measures_memory
def test_zeros_are_held_once(folder, members):
    """Of a file that unpacks to much, no more than that is in memory."""
    document = json.loads(members["learner.json"])
    n = 300_000_000
    document["parameters"]["random_state"] = {"array": [999, "|b1", [n]]}
    changes = {"learner.json": json.dumps(document), "arrays/999": bytes(n)}
    path = written(folder / "zeros", members, **changes)
    done = run_measured(LOAD, path)
    assert done.code == 0
    assert done.megabytes < BASE_MEGABYTES + 1.1 * n / 2**20


def test_bits_flipped(folder, members, learner):
    """Every damaged file is named, with words one can act on."""
    whole = (folder / "learner").read_bytes()
    random = np.random.default_rng(0)
    path = folder / "flipped"
    n_refused = 0
    # The directory of the archive is at its end; flips in rows of numbers are the checksum's.
    places = [*random.integers(0, len(whole), 60), *random.integers(-1500, 0, 140) + len(whole)]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << random.integers(8)
        path.write_bytes(damaged)
        try:
            load(path)
        except FormatError as error:
            assert str(path) in str(error)
            n_refused += 1
    assert n_refused > 80


@pytest.mark.parametrize("how", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_cannot_be_unpacked(folder, members, how):
    path = folder / "damaged"
    with zipfile.ZipFile(path, "w", how) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        starts = [one.header_offset + 30 + len(one.filename) for one in archive.infolist()]
    content = bytearray(path.read_bytes())
    for start in starts:
        for i in range(start + 4, start + 16):
            content[i] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"damaged.*not a learner that bnsieve saved"):
        load(path)
