"""``python -m tools.drawings [NAME ...]``: all drawings, or those named."""

import importlib
import sys

NAMES = ["home", "clause", "sieve", "counts", "search", "rooms", "pages"]

if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        importlib.import_module(f"tools.drawings.{name}").draw()
