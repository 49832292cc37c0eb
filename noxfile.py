"""The project's tasks: ``nox -s lint types test docs``; ``.ci/run`` runs them all.

A session makes an environment under ``.nox`` and installs one dependency group of
``pyproject.toml``; `slow`, `peers` and `studies` run in that of `test`. With
``BNSIEVE_WHEEL`` a wheel is installed, so that the gate compiles only once. What follows ``--`` on
the command line goes to the session's tool.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]

# Tests that belong to the session `docs`.
LATER = ["--ignore=tests/test_documentation.py", "--ignore=tests/test_notebooks.py"]
# Tests of the common path, which every change must pass first; what takes long runs in `slow`.
COMMON_PATH = ["-m", "not slow", "--durations=25", *LATER]

# Tests that run kernels on several threads, for the thread sanitizer.
ON_THREADS = [
    "tests/test_sameness.py::test_it_is_the_same_for_any_number_of_threads",
    "tests/learners/test_at_once.py",
    "tests/sieve/machine/test_machine.py",
    "tests/search/test_order.py",
    "tests/engine/test_interruption.py",
    "tests/engine/test_local.py",
]

# What the report page is opened in; playwright drives it, and brings none of its own.
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

# What is asked of each other program, at sizes that only show that it still works with ours. Each
# is a session of its own: a release of theirs that breaks something says so by name.
PROGRAMS: dict[str, list[str]] = {
    "pgmpy": [
        "interop adapters build/peers --quick --peers pgmpy-1",
        "interop bif build/peers --quick --peers pgmpy-1",
    ],
    "pyagrum": [
        "interop adapters build/peers --quick --peers pyagrum",
        "interop bif build/peers --quick --peers pyagrum",
        "inference margins rows --quick --cache build/peers --output build/inference",
    ],
    "causal-learn": [
        "interop adapters build/peers --quick --peers causal-learn",
    ],
    "dowhy": ["interop estimators build/peers"],
}

# Each study once, at its smallest size, which shows that it runs; OUT is a folder of their own.
STUDIES = """\
fingerprint --quick
fingerprint matrix
machine suite --quick --kinds "parity of two" --output OUT/machine
machine cost --quick --output OUT/machine
paper --quick --network insurance --output OUT/paper
accuracy --quick --shuffle --network insurance --output OUT/accuracy
answers --quick --output OUT/answers
effects --quick --output OUT/effects
time --quick --output OUT/time
time warning --quick --output OUT/time
time clusters --quick --output OUT/time-clusters
time forecast --quick --output OUT/time-forecast
time panel --quick --output OUT/time-panel
time effects --quick --output OUT/time-effects
noise --quick --output OUT/noise
noise distributions --quick --output OUT/noise
fuzz --quick --output OUT/fuzz
directions --quick --output OUT/directions
unseen --quick --output OUT/unseen
numbers --quick --output OUT/numbers
numbers oracle --networks 5
numbers growth --quick --output OUT/numbers
inference --quick --networks asia cancer --output OUT/inference-alone
calibration --repetitions 2 --max-rows 200 --output OUT/calibration
calibration numbers --repetitions 2 --max-rows 500 --output OUT/calibration
calibration claims --quick --output OUT/calibration
confidence OUT/confidence --rows 500 --networks asia --replicates 10
gaps --quick --output OUT/gaps
hidden --quick --output OUT/hidden
check --quick --output OUT/check
check power --quick --output OUT/check
check rows --quick --output OUT/check
check speed --quick --output OUT/check
engines --quick --output OUT/engines
engines flat --quick --output OUT/engines-flat
engines own --quick --output OUT/engines-own
synthetic --quick --output OUT/synthetic
synthetic many --quick --output OUT/synthetic-many
tables --quick --folder OUT/tables --output OUT/tables-results
tables messy --quick --output OUT/tables-messy
tables drivers --quick --output OUT/tables-drivers
readability --output OUT/readability
scale rows --network asia --size 30000 --repeats 1 --folder OUT/rows -o OUT/scale
scale variables --size 50 --rows 500 --repeats 1 --folder OUT/rows -o OUT/scale --delete
scale numbers --rows 60000 --repeats 1 --memory --folder OUT/rows -o OUT/scale
""".splitlines()

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "virtualenv"
nox.options.sessions = ["lint", "types", "test", "docs"]

# What every session installs: this clone, or a wheel that was built of it.
PACKAGE = os.environ.get("BNSIEVE_WHEEL", ".")


def install(session: nox.Session, *arguments: str, **options: Any) -> None:
    """Install with pip. Compiling to bytecode what is never imported is most of its work."""
    session.install("--no-compile", *arguments, **options)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting, of Python and of C++."""
    install(session, "--group", "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    sources = [*Path("native").glob("*.hpp"), *Path("native").glob("*.cpp")]
    session.run("clang-format", "--dry-run", "--Werror", *sorted(map(str, sources)))


@nox.session
def types(session: nox.Session) -> None:
    """Check static types, strictly."""
    dependencies = nox.project.load_toml("pyproject.toml")["project"]["dependencies"]
    install(session, "--group", "types", *dependencies)
    session.run("mypy", *session.posargs)


@nox.session(python=PYTHONS)
def test(session: nox.Session) -> None:
    """Run the tests of the common path, or those named after ``--``."""
    install(session, "--group", "test", PACKAGE)
    session.run("pytest", *(session.posargs or ["-n", "2", *COMMON_PATH]))


@nox.session(python=False)
def coverage(session: nox.Session) -> None:
    """Run the tests of the common path with coverage, which takes two to three times as long."""
    run_beside_tests(session, "pytest", "-n", "2", *COMMON_PATH, "--cov", "--cov-report=term")


@nox.session(python=False)
def slow(session: nox.Session) -> None:
    """Run the tests that take long."""
    run_beside_tests(session, "pytest", "-n", "2", "-m", "slow", *LATER, *session.posargs)


def run_beside_tests(session: nox.Session, module: str, *arguments: str) -> None:
    """Run a module in the environment of `test`, which is made if it is not there."""
    name = f"test-{sys.version_info.major}.{sys.version_info.minor}"
    folder = Path(".nox", name.replace(".", "-"), "Scripts" if os.name == "nt" else "bin")
    if not folder.exists():
        install_only = ["--session", name, "--install-only"]
        session.run(sys.executable, "-m", "nox", *install_only, external=True)
    session.run(str(folder / "python"), "-m", module, *arguments, external=True)


@nox.session
def plain(session: nox.Session) -> None:
    """Use what a default installation has, with no extra."""
    install(session, "pytest>=8", PACKAGE)
    session.run("pytest", "--noconftest", *session.posargs, "tests/default_install.py")


@nox.session
def build(session: nox.Session) -> None:
    """Make what a release publishes, in ``build/dist``; check it, use it as a stranger would."""
    install(session, "build")
    folder = Path("build/dist").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    # Two source archives of one commit are the same, byte for byte; the wheel is made from one.
    environment = {"SOURCE_DATE_EPOCH": time_of_commit()}
    again = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "build", "--outdir", str(folder), env=environment)
    session.run("python", "-m", "build", "--sdist", "--outdir", str(again), env=environment)
    (source,) = folder.glob("*.tar.gz")
    if source.read_bytes() != (again / source.name).read_bytes():
        session.error("two source archives of the same files differ")
    (wheel,) = folder.glob("*.whl")
    # Nothing may need a compiler: neither bnsieve nor what it brings along.
    without = {"CC": "/nonexistent", "CXX": "/nonexistent"}
    install(session, "--only-binary=:all:", "--force-reinstall", str(wheel), env=without)
    session.run("python", "tools/check_release.py", str(folder), "--installed")
    session.chdir(folder)
    session.run("bnsieve", "doctor")
    session.run("bnsieve", "sample", "asia", "--rows", "2000", "--seed", "0", "-o", "rows.csv")
    session.run("bnsieve", "learn", "rows.csv", "-o", "learned")


def time_of_commit() -> str:
    """Return the seconds of the last commit, or of 1980, where zip archives begin."""
    command = ["git", "log", "-1", "--format=%ct"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return found or "315532800"


@nox.session
def sanitize(session: nox.Session) -> None:
    """Run the kernel tests under address and undefined-behaviour sanitizers (gcc, Linux)."""
    install_sanitized(session, "address,undefined")
    session.run(
        "pytest",
        "-n",
        "2",
        "-m",
        "kernel",
        *LATER,
        *session.posargs,
        env={
            # The C++ library too, or the sanitizer cannot intercept its exceptions.
            "LD_PRELOAD": runtime("libasan.so", "libstdc++.so"),
            "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter keeps memory until it exits
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "PYTHONMALLOC": "malloc",  # so that the sanitizer sees every block
        },
    )


@nox.session
def races(session: nox.Session) -> None:
    """Run fits and kernels on several threads under the thread sanitizer (gcc, Linux)."""
    install_sanitized(session, "thread")
    session.run(
        "pytest",
        *(session.posargs or [*ON_THREADS, "-k", "thread or interrupt"]),
        env={
            "LD_PRELOAD": runtime("libtsan.so"),
            # Python and NumPy are not instrumented: what they do between their own locks is not
            # seen, and would be reported. Exit with an error if anything of ours is.
            "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=66",
        },
    )


def install_sanitized(session: nox.Session, sanitizers: str) -> None:
    """Install bnsieve with kernels that are watched."""
    folder = f"build/sanitize-{sanitizers.replace(',', '-')}"
    settings = f"--config-settings=build-dir={folder}"
    install(session, "--group", "test", settings, ".", env={"BNSIEVE_SANITIZE": sanitizers})


def runtime(*names: str) -> str:
    """Return libraries of the compiler; Python is not instrumented, so they must be there first."""
    compiler = os.environ.get("CXX", "g++")
    return " ".join(
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in names
    )


@nox.session
def browser(session: nox.Session) -> None:
    """Drive the report page in Chromium or Chrome; skipped where there is none."""
    if not any(map(shutil.which, BROWSERS)):
        session.skip(f"no browser found: none of {', '.join(BROWSERS)}")
    install(session, "--group", "test", "playwright>=1.40", PACKAGE)
    session.run("pytest", "-m", "browser", *session.posargs, "tests/report")


# What the session `engines` runs for real, and Debian's packages that some of it needs.
ENGINES = [
    "pyspark[connect]>=4",
    "dask[distributed]",
    "duckdb",
    "adbc-driver-postgresql",
    "psycopg[binary]",
    "deltalake",
]
SERVERS = ["postgresql", "default-jre-headless"]


@nox.session
def engines(session: nox.Session) -> None:
    """Read real databases, count inside them, and run on Spark and Dask; installs them."""
    install(session, "--group", "test", *ENGINES, PACKAGE)
    if shutil.which("apt-get") and os.geteuid() == 0:
        # Without them, tests that need them are skipped, with the reason.
        asked: dict[str, Any] = {"external": True, "silent": True, "success_codes": [0, 100]}
        session.run("apt-get", "update", **asked)
        session.run("apt-get", "install", "-y", "--no-install-recommends", *SERVERS, **asked)
    session.run("pytest", "-m", "engines", *session.posargs, "tests/engine", "tests/rows")
    # The one study that needs DuckDB; `studies` has the others.
    shutil.rmtree("build/engines", ignore_errors=True)
    groups = ["engines", "groups", "--quick", "--output", "build/engines"]
    session.run("python", "-m", "benchmarks", *groups)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation site, every warning an error, and run its examples."""
    install(session, "--group", "docs", PACKAGE)
    if session.posargs:
        session.run("mkdocs", *session.posargs)
        return
    session.run("mkdocs", "build", "--strict")
    install(session, "--group", "test")
    session.run("pytest", "-n", "2", "tests/test_documentation.py", "tests/test_notebooks.py")
    session.run("python", "tools/licences.py", "--check")


@nox.session(python=False)
@nox.parametrize("program", list(PROGRAMS), ids=list(PROGRAMS))
def peers(session: nox.Session, program: str) -> None:
    """Exchange graphs, networks and files with one other program."""
    run_studies(session, PROGRAMS[program])


@nox.session(python=False)
def studies(session: nox.Session) -> None:
    """Test the studies, and run each once at its smallest size."""
    shutil.rmtree("build/studies", ignore_errors=True)  # what is done there would not be run again
    run_beside_tests(session, "pytest", "-n", "2", "benchmarks/tests")
    run_studies(session, STUDIES)


def run_studies(session: nox.Session, lines: list[str]) -> None:
    """Run all of them, whatever becomes of one, and say at the end which failed."""
    failed = []
    for line in lines:
        try:
            arguments = shlex.split(line.replace("OUT/", "build/studies/"))
            run_beside_tests(session, "benchmarks", *arguments)
        except nox.command.CommandFailed:
            failed.append(line)
    if failed:
        session.error(f"failed: {'; '.join(failed)}")
