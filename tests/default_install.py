"""What a default installation does, run by the session `plain`: no extra is installed there.

Files of either kind are learned from and prepared, by Python and by the command; what needs an
extra says how to install it.
"""

import subprocess
import sys
from importlib.util import find_spec

import pandas as pd
import pytest

import bnsieve as bn

EXTRAS = {
    "ray": ("ray", lambda frame, folder: bn.TsetlinSieve(engine="ray").fit(frame)),
    "plot": (
        "matplotlib",
        lambda frame, folder: bn.Discretizer().fit(pd.DataFrame({"a": range(100)})).plot_bins(),
    ),
    "distance": (
        "gadjid",
        lambda frame, folder: bn.metrics.intervention_distance(
            bn.load_network("asia").graph, bn.load_network("asia").graph
        ),
    ),
    "yaml": ("yaml", lambda frame, folder: bn.read(folder / "known.yaml")),
    "excel": ("openpyxl", lambda frame, folder: bn.prepare(folder / "rows.xlsx")),
}


@pytest.fixture(scope="module")
def frame():
    return bn.load_network("asia").sample(1_000, random_state=0).astype(str)


@pytest.fixture(params=["csv", "parquet"])
def path(request, frame, tmp_path):
    path = tmp_path / f"asia.{request.param}"
    if request.param == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, index=False)
    return path


def test_no_extra_is_installed():
    assert [name for name, (package, _) in EXTRAS.items() if find_spec(package)] == []


def test_a_file_is_learned_from_like_a_frame(path, frame):
    learner = bn.TsetlinSieve(random_state=0).fit(path)
    assert learner.graph_ == bn.TsetlinSieve(random_state=0).fit(frame).graph_


def test_a_file_is_prepared_like_a_frame(path, frame):
    roles = {column.name: column.role for column in bn.prepare(path).columns}
    assert roles == {column.name: column.role for column in bn.prepare(frame).columns}
    assert roles == dict.fromkeys(frame.columns, "category")


def test_the_command_learns_the_same(path, tmp_path):
    command = [sys.executable, "-m", "bnsieve", "learn", str(path), "--seed", "0"]
    command += ["-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    edges = pd.read_csv(tmp_path / "out" / "edges.csv")
    learner = bn.TsetlinSieve(random_state=0).fit(path)
    found = {frozenset(pair) for pair in edges[["from", "to"]].dropna().itertuples(index=False)}
    assert found == {frozenset(edge) for edge in learner.graph_.skeleton().undirected_edges}


@pytest.mark.parametrize("extra", EXTRAS)
def test_what_needs_an_extra_says_how_to_install_it(extra, frame, tmp_path):
    (tmp_path / "known.yaml").write_text("required: []\n", encoding="utf-8")
    (tmp_path / "rows.xlsx").write_bytes(b"PK")
    with pytest.raises(ImportError, match=rf"pip install 'bnsieve\[{extra}\]'"):
        EXTRAS[extra][1](frame, tmp_path)
