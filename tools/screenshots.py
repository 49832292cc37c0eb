"""``python tools/screenshots.py``: the pictures of the report in ``docs/images/report``.

Needs Chromium or Chrome, and in this environment playwright, which drives it. Out: three PNG files
of 1280 x 720 pixels.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "report"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
COMMANDS = (
    "sample alarm --rows 5000 --seed 0 -o alarm.csv",
    "learn alarm.csv --bootstrap 20 --seed 0 -o learned",
    "report --compare alarm learned -o changes.html",
)
# Fewer colours make smaller files, and the eye misses none of these.
_COLOURS = 96


def take(folder: Path) -> None:
    """Take the pictures of the pages in a folder."""
    executable = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="light")
        page.goto((folder / "learned" / "report.html").as_uri())
        save(page.screenshot, "first")
        page.locator("#edge-table button").first.click()
        page.evaluate("window.scrollTo(0, 0)")
        save(page.screenshot, "edge")
        page.goto((folder / "changes.html").as_uri())
        save(page.screenshot, "compare")
        browser.close()


def save(screenshot, name: str) -> None:
    """Save what the browser shows, in few colours."""
    path = FOLDER / f"{name}.png"
    screenshot(path=path, animations="disabled")
    picture = Image.open(path).convert("RGB")
    few = picture.quantize(_COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for command in COMMANDS:
            run = [sys.executable, "-m", "bnsieve", *command.split()]
            subprocess.run(run, cwd=name, check=True)
        take(Path(name))
