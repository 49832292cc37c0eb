"""One run from a file of rows to its results.

In: a path and settings. Out: what was done and found, in words, as JSON and as files.
"""

from bnsieve.report.expected import expect
from bnsieve.report.files import GRAPH, MODEL, NETWORK, REPORT, require_free, write_files
from bnsieve.report.later import SavedRun, load_run, write_report
from bnsieve.report.later import update as update_run
from bnsieve.report.record import record_of
from bnsieve.report.run import Algorithm, RunResult, RunSettings, learn
from bnsieve.report.summary import meaning, summary_of

__all__ = [
    "GRAPH",
    "MODEL",
    "NETWORK",
    "REPORT",
    "Algorithm",
    "RunResult",
    "RunSettings",
    "SavedRun",
    "expect",
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
