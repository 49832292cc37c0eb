"""What differs in the data differs in the table that is learned from, in whatever form it comes."""

import numpy as np
import pandas as pd
import pytest

from bnsieve import PC

N = 200
COINS = np.random.default_rng(0).integers(0, 2, (3, N))


def learned_levels(data):
    table = PC().fit(data).fit_result_.rows
    return {
        name: set(map(str, own)) for name, own in zip(table.names, table.categories, strict=True)
    }


def in_every_form(frame, folder):
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet")
    return {"frame": frame, "csv": folder / "rows.csv", "parquet": folder / "rows.parquet"}


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
@pytest.mark.parametrize("base", [10**18, -(10**18), 2**63 - 2, 2**53])
def test_large_integers_that_floats_cannot_tell_apart(tmp_path, form, base):
    frame = pd.DataFrame({"large": base + COINS[0], "coin": np.array(["h", "t"])[COINS[1]]})
    found = learned_levels(in_every_form(frame, tmp_path)[form])
    assert found["large"] == {str(base), str(base + 1)}


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
@pytest.mark.parametrize("labels", [("01", "1"), ("True", "true"), ("x", "X")])
def test_labels_that_look_alike(tmp_path, form, labels):
    frame = pd.DataFrame(
        {"alike": np.array(labels)[COINS[0]], "coin": np.array(["h", "t"])[COINS[1]]}
    ).astype(object)
    assert learned_levels(in_every_form(frame, tmp_path)[form])["alike"] == set(labels)


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_many_large_integers(tmp_path, form):
    codes = np.random.default_rng(1).integers(0, 40, N)
    frame = pd.DataFrame({"large": 10**18 + codes, "coin": np.array(["h", "t"])[COINS[1]]})
    assert len(learned_levels(in_every_form(frame, tmp_path)[form])["large"]) > 1
