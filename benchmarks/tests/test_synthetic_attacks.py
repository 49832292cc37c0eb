import pandas as pd

from benchmarks.synthetic.attacks import KINDS, report


def test_a_line_has_the_risk_of_each_attack_with_its_interval() -> None:
    run: dict[str, object] = {"table": "churn", "rows": 2_000, "attacks": 200, "version": "1.1.0"}
    run["program"] = "bnsieve"
    for i, kind in enumerate(KINDS):
        run |= {f"{kind} risk": 0.1 * i, f"{kind} low": 0.0, f"{kind} high": 0.5}
    lines = report(pd.DataFrame([run]))
    assert lines[0].endswith("200 attacks of each kind; anonymeter 1.1.0.")
    line = "| churn | bnsieve | 0.00 [0.00, 0.50] | 0.10 [0.00, 0.50] | 0.20 [0.00, 0.50] |"
    assert line in lines
