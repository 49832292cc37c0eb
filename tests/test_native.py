"""The choice of instruction set; each kernel is tested with the module that uses it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bnsieve import _native


def import_with(level: str) -> subprocess.CompletedProcess[str]:
    """Import the extension, alone, in a fresh interpreter with BNSIEVE_SIMD set."""
    folder = str(Path(_native.__file__).parent)
    code = f"import sys; sys.path.append({folder!r}); import _native; print(_native.simd_level())"
    environment = {**os.environ, "BNSIEVE_SIMD": level}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_baseline_always_runs_and_comes_first() -> None:
    assert _native.simd_levels()[0] == "baseline"


def test_a_level_can_be_forced(simd_level: str) -> None:
    assert _native.simd_level() == simd_level


def test_the_environment_forces_a_level(simd_level: str) -> None:
    assert import_with(simd_level).stdout.strip() == simd_level


def test_the_best_level_is_taken_when_none_is_forced() -> None:
    assert import_with("").stdout.strip() == _native.simd_levels()[-1]


@pytest.mark.kernel
def test_an_unknown_level_is_refused() -> None:
    before = _native.simd_level()
    with pytest.raises(ValueError, match="'mmx' is not available here; choose one of: baseline"):
        _native.force_simd_level("mmx")
    assert _native.simd_level() == before


def test_an_unknown_level_in_the_environment_stops_the_import() -> None:
    result = import_with("mmx")
    assert result.returncode != 0
    assert "'mmx' is not available here" in result.stderr
