"""What the Tsetlin machine is for, and what it costs: fits with and without it.

python -m benchmarks machine suite                (gates, with and without the machine)
python -m benchmarks machine cost                 (networks, with and without the machine)
"""

import argparse

from benchmarks.common.parts import run_part

PARTS = ("suite", "cost")


def main(arguments: list[str] | None = None) -> None:
    """Run one part of the study."""
    if not run_part("machine", arguments, PARTS):
        parser = argparse.ArgumentParser(prog="python -m benchmarks machine", description=__doc__)
        parser.add_argument("part", choices=PARTS)
        parser.parse_args(arguments)


if __name__ == "__main__":
    main()
