"""Check what is about to be published: what archives hold, how large they are. Write SHA256SUMS.

    python tools/check_release.py dist             # the archives in a folder
    python tools/check_release.py dist --installed # and the bnsieve of this environment

Whatever is wrong is printed, and the exit code is 1.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
# Twice what they take: what makes them grow this much was not meant to be in them.
MOST_BYTES = {".whl": 4_000_000, ".gz": 6_000_000}
# bnsieve --help, in seconds of processor time; or, where the machine is slow, so many times what
# the library of the command line takes alone.
MOST_SECONDS, MOST_TIMES = 0.3, 2

# A wheel holds the package and what describes it, and nothing else.
IN_WHEEL = re.compile(rf"bnsieve/|bnsieve-{re.escape(VERSION)}\.dist-info/")
NEEDED_IN_WHEEL = (
    r"bnsieve/_native\.(.*\.)?(so|pyd)",
    r"bnsieve/_native\.pyi",
    r"bnsieve/py\.typed",
    r"bnsieve/exchange/data/alarm\.bif\.gz",
    r".*\.dist-info/licenses/LICENSE",
    r".*\.dist-info/licenses/.*NOTICE",
)
NEEDED_IN_SDIST = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "native/kernels.cpp",
    "pyproject.toml",
    "tests/reference.py",
)


def faults_of_wheel(path: Path) -> Iterator[str]:
    """Yield what is wrong with a wheel."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        texts = [name for name in names if name.endswith((".dist-info/METADATA", ".py"))]
        local = [name for name in texts if str(ROOT).encode() in archive.read(name)]
    yield from (f"holds {name}" for name in names if not IN_WHEEL.match(name))
    yield from (f"holds {name}" for name in names if "__pycache__" in name)
    yield from (f"names a folder of this machine in {name}" for name in local)
    for pattern in NEEDED_IN_WHEEL:
        if not any(re.fullmatch(pattern, name) for name in names):
            yield f"lacks {pattern}"


def faults_of_sdist(path: Path) -> Iterator[str]:
    """Yield what is wrong with a source archive."""
    with tarfile.open(path) as archive:
        members = archive.getmembers()
    top = f"bnsieve-{VERSION}/"
    names = {member.name.removeprefix(top) for member in members}
    yield from (f"holds {m.name}" for m in members if not m.name.startswith(top))
    yield from (f"holds {name}" for name in names if name.endswith((".so", ".pyd", ".pyc")))
    yield from (f"lacks {name}" for name in NEEDED_IN_SDIST if name not in names)


def check(path: Path) -> list[str]:
    """Return what is wrong with an archive, and print how large it is."""
    size = path.stat().st_size
    print(f"{path.name}: {size / 1e6:.2f} MB")
    faults = list((faults_of_wheel if path.suffix == ".whl" else faults_of_sdist)(path))
    if VERSION not in path.name:
        faults.append(f"is not of version {VERSION}")
    if size > MOST_BYTES[path.suffix]:
        faults.append(f"is larger than {MOST_BYTES[path.suffix] / 1e6:.0f} MB")
    return [f"{path.name} {fault}" for fault in faults]


def processor_seconds(*command: str) -> float:
    """Return the processor time of a program, the least of three runs, outside the clone."""
    least = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            before = os.times()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
            after = os.times()
            spent = after.children_user + after.children_system
            least = min(least, spent - before.children_user - before.children_system)
    return least


def check_installed() -> list[str]:
    """Check the bnsieve of this environment, and print what its start takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "pip", "check"], check=True)
    print(f"pip check: {time.perf_counter() - start:.1f} s")
    script = str(Path(sys.executable).with_name("bnsieve"))
    overview = processor_seconds(script, "--help")
    command_line = processor_seconds(sys.executable, "-c", "import typer.main")
    libraries = "import numpy, pandas, scipy, sklearn"
    theirs = processor_seconds(sys.executable, "-c", libraries)
    ours = processor_seconds(sys.executable, "-c", f"{libraries}; import bnsieve")
    print(f"bnsieve --help: {overview:.2f} s of processor time, typer alone {command_line:.2f} s")
    print(f"import bnsieve: {ours:.2f} s, of which {theirs:.2f} s are the libraries below it")
    most = max(MOST_SECONDS, MOST_TIMES * command_line)
    return [f"bnsieve --help takes {overview:.2f} s"] if overview > most else []


def main() -> int:
    """Check the archives named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="the archives")
    parser.add_argument("--installed", action="store_true", help="check this environment, too")
    arguments = parser.parse_args()
    paths = sorted([*arguments.folder.glob("*.whl"), *arguments.folder.glob("*.tar.gz")])
    if not paths:
        sys.exit(f"no wheel and no source archive in {arguments.folder}")
    faults = [fault for path in paths for fault in check(path)]
    if arguments.installed:
        faults += check_installed()
    # In the form that `sha256sum --check SHA256SUMS` reads.
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (arguments.folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    print(*sums, sep="", end="")
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
