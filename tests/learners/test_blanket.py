"""The Markov blanket of one column."""

import pytest

import bnsieve as bn

ASIA = bn.load_network("asia")
DATA = ASIA.sample(5000, random_state=0)


def test_the_blanket_of_asia_is_found():
    found = bn.learn_blanket(DATA, "lung", bn.TsetlinSieve(random_state=0))
    assert found.members == tuple(sorted(ASIA.graph.markov_blanket("lung")))
    assert set(found.graph.nodes) == {"lung", *found.members}
    assert found.network.graph.nodes == found.graph.nodes
    proba = found.network.predict_proba(DATA.head(10), "lung")
    assert proba.shape == (10, 2)


def test_few_columns_are_learned_from():
    alarm = bn.load_network("alarm").sample(2000, random_state=0)
    learner = bn.PC()
    found = bn.learn_blanket(alarm, "HR", learner)
    assert set(found.members) < set(found.examined) < set(alarm.columns)
    assert not hasattr(learner, "graph_")
    assert found.learner.feature_names_in_.tolist() == sorted(found.examined)


def test_knowledge_of_other_columns_is_kept_out():
    knowledge = bn.Knowledge(required=[("asia", "lung")])
    found = bn.learn_blanket(DATA, "lung", bn.TsetlinSieve(knowledge=knowledge, random_state=0))
    assert "asia" in found.members
    with pytest.raises(ValueError, match="nowhere"):
        unknown = bn.Knowledge(required=[("nowhere", "lung")])
        bn.learn_blanket(DATA, "lung", bn.TsetlinSieve(knowledge=unknown))


def test_a_target_must_be_a_column():
    with pytest.raises(ValueError, match="target must be a column; got 'luck'"):
        bn.learn_blanket(DATA, "luck")


@pytest.mark.usefixtures("rows_stay_in_files")
@pytest.mark.parametrize("prepare", ["auto", None])
def test_rows_in_files_are_counted_and_not_held(tmp_path, prepare):
    DATA.to_parquet(tmp_path / "rows.parquet")
    learner = bn.TsetlinSieve(random_state=0, sample_rows=1_000, prepare=prepare)
    found = bn.learn_blanket(tmp_path / "rows.parquet", "dysp", learner)
    assert found.members == tuple(sorted(ASIA.graph.markov_blanket("dysp")))
    assert found.learner.prepare == prepare
    assert found.learner.fit_result_.rows.n_rows == 1_000
    graph, states = found.network.graph, found.network.states
    whole = bn.fit_parameters(graph, DATA[list(graph.nodes)], states=states)
    for name, table in whole.tables.items():
        assert found.network.tables[name] == pytest.approx(table, abs=1e-12)
