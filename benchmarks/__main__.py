"""``python -m benchmarks`` lists the studies; ``python -m benchmarks STUDY [options]`` runs one."""

import ast
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent


def studies() -> dict[str, str]:
    """Return what each study is about, by name: the first line of its ``study.py``.

    The file is read and not imported, so that one study's needs are not another's.
    """
    found = {}
    for path in sorted(HERE.glob("*/study.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        found[path.parent.name] = text.partition("\n")[0]
    return found


def main(arguments: list[str] | None = None) -> None:
    """Run the study that the first argument names, with all others as its own."""
    given = sys.argv[1:] if arguments is None else arguments
    known = studies()
    if not given or given[0] in ("-h", "--help"):
        print("python -m benchmarks STUDY [options]; STUDY --help lists the options.\n")
        for name, about in known.items():
            print(f"  {name:<12}  {about}")
        return
    name, *own = given
    if name not in known:
        sys.exit(f"error: there is no study {name!r}: choose from {', '.join(known)}")
    import_module(f"benchmarks.{name}.study").main(own)


if __name__ == "__main__":
    main()
