"""A virtual environment for each other program, made when it is missing."""

import importlib.metadata
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import bnsieve
from bnsieve import _native

PEERS = {
    "pgmpy-1": "pgmpy==1.1.2",
    "pyagrum": "pyagrum==3.3.1",
    "causal-learn": "causal-learn==0.1.4.8",
}


def python_of(name: str, requirements: list[str], cache: Path) -> Path:
    """Return the interpreter of an environment that holds the requirements."""
    folder = cache / name
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    complete, wanted = folder / "complete", "\n".join(requirements)
    if not complete.exists() or complete.read_text() != wanted:
        print(f"making an environment for {', '.join(requirements)} ...", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        command = [python, "-m", "pip", "install", "-q", "--no-compile", *requirements]
        subprocess.run(command, check=True)
        complete.write_text(wanted)
    return python.absolute()


def peer_requirements(name: str) -> list[str]:
    """Return what the environment of a program holds: the program, and what bnsieve needs."""
    listed = importlib.metadata.requires("bnsieve") or []
    return [PEERS[name], *(line for line in listed if "extra ==" not in line)]


def copy_bnsieve(folder: Path) -> None:
    """Copy this environment's bnsieve, so that others need not build it again."""
    package = folder / "bnsieve"
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(bnsieve.__file__).parent, package, ignore=leave)
    shutil.copy(_native.__file__, package)
