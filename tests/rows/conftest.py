"""A private PostgreSQL on a socket in a temporary folder, which does not run as root."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres():
    """Start a private PostgreSQL; give the folder of its socket."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not programs:
        pytest.skip("nox -s engines installs Debian's postgresql")
    folder = Path(tempfile.mkdtemp(prefix="bnsieve-pg-", dir="/tmp"))
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)

    def run(program, *arguments):
        subprocess.run(
            [programs[-1].with_name(program), *arguments],
            check=True,
            user=user,
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )

    data, options = folder / "data", f"-c listen_addresses='' -c fsync=off -k {folder}"
    run("initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync")
    run("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
    yield folder
    run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    shutil.rmtree(folder)
