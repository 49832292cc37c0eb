"""Customers of a telephone company: services that depend on services, charges, who left."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import at, choose, pick, step, yes
from benchmarks.tables.sheet import Sheet

SERVICES = (
    "OnlineSecurity",
    "OnlineBackup",
    "DeviceProtection",
    "TechSupport",
    "StreamingTV",
    "StreamingMovies",
)
NET_LABELS = ("No", "Yes", "No internet service")


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    sheet.label("gender", pick(rng, n, (1, 1)), ("Female", "Male"))
    senior = sheet.cause("SeniorCitizen", pick(rng, n, (84, 16)))
    sheet.label("SeniorCitizen", senior, ("0", "1"))
    partner = sheet.cause("Partner", yes(rng, 0.1 - 0.1 * senior))
    sheet.flag("Partner", partner, ("SeniorCitizen",))
    dependents = sheet.cause("Dependents", yes(rng, -2.0 + 1.9 * partner - 1.2 * senior))
    sheet.flag("Dependents", dependents, ("Partner", "SeniorCitizen"))
    contract = sheet.cause("Contract", step(rng, 0.6 * partner + 0.7 * dependents, (0.6, 1.6)))
    terms = ("Month-to-month", "One year", "Two year")
    sheet.label("Contract", contract, terms, ("Partner", "Dependents"), typos=0.0005)
    sheet.copy("PlanCode", "Contract", contract, ("M2M", "C12", "C24"))
    tenure = np.clip(rng.gamma(1.2, 1.0, n) * at((16, 32, 46), contract), 0, 72)
    tenure = sheet.cause("tenure", np.round(tenure))
    tenure = sheet.number("tenure", tenure, (6, 12, 24, 48), ("Contract",))
    phone = sheet.flag("PhoneService", rng.random(n) < 0.9)
    several = yes(rng, -0.6 + 0.025 * tenure)
    lines = np.where(phone, several.astype(np.int64), 2)
    labels = ("No", "Yes", "No phone service")
    sheet.label("MultipleLines", lines, labels, ("PhoneService", "tenure"))
    weights = [np.full(n, 0.2), 0.5 + 0.6 * senior, -0.4 - 1.0 * senior]
    net = sheet.cause("InternetService", choose(rng, np.stack(weights, axis=1)))
    sheet.label("InternetService", net, ("DSL", "Fiber optic", "No"), ("SeniorCitizen",))
    bought = np.zeros((len(SERVICES), n), dtype=np.int64)
    for number, name in enumerate(SERVICES):
        wants = yes(rng, -0.9 + 0.02 * tenure + 0.25 * number - 0.3 * (net == 1) * (number < 4))
        bought[number] = sheet.cause(name, np.where(net == 2, 2, wants))
        sheet.label(name, bought[number], NET_LABELS, ("InternetService", "tenure"))
    paperless = sheet.cause("PaperlessBilling", yes(rng, -0.4 + at((0.6, 1.2, -1.0), net)))
    sheet.flag("PaperlessBilling", paperless, ("InternetService",))
    pays = choose(
        rng,
        np.stack(
            [
                0.9 * paperless + 0.4 * (contract == 0),
                0.7 * ~paperless,
                0.4 * (contract > 0),
                0.3 * (contract > 0),
            ],
            axis=1,
        ),
    )
    pays = sheet.cause("PaymentMethod", pays)
    ways = (
        "Electronic check",
        "Mailed check",
        "Bank transfer (automatic)",
        "Credit card (automatic)",
    )
    sheet.label("PaymentMethod", pays, ways, ("PaperlessBilling", "Contract"))
    monthly = 2 + 18 * phone + 5 * (lines == 1) + at((25, 50, 0), net)
    monthly = monthly + sum(
        at(price, own)
        for price, own in zip(
            ((0, 5, 0), (0, 5, 0), (0, 5, 0), (0, 5, 0), (0, 10, 0), (0, 10, 0)),
            bought,
            strict=True,
        )
    )
    monthly = np.round(monthly + rng.normal(0, 0.6, n), 2)
    sheet.number(
        "MonthlyCharges",
        monthly,
        (30, 50, 70, 90),
        ("PhoneService", "MultipleLines", "InternetService", *SERVICES),
        decimals=2,
    )
    total = np.round(tenure * monthly * rng.normal(1, 0.02, n), 2)
    # New customers have paid nothing yet: the file has a space there, as the well-known one does.
    sheet.number(
        "TotalCharges",
        total,
        (200, 1000, 2500, 5000),
        ("tenure", "MonthlyCharges"),
        decimals=2,
        odd={" ": 0.0016},
    )
    churn = yes(
        rng,
        -0.6
        + at((0, -1.4, -2.4), contract)
        + at((0, 0.9, -0.8), net)
        - 0.025 * tenure
        + 0.5 * (pays == 0)
        - 0.5 * (bought[3] == 1),
    )
    churn = sheet.cause("Churn", churn)
    sheet.flag(
        "Churn", churn, ("Contract", "InternetService", "tenure", "PaymentMethod", "TechSupport")
    )
    letters = dirt.numbered("-{:05X}", rng.integers(0, 16**5, n))
    sheet.other(
        "customerID",
        dirt.joined([dirt.numbered("{:07d}", sheet.start + np.arange(n)), letters]),
        "identifier",
    )
    sheet.other("Country", np.full(n, "United States"), "constant")
