"""Files of networks through another program: run by `bif` inside that program's environment.

    python bif_worker.py pgmpy FOLDER

FOLDER holds one folder per network. In each, ``ours.bif``, ``ours.net`` and ``ours.xdsl``, where
they are, are read and written down in ``bif.read.json`` and so on, and ``ours.json`` is written as
``theirs.bif``; what fails leaves its message in ``bif.read.error`` or ``bif.write.error``. A
network in JSON is a list of variables with name, states, parents and table (parents' axes first,
the variable's own last, flattened). Imports nothing of bnsieve.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np


def read_pgmpy(path):
    from pgmpy import readwrite

    reader = getattr(readwrite, Path(path).suffix[1:].upper() + "Reader")
    network = []
    for cpd in reader(path).get_model().get_cpds():
        own, *parents = cpd.variables
        table = np.moveaxis(np.asarray(cpd.values), 0, -1)
        network.append(record(own, cpd.state_names[own], parents, table))
    return network


def write_pgmpy(network, path):
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.readwrite import BIFWriter

    try:
        from pgmpy.models import DiscreteBayesianNetwork as Model
    except ImportError:
        from pgmpy.models import BayesianNetwork as Model

    states = {variable["name"]: variable["states"] for variable in network}
    model = Model()
    model.add_nodes_from(states)
    for variable in network:
        name, parents = variable["name"], variable["parents"]
        model.add_edges_from((parent, name) for parent in parents)
        table = np.array(variable["table"]).reshape(-1, len(states[name]))
        model.add_cpds(
            TabularCPD(
                name,
                len(states[name]),
                table.T,
                evidence=parents,
                evidence_card=[len(states[parent]) for parent in parents],
                state_names={member: states[member] for member in (name, *parents)},
            )
        )
    Path(path).write_text(str(BIFWriter(model)), encoding="utf-8")


def read_pyagrum(path):
    import pyagrum

    network = []
    bn = pyagrum.loadBN(path)
    for node in bn.names():
        cpt = bn.cpt(node)
        # The array's axes are the names in reverse: parents first, the variable itself last.
        parents = list(cpt.names)[:0:-1]
        network.append(record(node, bn.variable(node).labels(), parents, cpt.toarray()))
    return network


def write_pyagrum(network, path):
    import pyagrum

    bn = pyagrum.BayesNet()
    states = {variable["name"]: variable["states"] for variable in network}
    for name, labels in states.items():
        bn.add(pyagrum.LabelizedVariable(name, name, labels))
    for variable in network:
        for parent in variable["parents"]:
            bn.addArc(parent, variable["name"])
    for variable in network:
        name, parents = variable["name"], variable["parents"]
        table = np.array(variable["table"]).reshape(
            [len(states[member]) for member in (*parents, name)]
        )
        cpt = bn.cpt(name)
        axes = [parents.index(parent) for parent in list(cpt.names)[:0:-1]]
        cpt.fillWith(table.transpose([*axes, len(parents)]).ravel().tolist())
    # pyAgrum refuses labels that it could not read again, unless it may rename them.
    bn.saveBIF(path, True)


def record(name, states, parents, table):
    return {
        "name": name,
        "states": list(states),
        "parents": list(parents),
        "table": np.asarray(table, dtype=float).ravel().tolist(),
    }


def main():
    tool, folder = sys.argv[1], Path(sys.argv[2])
    read, write = {
        "pgmpy": (read_pgmpy, write_pgmpy),
        "pyagrum": (read_pyagrum, write_pyagrum),
    }[tool]
    (folder / "version").write_text(__import__(tool).__version__)
    for case in sorted(path for path in folder.iterdir() if path.is_dir()):
        for ours in sorted(case.glob("ours.*")):
            kind = ours.suffix[1:]
            if kind == "json":
                continue
            try:
                start = time.perf_counter()
                network = read(str(ours))
                (case / f"{kind}.seconds").write_text(f"{time.perf_counter() - start:.1f}")
                (case / f"{kind}.read.json").write_text(json.dumps(network))
            except Exception as error:
                (case / f"{kind}.read.error").write_text(one_line(error))
        try:
            write(json.loads((case / "ours.json").read_text()), str(case / "theirs.bif"))
        except Exception as error:
            (case / "bif.write.error").write_text(one_line(error))


def one_line(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:160]


if __name__ == "__main__":
    main()
