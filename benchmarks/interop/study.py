"""Whether other programs and bnsieve understand each other: adapters, files of networks.

    python -m benchmarks interop adapters CACHE [--quick]     (graphs, networks and candidates)
    python -m benchmarks interop bif CACHE [--quick]          (BIF files)
    python -m benchmarks interop estimators CACHE             (the page on DoWhy and EconML)

CACHE is a folder for virtual environments, one per program, made when they are missing. Each part
ends with exit code 1 if anything is not as expected.
"""

import argparse

from benchmarks.common.parts import run_part

PARTS = ("adapters", "bif", "estimators")


def main(arguments: list[str] | None = None) -> None:
    """Run one part of the study."""
    if not run_part("interop", arguments, PARTS):
        parser = argparse.ArgumentParser(
            prog="python -m benchmarks interop",
            description=__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("part", choices=PARTS)
        parser.parse_args(arguments)


if __name__ == "__main__":
    main()
