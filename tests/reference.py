"""The slow, obvious version of each kernel. Tests hold the kernels to these."""

import itertools
import math
from collections import Counter

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp, xlogy


def count_joint(
    codes: NDArray[np.integer],
    variables: list[int],
    n_categories: NDArray[np.int64],
    missing: dict[int, NDArray[np.bool_]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct columns of the chosen rows, sorted, and how often each occurs."""
    chosen = codes[variables].astype(np.int64)
    for row, variable in enumerate(variables):
        if variable in missing:
            chosen[row, missing[variable]] = n_categories[variable]
    if not variables or not codes.shape[1]:
        n = codes.shape[1]
        return np.zeros((len(variables), min(n, 1)), np.int64), np.full(min(n, 1), n, np.int64)
    return np.unique(chosen, axis=1, return_counts=True)


def strata_tables(
    configurations: NDArray[np.integer], counts: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Contingency tables of the last two variables, one per stratum in which both vary.

    Empty rows and columns are left out.
    """
    tables = []
    strata = configurations[:-2].T
    for stratum in np.unique(strata, axis=0):
        chosen = (strata == stratum).all(axis=1)
        x, y = configurations[-2:, chosen]
        _, x = np.unique(x, return_inverse=True)
        _, y = np.unique(y, return_inverse=True)
        table = np.zeros((x.max() + 1, y.max() + 1), np.int64)
        np.add.at(table, (x, y), counts[chosen])
        if min(table.shape) > 1:
            tables.append(table)
    return tables


# ---------------------------------------------------------------- literals


def spread_over_pairs(codes, marks):
    """Sum, over the joint categories of each two variables, of (marked - share of all)^2 / all.

    Cells that are None are missing.
    """
    spread = {}
    for a in range(len(codes)):
        for b in range(a + 1, len(codes)):
            pairs = list(zip(codes[a].tolist(), codes[b].tolist(), strict=True))
            all_rows = Counter(pair for pair in pairs if None not in pair)
            marked = Counter(pair for pair, mark in zip(pairs, marks, strict=True) if mark)
            share = sum(marks) / len(marks)
            spread[a, b] = sum((marked[k] - share * n) ** 2 / n for k, n in all_rows.items())
    return spread


def strongest_triple(codes, target, counted, limits):
    """Return the three columns on whose joint categories a target's categories depend most, or
    None.

    The chi-square statistic of the target's `counted` categories, each by itself against all the
    rows, less the limit for as many joint categories as the three can have. Cells that are None are
    missing.
    """
    categories = [len(set(own.tolist()) - {None}) for own in codes]
    target = target.tolist()
    most, best = 0.0, None
    for three in itertools.combinations(range(len(codes)), 3):
        joint = list(zip(*(codes[v].tolist() for v in three), strict=True))
        all_rows = Counter(cell for cell in joint if None not in cell)
        both = Counter(zip(joint, target, strict=True))
        total = -limits[math.prod(categories[v] for v in three)]
        for level in counted:
            share = target.count(level) / len(target)
            scale = share * (1 - share) if len(counted) == 1 else share
            total += sum(
                (both[cell, level] - share * n) ** 2 / (n * scale) for cell, n in all_rows.items()
            )
        if total > most:
            most, best = total, three
    return best


def pack_literals(codes, n_categories):
    """Literals as booleans, shape (n_rows, 2 * n_plain): plain ones, then their negations.

    A code outside the variable's categories makes neither true.
    """
    pairs = [(v, level) for v in range(len(codes)) for level in range(n_categories[v])]
    plain = [codes[v] == level for v, level in pairs]
    negated = [(codes[v] != level) & (codes[v] < n_categories[v]) for v, level in pairs]
    return np.array(plain + negated).T


# ---------------------------------------------------------------- random draws

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mix64(z):
    """SplitMix64's finaliser, on a Python integer or an array of 64-bit ones."""
    kind = np.uint64 if isinstance(z, np.ndarray) else int
    z = ((z ^ (z >> kind(30))) * kind(0xBF58476D1CE4E5B9)) & kind(MASK)
    z = ((z ^ (z >> kind(27))) * kind(0x94D049BB133111EB)) & kind(MASK)
    return z ^ (z >> kind(31))


def derive(seed, epoch, purpose):
    key = mix64((seed + GOLDEN * (epoch + 1)) & MASK)
    return mix64((key + GOLDEN * (purpose + 1)) & MASK)


class MachineStream:
    """The kernel's draws, one at a time, for one target: what `WeightedTsetlinMachine` asks for."""

    def __init__(self, seed, n_words, specificity):
        self.seed = seed
        self.n_words = n_words
        self.forget_p16 = round(65536 / specificity)
        self.pool_words = 2048
        while self.pool_words < 4 * n_words:
            self.pool_words *= 2

    def start_epoch(self, epoch, n_classes):
        self._order = derive(self.seed, epoch, 0)
        self._pool = self._draw_pool(derive(self.seed, epoch, 1))
        class_keys = [derive(self.seed, epoch, 2 + k) for k in range(n_classes)]
        self._lanes = [
            [mix64((key + GOLDEN * (i + 1)) & MASK) | 1 for i in range(16)] for key in class_keys
        ]
        self._counters = [mix64(key) for key in class_keys]

    def _draw_pool(self, key):
        """Bits that are one with probability 1/s, by binary expansion of the probability."""
        if self.forget_p16 == 65536:
            return np.ones(64 * (self.pool_words + self.n_words + 8), dtype=bool)
        words = np.arange(self.pool_words + self.n_words + 8, dtype=np.uint64)
        bits = np.zeros_like(words)
        for k in range(16):
            position = np.uint64(16) * words + np.uint64(k + 1)
            draw = mix64(np.uint64(key) + np.uint64(GOLDEN) * position)
            bits = bits | draw if self.forget_p16 >> k & 1 else bits & draw
        return np.unpackbits(bits.astype("<u8").view(np.uint8), bitorder="little").astype(bool)

    def below(self, bound):
        """A whole number from 0 to bound - 1."""
        self._order = (self._order + GOLDEN) & MASK
        return ((mix64(self._order) >> 32) * bound) >> 32

    def selected(self, k, n_clauses, numerator, denominator):
        """Which clauses of class k get feedback, each with probability numerator / denominator."""
        threshold = (numerator * 65536 + denominator // 2) // denominator
        chosen = []
        for _ in range(0, n_clauses, 64):
            lanes = self._lanes[k]
            for i, x in enumerate(lanes):
                x ^= (x << 13) & MASK
                x ^= x >> 7
                x ^= (x << 17) & MASK
                lanes[i] = x
            chosen += [(lanes[j // 4] >> (16 * (j % 4)) & 0xFFFF) < threshold for j in range(64)]
        return np.array(chosen[:n_clauses])

    def forget_masks(self, k, n_clauses):
        """For every clause of class k, which automata a draw with probability 1/s hits."""
        masks = []
        for j in range(n_clauses):
            draw = mix64((self._counters[k] + GOLDEN * (j + 1)) & MASK)
            start = 8 * ((draw >> 40) & (self.pool_words * 8 - 1))
            masks.append(self._pool[start : start + 64 * self.n_words])
        self._counters[k] = (self._counters[k] + GOLDEN * n_clauses) & MASK
        return np.array(masks)


# ---------------------------------------------------------------- the machine


class WeightedTsetlinMachine:
    """The multi-class weighted Tsetlin machine as the paper's sections 3.1 to 3.3 describe it.

    Every random draw comes from the stream that is handed in. Automata have states 0 to 255, of
    which 128 to 255 include their literal; they start at 127. ``literals`` rows are boolean, one
    entry per automaton.
    """

    N_STATES = 256

    def __init__(self, n_classes, n_clauses, n_literals, T, boost, max_weight=1 << 24):
        self.states = np.full((n_classes, n_clauses, n_literals), self.N_STATES // 2 - 1)
        self.weights = np.ones((n_classes, n_clauses), dtype=np.int64)
        self.polarity = np.where(np.arange(n_clauses) % 2 == 0, 1, -1)
        self.T = T
        self.boost = boost
        self.max_weight = max_weight

    @property
    def include(self):
        return self.states >= self.N_STATES // 2

    def fires(self, k, row):
        """A clause is true if none of its literals is false."""
        return ~(self.include[k] & ~row).any(axis=1)

    def fit(self, literals, labels, allowed, epochs, stream):
        n, n_classes = len(labels), len(self.states)
        for epoch in range(epochs):
            stream.start_epoch(epoch, n_classes)
            order = list(range(n))
            for i in range(n, 1, -1):
                j = stream.below(i)
                order[i - 1], order[j] = order[j], order[i - 1]
            others = []
            for i in order:
                other = stream.below(n_classes - 1) if n_classes > 1 else None
                others.append(other + 1 if other is not None and other >= labels[i] else other)
            for i, other in zip(order, others, strict=True):
                self.update(labels[i], literals[i], True, allowed, stream)
                if other is not None:
                    self.update(other, literals[i], False, allowed, stream)

    def update(self, k, row, is_class, allowed, stream):
        fired = self.fires(k, row)
        votes = int((self.polarity * self.weights[k])[fired].sum())
        clamped = max(-self.T, min(self.T, votes))
        distance = self.T - clamped if is_class else self.T + clamped
        if distance == 0:
            return
        n_clauses = len(fired)
        selected = stream.selected(k, n_clauses, distance, 2 * self.T)
        forget = stream.forget_masks(k, n_clauses)
        for j in np.flatnonzero(selected):
            type_one = (self.polarity[j] == 1) == is_class
            if type_one and fired[j]:
                self.weights[k, j] = min(self.weights[k, j] + 1, self.max_weight)
                up = row & (True if self.boost else ~forget[j])
                down = ~row & forget[j]
                self._move(k, j, up & allowed, down & allowed)
            elif type_one:
                self._move(k, j, np.zeros_like(row), forget[j])
            elif fired[j]:
                self.weights[k, j] = max(self.weights[k, j] - 1, 1)
                self._move(k, j, ~row & allowed, np.zeros_like(row))

    def _move(self, k, j, up, down):
        moved = self.states[k, j] + up.astype(int) - down.astype(int)
        self.states[k, j] = np.clip(moved, 0, self.N_STATES - 1)

    def votes(self, literals):
        """Vote sums, shape (n_rows, n_classes); an empty clause does not vote after training."""
        result = np.zeros((len(literals), len(self.states)), dtype=np.int64)
        for i, row in enumerate(literals):
            for k in range(len(self.states)):
                voting = self.fires(k, row) & self.include[k].any(axis=1)
                result[i, k] = (self.polarity * self.weights[k])[voting].sum()
        return result

    def matches(self, literals, labels):
        """How many rows of each label every clause is true of, shape (K, C, K)."""
        n_classes, n_clauses = self.weights.shape
        result = np.zeros((n_classes, n_clauses, n_classes), dtype=np.int64)
        for row, label in zip(literals, labels, strict=True):
            for k in range(n_classes):
                result[k, :, label] += self.fires(k, row)
        return result


def sample_codes(network, n_rows: int, seed: int, first_row: int = 0) -> NDArray[np.int64]:
    """Rows of a Bayesian network, each variable from a NumPy generator of its own."""
    nodes = network.graph.nodes
    codes = np.zeros((len(nodes), n_rows), np.int64)
    for name in network.graph.topological_order():
        variable = nodes.index(name)
        words = np.random.SeedSequence(seed, spawn_key=(variable,)).generate_state(2, np.uint64)
        # Spelt out as an integer: NumPy takes the low word first.
        key = int(words[0]) + (int(words[1]) << 64)
        draws = np.random.Philox(key=key).random_raw(first_row + n_rows)[first_row:]
        parents = [nodes.index(parent) for parent in network.parents(name)]
        for row in range(n_rows):
            probabilities = network.tables[name][tuple(codes[parents, row])]
            sums = np.cumsum(probabilities)
            limits = [int(share * 2**63) for share in (sums / sums[-1]).tolist()]
            codes[variable, row] = sum(int(draws[row]) // 2 >= limit for limit in limits)
    return codes


# ---------------------------------------------------------------- scores


def family_score(configurations, counts, radices, rule):
    """Score of the first variable given all the others, from the textbook's formulas."""
    kind, parameters, observed, parent_cost = rule
    n, categories = counts.sum(), radices[0]
    table = {}
    for column, count in zip(configurations.T.tolist(), counts, strict=True):
        row = table.setdefault(tuple(column[1:]), np.zeros(categories))
        row[column[0]] += count
    rows = np.array(list(table.values()))
    possible = np.prod(np.array(radices[1:], dtype=float))
    q = len(rows) if observed else possible
    cost = parent_cost * (len(radices) - 1)
    if n == 0:
        return -cost
    if kind in ("bd", "bdeu"):
        even = np.full(categories, 1 / categories)
        values = [dirichlet(rows, size / q, even) for size in parameters]
        if kind == "bd":
            values += [about_margin(rows, size / q) for size in parameters[1::2]]
        return logsumexp(values) - np.log(len(values)) - cost
    likelihood = (xlogy(rows, rows).sum(axis=1) - xlogy(rows.sum(1), rows.sum(1))).sum()
    if kind == "bic":
        return likelihood - parameters[0] * np.log(n) / 2 * q * (categories - 1) - cost
    return likelihood - log_regret(n, possible * categories) + log_regret(n, possible) - cost


def dirichlet(rows, weight, mean):
    """Log probability of labels, row by row of a table, under a Dirichlet prior of each row."""
    if np.isinf(weight):
        return xlogy(rows.sum(axis=0), mean).sum()
    inner = (gammaln(weight * mean + rows) - gammaln(weight * mean)).sum(axis=1)
    return (gammaln(weight) - gammaln(weight + rows.sum(axis=1)) + inner).sum()


def about_margin(rows, weight):
    """The same with the margin as the mean, less what that gains from having been seen before.

    A label is drawn from the margin or repeats one of its row of the table, as in the Chinese
    restaurant process. Those drawn are as likely as under Jeffreys' prior, and no likelier.
    """
    totals = rows.sum(axis=0)
    mean = (totals + 0.5) / (totals + 0.5).sum()
    jeffreys = np.full(len(mean), 1 / len(mean))
    if np.isinf(weight):
        return dirichlet(totals[None, :], len(mean) / 2, jeffreys)
    weights = np.broadcast_to(weight * mean, rows.shape)
    drawn = np.vectorize(new_draws, otypes=[float])(rows, weights).sum(axis=0)
    seen = xlogy(drawn, drawn / drawn.sum()).sum()
    unseen = dirichlet(drawn[None, :], len(mean) / 2, jeffreys)
    return dirichlet(rows, weight, mean) - max(0.0, seen - unseen)


def exactly_about_margin(rows, weight):
    """What `about_margin` is close to: the sum over all numbers of draws from an unknown margin.

    A hierarchical Dirichlet process over the labels. The product over cells of unsigned Stirling
    numbers counts the ways to come to these numbers of draws.
    """
    cells = [(g, k) for g, k in np.argwhere(rows > 0).tolist()]
    jeffreys = np.full(rows.shape[1], 1 / rows.shape[1])
    ways = []
    for draws in itertools.product(*(range(1, int(rows[cell]) + 1) for cell in cells)):
        drawn, value = np.zeros(rows.shape[1]), 0.0
        for cell, n_drawn in zip(cells, draws, strict=True):
            drawn[cell[1]] += n_drawn
            value += np.log(stirling(int(rows[cell]), n_drawn)) + n_drawn * np.log(weight)
        ways.append(value + dirichlet(drawn[None, :], len(drawn) / 2, jeffreys))
    return logsumexp(ways) - (gammaln(weight + rows.sum(axis=1)) - gammaln(weight)).sum()


def stirling(n, k):
    """Unsigned Stirling number of the first kind."""
    if n == 0 or k == 0:
        return float(n == k)
    return stirling(n - 1, k - 1) + (n - 1) * stirling(n - 1, k)


def new_draws(count, weight):
    """Expected number of new tables for `count` guests; from 16 guests on by an integral."""
    total = sum(weight / (weight + i) for i in range(int(min(count, 15))))
    if count >= 16:
        total += weight * np.log((weight + count - 0.5) / (weight + 14.5))
    return total


def log_regret(n, k):
    """Szpankowski and Weinberger's approximations of the multinomial NML normaliser."""
    if k == 1:
        return 0.0
    if n == 1:
        return np.log(k)
    a = k / n
    c = 0.5 + 0.5 * np.sqrt(1 + 4 / a)
    for_large_k = n * (np.log(a) + (a + 2) * np.log(c) - 1 / c) - 0.5 * np.log(c + 2 / a)
    if k > n:
        return for_large_k
    ratio = np.exp(gammaln(k / 2) - gammaln(k / 2 - 0.5))
    for_large_n = (
        (k - 1) / 2 * np.log(n / 2)
        + np.log(np.pi) / 2
        - gammaln(k / 2)
        + 0.5
        - (np.sqrt(0.5) - ratio * k / 3 / np.sqrt(n)) ** 2
        + (3 + k * (k - 2) * (2 * k + 1)) / (36 * n)
    )
    return min(for_large_k, for_large_n)


def parent_sets(configurations, counts, radices, rule, max_size):
    """Every set up to a size that has no subset of at least its score: {members: score}."""
    n_candidates = len(radices) - 1
    scores = {}
    for size in range(min(max_size, n_candidates) + 1):
        for members in itertools.combinations(range(n_candidates), size):
            rows = [0, *(1 + k for k in members)]
            scores[members] = family_score(
                configurations[rows], counts, [radices[r] for r in rows], rule
            )
    return {
        members: score
        for members, score in scores.items()
        if not any(
            scores[subset] >= score
            for size in range(len(members))
            for subset in itertools.combinations(members, size)
        )
    }


def parent_sets_with_gaps(configurations, counts, radices, missing, rule, max_size):
    """Scores of all sets where candidates have missing cells, coded radix - 1: {members: score}.

    A set is entered member by member, the strongest alone first. Each adds the difference that it
    makes on the rows in which all entered so far are known, over the share of such rows.
    """
    n_candidates = len(radices) - 1
    categories = [radix - flag for radix, flag in zip(radices, missing, strict=True)]

    def score(members, rows):
        if not rows.any():
            return -rule[3] * len(members)
        chosen = [0, *(1 + k for k in members)]
        return family_score(
            configurations[chosen][:, rows], counts[rows], [categories[c] for c in chosen], rule
        )

    def value(members):
        rows = np.ones(configurations.shape[1], dtype=bool)
        total, entered = score((), rows), ()
        for k in members:
            if missing[1 + k]:
                rows = rows & (configurations[1 + k] < categories[1 + k])
            gain = score((*entered, k), rows) - score(entered, rows)
            share = counts[rows].sum() / counts.sum()
            total += gain / share if share else gain
            entered = (*entered, k)
        return total

    strongest = sorted(range(n_candidates), key=lambda k: -value((k,)))
    return {
        tuple(sorted(members)): value(members)
        for size in range(max_size + 1)
        for members in itertools.combinations(strongest, size)
    }


def best_network_score(sets):
    """Highest total over all orders, each variable taking its best set among its predecessors.

    `sets` has for each variable a list of (members, score).
    """
    best = -np.inf
    for order in itertools.permutations(range(len(sets))):
        before, total = set(), 0.0
        for variable in order:
            total += max(score for members, score in sets[variable] if set(members) <= before)
            before.add(variable)
        best = max(best, total)
    return best


def elimination_order(scopes, log_levels, stage, rule):
    """Eliminate the variable of least score, joining its neighbours, until none is left."""
    n = len(log_levels)
    around = [set() for _ in range(n)]
    for scope in scopes:
        for v in scope:
            around[v] |= set(scope) - {v}

    def score(v):
        weight = log_levels[v]
        for w in sorted(around[v]):
            weight += log_levels[w]
        if rule == "weight":
            return weight
        fill = 0.0
        for w in sorted(around[v]):
            for u in sorted(around[v] - around[w] - {w}):
                fill += 1.0 if rule == "fill" else log_levels[u] * log_levels[w]
        return fill + 1e-3 * weight

    order, cliques = [], []
    for now in range(max(stage, default=-1) + 1):
        left = [v for v in range(n) if stage[v] == now]
        while left:
            best = min(left, key=score)
            left.remove(best)
            order.append(best)
            cliques.append(sorted(around[best]))
            for w in around[best]:
                around[w] = (around[w] | around[best]) - {w, best}
    return order, cliques


def dense(joint, variables=None):
    """Counts with one axis per variable, rows with missing values among these left out."""
    table = (joint if variables is None else joint.marginal(variables)).complete()
    cells = np.zeros(table.n_categories, dtype=np.int64)
    cells[tuple(table.configurations)] = table.counts
    return cells
