"""The options that every study has."""

import argparse
from pathlib import Path


def parser_of(study: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every study.

    Parameters
    ----------
    study : str
        Name of the study's folder, and of its part if it has several.
    description : str or None
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {study}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    here = Path(__file__).parents[1] / study.split()[0] / "results"
    parser.add_argument("--output", type=Path, default=here, help="folder of runs.csv")
    parser.add_argument("--label", default="now", help="which version of the learner this is")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--minutes", type=float, help="start no run later than this")
    parser.add_argument("--quick", action="store_true", help="a run of a few seconds")
    return parser
