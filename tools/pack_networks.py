"""Write a folder of BIF files anew as the package's benchmark networks, with their index.

    python tools/pack_networks.py FOLDER

FOLDER holds ``NAME.bif`` or ``NAME.bif.gz`` files. The result is the same bytes every time.
"""

import argparse
import gzip
import json
from pathlib import Path

from bnsieve.exchange import NetworkSummary, format_bif, read

DATA = Path(__file__).parents[1] / "src" / "bnsieve" / "exchange" / "data"


def main() -> None:
    """Pack every network of the folder given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    records = []
    for path in sorted([*folder.glob("*.bif"), *folder.glob("*.bif.gz")]):
        name = path.name.removesuffix(".gz").removesuffix(".bif")
        network = read(path)
        content = format_bif(network, name=name).encode()
        packed = gzip.compress(content, compresslevel=9, mtime=0)
        (DATA / f"{name}.bif.gz").write_bytes(packed)
        graph = network.graph
        degree = max(len(graph.adjacent(node)) for node in graph.nodes)
        summary = NetworkSummary(name, graph.n_nodes, graph.n_edges, network.n_parameters, degree)
        records.append(summary._asdict())
    lines = ",\n".join(json.dumps(record) for record in records)
    (DATA / "index.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
