"""The project's tasks: ``nox -s test lint types docs``; ``.ci/run`` runs them all.

Each session makes an environment of its own under ``.nox`` and installs one dependency group of
``pyproject.toml``. What follows ``--`` on the command line goes to the session's tool.
"""

import os
import subprocess
from pathlib import Path
from typing import Any

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]

# Benchmark commands at sizes that only show that they run: one per line, run in order by `bench`.
BENCHMARKS: list[list[str]] = [
    ["bnsieve", "bench", "machine", "--quick"],
    ["python", "benchmarks/machine/compare.py", "--quick"],
    ["python", "benchmarks/machine/limits.py", "--quick"],
    ["python", "benchmarks/interop/adapter_peers.py", "build/peers", "--quick"],
    ["python", "benchmarks/interop/bif_peers.py", "build/peers", "--quick"],
    ["bnsieve", "bench", "paper", "--quick", "--jobs", "2", "--output", "build/paper"],
    ["bnsieve", "bench", "accuracy", "--quick", "--output", "build/accuracy"],
    *(
        line.split()
        for line in """\
python -m bnsieve.bench.calibration --repetitions 2 --max-rows 200 --output build/calibration
python benchmarks/knowledge/random_fits.py build/knowledge --cases 2
python benchmarks/confidence/reliability.py build/confidence --rows 500 --networks asia
python benchmarks/gaps/study.py build/gaps --networks alarm --shares 0.2 --seeds 0 --rows 300
bnsieve bench scale rows --network asia --size 30000 --repeats 1 --folder build/rows -o build/scale
bnsieve bench scale variables --size 50 --rows 500 --folder build/rows -o build/scale --delete
bnsieve bench scale passes --network asia --rows 30000 --threads 1 --workers 1 --repeats 1 \
    --folder build/rows -o build/scale
bnsieve bench scale sample --network asia --rows 30000 --size 1000 --repeats 1 \
    --folder build/rows -o build/scale
bnsieve bench scale update --network asia --rows 30000 --files 10 --repeats 1 \
    --folder build/rows -o build/scale
python benchmarks/scale/peers.py rows build/scale --network asia --size 2000 \
    --folder build/rows --pyagrum build/peers/pyagrum/bin/python
python benchmarks/scale/peers.py counting build/scale --network asia --size 30000 \
    --folder build/rows
bnsieve bench scale report build/scale
""".splitlines()
    ),
]

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "virtualenv"
nox.options.sessions = ["lint", "types", "test", "docs"]


def install(session: nox.Session, *arguments: str, **options: Any) -> None:
    """Install with pip. Compiling to bytecode what is never imported is most of its work."""
    session.install("--no-compile", *arguments, **options)


@nox.session(python=PYTHONS)
def test(session: nox.Session) -> None:
    """Run all tests, with coverage; or those named after ``--``, without."""
    install(session, "--group", "test", ".")
    session.run("pytest", *(session.posargs or ["-n", "2", "--cov", "--cov-report=term"]))


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting."""
    install(session, "--group", "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Check static types, strictly."""
    dependencies = nox.project.load_toml("pyproject.toml")["project"]["dependencies"]
    install(session, "--group", "types", *dependencies)
    session.run("mypy", *session.posargs)


@nox.session
def build(session: nox.Session) -> None:
    """Make the source archive and from it a wheel; use the wheel outside the clone."""
    install(session, "build")
    folder = Path(session.create_tmp()).resolve() / "dist"
    session.run("python", "-m", "build", "--outdir", str(folder))
    wheel = max(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    install(session, "--force-reinstall", str(wheel))
    session.chdir(folder)
    session.run("bnsieve", "doctor")


@nox.session
def sanitize(session: nox.Session) -> None:
    """Run the kernel tests under address and undefined-behaviour sanitizers (gcc, Linux)."""
    install(
        session,
        "--group",
        "test",
        "--config-settings=build-dir=build/sanitize",
        ".",
        env={"BNSIEVE_SANITIZE": "address,undefined"},
    )
    # Python itself is not instrumented, so the runtime must be there before it starts; the C++
    # library too, or the sanitizer cannot intercept its exceptions.
    compiler = os.environ.get("CXX", "g++")
    runtime = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    session.run(
        "pytest",
        "-m",
        "kernel",
        *session.posargs,
        env={
            "LD_PRELOAD": " ".join(runtime),
            "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter keeps memory until it exits
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "PYTHONMALLOC": "malloc",  # so that the sanitizer sees every block
        },
    )


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation site; every warning is an error."""
    install(session, "--group", "docs")
    session.run("mkdocs", *(session.posargs or ["build", "--strict"]))


@nox.session
def bench(session: nox.Session) -> None:
    """Run the benchmarks at small sizes."""
    install(session, ".[bench,scale]")
    for command in BENCHMARKS:
        session.run(*command)
