"""pyAgrum's answers and times, for the study of inference; runs where pyAgrum is.

    python pyagrum_worker.py margins NETWORK.npz OUTPUT.npz
    python pyagrum_worker.py rows NETWORK.npz OUTPUT.npz SECONDS

NETWORK.npz holds the network by numbers, so that nothing is rounded, and what is asked. OUTPUT.npz
gets the answers and the processor seconds of each.
"""

import resource
import sys
import time

import numpy as np
import pyagrum as gum

MAX_BYTES = 6 << 30
SECONDS = 0.5


def network_of(file):
    net = gum.BayesNet()
    n_states = file["n_states"].tolist()
    for v, n in enumerate(n_states):
        net.add(gum.LabelizedVariable(f"v{v}", "", n))
    for v in range(len(n_states)):
        for p in file[f"parents{v}"].tolist():
            net.addArc(f"v{p}", f"v{v}")
    for v in range(len(n_states)):
        family = [f"v{p}" for p in file[f"parents{v}"].tolist()] + [f"v{v}"]
        table = file[f"table{v}"]
        cpt = net.cpt(f"v{v}")
        wanted = list(reversed(cpt.names))  # toarray() has the last name first
        axes = [family.index(name) for name in wanted]
        cpt[:] = np.ascontiguousarray(np.transpose(table, axes))
    return net


def given(codes):
    return {f"v{v}": int(code) for v, code in enumerate(codes) if code >= 0}


def margins(file, output):
    """All margins: time without evidence, which comes first; answers with each set of evidence."""
    net = network_of(file)
    n = len(file["n_states"])
    found = {}
    repeats, start = 0, time.process_time()
    # Often enough that the processor's clock can tell.
    while not repeats or time.process_time() - start < SECONDS:
        inference = gum.LazyPropagation(net)
        inference.makeInference()
        answers = [inference.posterior(f"v{v}").toarray() for v in range(n)]
        repeats += 1
    found["seconds"] = (time.process_time() - start) / repeats
    for number, codes in enumerate(file["evidence"]):
        if number:
            inference = gum.LazyPropagation(net)
            inference.setEvidence(given(codes))
            inference.makeInference()
            answers = [
                inference.posterior(f"v{v}").toarray() if codes[v] < 0 else np.empty(0)
                for v in range(n)
            ]
        found[f"margins{number}"] = np.concatenate(answers)
    np.savez(output, **found)


def rows(file, output, seconds):
    """One target in each row, until the time is over."""
    net = network_of(file)
    target = f"v{int(file['target'])}"
    evidence = [given(codes) for codes in file["rows"]]
    inference = gum.LazyPropagation(net)
    inference.setTargets({target})
    answers = []
    start = time.process_time()
    for row in evidence:
        inference.setEvidence(row)
        inference.makeInference()
        answers.append(inference.posterior(target).toarray())
        if time.process_time() - start > seconds:
            break
    np.savez(output, seconds=time.process_time() - start, margins=np.array(answers))


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
    what, path, output, *rest = sys.argv[1:]
    file = np.load(path)
    if what == "margins":
        margins(file, output)
    else:
        rows(file, output, float(rest[0]))


if __name__ == "__main__":
    main()
