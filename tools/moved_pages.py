"""A hook of MkDocs: addresses of pages that were merged or renamed lead to where their content is.

``extra.moved`` in mkdocs.yml maps the old address to the new page, with an anchor where that helps.
A page that was dropped on purpose leads to the page that says so, or to the nearest one.
"""

from pathlib import Path
from posixpath import relpath

from mkdocs.config.defaults import MkDocsConfig

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moved</title>
<link rel="canonical" href="{target}">
<meta http-equiv="refresh" content="0; url={target}">
</head>
<body>This page has moved: <a href="{target}">go to the new page</a>.</body>
</html>
"""


def address_of(page: str) -> str:
    """Where the site shows a page, relative to its root: ``a.md#b`` becomes ``a/#b``."""
    path, _, anchor = page.partition("#")
    folder = path.removesuffix(".md").removesuffix("index").rstrip("/")
    return f"{folder or '.'}/" + (f"#{anchor}" if anchor else "")


def on_post_build(config: MkDocsConfig) -> None:
    """Write a page that forwards for each old address."""
    for old, new in config.extra["moved"].items():
        folder = address_of(old).rstrip("/")
        address, _, anchor = address_of(new).partition("#")
        target = f"{relpath(address, folder)}/" + (f"#{anchor}" if anchor else "")
        path = Path(config.site_dir) / folder / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(target=target), encoding="utf-8")
