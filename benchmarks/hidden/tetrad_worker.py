"""Tetrad's PAGs beside ours, in Tetrad's own environment; started by `tetrad.py`.

    python tetrad_worker.py FOLDER

For each graph of the folder, prints a line of JSON: whether Tetrad's PAG is ours, and whether it
read the edges that our file has.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from peer_worker import marked_edges, start_tetrad

TURNED = {"<--": "-->", "<-o": "o->"}


def edges_of(edges: object) -> set[tuple[object, str, object]]:
    """Return edges with arrowheads on the right where they are at one end, else sorted."""
    found = set()
    for a, marks, b in edges:
        if marks in TURNED or (marks in ("o-o", "<->") and str(a) > str(b)):
            a, marks, b = b, TURNED.get(marks, marks), a
        found.add((a, marks, b))
    return found


def main(folder: str) -> None:
    start_tetrad()
    import jpype

    graphs, files = jpype.JPackage("edu.cmu.tetrad.graph"), jpype.JPackage("java.io")

    def load(path: Path) -> object:
        return graphs.GraphSaveLoadUtils.loadGraphTxt(files.File(str(path)))

    for path in sorted(Path(folder).glob("*.json")):
        dag, ours = (load(path.with_suffix(f".{kind}.txt")) for kind in ("dag", "pag"))
        for name in json.loads(path.read_text(encoding="utf-8")):
            dag.getNode(name).setNodeType(graphs.NodeType.LATENT)
        theirs = edges_of(marked_edges(graphs.GraphTransforms.dagToPag(dag)))
        read = edges_of(marked_edges(ours))
        lines = path.with_suffix(".pag.txt").read_text(encoding="utf-8").splitlines()[4:]
        written = [line.split()[1:] for line in lines if line]
        listed = edges_of((int(a[1:]), marks, int(b[1:])) for a, marks, b in written)
        print(json.dumps({"same PAG": theirs == read, "file read": read == listed}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
