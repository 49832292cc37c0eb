"""Tables of independent rows, sorted and grouped in many ways, and tables of dependent ones.

A kind and a random stream in, a frame out. Kinds come in two families, `INDEPENDENT` and
`DEPENDENT`; `UNKNOWABLE` are dependent rows that no test can tell from a sorted table.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnsieve import load_network

Stream = np.random.Generator
Draw = Callable[[Stream], pd.DataFrame]
Series = Callable[[Stream, int], NDArray[Any]]

NETWORKS = ("asia", "alarm", "child", "insurance", "sachs")
# Steps before the first one that is kept, so that a series has forgotten where it began.
_BURN_IN = 200


def from_network(n_rows: int, rng: Stream) -> pd.DataFrame:
    """Draw rows of a published network."""
    name = str(rng.choice(NETWORKS))
    return load_network(name).sample(n_rows, random_state=int(rng.integers(1 << 30)))


def linear(n_rows: int, rng: Stream, n_columns: int = 12, noise: float = 1.0) -> pd.DataFrame:
    """Draw a linear model with random parents; a small noise makes them nearly exact."""
    x = np.zeros((n_rows, n_columns))
    for j in range(n_columns):
        n_parents = int(rng.integers(0, min(j, 2) + 1))
        parents = [int(i) for i in rng.permutation(j)[:n_parents]]
        x[:, j] = (noise if len(parents) else 1.0) * rng.normal(size=n_rows)
        for i in parents:
            x[:, j] += rng.uniform(0.5, 1.5) * x[:, i]
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(n_columns)])


def mixed(n_rows: int, rng: Stream) -> pd.DataFrame:
    """Draw six numbers, and five categories that depend on them."""
    frame = linear(n_rows, rng, 6)
    for j in range(5):
        hidden = frame[f"x{j}"] + rng.normal(size=n_rows)
        frame[f"c{j}"] = pd.cut(hidden, int(rng.integers(2, 6)), labels=False).astype(str)
    return frame


def cities(n_rows: int, rng: Stream) -> pd.DataFrame:
    """Draw people of cities, about ten of each; numbers depend on the city, which is drawn too."""
    frame = mixed(n_rows, rng)
    n_cities = max(2, n_rows // 10)
    city = rng.integers(n_cities, size=n_rows)
    for name in list(frame.columns)[:6]:
        frame[name] += rng.normal(size=n_cities)[city]
    frame["city"] = [f"city{number:04d}" for number in city]
    return frame


def equally_frequent(n_rows: int, n_groups: int, rng: Stream) -> NDArray[np.int64]:
    """Draw a category whose values are as frequent as each other, to one row: a stratified one."""
    return rng.permutation(np.arange(n_rows) % n_groups)


def stores(n_rows: int, rng: Stream, n_groups: int = 60, bent: bool = False) -> pd.DataFrame:
    """Draw sales of equally frequent stores, on which two columns depend, and others on these.

    Parameters
    ----------
    n_rows : int
    rng : Generator
    n_groups : int, default 60
    bent : bool, default False
        Whether columns depend on each other by functions that are not linear.
    """
    store = equally_frequent(n_rows, n_groups, rng)
    shapes = [np.sin, np.abs, np.tanh, np.square] if bent else [np.positive]
    frame = pd.DataFrame()
    for j in range(8):
        values = rng.normal(size=n_rows)
        if j < 2:
            values += rng.normal(size=n_groups)[store]
        else:
            for i in rng.permutation(j)[:2]:
                shape = shapes[int(rng.integers(len(shapes)))]
                values += rng.uniform(0.5, 1.5) * shape(frame[f"x{i}"].to_numpy())
        frame[f"x{j}"] = values
    for j in range(4):
        hidden = frame[f"x{j + 2}"] + rng.normal(size=n_rows)
        frame[f"c{j}"] = pd.cut(hidden, 4, labels=False).astype(str)
    frame["store"] = [f"S{number:03d}" for number in store]
    return frame


def districts(n_rows: int, rng: Stream, n_groups: int = 60) -> pd.DataFrame:
    """Draw rows of a network in equally frequent districts, on which two of its columns depend."""
    frame = from_network(n_rows, rng)
    district = equally_frequent(n_rows, n_groups, rng)
    for name in rng.permutation(frame.columns)[:2]:
        states = np.unique(frame[name].astype(str))
        is_local = rng.random(n_rows) < 0.5
        frame[name] = np.where(is_local, rng.choice(states, n_groups)[district], frame[name])
    frame["district"] = [f"D{number:03d}" for number in district]
    return frame


def bands(n_rows: int, rng: Stream, n_groups: int = 50) -> pd.DataFrame:
    """Draw numbers and categories, one number as equally frequent bands of its values as well."""
    frame = mixed(n_rows, rng)
    band = (frame["x2"].rank(method="first").astype(int) - 1) * n_groups // n_rows
    frame["band"] = [f"B{number:03d}" for number in band]
    return frame


def people(n_rows: int, rng: Stream) -> pd.DataFrame:
    """Draw people with an identifier, years, an age, a zip code, a visit and a date."""
    frame = mixed(n_rows, rng)
    frame["id"] = np.arange(n_rows) + 1000
    frame["year"] = rng.integers(1950, 2005, n_rows)
    frame["age"] = 2024 - frame["year"] + rng.integers(-1, 2, n_rows)
    frame["zip"] = rng.integers(0, 300, n_rows)
    frame["visit"] = rng.integers(1, 6, n_rows)
    days = pd.to_timedelta(rng.integers(0, 365, n_rows), "D")
    frame["date"] = pd.Timestamp("2023-01-01") + days
    return frame


def sorted_by_chance(
    draw: Callable[[int, Stream], pd.DataFrame],
    n_rows: int,
    rng: Stream,
    n_columns: int = 1,
    drop: bool = False,
) -> pd.DataFrame:
    """Sort a table by random columns of it, and drop these or not."""
    frame = draw(n_rows, rng)
    names = [str(name) for name in rng.choice(frame.columns, size=n_columns, replace=False)]
    frame = in_order(frame, names)
    return frame.drop(columns=names) if drop else frame


def in_order(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Sort a table by some columns."""
    return frame.sort_values(names, kind="stable").reset_index(drop=True)


def _independent() -> dict[str, Draw]:
    nearly = partial(linear, noise=0.03)
    kinds: dict[str, Callable[[int, Stream], pd.DataFrame]] = {
        "networks, as drawn": from_network,
        "networks, sorted by one column": partial(sorted_by_chance, from_network),
        "networks, sorted by three": partial(sorted_by_chance, from_network, n_columns=3),
        "networks, sorted by one that is dropped": partial(
            sorted_by_chance, from_network, drop=True
        ),
        "networks, sorted by three that are dropped": partial(
            sorted_by_chance, from_network, n_columns=3, drop=True
        ),
        "numbers, as drawn": linear,
        "numbers, sorted by one": partial(sorted_by_chance, linear),
        "numbers, sorted by one that is dropped": partial(sorted_by_chance, linear, drop=True),
        "numbers nearly exact, sorted by one": partial(sorted_by_chance, nearly),
        "numbers nearly exact, sorted by one that is dropped": partial(
            sorted_by_chance, nearly, drop=True
        ),
        "mixed, sorted by two": partial(sorted_by_chance, mixed, n_columns=2),
        "cities of ten rows, sorted by city": lambda n, rng: in_order(cities(n, rng), ["city"]),
        "cities of ten rows, sorted by city, which is dropped": lambda n, rng: in_order(
            cities(n, rng), ["city"]
        ).drop(columns="city"),
        "60 equally frequent stores": stores,
        "60 equally frequent stores, curved relations": partial(stores, bent=True),
        "60 equally frequent stores, sorted by store": lambda n, rng: in_order(
            stores(n, rng), ["store"]
        ),
        "60 equally frequent districts of networks": districts,
        "50 equally frequent bands of a number": bands,
        "equally frequent stores of 10 rows": lambda n, rng: stores(n, rng, n // 10),
        "equally frequent stores of 10 rows, curved relations": lambda n, rng: stores(
            n, rng, n // 10, bent=True
        ),
        "equally frequent districts of 10 rows": lambda n, rng: districts(n, rng, n // 10),
        "people with identifiers, years, zips, dates": people,
        "people, sorted by date": lambda n, rng: in_order(people(n, rng), ["date"]),
        "people, sorted by zip and age": lambda n, rng: in_order(people(n, rng), ["zip", "age"]),
    }
    return {
        f"{kind}, {n_rows:,} rows": partial(draw, n_rows)
        for n_rows in (500, 5_000)
        for kind, draw in kinds.items()
    }


def autoregressive(rng: Stream, n_steps: int, n_series: int, memory: float) -> NDArray[np.float64]:
    """Draw independent series, each step `memory` times the last and a new number."""
    noise = rng.normal(size=(n_steps + _BURN_IN, n_series))
    for t in range(1, len(noise)):
        noise[t] += memory * noise[t - 1]
    return noise[_BURN_IN:]


def markov(
    rng: Stream, n_steps: int, n_series: int, stay: float, n_states: int | None = None
) -> NDArray[np.int64]:
    """Draw independent chains, each of which keeps its state or draws a new one."""
    drawn = rng.integers(2, 5, n_series) if n_states is None else np.full(n_series, n_states)
    fresh = (rng.random((n_steps, n_series)) * drawn).astype(np.int64)
    moves = rng.random((n_steps, n_series)) > stay
    moves[0] = True
    last = np.maximum.accumulate(np.where(moves, np.arange(n_steps)[:, np.newaxis], 0), axis=0)
    return np.take_along_axis(fresh, last, axis=0)


def dynamic_network(n_steps: int, rng: Stream, n_variables: int = 20) -> pd.DataFrame:
    """Draw from a random discrete network over two steps: most variables depend on their past."""
    n_states = rng.integers(2, 5, n_variables)
    parents, tables = [], []
    for j in range(n_variables):
        wanted = int(rng.integers(1, 4))
        own = [(j, 1)] if rng.random() < 0.7 else []
        while len(own) < wanted:
            i, lag = int(rng.integers(n_variables)), int(rng.random() > 0.35)
            if i != j and (lag or i < j) and (i, lag) not in own:
                own.append((i, lag))
        shape = tuple(int(n_states[i]) for i, _ in own)
        rows = rng.dirichlet(np.full(n_states[j], 0.5), size=shape)
        parents.append(own)
        tables.append(np.cumsum(0.98 * rows + 0.02 / n_states[j], axis=-1))
    steps = np.zeros((n_steps + _BURN_IN, n_variables), dtype=np.int64)
    for t in range(1, len(steps)):
        chance = rng.random(n_variables)
        for j in range(n_variables):
            row = tables[j][tuple(steps[t - lag, i] for i, lag in parents[j])]
            steps[t, j] = min(int(np.searchsorted(row, chance[j])), int(n_states[j]) - 1)
    return as_frame(steps[_BURN_IN:])


def vector_autoregression(n_steps: int, rng: Stream, n_variables: int = 10) -> pd.DataFrame:
    """Draw a linear model in which each variable depends on its past and on that of another."""
    weights = np.diag(rng.uniform(0.2, 0.7, n_variables))
    for j in range(n_variables):
        weights[j, int(rng.integers(n_variables))] += 0.2
    steps = rng.normal(size=(n_steps + _BURN_IN, n_variables))
    for t in range(1, len(steps)):
        steps[t] += weights @ steps[t - 1]
    return as_frame(steps[_BURN_IN:])


def as_frame(values: NDArray[Any]) -> pd.DataFrame:
    """Return numbers as they are, and whole numbers as text."""
    frame = pd.DataFrame(values, columns=[f"v{i}" for i in range(values.shape[1])])
    return frame.astype(str) if values.dtype.kind == "i" else frame


def panel(
    series: Series,
    n_entities: int,
    n_steps: int,
    rng: Stream,
    effect: float = 0.0,
    sort: tuple[str, ...] = (),
    keys: bool = True,
    dates: bool = False,
) -> pd.DataFrame:
    """Draw series of several machines, with a machine's own level where there is an effect.

    Rows are sorted by `sort`, by machine and time if that is empty, and shuffled if it is "chance".
    """
    parts = [series(rng, n_steps) for _ in range(n_entities)]
    if effect:
        parts = [part + effect * rng.normal(size=part.shape[1]) for part in parts]
    frame = as_frame(np.vstack(parts))
    time = np.tile(np.arange(n_steps), n_entities)
    if keys:
        start = pd.Timestamp("2024-01-01")
        frame.insert(0, "time", start + pd.to_timedelta(time, "D") if dates else time)
        frame.insert(0, "machine", np.repeat([f"M{e:04d}" for e in range(n_entities)], n_steps))
    if sort == ("chance",):
        return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)
    return in_order(frame, list(sort)) if sort else frame


def patients(rng: Stream) -> pd.DataFrame:
    """Draw patients with one to nine rows and a level of their own; no column is a time."""
    frame = mixed(3_000, rng)
    number = np.repeat(np.arange(3_000), rng.integers(1, 10, 3_000))[:3_000]
    for name in list(frame.columns)[:6]:
        frame[name] += rng.normal(size=3_000)[number]
    frame.insert(0, "patient", [f"P{one:05d}" for one in number])
    return frame.iloc[rng.permutation(3_000)].reset_index(drop=True)


def schools(n_entities: int, n_rows_each: int, rng: Stream, states: bool = False) -> pd.DataFrame:
    """Draw pupils of equally large schools, which have a level of their own in all columns.

    Columns depend on each other as well, one is constant within schools, and nothing but the equal
    numbers of rows tells that the column is no category.
    """
    school = np.repeat(np.arange(n_entities), n_rows_each)
    n_rows = len(school)
    frame = pd.DataFrame()
    for j in range(10):
        size = rng.choice([0.5, 1.0])
        values = rng.normal(size=n_rows) + size * rng.normal(size=n_entities)[school]
        for i in rng.permutation(j)[: int(rng.integers(0, 3))]:
            values += rng.uniform(0.5, 1.5) * frame[f"x{i}"]
        frame[f"x{j}"] = values
    if states:
        for name in frame:
            frame[name] = pd.qcut(frame[name], 3, labels=list("abc")).astype(str)
    frame["founder"] = rng.choice(["state", "church"], n_entities)[school]
    frame["school"] = [f"S{number:04d}" for number in school]
    return frame.iloc[rng.permutation(n_rows)].reset_index(drop=True)


def _ar(memory: float) -> Series:
    return lambda rng, n_steps: autoregressive(rng, n_steps, 6, memory)


def _level_only(rng: Stream, n_steps: int) -> NDArray[np.float64]:
    return rng.normal(size=(n_steps, 6))


def _ten_series(n_steps: int, memory: float, rng: Stream) -> pd.DataFrame:
    return as_frame(autoregressive(rng, n_steps, 10, memory))


def _ten_walks(n_steps: int, rng: Stream) -> pd.DataFrame:
    return as_frame(np.cumsum(rng.normal(size=(n_steps, 10)), axis=0))


def _ten_chains(n_steps: int, stay: float, rng: Stream) -> pd.DataFrame:
    return as_frame(markov(rng, n_steps, 10, stay))


def _dependent() -> dict[str, Draw]:
    kinds: dict[str, Draw] = {}
    for n in (500, 2_000):
        for memory in (0.3, 0.5, 0.9):
            kinds[f"series, memory {memory}, {n:,} rows"] = partial(_ten_series, n, memory)
        kinds[f"random walks, {n:,} rows"] = partial(_ten_walks, n)
        for stay in (0.5, 0.9, 0.98):
            kinds[f"Markov chains, stay {stay}, {n:,} rows"] = partial(_ten_chains, n, stay)
    kinds["8 sensors, memory .999, 8,640 rows"] = lambda rng: as_frame(
        autoregressive(rng, 8_640, 8, 0.999)
    )
    kinds["dynamic network, 20 variables, 2,000 rows"] = partial(dynamic_network, 2_000)
    kinds["vector autoregression, 2,000 rows"] = partial(vector_autoregression, 2_000)
    kinds["panel 200 x 20, memory .9"] = partial(panel, _ar(0.9), 200, 20)
    kinds["panel 200 x 20, memory .5"] = partial(panel, _ar(0.5), 200, 20)
    kinds["panel 200 x 20, Markov chains .9"] = partial(
        panel, lambda rng, n: markov(rng, n, 6, 0.9, 3), 200, 20
    )
    kinds["panel 800 x 5, memory .9"] = partial(panel, _ar(0.9), 800, 5)
    kinds["panel 800 x 5, memory .9, no key columns"] = partial(panel, _ar(0.9), 800, 5, keys=False)
    kinds["panel 5 x 800, memory .9, shuffled"] = partial(
        panel, _ar(0.9), 5, 800, sort=("chance",), dates=True
    )
    kinds["levels of 200 machines, no memory"] = partial(panel, _level_only, 200, 20, effect=1.0)
    kinds["levels of 200 machines, no memory, dates, shuffled"] = partial(
        panel, _level_only, 200, 20, effect=1.0, sort=("chance",), dates=True
    )
    kinds["panel 200 x 20, memory .9, sorted by time first"] = partial(
        panel, _ar(0.9), 200, 20, sort=("time", "machine")
    )
    kinds["panel 200 x 20, memory .9, shuffled"] = partial(
        panel, _ar(0.9), 200, 20, sort=("chance",)
    )
    kinds["patients of 1 to 9 rows, no time, shuffled"] = patients
    kinds["200 schools of 20 pupils, no time, numbers"] = partial(schools, 200, 20)
    kinds["200 schools of 20 pupils, no time, categories"] = partial(schools, 200, 20, states=True)
    kinds["800 schools of 5 pupils, no time, numbers"] = partial(schools, 800, 5)
    return kinds


INDEPENDENT = _independent()
DEPENDENT = _dependent()
UNKNOWABLE: dict[str, Draw] = {
    "levels of 200 machines, no memory, no key columns": partial(
        panel, _level_only, 200, 20, effect=1.0, keys=False
    )
}
