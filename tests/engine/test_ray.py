"""Ray: a real cluster of three nodes on this machine, of which one is lost on the way."""

import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnsieve as bn
from bnsieve.engine import watched
from bnsieve.engine.local import Threads
from bnsieve.learners import stages
from bnsieve.rows.file_rows import make_plan
from bnsieve.rows.passes import scan_all, tally_all
from opened_rows import open_stored

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402

from bnsieve.engine.ray import connected  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("rows_stay_in_files"),
    # Ray warns of its own coming defaults, and leaves sockets and pipes to the collector.
    pytest.mark.filterwarnings("ignore"),
]
ONE = Threads(1, map)
NODE = {"num_cpus": 1, "object_store_memory": 100 * 2**20}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    frame = bn.load_network("asia").sample(16_000, random_state=3)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for i in range(4):
        pq.write_table(table.slice(i * 4000, 4000), folder / f"{i}.parquet", row_group_size=500)
    return folder


@pytest.fixture(scope="module")
def cluster():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args=NODE)
    for _ in range(2):
        cluster.add_node(**NODE)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_the_same_as_one_thread_bit_for_bit(cluster, folder):
    with connected("ray") as engine:
        assert engine.n_workers == 3
    alone = bn.TsetlinSieve(random_state=0, sample_rows=4000).fit(folder)
    spread = bn.TsetlinSieve(random_state=0, sample_rows=4000, engine=cluster.address).fit(folder)
    assert spread.graph_ == alone.graph_
    assert spread.candidates_ == alone.candidates_
    assert spread.score_ == alone.score_


def test_numbers_are_summed_as_in_one_thread(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "MANY_ROWS", 4_000)
    rng = np.random.default_rng(0)
    a = rng.normal(size=9_000)
    b = a + rng.normal(size=9_000)
    frame = pd.DataFrame({"a": a, "b": b, "c": np.where(b + rng.normal(size=9_000) > 0, "u", "v")})
    frame.loc[::7, "a"] = np.nan
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=700)
    settings = {"random_state": 0, "sample_rows": 2_000, "missing": "testwise"}
    alone = bn.TsetlinSieve(**settings).fit(frame)
    spread = bn.TsetlinSieve(**settings, engine=cluster.address).fit(tmp_path / "rows.parquet")
    assert spread.numeric_features_ == alone.numeric_features_ == ("a", "b")
    assert spread.dag_ == alone.dag_
    assert spread.score_ == pytest.approx(alone.score_, rel=1e-9)


def rows_over_time(n_entities=60, n_steps=25):
    rng = np.random.default_rng(1)
    rows = []
    for entity in range(n_entities):
        state, before, load = 0, 0, 0.0
        for step in range(n_steps):
            before, state = state, state if rng.random() < 0.7 else int(rng.integers(3))
            alarm = before % 2 if rng.random() < 0.8 else int(rng.integers(2))
            load = 0.6 * load + before + rng.normal()
            rows.append((f"e{entity}", step, "abc"[state], "ny"[alarm], load))
    return pd.DataFrame(rows, columns=["entity", "step", "state", "alarm", "load"])


@pytest.mark.parametrize(
    ("columns", "changes"),
    [
        (["state", "alarm"], {"lags": 2}),
        (["state", "alarm", "load"], {"lags": 1}),
        (["state", "alarm"], {"lags": 1, "every": 2}),
    ],
)
@pytest.mark.parametrize("is_sorted", [True, False])
def test_rows_over_time_are_those_of_one_thread(
    cluster, tmp_path, monkeypatch, columns, changes, is_sorted
):
    monkeypatch.setattr("bnsieve.learners.tsetlin_sieve.most_in_memory", lambda n: 0)
    frame = rows_over_time()[["entity", "step", *columns]]
    frame = frame if is_sorted else frame.sample(frac=1, random_state=0)
    # Files and row groups, and so tasks, end in the middle of entities.
    for i, first in enumerate(range(0, len(frame), 333)):
        part = frame.iloc[first : first + 333]
        part.to_parquet(tmp_path / f"{i}.parquet", row_group_size=41, index=False)
    settings = {"time": "step", "by": "entity", "random_state": 0, "sample_rows": 500, **changes}
    alone = bn.TsetlinSieve(n_jobs=1, **settings).fit(tmp_path)
    spread = bn.TsetlinSieve(engine=cluster.address, **settings).fit(tmp_path)
    n_steps = 25 if "every" not in changes else 13
    for learner in (alone, spread):
        assert learner.fit_result_.counted is not None
        assert learner.fit_result_.n_rows == 60 * (n_steps - changes["lags"])
    assert spread.fit_result_.timeline == alone.fit_result_.timeline
    assert spread.graph_ == alone.graph_
    assert spread.candidates_ == alone.candidates_
    assert spread.score_ == pytest.approx(alone.score_, rel=1e-9)
    assert ("state@t-1", "alarm") in spread.graph_.directed_edges


def test_progress_is_heard_of_on_the_way(cluster, folder):
    heard = []
    with watched(heard.append):
        bn.TsetlinSieve(random_state=0, sample_rows=4000, engine=cluster.address).fit(folder)
    for stage in ("reading", "counting"):
        shares = [one.text for one in heard if one.stage == stage and "rows" in one.text]
        assert len(shares) == 12  # four parts to each of three workers
        assert shares[-1] == "16,000 of 16,000 rows"


def test_a_ray_dataset_is_a_source(cluster, folder):
    data = ray.data.read_parquet(str(folder))
    learner = bn.TsetlinSieve(random_state=0, sample_rows=20_000).fit(data)
    assert learner.graph_.skeleton() == learner.fit(folder).graph_.skeleton()


class LosesNode:
    """An engine that loses a node of its cluster once a few of its tasks have begun."""

    def __init__(self, cluster, engine, marks):
        self.cluster, self.engine, self.marks = cluster, engine, marks
        self.n_parts = engine.n_parts

    def fold(self, work, items, merge, tell):
        marks = str(self.marks)

        def slowly(item, tell):
            import tempfile
            import time

            tempfile.mkstemp(dir=marks)
            time.sleep(0.3)
            return work(item, tell)

        def lose():
            while len(list(self.marks.iterdir())) < 4:
                time.sleep(0.01)
            self.cluster.remove_node(next(iter(self.cluster.worker_nodes)), allow_graceful=False)

        losing = threading.Thread(target=lose)
        losing.start()
        result = self.engine.fold(slowly, items, merge, tell)
        losing.join()
        assert len(list(self.marks.iterdir())) > 4
        return result


def test_a_node_lost_in_either_pass_costs_only_its_work(cluster, folder, tmp_path):
    with open_stored(folder) as source, connected("ray") as engine:
        found = scan_all(source, 500, 0, ONE)
        (tmp_path / "first").mkdir()
        again = scan_all(source, 500, 0, LosesNode(cluster, engine, tmp_path / "first"))
        assert (again.sample(500).codes == found.sample(500).codes).all()
        assert [dict(c) for c in again.counts] == [dict(c) for c in found.counts]
        cluster.add_node(**NODE)
        cluster.wait_for_nodes()
        sets = [list(source.names[i : i + 5]) for i in range(4)]
        plan = make_plan(found, sets, 1 << 24)
        expected = tally_all(source, plan, ONE)
        (tmp_path / "second").mkdir()
        tables = tally_all(source, plan, LosesNode(cluster, engine, tmp_path / "second"))
        for number in range(4):
            assert tables.joint(number) == expected.joint(number)
        cluster.add_node(**NODE)
        cluster.wait_for_nodes()


def test_what_a_task_raises_is_raised_here(cluster, folder, tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes((folder / "0.parquet").read_bytes())
    with open_stored(path) as source, connected("ray") as engine:
        path.unlink()
        with pytest.raises(FileNotFoundError, match=r"a\.parquet has vanished"):
            scan_all(source, 10, 0, engine)
        with pytest.raises(ZeroDivisionError):
            engine.map(lambda x: 1 // x, [1, 2, 0])
        assert engine.map(lambda x: x + 1, [1, 2, 3]) == [2, 3, 4]


def test_errors_beside_tasks_that_end_at_the_same_moment(cluster):
    # Ray ends the whole process if a task is stopped at the moment at which it ends.
    with connected("ray") as engine:
        for _ in range(50):
            with pytest.raises(ZeroDivisionError):
                engine.map(lambda x: 1 // x, [1, 2, 0, 1, 1, 1, 1, 1])


def test_a_task_that_always_dies_is_a_clear_error(cluster):
    def die(item, tell):
        import os

        os._exit(1)

    with connected("ray") as engine, pytest.raises(RuntimeError, match="lost a task 6 times"):
        engine.fold(die, [1, 2], max, print)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at the processes in /proc")
def test_no_process_is_left_behind(cluster):
    ray.shutdown()
    with connected("ray") as engine:
        assert engine.fold(lambda item, tell: abs(item), [-1, -2, -3], max, print) == 3
        session = ray._private.worker._global_node.get_session_dir_path()
    assert not ray.is_initialized()
    for _ in range(100):
        commands = [
            path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if _readable(path)
        ]
        if not any(session.encode() in command for command in commands):
            return
        time.sleep(0.1)
    raise AssertionError("a process of the Ray session is still there")


def _readable(path):
    try:
        path.read_bytes()
    except OSError:
        return False
    return True
