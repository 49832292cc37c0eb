"""No file can run code: nothing in the package unpickles, evaluates or imports what a file says."""

import ast
from pathlib import Path

import pytest

import bnsieve

PACKAGE = Path(bnsieve.__file__).parent
# What turns bytes or text into code, by module; joblib and pandas read pickles.
UNPICKLING = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "code", "runpy"}
EVALUATING = {"eval", "exec", "compile", "__import__"}
READING = {"read_pickle", "load_module", "literal_eval", "import_module", "loads_pickle"}
# The name of a package that is in the source, never in a file: what is optional is imported so.
BY_NAME = {
    "__init__.py": "import_module",
    "cli/process.py": "import_module",
    "graph/adapters.py": "import_module",
    "rows/write_output.py": "__import__",
    "cli/app.py": "import_module",
    "engine/choice.py": "import_module",
}
# Work on its way to the workers of the user's own cluster, and its outcome; never a file.
ON_THE_WAY = {"engine/dask.py": "cloudpickle"}


def dangers(code: str) -> set[str]:
    """Return the names in code that could make a file run."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            names = [module] if module else [one.name for one in node.names]
            found |= {name for name in names if name.partition(".")[0] in UNPICKLING}
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                name = node.func.id
            elif isinstance(node.func, ast.Attribute):
                name = node.func.attr if node.func.attr in READING else ""
            else:
                name = ""
            found |= {name} & (EVALUATING | READING)
            found |= {
                "allow_pickle"
                for word in node.keywords
                if word.arg == "allow_pickle" and getattr(word.value, "value", True) is not False
            }
            loads_yaml = ast.unparse(node.func) in ("yaml.unsafe_load", "yaml.full_load")
            found |= {"yaml"} if loads_yaml else set()
    return found


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import pickle", "pickle"),
        ("from pickle import loads", "pickle"),
        ("eval(text)", "eval"),
        ("numpy.load(path, allow_pickle=True)", "allow_pickle"),
        ("pandas.read_pickle(path)", "read_pickle"),
        ("importlib.import_module(name)", "import_module"),
        ("yaml.unsafe_load(text)", "yaml"),
    ],
)
def test_what_is_dangerous_is_seen(code, name):
    assert dangers(code) == {name}


def test_what_is_harmless_is_let_through():
    harmless = "re.compile(pattern)\nnumpy.load(path, allow_pickle=False)\ngraph.eval(text)"
    assert dangers(harmless) == set()


def test_nothing_in_the_package_runs_what_a_file_says():
    found = {
        path.relative_to(PACKAGE).as_posix(): dangers(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    assert len(found) > 100
    known = {name: {way} for name, way in (BY_NAME | ON_THE_WAY).items()}
    assert {name: ways for name, ways in found.items() if ways} == known
