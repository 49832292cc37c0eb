"""Links that the site's own strict build does not see: in files outside docs/, and in llms.txt."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OUTSIDE = sorted([*ROOT.glob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links(page: Path) -> list[str]:
    """Targets of a page's links, but for those that lead to other hosts."""
    found = LINK.findall(page.read_text(encoding="utf-8"))
    return [target for target in found if not re.match(r"\w+:", target)]


def anchors(page: Path) -> set[str]:
    """What a page's headings can be linked by."""
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", OUTSIDE, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_pages_outside_the_site(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {link}, which does not exist"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name} links to {link}: no such heading"


def page_address(page: Path) -> str:
    """Where the site shows a page, relative to its root."""
    name = page.relative_to(DOCS).with_suffix("").as_posix()
    return f"{name.removesuffix('index')}/".replace("//", "/") if name != "index" else "./"


def test_llms_txt_lists_every_page() -> None:
    listed = set(links(DOCS / "llms.txt"))
    pages = {page_address(page) for page in DOCS.rglob("*.md")}
    assert not listed - pages, "llms.txt links to pages that are gone"
    assert not pages - listed, "add these pages to docs/llms.txt"


def test_addresses_of_merged_pages_lead_somewhere() -> None:
    lines = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("  moved:\n")[2]
    moved = dict(re.findall(r"^    (\S+): (\S+)$", lines.partition("\n\n")[0], re.MULTILINE))
    assert moved
    for old, new in moved.items():
        page, _, anchor = new.partition("#")
        assert not (DOCS / old).exists(), f"{old} is a page, and mkdocs.yml says that it moved"
        assert (DOCS / page).exists(), f"{old} moved to {page}, which does not exist"
        assert not anchor or anchor in anchors(DOCS / page), f"{new}: no such heading"


@pytest.mark.parametrize(
    "page", [DOCS / "reliability.md", ROOT / "SECURITY.md"], ids=lambda page: page.name
)
def test_tests_that_promises_name_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"\btests/[\w/]+(?:\.py|/)", text))
    assert len(named) >= 5
    for path in sorted(named):
        assert (ROOT / path).exists(), f"{page.name} names {path}, which does not exist"


def test_every_promise_names_a_test_or_a_command() -> None:
    page = (DOCS / "reliability.md").read_text(encoding="utf-8")
    part = page.partition("## Promises")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ") and "|---" not in line]
    promises = [line for line in lines if not line.startswith("| promise |")]
    assert len(promises) > 40
    for line in promises:
        where = line.rstrip(" |").rpartition(" | ")[2]
        assert re.search(r"`tests/|`python -m benchmarks ", where), line
