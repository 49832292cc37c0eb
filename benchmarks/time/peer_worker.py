"""Other programs that learn from series, for the study of time; runs where they are installed.

    python peer_worker.py

Reads requests, one a line, as JSON, and answers each with a line of JSON.

``{"draw": "mixed", "seed": 0, "rows": 2000}``
    A series of tigramite's generator: rows, and the edges (cause, effect, lag).
``{"method": "...", "path": "series.npz", "lags": 2, "limit": 60}``
    What a program finds in the rows of a file (``values``, and ``entity`` of each row), within a
    limit of processor seconds: lagged edges, directed and undirected ones within a step. Code that
    does not return to Python by then is ended together with this process, by SIGXCPU.
"""

import contextlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path

for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ.setdefault(f"{name}_NUM_THREADS", "1")

import numpy as np  # noqa: E402

warnings.simplefilter("ignore")

ALPHA = 0.01
# Of coefficients in standard deviations: smaller ones are none.
LEAST_VARLINGAM, LEAST_DYNOTEARS = 0.05, 0.1
PENALTY = 0.05
# KTBN refuses series in which some states of parents do not occur, unless there is a prior.
SMOOTHING = 0.01
# Processor seconds beyond the limit, after which the process ends.
GRACE = 15


def entities_of(values, entity):
    return [values[entity == one] for one in np.unique(entity)]


def slices_of(entities, lags):
    """Return rows with the step first, then the step before, and so on; never across entities."""
    parts = [
        np.hstack([rows[lags - lag : len(rows) - lag] for lag in range(lags + 1)])
        for rows in entities
    ]
    return np.vstack(parts)


def pcmciplus(entities, lags, test):
    from tigramite.data_processing import DataFrame
    from tigramite.pcmci import PCMCI

    is_categorical = entities[0].dtype.kind == "i"
    rows = {k: one.astype(float) for k, one in enumerate(entities)}
    types = {k: np.full(one.shape, int(is_categorical)) for k, one in enumerate(entities)}
    if len(rows) == 1:
        frame = DataFrame(rows[0], data_type=types[0])
    else:
        frame = DataFrame(rows, data_type=types, analysis_mode="multiple")
    learner = PCMCI(dataframe=frame, cond_ind_test=test, verbosity=0)
    graph = learner.run_pcmciplus(tau_min=0, tau_max=lags, pc_alpha=ALPHA)["graph"]
    p = len(graph)
    lagged = [(i, j, k) for i, j, k in np.argwhere(graph != "").tolist() if k]
    directed = [(i, j) for i in range(p) for j in range(p) if graph[i, j, 0] == "-->"]
    undirected = [
        (i, j)
        for i in range(p)
        for j in range(i + 1, p)
        if graph[i, j, 0] not in ("", "-->", "<--")
    ]
    return lagged, directed, undirected


def pcmciplus_parcorr(entities, lags):
    from tigramite.independence_tests.parcorr import ParCorr

    return pcmciplus(entities, lags, ParCorr(significance="analytic"))


def pcmciplus_robust(entities, lags):
    from tigramite.independence_tests.robust_parcorr import RobustParCorr

    return pcmciplus(entities, lags, RobustParCorr(significance="analytic"))


def pcmciplus_gsquared(entities, lags):
    from tigramite.independence_tests.gsquared import Gsquared

    return pcmciplus(entities, lags, Gsquared(significance="analytic"))


def varlingam(entities, lags):
    from lingam import VARLiNGAM

    if len(entities) > 1:
        raise NotImplementedError("it takes one series")
    model = VARLiNGAM(lags=lags, criterion=None, prune=True, random_state=0)
    model.fit(entities[0])
    scale = entities[0].std(axis=0)
    weights = np.array(model.adjacency_matrices_) * scale / scale[:, np.newaxis]
    found = [(i, j, k) for k, j, i in np.argwhere(np.abs(weights) > LEAST_VARLINGAM).tolist()]
    return [e for e in found if e[2]], [e[:2] for e in found if not e[2]], []


def dynotears(entities, lags):
    values = np.vstack(entities)
    standard = [(rows - values.mean(axis=0)) / values.std(axis=0) for rows in entities]
    p = values.shape[1]
    slices = slices_of(standard, lags)
    within, past = dynotears_weights(slices[:, :p], slices[:, p:])
    directed = np.argwhere(np.abs(within) > LEAST_DYNOTEARS).tolist()
    lagged = [
        (k % p, j, k // p + 1) for k, j in np.argwhere(np.abs(past) > LEAST_DYNOTEARS).tolist()
    ]
    return lagged, directed, []


def dynotears_weights(now, before):
    """Return weights within a step and from the past (Pamfil et al., 2020, algorithm 1).

    Least squares with an L1 penalty, under the constraint that the graph within a step is acyclic,
    by an augmented Lagrangian and L-BFGS-B. Positive and negative parts are variables of their own.
    """
    from scipy.linalg import expm
    from scipy.optimize import minimize

    n, p = now.shape
    q = before.shape[1]
    # All sums of products: rows are not needed any more.
    nn, nb, bb = now.T @ now / n, now.T @ before / n, before.T @ before / n

    def split(x):
        positive, negative = x[: p * p + q * p], x[p * p + q * p :]
        weights = positive - negative
        return weights[: p * p].reshape(p, p), weights[p * p :].reshape(q, p)

    def cyclic(within):
        power = expm(within * within)
        return np.trace(power) - p, power.T * within * 2

    def loss(x, multiplier, rho):
        within, past = split(x)
        rest = np.eye(p) - within
        value = 0.5 * np.sum(rest * (nn @ rest)) - np.sum(rest * (nb @ past))
        value += 0.5 * np.sum(past * (bb @ past))
        h, h_slope = cyclic(within)
        slope = np.concatenate(
            [
                (-nn @ rest + nb @ past + (rho * h + multiplier) * h_slope).ravel(),
                (-nb.T @ rest + bb @ past).ravel(),
            ]
        )
        value += 0.5 * rho * h * h + multiplier * h + PENALTY * x.sum()
        return value, np.concatenate([slope + PENALTY, -slope + PENALTY])

    diagonal = np.eye(p, dtype=bool).ravel()
    half = [(0, 0) if own else (0, None) for own in diagonal] + [(0, None)] * (q * p)
    x, multiplier, rho, h = np.zeros(2 * len(half)), 0.0, 1.0, np.inf
    for _ in range(100):
        while rho < 1e16:
            new = minimize(
                loss, x, args=(multiplier, rho), jac=True, method="L-BFGS-B", bounds=half * 2
            ).x
            new_h = cyclic(split(new)[0])[0]
            if new_h <= 0.25 * h:
                break
            rho *= 10
        x, h = new, new_h
        multiplier += rho * h
        if h <= 1e-8 or rho >= 1e16:
            break
    return split(x)


def granger(entities, lags):
    """Each variable regressed on all pasts; coefficients whose t test rejects zero."""
    from statsmodels.api import OLS, add_constant

    p = entities[0].shape[1]
    slices = slices_of([rows.astype(float) for rows in entities], lags)
    design = add_constant(slices[:, p:])
    lagged = []
    for j in range(p):
        rejected = np.flatnonzero(OLS(slices[:, j], design).fit().pvalues[1:] < ALPHA)
        lagged += [(int(k) % p, j, int(k) // p + 1) for k in rejected]
    return lagged, [], []


def ktbn(entities, lags):
    import pyagrum as gum
    import pyagrum.ktbn

    p = entities[0].shape[1]
    names = [f"v{j}" for j in range(p)]
    n_states = np.vstack(entities).max(axis=0) + 1
    with tempfile.TemporaryDirectory() as folder:
        for k, rows in enumerate(entities, start=1):
            text = "\n".join(",".join(f"s{s}" for s in row) for row in rows.tolist())
            Path(folder, f"rows{k}.csv").write_text(f"{','.join(names)}\n{text}\n")
        states = gum.BayesNet()
        for name, n in zip(names, n_states, strict=True):
            states.add(gum.LabelizedVariable(name, name, [f"s{s}" for s in range(n)]))
        learner = pyagrum.ktbn.KTBNLearner(folder, "rows", len(entities), lags + 1, states, set())
        learner.useScoreBIC().useSmoothingPrior(SMOOTHING).useLocalSearchWithTabuList()
        learned = learner.learnKTBN()
    arcs = [
        (names.index(a), names.index(b), lags - s) for (a, s), (b, t) in learned.arcs() if t == lags
    ]
    return [arc for arc in arcs if arc[2]], [arc[:2] for arc in arcs if not arc[2]], []


METHODS = {
    "PCMCI+ ParCorr": pcmciplus_parcorr,
    "PCMCI+ RobustParCorr": pcmciplus_robust,
    "PCMCI+ GSquared": pcmciplus_gsquared,
    "VARLiNGAM": varlingam,
    "DYNOTEARS": dynotears,
    "Granger": granger,
    "KTBN": ktbn,
}


def drawn(kind, seed, rows):
    """Draw a stationary series of tigramite's generator: 10 variables, lags up to 3."""
    from tigramite.toymodels.structural_causal_processes import (
        generate_structural_causal_process,
        structural_causal_process,
    )

    functions = [lambda v: v]
    if kind == "mixed":
        functions.append(lambda v: v + 5.0 * v**2 * np.exp(-(v**2) / 20.0))
    for attempt in range(1000):
        links, noises = generate_structural_causal_process(
            N=10,
            L=10,
            dependency_funcs=functions,
            dependency_coeffs=[-0.5, -0.3, 0.3, 0.5],
            auto_coeffs=[0.5, 0.7, 0.9],
            contemp_fraction=0.3,
            max_lag=3,
            noise_dists=["gaussian"],
            noise_means=[0.0],
            noise_sigmas=[0.5, 2.0],
            noise_seed=seed,
            seed=1000 * seed + attempt,
        )
        values, is_unstable = structural_causal_process(links, T=rows, noises=noises, seed=seed)
        if not is_unstable and np.abs(values).max() < 1e4:
            break
    edges = [(int(i), j, int(-lag)) for j, own in links.items() for (i, lag), _, _ in own]
    return {"values": values.tolist(), "edges": edges}


class TooLongError(Exception):
    """More processor time than a program may take."""


def learned(request):
    with np.load(request["path"]) as file:
        entities = entities_of(file["values"], file["entity"])

    def stop(*_):
        raise TooLongError

    signal.signal(signal.SIGPROF, stop)
    start, failure, found = time.process_time(), "", ([], [], [])
    signal.setitimer(signal.ITIMER_PROF, request["limit"])
    last = int(start + request["limit"] + GRACE)
    resource.setrlimit(resource.RLIMIT_CPU, (last, resource.RLIM_INFINITY))
    try:
        found = METHODS[request["method"]](entities, request["lags"])
    except TooLongError:
        failure = f"over {request['limit']} s"
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"[:150]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {
        "lagged": found[0],
        "directed": found[1],
        "undirected": found[2],
        "failure": failure,
        "processor_seconds": time.process_time() - start,
    }


def main():
    answers = sys.stdout
    for line in sys.stdin:
        request = json.loads(line)
        with contextlib.redirect_stdout(io.StringIO()):
            if "draw" in request:
                answer = drawn(request["draw"], request["seed"], request["rows"])
            else:
                answer = learned(request)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
