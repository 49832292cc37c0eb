"""Fuzzing sees what it is there for: errors of others, errors without a name, crashes, hangs."""

import json
import random
import sys
import time

import pytest

from benchmarks.fuzz import kernels, mutations, study, targets

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sets timers as on Linux")


def refused(run, named=""):
    """Say whether what a function raises is taken for a refusal."""
    try:
        run()
    except Exception as error:
        return targets.bnsieve_said(error, named)
    raise AssertionError("nothing was raised")


def test_only_what_bnsieve_said_is_a_refusal(tmp_path):
    path = tmp_path / "a.bif"
    path.write_text("network {", encoding="utf-8")
    assert refused(lambda: targets.bn.read(path), "a.bif")
    assert not refused(lambda: targets.bn.read(path), "b.bif"), "the file must be named"
    assert not refused(lambda: json.loads("{"))
    assert not refused(lambda: targets.bn.read(tmp_path / "missing.bif"))
    assert refused(lambda: kernels.run(bytes(5) + b"\x0f\x00")), "an argument is None"


def test_whole_inputs_are_taken():
    for name in ("bif", "xmlbif", "json", "edges", "knowledge"):
        for content in targets.TARGETS[name].seeds():
            targets.TARGETS[name].run(content)


def test_every_kernel_is_called():
    called = {step.name for steps in kernels.recorded() for step in steps}
    bound = {name for name in dir(kernels._native) if not name.startswith("_")}
    no_calls = {"CLAUSE_GROUP", "DEPTH_PLANES", "MAX_WEIGHT", "StrataStatistics"}
    assert bound - called == {*kernels.LEFT_OUT, *no_calls}


@pytest.mark.parametrize("mutate", [mutations.mutated, mutations.mutated_json])
def test_mutations_depend_on_the_seed_alone(mutate):
    def some():
        chance = random.Random(0)
        return [mutate(b'{"a": [1, {"b": 2}]}', chance) for _ in range(50)]

    assert some() == some()
    assert len(set(some())) > 30


# What takes the place of a target, in the process that tries it.
BROKEN = {
    "an error of others": "int('x')",
    "a crash": "ctypes.string_at(0)",
    "a hang": "exec('while True: pass')",
    "memory": "bytearray(b'x') * (600 << 20)",
}
STARTS = """
import ctypes, sys
from benchmarks.fuzz import runner, targets
runner.MAX_SECONDS, runner.MAX_MEGABYTES = 1, 500
targets.TARGETS["bif"] = targets.Target(lambda: [b"whole"], lambda content: {broken})
sys.argv = ["runner", *sys.argv[sys.argv.index("benchmarks.fuzz.runner") + 1:]]
runner.main()
"""


@pytest.mark.parametrize("kind", BROKEN)
def test_what_breaks_is_found_and_kept(kind, tmp_path, monkeypatch):
    starts = tmp_path / "starts.py"
    starts.write_text(STARTS.format(broken=BROKEN[kind]), encoding="utf-8")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{starts}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(study, "MAX_CRASHES", 1)
    start = time.monotonic()
    fuzzed = study.fuzz("bif", tmp_path / "out", 0.05, "plain", 0)
    assert time.monotonic() - start < 60
    (told,) = fuzzed.findings
    assert told.with_suffix("").read_bytes()
    if kind == "an error of others":
        assert "ValueError: invalid literal" in told.read_text(encoding="utf-8")
        assert fuzzed.inputs > 0
    else:
        assert "ended with" in told.read_text(encoding="utf-8")


def test_findings_end_the_study_with_an_error(tmp_path, monkeypatch, capsys):
    finding = tmp_path / "finding.txt"
    finding.write_text("ValueError: x", encoding="utf-8")
    monkeypatch.setattr(study, "fuzz", lambda *given: study.Fuzzed(5, 3, 60, 0.1, 200, [finding]))
    with pytest.raises(SystemExit, match="there are findings"):
        study.main(["--target", "bif", "--output", str(tmp_path)])
    assert "ValueError: x" in (tmp_path / "report.md").read_text(encoding="utf-8")
    monkeypatch.setattr(study, "fuzz", lambda *given: study.Fuzzed(5, 3, 60, 0.1, 200, []))
    study.main(["--target", "bif", "--output", str(tmp_path)])
    assert "bif: Fuzzed(" in capsys.readouterr().out
