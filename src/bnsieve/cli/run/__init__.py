"""One run from a file of rows to its results.

In: a path and settings. Out: what was done and found, in words, as JSON and as files.
"""

from bnsieve.cli.run.files import GRAPH, MODEL, NETWORK, REPORT, require_free, write_files
from bnsieve.cli.run.later import SavedRun, load_run, write_report
from bnsieve.cli.run.later import update as update_run
from bnsieve.cli.run.record import record_of
from bnsieve.cli.run.run import Algorithm, RunResult, RunSettings, learn
from bnsieve.cli.run.summary import meaning, summary_of

__all__ = [
    "GRAPH",
    "MODEL",
    "NETWORK",
    "REPORT",
    "Algorithm",
    "RunResult",
    "RunSettings",
    "SavedRun",
    "learn",
    "load_run",
    "meaning",
    "record_of",
    "require_free",
    "summary_of",
    "update_run",
    "write_files",
    "write_report",
]
