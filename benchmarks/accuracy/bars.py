"""Runs in, verdicts out: what was asked of `TsetlinSieve` and whether it is reached."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.accuracy import peer_runs
from benchmarks.accuracy.ablations import CONFIGURATIONS
from benchmarks.accuracy.runner import MEASURES
from benchmarks.common.networks import NETWORKS, PAPER_NETWORKS
from benchmarks.paper.report import paper_figures

# Files have four digits: a mean of such figures is not more exact than this.
SLACK = 5e-5
# Where the best single configuration of any program has a mean F1 of 0.751.
FIRST_RUNG_NETWORKS = PAPER_NETWORKS[:6]
FIRST_RUNG = 0.79
MEAN_LEAD = 0.02
N_SHORTER = 10
FEW_TESTS = 1_000
N_SEEDS = 3
SECONDS = {"alarm": 1.0, "munin1": 10.0}


@dataclass(frozen=True)
class Bar:
    """One thing that was asked, what was measured, and whether that is enough.

    Attributes
    ----------
    asked, measured : str
    reached : bool
    complete : bool
        Whether all was measured that was asked for; until then nothing is reached for good.
    """

    asked: str
    measured: str
    reached: bool
    complete: bool = True

    @property
    def verdict(self) -> str:
        """In a word or two."""
        if not self.reached:
            return "no"
        return "yes" if self.complete else "so far"


def means_of(runs: pd.DataFrame, configuration: str) -> pd.DataFrame:
    """Return a configuration's means over seeds, indexed by network, and the number of seeds."""
    chosen = runs[runs["configuration"] == configuration]
    grouped = chosen.groupby("network", sort=False)
    means = grouped[list(MEASURES)].mean()
    means["seeds"] = grouped["seed"].nunique()
    return means


def ablation_means(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Return F1 and processor seconds by configuration and network, and how many seeds they have.

    Only samples on which every configuration was run count: means over different samples would
    differ by the samples.
    """
    n_configurations = runs["configuration"].nunique()
    sample = runs.groupby(["network", "seed"])["configuration"]
    paired = runs[sample.transform("nunique") == n_configurations]
    grouped = paired.groupby(["configuration", "network"], sort=False)
    f1, seconds = (grouped[name].mean().unstack() for name in ("f1", "cpu_seconds"))
    order = [name for name in CONFIGURATIONS if name in f1.index]
    networks = [name for name in NETWORKS if name in f1.columns]
    n_seeds = int(paired.groupby("network")["seed"].nunique().min()) if networks else 0
    return f1.loc[order, networks], seconds.loc[order, networks], n_seeds


def beside_peers(runs: pd.DataFrame, peer_means: pd.DataFrame) -> pd.DataFrame:
    """Return ours, by network, beside the best peer of each measure, and the differences."""
    ours = means_of(runs, "search")
    for measure in ("f1", "cpdag_shd"):
        rival = peer_runs.best(peer_means, measure)[[measure, "name", "seeds"]]
        ours = ours.join(rival.add_prefix(f"best_{measure}_"))
        ours[f"{measure}_lead"] = ours[measure] - ours[f"best_{measure}_{measure}"]
    return ours


def network_bars(table: pd.DataFrame) -> list[Bar]:
    """Judge what `beside_peers` returned."""
    bars = []
    if set(FIRST_RUNG_NETWORKS) <= set(table.index):
        mean = float(table.loc[list(FIRST_RUNG_NETWORKS), "f1"].mean())
        asked = f"mean F1 on {', '.join(FIRST_RUNG_NETWORKS)} above {FIRST_RUNG}"
        bars.append(Bar(asked, f"{mean:.3f}", mean > FIRST_RUNG))
    rivals = table.dropna(subset=["f1_lead"])
    if rivals.empty:
        return bars
    complete = set(NETWORKS) <= set(rivals.index)
    behind = rivals.index[rivals["f1_lead"] < -SLACK].tolist()
    bars.append(
        Bar(
            "F1 at least that of the best peer on every network",
            _count(len(rivals) - len(behind), len(rivals), behind),
            not behind,
            complete,
        )
    )
    lead = float(rivals["f1_lead"].mean())
    bars.append(
        Bar(
            f"F1 on average {MEAN_LEAD} above the best peer's",
            f"{lead:+.3f}",
            lead >= MEAN_LEAD,
            complete,
        )
    )
    farther = rivals.index[rivals["cpdag_shd_lead"] > SLACK].tolist()
    n_shorter = len(rivals) - len(farther)
    bars.append(
        Bar(
            f"CPDAG SHD no higher than the best peer's on at least {N_SHORTER} of 13 networks",
            _count(n_shorter, len(rivals), farther),
            n_shorter >= N_SHORTER,
            complete,
        )
    )
    far = rivals["cpdag_shd"] > 1.1 * rivals["best_cpdag_shd_cpdag_shd"] + SLACK
    too_far = rivals.index[far].tolist()
    bars.append(
        Bar(
            "CPDAG SHD on no network more than 10 % above the best peer's",
            _count(len(rivals) - len(too_far), len(rivals), too_far),
            not too_far,
            complete,
        )
    )
    return bars


def time_bars(runs: pd.DataFrame, peer_means: pd.DataFrame) -> list[Bar]:
    """Judge the processor seconds."""
    ours = means_of(runs, "search")
    bars = []
    shared = [network for network in ours.index if network in set(peer_means["network"])]
    if shared:
        beaten = peer_runs.both_faster_and_better(peer_means, ours)["network"].unique().tolist()
        bars.append(
            Bar(
                "no peer is both faster and more accurate",
                _count(len(shared) - len(beaten), len(shared), beaten),
                not beaten,
                set(NETWORKS) <= set(shared),
            )
        )
    for network, limit in SECONDS.items():
        if network in ours.index:
            seconds = float(ours["cpu_seconds"][network])
            asked = f"{network} on one thread in under {limit:g} s"
            bars.append(Bar(asked, f"{seconds:.2f} s", seconds < limit))
    return bars


def best_of_paper() -> pd.DataFrame:
    """Return F1 and tests of the paper's best of five algorithms on each network."""
    figures = paper_figures()["mean"].unstack("metric")[["f1", "ci_tests"]]
    ordered = figures.reset_index().sort_values(["f1", "ci_tests"], ascending=[False, True])
    return ordered.groupby("network").first()


def bars_by_tests(runs: pd.DataFrame) -> list[Bar]:
    """Judge ``method="tests"`` beside the paper's best."""
    both = means_of(runs, "tests").join(best_of_paper().add_prefix("paper_"), how="inner")
    if both.empty:
        return []
    complete = len(both) == len(PAPER_NETWORKS)
    # The paper's F1 has two digits.
    behind = both.index[both["f1"].round(2) < both["paper_f1"]].tolist()
    many = both[both["paper_ci_tests"] > FEW_TESTS]
    over = many.index[many["ci_tests"] > many["paper_ci_tests"] / 5].tolist()
    return [
        Bar(
            "by tests: F1 at least that of the paper's best of five on each of its networks "
            "(both to two digits)",
            _count(len(both) - len(behind), len(both), behind),
            not behind,
            complete,
        ),
        Bar(
            "by tests: at most a fifth of that algorithm's tests where it needed over 1,000",
            _count(len(many) - len(over), len(many), over),
            not over,
            complete,
        ),
    ]


def row_bars(runs: pd.DataFrame, few: int = 5_000, many: int = 50_000) -> list[Bar]:
    """Judge whether more rows hurt: the difference of means by its standard error."""
    of_size = {
        rows: runs[(runs["rows"] == rows) & (runs["configuration"] == "search")].groupby("network")
        for rows in (few, many)
    }
    frames = {rows: group["f1"].agg(["mean", "var", "count"]) for rows, group in of_size.items()}
    both = frames[few].add_suffix("_few").join(frames[many].add_suffix("_many"), how="inner")
    if both.empty:
        return []
    variance = both["var_few"] / both["count_few"] + both["var_many"] / both["count_many"]
    error = np.sqrt(variance.fillna(0.0))
    worse = both.index[both["mean_many"] < both["mean_few"] - error - SLACK].tolist()
    asked = f"F1 at {many:,} rows at least that at {few:,}, within one standard error"
    # With fewer seeds the error is not known.
    n_seeds = both[["count_few", "count_many"]].min(axis="columns")
    complete = int((n_seeds >= N_SEEDS).sum()) == len(PAPER_NETWORKS)
    return [Bar(asked, _count(len(both) - len(worse), len(both), worse), not worse, complete)]


def stability_bars(stability: pd.DataFrame) -> list[Bar]:
    """Judge the F1 between graphs of several seeds of the learner."""
    if stability.empty:
        return []
    mean = float(stability["mean_f1"].mean())
    asked = "F1 between graphs of five seeds of the learner at least 0.95 on average"
    complete = len(stability) == len(PAPER_NETWORKS) and bool((stability["learners"] >= 5).all())
    return [Bar(asked, f"{mean:.3f}", mean >= 0.95, complete)]


def interaction_bars(runs: pd.DataFrame) -> list[Bar]:
    """Judge the exclusive ors of the default."""
    ours = runs[runs["configuration"] == "search"]
    if ours.empty:
        return []
    found = ours["found"].sum() / ours["interactions"].sum()
    right = ours["right_edges"].sum() / max(1, ours["edges"].sum())
    complete = ours["seed"].nunique() >= 10
    return [
        Bar("at least 95 % of exclusive ors found", f"{found:.1%}", bool(found >= 0.95), complete),
        Bar(
            "at least 90 % of edges there true or inside a triple",
            f"{right:.1%}",
            bool(right >= 0.9),
            complete,
        ),
    ]


def _count(n_reached: int, n: int, others: list[str]) -> str:
    return f"{n_reached} of {n}" + (f" (not {', '.join(others)})" if others else "")
