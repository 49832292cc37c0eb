"""One run from a file of rows to its results.

In: a path and settings. Out: what was done and found, in words, as JSON and as files.
"""

from bnsieve.report.files import require_free, write_files
from bnsieve.report.run import Algorithm, RunSettings, learn
from bnsieve.report.summary import meaning

__all__ = [
    "Algorithm",
    "RunSettings",
    "learn",
    "meaning",
    "require_free",
    "write_files",
]
