"""Samples of curved relations, all additive: a curve that bends twice in every parent.

Of 20 columns each has up to three parents among the six before it. A parent with standardised
values z adds w (tanh(2z) + 0.6 z^2), with w of random sign and a size from 0.6 to 1.2; the noise is
normal with variance one. Every third column is shown as the exponential of its standardised values,
and columns are shuffled.
"""

import numpy as np
import pandas as pd

N_COLUMNS, _BEFORE, _MOST_PARENTS = 20, 6, 3


def sample_curved(n_rows: int, seed: int) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Return rows and the true arrows; the network depends on the seed, not on the rows."""
    rng, draw = np.random.default_rng([seed, 37]), np.random.default_rng([seed, 37, n_rows])
    values = np.empty((N_COLUMNS, n_rows))
    arrows: list[tuple[str, str]] = []
    for v in range(N_COLUMNS):
        before = range(max(0, v - _BEFORE), v)
        n_parents = int(rng.integers(0, min(_MOST_PARENTS, len(before)) + 1))
        values[v] = draw.normal(size=n_rows)
        for u in rng.choice(before, n_parents, replace=False).tolist() if n_parents else []:
            z = (values[u] - values[u].mean()) / values[u].std()
            weight = rng.uniform(0.6, 1.2) * rng.choice([-1, 1])
            values[v] += weight * (np.tanh(2 * z) + 0.6 * z**2)
            arrows.append((f"v{u:02d}", f"v{v:02d}"))
    shown = values[::3]
    values[::3] = np.exp(
        (shown - shown.mean(axis=1, keepdims=True)) / shown.std(axis=1, keepdims=True)
    )
    names = [f"v{v:02d}" for v in range(N_COLUMNS)]
    frame = pd.DataFrame(dict(zip(names, values, strict=True)))
    return frame[rng.permutation(names).tolist()], arrows
