"""What `bnsieve learn` makes of twelve tables as people have them, without any option."""

from benchmarks.common.parts import run_part


def main(arguments: list[str] | None = None) -> None:
    run_part("tables", arguments, ["make"])


if __name__ == "__main__":
    main()
