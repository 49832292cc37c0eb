"""Values that are passed around cannot be changed, and comparing them does not fail."""

import dataclasses
import importlib
import importlib.util
import pkgutil

import pytest
from sklearn.base import BaseEstimator

import bnsieve

# What is filled step by step.
CHANGING = {
    "decide.own_score.OwnScorer",
    "decide.scorers.CountScorer",
    "decide.scorers.CovarianceScorer",
    "table.memory.MemoryLimits",
    "engine.progress._Watch",
    "exchange.xml_tree.Element",
    "rows.file_rows.CountedRows",
    "rows.file_rows.FileRows",
    "rows.file_rows.KeptCounts",
    "rows.sql.counted_rows.SqlRows",
    "sieve.machine.machine.Machine",
}
# Engines whose programs the session `engines` installs.
OPTIONAL = {"bnsieve.engine.dask": "distributed", "bnsieve.engine.spark": "pyspark"}


def dataclasses_of_the_package() -> dict[str, type]:
    found = {}
    for module in pkgutil.walk_packages(bnsieve.__path__, "bnsieve."):
        needed = OPTIONAL.get(module.name)
        is_absent = needed is not None and importlib.util.find_spec(needed) is None
        if is_absent or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            own = getattr(value, "__module__", None) == module.name
            if own and isinstance(value, type) and dataclasses.is_dataclass(value):
                found[f"{module.name}.{name}".removeprefix("bnsieve.")] = value
    return found


@pytest.fixture(scope="module")
def every() -> dict[str, type]:
    return dataclasses_of_the_package()


def test_they_are_frozen(every):
    assert len(every) > 150
    # A learner is an estimator of scikit-learn, whose parameters can be set.
    values = {name: one for name, one in every.items() if not issubclass(one, BaseEstimator)}
    changing = {name for name, one in values.items() if not one.__dataclass_params__.frozen}
    assert changing == CHANGING


def test_those_that_hold_arrays_are_not_compared_field_by_field(every):
    # The truth of `array == array` is an error.
    compared = [
        name
        for name, one in every.items()
        if one.__dataclass_params__.eq
        and any("ndarray" in repr(field.type) for field in dataclasses.fields(one) if field.compare)
    ]
    assert compared == []
