"""The doctor's facts, against the project file and the running interpreter."""

import json
import platform
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from bnsieve import _native
from bnsieve.engine import installation

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]


def names(requirements):
    return [requirement.split(">=")[0] for requirement in requirements]


def test_every_dependency_is_listed_with_its_version():
    dependencies = installation.facts()["dependencies"]
    assert list(dependencies) == names(PROJECT["dependencies"])
    assert dependencies["numpy"] == metadata.version("numpy")


def test_every_extra_is_listed_with_its_packages():
    extras = installation.facts()["extras"]
    expected = {
        name: names(packages) for name, packages in PROJECT["optional-dependencies"].items()
    }
    assert {name: list(extra["packages"]) for name, extra in extras.items()} == expected
    assert extras["ray"]["install"] == "pip install 'bnsieve[ray]'"


def test_a_missing_package_makes_its_extra_incomplete(monkeypatch):
    def version(name):
        if name == "ray":
            raise metadata.PackageNotFoundError
        return "1.0"

    monkeypatch.setattr(metadata, "version", version)
    extras = installation.facts()["extras"]
    assert extras["ray"]["packages"]["ray"] is None
    assert not extras["ray"]["complete"]
    assert extras["plot"]["complete"]


@pytest.mark.parametrize("forced", ["baseline", None])
def test_instructions_are_those_of_the_kernels(monkeypatch, forced):
    if forced:
        monkeypatch.setenv("BNSIEVE_SIMD", forced)
    else:
        monkeypatch.delenv("BNSIEVE_SIMD", raising=False)
    assert installation.facts()["instructions"] == {
        "in_use": _native.simd_level(),
        "available": _native.simd_levels(),
        "forced": forced,
    }


def test_facts_are_plain_values():
    facts = installation.facts()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["python"].startswith(platform.python_version())
    assert 1 <= facts["processors_usable"] <= facts["processors"]
