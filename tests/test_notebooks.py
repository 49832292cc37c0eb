"""Notebooks: those of the documentation are kept without outputs; in a real kernel, values show."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path):
    # Kept outputs would grow stale, and hold what a machine is called.
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code), (
        f"{path.name} has outputs: jupyter nbconvert --clear-output --inplace {path}"
    )


CELLS = [
    "import bnsieve as bn\ndata = bn.load_network('asia').sample(500, random_state=0)",
    "learner = bn.TsetlinSieve(random_state=0).fit(data)\nlearner.bootstrap(2)\nNone",
    "bn.TsetlinSieve(random_state=0, n_jobs=2, verbose=True).fit(data)",
    "learner.graph_",
    "learner.explain('smoke', 'bronc')",
    "bn.metrics.compare(bn.load_network('asia'), learner)",
    "learner.network_",
]


@pytest.mark.slow
def test_in_a_real_kernel(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    folder = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=folder).execute()
    silent, also_silent, learned, *others = (cell["outputs"] for cell in notebook.cells)
    assert silent == also_silent == []  # nothing is printed unless it is asked for
    bar, learner = learned
    assert bar["output_type"] == "display_data"
    assert "done in " in bar["data"]["text/html"]
    for output in (learner, *(one for outputs in others for one in outputs)):
        assert output["output_type"] == "execute_result"
        assert "<svg" in output["data"]["text/html"]
        assert output["data"]["text/plain"]
    assert [len(outputs) for outputs in others] == [1] * 4


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_of_the_documentation_runs(path, tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=folder).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert outputs
    assert not [output for output in outputs if output.get("name") == "stderr"]
