"""Many labels on the way from a frame to a table: grouped, kept, left out."""

import numpy as np
import pandas as pd

import bnsieve as bn


def frame_of_paths(n_rows=6_000):
    rng = np.random.default_rng(0)
    section = rng.integers(0, 3, n_rows)
    page = rng.integers(0, 300, n_rows)
    return pd.DataFrame(
        {
            "path": [f"/{'abc'[s]}/{p}" for s, p in zip(section, page, strict=True)],
            "told": np.where(rng.random(n_rows) < 0.9, section, 0).astype(str),
            "session": [f"s{i:05d}" for i in rng.integers(0, 2_900, n_rows)],
            "noise": rng.choice(["x", "y"], n_rows),
        }
    )


def test_paths_become_sections_and_sessions_are_left_out():
    plan = bn.prepare(frame_of_paths())
    path, _, session, _ = plan.columns
    assert {label[:3] for label in path.outputs[0].groups} == {"/a/", "/b/", "/c/"}
    assert set(path.outputs[0].groups.values()) == {"/a/*", "/b/*", "/c/*"}
    assert f"{frame_of_paths()['path'].nunique()} categories in 3 groups" in path.what
    assert (session.role, session.outputs) == ("identifier", ())
    assert "identifier" in session.why


def test_labels_that_come_later_are_others():
    plan = bn.prepare(frame_of_paths())
    later = frame_of_paths().head(3).assign(path=["/a/1", "/never/seen", None])
    found = plan.apply(later)["path"]
    assert found.tolist()[:2] == ["/a/*", "other"]
    assert found.isna().tolist() == [False, False, True]


def test_an_identifier_that_is_kept_stays_as_it_is():
    plan = bn.prepare(frame_of_paths(), keep=["session"])
    assert plan.columns[2].outputs[0].groups is None


def test_the_order_of_rows_does_not_matter():
    frame = frame_of_paths()
    shuffled = frame.sample(frac=1, random_state=1)
    assert bn.prepare(frame).outputs == bn.prepare(shuffled).outputs
