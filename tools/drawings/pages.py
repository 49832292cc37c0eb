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
    ("quickstart", "patients-network/graph.svg", "tutorial/patients"),
    ("tutorials/first-graph", "clinic-network/graph.svg", "tutorial/clinic"),
    ("tutorials/known", "before.svg", "tutorial/before"),
    ("tutorials/known", "after.svg", "tutorial/after"),
    ("tutorials/drivers", "tornado.svg", "tutorial/tornado"),
    ("tutorials/sure", "strengths.svg", "tutorial/strengths"),
    ("tutorials/messy", "stays-network/graph.svg", "tutorial/stays"),
    ("hidden-causes", "pag.svg", "pictures/pag"),
    ("gallery/alarm", "alarm.svg", "gallery/alarm"),
    ("gallery/sachs", "sachs.svg", "gallery/sachs"),
    ("gallery/insurance", "insurance.svg", "gallery/insurance"),
    ("gallery/wine", "wine.svg", "gallery/wine"),
    ("gallery/machine-faults", "machine-faults.svg", "gallery/machine-faults"),
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
