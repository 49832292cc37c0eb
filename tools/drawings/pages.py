"""Graphs that a page's own code draws: its blocks are run, and the pictures they write are kept.

So a picture is what the lines beside it draw, and drawing all of them again takes one command.
"""

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tests.test_documentation import ROOT, RUN, blocks
from tools.drawings.canvas import IMAGES

# The page, the file that its blocks write, and the picture's name in docs/images.
PICTURES = [
    ("tutorials/first-graph", "patients-network/graph.svg", "tutorial/patients"),
    ("knowledge", "before.svg", "tutorial/before"),
    ("knowledge", "after.svg", "tutorial/after"),
    ("tutorials/drivers", "tornado.svg", "tutorial/tornado"),
    ("confidence", "strengths.svg", "tutorial/strengths"),
    ("prepare", "stays-network/graph.svg", "tutorial/stays"),
    ("assumptions", "pag.svg", "pictures/pag"),
    ("gallery/sachs", "sachs.svg", "gallery/sachs"),
    ("gallery/insurance", "insurance.svg", "gallery/insurance"),
    ("gallery/wine", "wine.svg", "gallery/wine"),
    ("gallery/machine-faults", "machine-faults.svg", "gallery/machine-faults"),
    ("gallery/visits", "visits.svg", "gallery/visits"),
]


def draw() -> None:
    """Run each page in an empty folder, and copy its pictures."""
    for name in dict.fromkeys(page for page, _, _ in PICTURES):
        page = ROOT / "docs" / f"{name}.md"
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            names: dict[str, Any] = {"__name__": "__main__"}
            for block in blocks(page):
                if block.language in RUN:
                    RUN[block.language](block, names)
            for _, written, image in (line for line in PICTURES if line[0] == name):
                target = IMAGES / f"{image}.svg"
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(Path(folder) / written, target)
