"""A page to open in a browser: what was learned, how far to trust it, and answers.

In: a fitted learner and the record of its run, or two graphs. Out: the text of one HTML file that
needs no other file and asks no host for anything.
"""

from bnsieve.report.checking import check_page
from bnsieve.report.comparing import comparison_page
from bnsieve.report.report import report_page, versions
from bnsieve.report.sentences import STRATEGIES
from bnsieve.report.subject import Subject

__all__ = ["STRATEGIES", "Subject", "check_page", "comparison_page", "report_page", "versions"]
