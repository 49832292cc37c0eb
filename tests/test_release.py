"""What a release says about itself, in one voice."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import bnsieve

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = yaml.safe_load((ROOT / "contrib/conda/recipe.yaml").read_text(encoding="utf-8"))


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["version"] == bnsieve.__version__
    assert citation["version"] == bnsieve.__version__
    assert RECIPE["context"]["version"] == bnsieve.__version__


def test_the_changelog_has_the_form_of_keep_a_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    released = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d", h) for h in headings[1:]]
    assert all(released), headings
    assert released[0].group(1) == bnsieve.__version__
    kinds = set(re.findall(r"^### (.*)$", text, flags=re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def spaced(requirement):
    """``numpy>=2.0`` as conda writes it."""
    return re.sub(r"(?=>=)", " ", requirement)


def test_the_conda_recipe_needs_what_the_package_needs():
    assert RECIPE["requirements"]["run"] == ["python", *map(spaced, PROJECT["dependencies"])]
    built_with = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert RECIPE["requirements"]["host"] == ["python", "pip", *map(spaced, built_with)]
    least = PROJECT["requires-python"].removeprefix(">=")
    assert RECIPE["build"]["skip"] == f'python < "{least}"'
    (command,) = RECIPE["build"]["python"]["entry_points"]
    assert command == f"bnsieve = {PROJECT['scripts']['bnsieve']}"


def test_forms_and_workflows_can_be_read():
    paths = [*ROOT.glob(".github/**/*.yml")]
    for path in paths:
        assert yaml.safe_load(path.read_text(encoding="utf-8")), path
    # The source archive has none of them.
    assert not (ROOT / ".github").exists() or {"dependabot.yml", "wheels.yml", "bug.yml"} <= {
        path.name for path in paths
    }


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CODE_OF_CONDUCT.md",
        "contrib/benchpress/README.md",
        "paper/paper.md",
    ],
)
def test_links_of_pages_outside_the_site_lead_somewhere(page):
    folder = (ROOT / page).parent
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    lost = [link for link in links if "://" not in link and not (folder / link).exists()]
    assert not lost


def test_the_paper_cites_what_it_lists():
    text = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
    listed = (ROOT / "paper/paper.bib").read_text(encoding="utf-8")
    keys = re.findall(r"^@\w+\{(\w+),", listed, flags=re.MULTILINE)
    assert set(re.findall(r"@([a-z]+\d{4})", text)) == set(keys)


LOCK = ROOT / "requirements-dev.txt"


@pytest.mark.skipif(not LOCK.exists(), reason="the source archive comes without it")
def test_the_lock_has_all_that_is_asked_for_and_no_address():
    text = LOCK.read_text(encoding="utf-8")
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = list(PROJECT["dependencies"])
    for extra in PROJECT["optional-dependencies"].values():
        asked += extra
    groups = pyproject["dependency-groups"]
    included = [line["include-group"] for line in groups["dev"] if isinstance(line, dict)]
    for group in ["dev", *included]:
        asked += [line for line in groups[group] if isinstance(line, str)]
    names = {re.match(r"[\w.-]+", line).group().lower() for line in asked}
    locked = set(re.findall(r"^([\w.-]+)==", text, flags=re.MULTILINE))
    assert names <= locked, "make it again: its head says how"
    assert "://" not in text
