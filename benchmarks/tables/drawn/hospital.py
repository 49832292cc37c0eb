"""Admissions to a hospital: who came, what they have, what became of them."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import at, pick, step, yes
from benchmarks.tables.sheet import Sheet

# What comes first in a life: a column has no cause in a later tier.
TIERS = (
    ("age", "sex", "admission_date"),
    ("smoker", "bmi", "insurance"),
    ("diabetes", "hypertension", "copd", "infection"),
    ("heart_disease", "creatinine", "glucose", "oxygen"),
    ("ward", "icu"),
    ("discharge_date", "outcome"),
    ("readmitted",),
)


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    age = sheet.cause("age", np.clip(rng.gamma(9, 6.6, n), 18, 101))
    sheet.number("age", age, (35, 50, 65, 80), blank=0.004, odd={"unknown": 0.0008, "n/a": 0.0004})
    man = sheet.cause("sex", rng.random(n) < 0.49)
    sheet.flag("sex", man, labels=("F", "M"), typos=0.001, blank=0.002)
    came = dirt.days(rng, n, "2021-01-01", "2024-12-31")
    month = sheet.cause("admission_date_month", dirt.calendar(came)[0])
    sheet.moment("admission_date", came, month // 3, form="%Y-%m-%d")
    old = (age - 59) / 20
    smoker = sheet.cause("smoker", step(rng, 0.9 * man - 0.5 * old, (0.6, 1.6)))
    labels = ("never", "former", "current")
    sheet.label("smoker", smoker, labels, ("sex", "age"), blank=0.02, typos=0.001)
    bmi = sheet.cause("bmi", 26 + 1.1 * old + rng.gamma(4, 2.2, n) - 8.8)
    sheet.number(
        "bmi", bmi, (18.5, 25, 30), ("age",), decimals=1, blank=0.05, odd={"not measured": 0.001}
    )
    insurance = step(rng, 1.6 * old, (-0.5, 1.8))
    sheet.label("insurance", insurance, ("private", "statutory", "medicare"), ("age",), blank=0.01)
    heavy = (bmi - 27) / 5
    diabetes = sheet.cause("diabetes", yes(rng, -2.0 + 1.0 * heavy + 0.8 * old))
    sheet.flag("diabetes", diabetes, ("bmi", "age"), typos=0.0005)
    pressure = yes(rng, -0.9 + 0.8 * heavy + 1.1 * old + 0.4 * man)
    pressure = sheet.cause("hypertension", pressure)
    sheet.flag("hypertension", pressure, ("bmi", "age", "sex"))
    copd = sheet.cause("copd", yes(rng, -3.4 + at((0, 1.4, 2.4), smoker) + 0.7 * old))
    sheet.flag("copd", copd, ("smoker", "age"))
    infection = yes(rng, -2.2 + at((1.1, 0.0, -0.7, 0.4), month // 3) + 1.2 * copd)
    infection = sheet.cause("infection", infection)
    sheet.flag("infection", infection, ("admission_date", "copd"))
    heart = yes(rng, -2.6 + 1.2 * pressure + 0.9 * diabetes + at((0, 0.4, 1.0), smoker) + 0.6 * man)
    heart = sheet.cause("heart_disease", heart)
    sheet.flag("heart_disease", heart, ("hypertension", "diabetes", "smoker", "sex"))
    creatinine = np.exp(
        -0.15 + 0.3 * diabetes + 0.3 * pressure + 0.15 * man + rng.normal(0, 0.3, n)
    )
    creatinine = sheet.cause("creatinine", creatinine)
    sheet.number(
        "creatinine",
        creatinine,
        (0.9, 1.2, 1.8),
        ("diabetes", "hypertension", "sex"),
        decimals=2,
        below=0.4,
        blank=0.08,
    )
    glucose = 96 + 58 * diabetes + rng.gamma(3, 9, n)
    sheet.number("glucose", glucose, (110, 140, 180), ("diabetes",), blank=0.06)
    oxygen = np.minimum(100, 97.5 - 2.6 * copd - 2.4 * infection - rng.gamma(1.5, 0.9, n))
    oxygen = sheet.cause("oxygen", oxygen)
    sheet.number(
        "oxygen",
        oxygen,
        (91, 94, 96),
        ("copd", "infection"),
        blank=0.03,
        role="quantity|category",
    )
    lungs, hearts = copd | infection, heart.astype(float)
    ward = np.where(yes(rng, -2.0 + 3.2 * lungs), 1, np.where(yes(rng, -2.2 + 3.4 * hearts), 2, 0))
    ward = np.where(pick(rng, n, (9, 1)) == 1, 3, ward)
    wards = ("general", "pulmonology", "cardiology", "surgery")
    sheet.label("ward", ward, wards, ("copd", "infection", "heart_disease"), typos=0.0005)
    icu = sheet.cause("icu", yes(rng, -2.4 - 0.45 * (oxygen - 95) + 1.2 * hearts))
    sheet.flag("icu", icu, ("oxygen", "heart_disease"))
    stay = np.ceil(rng.gamma(1.6, 1.0, n) * (1.6 + 4.2 * icu + 1.4 * infection + 0.5 * (ward == 3)))
    left = came + stay.astype(np.int64) * dirt.DAY
    sheet.moment(
        "discharge_date",
        left,
        np.searchsorted((2, 4, 8), stay),
        ("icu", "infection", "ward"),
        form="%Y-%m-%d",
        blank=0.003,
    )
    outcome = step(rng, -2.2 + 1.9 * icu + 1.0 * old + 0.35 * (creatinine - 1), (0.8, 2.4))
    outcome = sheet.cause("outcome", outcome)
    labels = ("home", "care facility", "died")
    sheet.label("outcome", outcome, labels, ("icu", "age", "creatinine"))
    again = yes(rng, -1.6 + 0.8 * heart + 0.9 * copd + 0.7 * (outcome == 1)) & (outcome < 2)
    again = sheet.cause("readmitted", again)
    sheet.flag("readmitted", again, ("heart_disease", "copd", "outcome"))
    sheet.other(
        "patient_id", dirt.numbered("P{:08d}", 7 * (sheet.start + np.arange(n)) + 11), "identifier"
    )
    sheet.other("hospital", np.full(n, "St. Anna, Building 2"), "constant")
    sheet.other("notes", dirt.sentences(rng, n, 0.35), "text")
