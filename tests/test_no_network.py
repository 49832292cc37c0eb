"""Nothing that bnsieve does uses the network, but Ray where it is asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# The interpreter tells of everything that sockets are asked for, whoever asks.
DENIED = """
import sys

asked = []

def deny(event, given):
    if event.startswith("socket.") and event not in ("socket.gethostname", "socket.__new__"):
        asked.append(event)
        raise OSError(f"the network is denied: {event}")

sys.addaudithook(deny)
"""
CALLS = """
import bnsieve as bn

network = bn.load_network("asia")
rows = network.sample(300, random_state=0)
learner = bn.TsetlinSieve(random_state=0, n_jobs=2).fit(rows)
learner.bootstrap(3)
learner.explain("tub", "either")
learner.report("report.html")
learner.save("learner.bnsieve")
bn.load("learner.bnsieve").update(rows)
learner.network_.query("lung", given={"xray": "yes"})
bn.write(learner.network_, "network.bif")
bn.read("network.bif")
bn.prepare(rows)
assert not asked, asked
"""
COMMAND = """
sys.argv = ["bnsieve", "learn", "rows.csv", "-o", "out", "--jobs", "2"]
from bnsieve.cli import main
try:
    main()
finally:
    assert not asked, asked
"""
CONTROL = """
import socket
try:
    socket.create_connection(("127.0.0.1", 9))
except OSError as error:
    print(error)
assert asked
"""


def run(code, folder):
    return subprocess.run(
        [sys.executable, "-c", DENIED + code],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
    )


def test_learning_and_all_that_follows(tmp_path):
    done = run(CALLS, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").exists()


def test_the_command(tmp_path):
    import bnsieve as bn

    bn.load_network("asia").sample(300, random_state=0).to_csv(tmp_path / "rows.csv", index=False)
    done = run(COMMAND, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").exists()


def test_the_page_fetches_nothing(tmp_path):
    """Namespaces are names; nothing else in the page is an address that a browser would open."""
    run(CALLS, tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    for fetched in ('src="http', "src='http", "@import", "url(http", "fetch(", "XMLHttpRequest"):
        assert fetched not in text
    assert "<link " not in text


def test_the_network_is_denied_indeed(tmp_path):
    done = run(CONTROL, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the network is denied" in done.stdout


@pytest.mark.parametrize(
    "word", ["import socket", "urllib.request", "import requests", "http.client"]
)
def test_no_module_opens_connections(word):
    source = Path(__file__).parents[1] / "src" / "bnsieve"
    using = [path for path in source.rglob("*.py") if word in path.read_text(encoding="utf-8")]
    assert not [path for path in using if path.name != "ray.py"]
