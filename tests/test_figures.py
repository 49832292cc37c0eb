"""Measured figures are included in a page from the results of a study, never typed.

A figure is a decimal, a percentage or "N in 100" outside of code, links and included results. What
is no measurement (a version, a threshold, a limit, what the page's own code prints) is listed here,
page by page. ``README.md`` cannot include anything: its figures are compared with the results.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))

FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
ASIDE = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", re.DOTALL)
FIGURE = re.compile(r"(?<![\w.,])(\d*\.\d+(?: ?%)?|\d+ ?%|\d+ in 100)(?![\w.]*\.?\d)")

# Versions, thresholds, defaults and limits.
NOT_MEASURED = {
    "accuracy.md": {"4.9", "0.14"},
    "check.md": {"5 %"},
    "command-line.md": {"0.9", "0.0001", "95 %"},
    "confidence.md": {"70 %"},
    "dependent-rows.md": {"40 %", ".2"},
    "development.md": {"3.11", "3.14", "97 %"},
    "engines.md": {"365.25"},
    "evidence.md": {"95 %"},
    "formats.md": {"0.01"},
    "how.md": {"1804.01508", "1911.12607"},
    "independence.md": {"0.05"},
    "index.md": {"1.0"},
    "install.md": {"2.28", "3.11", "3.14"},
    "missing-values.md": {"16.7"},
    "numbers.md": {".99", "0.01", "95 %"},
    "prepare.md": {"16.7"},
    "reference/data.md": {"0.01"},
    "reliability.md": {"3.11", "3.14"},
    "report.md": {"70 %"},
    "scale.md": {"0.1", "0.8"},
    "synthetic.md": {".01", ".5"},
    "stability.md": {"1.0", "2.0", "3.11", "3.14"},
    "assumptions.md": {"0.01"},
    "tutorials/time.md": {"90 %"},
    "tutorials/ask.md": {"0.9", "90 %"},
    "tutorials/first-graph.md": {"90 %"},
    "gallery/wine.md": {"4.0", "70 %"},
}
# What the page's own code computes.
COMPUTED = {
    "gallery/biopsies.md",
    "gallery/diabetes.md",
    "gallery/insurance.md",
    "gallery/machine-faults.md",
    "tutorials/drivers.md",
}

UNSEEN = "benchmarks/unseen/results/report.md"
SCALE = "benchmarks/scale/results/README.md"
ACCURACY = "benchmarks/accuracy/results/report.md"
README = [
    ("0.845", UNSEEN, r"start:all-paired\].*?\| best single: .*? \| 2,000 \| f1 \| ([\d.]+) \|"),
    (
        "0.809",
        UNSEEN,
        r"start:all-paired\].*?\| best single: .*? \| 2,000 \| f1 \| [\d.]+ \| ([\d.]+) \|",
    ),
    (
        "0.846",
        UNSEEN,
        r"start:all-paired\].*?\| best of all on each \w+ \| 2,000 \| f1 \| [\d.]+ \| ([\d.]+)",
    ),
    ("0.845", ACCURACY, r"start:drawn\].*?\| mean \| ([\d.]+) \|"),
    ("0.810", ACCURACY, r"start:drawn\].*?\| mean \| [\d.]+ \| ([\d.]+) \|"),
    ("120", ACCURACY, r"\| TsetlinSieve, search \| \d+ \| (\d+) of 120 \|"),
    ("0.996", SCALE, r"\| alarm \| 1,000,000 \| 37 \| bnsieve .*?\| 1\.0 \| ([\d.]+) \|"),
    ("0.857", SCALE, r"\| alarm \| 1,000,000 \| 37 \| bnlearn .*?\| [\d.]+ \| ([\d.]+) \|  \|"),
    ("0.989", SCALE, r"\| random \| 5,000 \| 1,000 \| bnsieve .*?\| 1\.0 \| ([\d.]+) \|"),
    ("0.972", SCALE, r"\| random \| 5,000 \| 1,000 \| bnlearn .*? \| [\d.]+ \| ([\d.]+) \|  \|"),
]
SECONDS = [
    ("2.2 s", r"\| alarm \| 1,000,000 \| 37 \| bnsieve \S+ \| [\d.]+ \| ([\d.]+) \|"),
    ("50 s", r"\| alarm \| 1,000,000 \| 37 \| bnlearn hc \S+ \| [\d.]+ \| ([\d.]+) \|"),
    ("107 s", r"\| random \| 5,000 \| 1,000 \| bnsieve \S+ \| [\d.]+ \| ([\d.]+) \|"),
    ("315 s", r"\| random \| 5,000 \| 1,000 \| bnlearn hc \S+ \| [\d.]+ \| ([\d.]+) \|"),
]


def figures(text: str) -> list[str]:
    """Return what looks measured in a page."""
    return [match[1] for match in FIGURE.finditer(ASIDE.sub("]", FENCE.sub("", text)))]


def name_of(page: Path) -> str:
    """Name a page as the lists do."""
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_measured_figure_is_typed(page: Path) -> None:
    name = name_of(page)
    if name in COMPUTED:
        return
    typed = set(figures(page.read_text(encoding="utf-8"))) - NOT_MEASURED.get(name, set())
    assert not typed, f"{name}: include these from benchmarks/*/results with --8<--: {typed}"


def test_the_lists_name_pages() -> None:
    gone = (COMPUTED | set(NOT_MEASURED)) - {name_of(page) for page in PAGES}
    assert not gone


@pytest.mark.parametrize(("figure", "results", "pattern"), README)
def test_figures_of_the_readme(figure: str, results: str, pattern: str) -> None:
    found = re.search(pattern, (ROOT / results).read_text(encoding="utf-8"), re.DOTALL)
    assert found, pattern
    assert found[1] == figure
    assert figure in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("figure", "pattern"), SECONDS)
def test_seconds_of_the_readme(figure: str, pattern: str) -> None:
    found = re.search(pattern, (ROOT / SCALE).read_text(encoding="utf-8"))
    assert found, pattern
    shown = float(figure.removesuffix(" s"))
    assert abs(float(found[1]) - shown) < (0.051 if "." in figure else 0.51)
    assert figure in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_tornado_plot_has_the_figures_of_its_page() -> None:
    page = (DOCS / "tutorials" / "drivers.md").read_text(encoding="utf-8")
    picture = (DOCS / "images" / "tutorial" / "tornado.svg").read_text(encoding="utf-8")
    drawn = set(re.findall(r"[+-][\d.]+ points \[[^\]]+\]", picture))
    assert len(drawn) == 5
    assert {figure for figure in drawn if figure not in page} == set()


def test_typed_figures_are_seen() -> None:
    text = "F1 is 0.845, 97 in 100 are right, 91 % too; version 5.2.1, `0.3`, [page](0.5.md)."
    assert figures(text) == ["0.845", "97 in 100", "91 %"]
