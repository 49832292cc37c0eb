"""What `import bnsieve` costs, gives, and leaves alone."""

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import bnsieve

SOURCE = Path(bnsieve.__file__).parent

# Beside the import of the libraries that users of bnsieve have loaded anyway.
MEASURE = """
import json, sys
before = set(sys.modules)
import bnsieve
alone = sorted({name.split(".")[0] for name in set(sys.modules) - before})
import numpy, pandas, scipy, sklearn
before = set(sys.modules)
for name in bnsieve.__all__:
    getattr(bnsieve, name)
used = sorted(set(sys.modules) - before)
print(json.dumps([alone, used]))
"""
# Every module of the package: those that need an extra may fail to be imported.
SIGNALS = """
import importlib, pkgutil, signal
numbers = sorted(signal.valid_signals())
before = [signal.getsignal(number) for number in numbers]
import bnsieve
for module in pkgutil.walk_packages(bnsieve.__path__, "bnsieve."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError:
            pass
changed = [n for n, then in zip(numbers, before) if signal.getsignal(n) is not then]
assert not changed, changed
"""


def run_python(text: str) -> str:
    """Run a program in a fresh interpreter; return what it prints."""
    command = [sys.executable, "-c", text]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_import_loads_no_library_and_the_names_load_nothing_optional() -> None:
    alone, used = json.loads(run_python(MEASURE))
    assert not {"numpy", "pandas", "scipy", "sklearn", "narwhals"}.intersection(alone)
    packages = {name.partition(".")[0] for name in used}
    optional = {"gadjid", "jinja2", "matplotlib", "networkx", "polars", "ray"}
    assert not optional.intersection(packages)
    assert not {"typer", "rich"}.intersection(packages), "only the command line needs these"


def test_import_leaves_signal_handlers_alone() -> None:
    run_python(SIGNALS)


def test_only_the_command_line_reads_arguments_and_handles_signals() -> None:
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] == "cli":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                assert ast.unparse(node) not in {"sys.argv", "sys.orig_argv", "signal.signal"}, path


def test_every_public_name_exists() -> None:
    assert sorted(bnsieve.__all__) == sorted(set(bnsieve.__all__))
    for name in bnsieve.__all__:
        assert getattr(bnsieve, name).__doc__, name


def test_type_checkers_see_the_names_that_are_loaded() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    declared = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(declared) == sorted(bnsieve.__all__)
    assert declared == {**bnsieve._MODULE_OF, "metrics": "bnsieve"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'TsetlinSeive'"):
        bnsieve.TsetlinSeive  # noqa: B018


def test_prepare_is_a_function_and_no_module() -> None:
    assert callable(bnsieve.prepare)
    assert bnsieve.prepare.__module__ != "bnsieve.prepare"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("bnsieve.prepare")


def test_dir_lists_public_names_only() -> None:
    assert set(dir(bnsieve)) == {*bnsieve.__all__, "__version__"}
