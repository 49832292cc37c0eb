"""``bnsieve synthesize``: files of rows as those learned from."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from bnsieve.cli.app import app
from bnsieve.cli.models import open_model
from bnsieve.learners import synthesizer_of
from bnsieve.synthesize import write_tables

ROWS = 600


def run(*arguments: object) -> str:
    found = CliRunner().invoke(app, [*map(str, arguments)])
    assert found.exit_code == 0, found.output
    return found.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("synthesize")
    days = pd.date_range("2023-01-01", periods=ROWS, freq="D").strftime("%Y-%m-%d")
    frame = pd.DataFrame(
        {
            "no": range(1, ROWS + 1),
            "day": days,
            "plan": ["pro, monthly", "basic", "basic"] * (ROWS // 3),
            "price": [9.5, 5.0, 5.0] * (ROWS // 3),
            "usage": [i * 37 % 101 / 4 for i in range(ROWS)],
        }
    )
    frame.to_csv(place / "rows.csv", index=False)
    run("learn", place / "rows.csv", "-o", place / "learned", "-q")
    return place


def test_csv_has_the_same_header_and_types(folder: Path) -> None:
    output = folder / "made.csv"
    said = run("synthesize", folder / "learned", "-n", 300, "--seed", 1, "-o", output)
    assert "300 rows of 5 columns" in said
    before, after = pd.read_csv(folder / "rows.csv"), pd.read_csv(output)
    assert after.dtypes.to_dict() == before.dtypes.to_dict()
    assert output.read_text().splitlines()[0] == "no,day,plan,price,usage"
    assert after["no"].min() > ROWS
    assert ((after["plan"] == "basic") == (after["price"] == 5)).all()
    assert set(after["usage"]) <= set(before["usage"])


def test_parquet_is_that_of_the_csv_rows(folder: Path) -> None:
    run("synthesize", folder / "learned", "-n", 300, "-s", 1, "-o", folder / "made.parquet", "-q")
    run("synthesize", folder / "learned", "-n", 300, "-s", 1, "-o", folder / "again.csv", "-q")
    rows = pq.read_table(folder / "made.parquet").to_pandas()
    again = pd.read_csv(folder / "again.csv")
    assert rows["plan"].tolist() == again["plan"].tolist()
    assert rows["usage"].tolist() == again["usage"].tolist()


def test_excel_and_standard_output(folder: Path) -> None:
    pytest.importorskip("openpyxl")
    run("synthesize", folder / "learned", "-n", 20, "-s", 1, "-o", folder / "made.xlsx", "-q")
    sheet = pd.read_excel(folder / "made.xlsx")
    assert sheet.shape == (20, 5)
    said = run("synthesize", folder / "learned", "-n", 2, "-s", 1, "-q")
    assert said.startswith("no,day,plan,price,usage\n")


def test_conditions_are_read(folder: Path) -> None:
    output = folder / "some.csv"
    run(
        *("synthesize", folder / "learned", "-n", 50, "-o", output, "-q"),
        *("--where", "plan=pro, monthly", "--where", "usage=5..10"),
    )
    found = pd.read_csv(output)
    assert found["plan"].eq("pro, monthly").all()
    assert found["usage"].between(5, 10).all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "made.txt"), "must end in"),
        (("--where", "plan"), "column=value"),
        (("--where", "plan=gold"), "is never 'gold'"),
        (("-n", "2000000", "-o", "made.xlsx"), "a sheet holds"),
    ],
)
def test_errors_name_the_cure(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    found = CliRunner().invoke(app, ["synthesize", str(folder / "learned"), *arguments])
    assert found.exit_code == 1
    assert said in found.output


def test_the_table_that_was_learned_from_is_not_replaced(folder: Path) -> None:
    before = (folder / "rows.csv").read_bytes()
    command = ["synthesize", str(folder / "learned"), "-o", str(folder / "rows.csv")]
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 1
    assert "the network was learned from it" in " ".join(found.output.split())
    assert (folder / "rows.csv").read_bytes() == before


def test_a_network_of_a_target_makes_no_rows_and_says_why(folder: Path) -> None:
    learned = folder / "of-plan"
    run("learn", folder / "rows.csv", "--target", "plan", "-o", learned, "-q")
    found = CliRunner().invoke(app, ["synthesize", str(learned), "-n", "5"])
    assert found.exit_code == 1
    assert "run `bnsieve learn` without --target" in " ".join(found.output.split())


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_an_interrupted_file_is_not_left_behind(folder: Path, tmp_path: Path, name: str) -> None:
    synthesizer = synthesizer_of(open_model(str(folder / "learned")).fitted())
    (tmp_path / name).write_text("as before")

    def pieces() -> Iterator[pa.Table]:
        yield from synthesizer.tables(3_000, {}, 0)
        assert len([*tmp_path.iterdir()]) == 2  # the file as before, and the new one under way
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_tables(pieces(), synthesizer.no_rows(), synthesizer.record, tmp_path / name)
    assert [*tmp_path.iterdir()] == [tmp_path / name]
    assert (tmp_path / name).read_text() == "as before"


def test_a_column_whose_missing_cells_depend_on_nothing_is_made_of_a_saved_learner(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(0)
    plan = rng.choice(["basic", "pro"], 1_000)
    size = np.where(rng.random(1_000) < 0.2, "", rng.integers(1, 90, 1_000).astype(str))
    team = np.where(rng.random(1_000) < 0.8, plan, "none")
    rows = pd.DataFrame({"plan": plan, "team": team, "size": size})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    run("learn", tmp_path / "rows.csv", "-o", tmp_path / "learned", "-q")
    run("synthesize", tmp_path / "learned", "-n", 500, "-o", tmp_path / "made.csv", "-q")
    made = pd.read_csv(tmp_path / "made.csv")
    assert 0.12 < made["size"].isna().mean() < 0.28
