"""The commands by name: which module holds each, and its line in ``bnsieve --help``.

The modules import what learns and answers, which takes a second or so; the list of commands needs
none of it. So a module is imported when one of its commands is called.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """Where a command is, and what it does."""

    module: str
    summary: str


# In the order of the help. A test holds each summary equal to the first line of the command's help.
COMMANDS = {
    "learn": Entry(
        "learn",
        "Learn a network from a table: graph, probabilities, picture and a record of the run.",
    ),
    "report": Entry("report", "Write a page to open in a browser: one file, which works offline."),
    "describe": Entry(
        "describe",
        "Show what each column of a table is taken for, and what `bnsieve learn` does about it.",
    ),
    "explain": Entry("explain", "Say why two columns are joined, or why they are not."),
    "ask": Entry("ask", "Ask how probable each label of a column is."),
    "predict": Entry(
        "predict", "Predict one column of every row from what is known of the others."
    ),
    "impute": Entry(
        "predict",
        "Fill the missing cells of every row with labels, given what is known of the row.",
    ),
    "update": Entry(
        "update", "Add new rows to those that a model was learned from, and decide again."
    ),
    "networks": Entry("networks", "List the benchmark networks that come with bnsieve."),
    "sample": Entry("networks", "Draw rows from a network, as data to try things on."),
    "convert": Entry(
        "networks",
        "Rewrite a network, or rows, in another format, known by the end of the file's name.",
    ),
    "compare": Entry(
        "compare",
        "Measure how far a learned graph is from the true one, and list the edges that differ.",
    ),
    "doctor": Entry("diagnose", "Show versions, processor and extras: paste it into a bug report."),
}
