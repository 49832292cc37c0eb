"""``python -m benchmarks``: every study is found by its folder, and only the one asked for runs."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.__main__ import main, studies
from benchmarks.common.environments import for_children
from benchmarks.common.parts import run_part

FOLDER = Path(__file__).parents[2] / "benchmarks"


def test_every_folder_but_the_shared_one_is_a_study():
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    assert set(studies()) == folders - {"common"}


@pytest.mark.parametrize("name", studies())
def test_a_study_takes_its_arguments_and_explains_itself(name, capsys):
    study = import_module(f"benchmarks.{name}.study")
    (arguments,) = inspect.signature(study.main).parameters.values()
    assert arguments.default is None
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m benchmarks {name}")


@pytest.mark.parametrize("given", [[], ["--help"]])
def test_the_list_has_a_line_for_each(given, capsys):
    main(given)
    shown = capsys.readouterr().out
    assert all(f"  {name:<12}  {about}" in shown for name, about in studies().items())
    assert all(studies().values())


def test_the_list_imports_no_study():
    program = (
        "import sys; from benchmarks.__main__ import main; main([]); "
        "sys.exit('bnsieve' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=for_children())


def test_an_unknown_study_is_named():
    with pytest.raises(SystemExit, match="no study 'nothing': choose from accuracy, "):
        main(["nothing"])


@pytest.mark.parametrize("given", [[], ["--quick"], ["bif"]])
def test_what_names_no_part_is_left_to_the_study(given):
    assert not run_part("interop", given, ("adapters",))
