"""The first six exports: hospital, laboratory, bank, survey, web shop, machine."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.exports.sheet import MessySheet
from benchmarks.tables.mechanisms import at, choose, pick, pick_by, step, yes


def hospital(sheet: MessySheet) -> None:
    """Draw admissions: time of day on one date only, units in some cells, age beside birth."""
    rng, n = sheet.rng, sheet.n
    sheet.other("Case No", dirt.numbered("F{:07d}", 3 * np.arange(n) + 1_000_000), "identifier")
    days = rng.gamma(9, 6.6 * 365.25, n).clip(18 * 365.25, 99 * 365.25).astype(np.int64)
    came = dirt.days(rng, n, "2022-01-01", "2024-12-31")
    old = (days / 365.25 - 59) / 20
    sheet.moment("Birth", came - days * dirt.DAY, form="%d.%m.%Y", copy_of="Age")
    years = np.floor(days / 365.25).astype(np.int64)
    clock = rng.integers(6, 22, n) * 3600 + rng.integers(0, 3600, n)
    sheet.moment("Admission", came + clock, form="%d.%m.%Y %H:%M")
    sheet.number("Age", years)
    sheet.nodes["Admission_minus_Birth_years"] = "Age"
    man = rng.random(n) < 0.5
    sheet.label("Sex", man, ("w", "m"), variants={"upper": 0.12})
    fever = yes(rng, -0.8 + 0.5 * man)
    sheet.label("Infection", fever, ("no", "yes"), ("Sex",), variants={"upper": 0.02})
    crp = np.exp(2.2 + 1.6 * fever + rng.normal(0, 0.7, n))
    sheet.number(
        "CRP",
        crp,
        ("Infection",),
        form="{}",
        forms={"{} mg/l": (0.08, 1)},
        below=5,
        words={"n.a.": 0.004},
    )
    temperature = 36.7 + 1.3 * fever + rng.normal(0, 0.45, n)
    sheet.number("Temperature", temperature, ("Infection",), decimals=1, form="{} °C", blank=0.02)
    weight = 70 + 13 * man + 5 * old + rng.normal(0, 11, n)
    sheet.number("Weight", weight, ("Sex", "Age"), form="{} kg", codes={"999 kg": 0.02}, blank=0.02)
    pressure = 125 + 12 * old + 0.45 * (weight - 77) + rng.normal(0, 11, n)
    sheet.number("Systolic", pressure, ("Age", "Weight"), form="{}", codes={"-9": 0.03})
    severity = step(rng, 1.3 * fever + 0.9 * old, (0.2, 1.9))
    sheet.label("Severity", severity, ("low", "medium", "high"), ("Infection", "Age"))
    stay = 1 + rng.poisson(at((1.2, 3.5, 8.0), severity))
    sheet.moment("Discharge", came + stay * dirt.DAY, ("Severity",), form="%d.%m.%Y", blank=0.01)
    sheet.other("Ward phone", np.full(n, "+49 30 1234"), "constant")


def laboratory(sheet: MessySheet) -> None:
    """Draw a laboratory export: title rows, limits, decimal commas, two units in one column."""
    rng, n = sheet.rng, sheet.n
    sheet.other("Probe", dirt.numbered("L24-{:06d}", 5 * np.arange(n) + 11), "identifier")
    material = sheet.label("Material", pick(rng, n, (6, 3, 1)), ("Serum", "Plasma", "Urin"))
    haemolysis = step(rng, 0.8 * (material == 1) + 0 * material, (1.2, 2.4, 3.4))
    sheet.label("Hämolyse", haemolysis, ("-", "+", "++", "+++"), ("Material",))
    potassium = 4.2 + 0.55 * haemolysis + rng.normal(0, 0.35, n)
    sheet.number(
        "Kalium", potassium, ("Hämolyse",), decimals=2, form="{} mmol/l", style="comma", blank=0.01
    )
    kidney = yes(rng, -1.2 + np.zeros(n))
    sheet.label("Niere", kidney, ("unauffällig", "krank"), variants={"plain": 0.03})
    creatinine = np.exp(-0.1 + 0.7 * kidney + rng.normal(0, 0.25, n))
    sheet.number(
        "Kreatinin",
        creatinine,
        ("Niere",),
        decimals=2,
        form="{} mg/dl",
        forms={"{} mg/l": (0.1, 10)},
        style="comma",
    )
    urea = 30 + 22 * (creatinine - 1) + rng.gamma(4, 3, n)
    sheet.number("Harnstoff", urea, ("Kreatinin",), decimals=1, form="{} mg/dl", style="comma")
    thyroid = np.exp(0.5 + rng.normal(0, 0.9, n))
    sheet.number("TSH", thyroid, decimals=2, style="comma", below=0.5, words={"folgt": 0.01})
    free = 14 - 2.4 * np.log(thyroid) + rng.normal(0, 1.5, n)
    sheet.number("fT4", free, ("TSH",), decimals=1, form="{} pmol/l", style="comma", blank=0.04)
    protein = np.exp(2.0 + 1.4 * kidney + rng.normal(0, 0.8, n))
    sheet.number("Albumin", protein, ("Niere",), decimals=0, form="{} µg/ml", below=4)
    ferritin = np.exp(6.5 + rng.normal(0, 0.9, n))
    sheet.number("Ferritin", ferritin, decimals=0, style="german", form="{} µg/l")
    iron = 12 + 3.0 * (np.log(ferritin) - 6.5) + rng.normal(0, 3, n)
    sheet.number("Eisen", np.maximum(iron, 0.5), ("Ferritin",), decimals=1, style="comma")
    drawn = dirt.days(rng, n, "2024-01-01", "2024-12-31")
    sheet.moment("Entnahme", drawn + rng.integers(0, 86_400, n), form="%d.%m.%Y %H:%M:%S")


def bank(sheet: MessySheet) -> None:
    """Draw accounts: currencies, percent, thousands, seconds since 1970, codes of nines."""
    rng, n = sheet.rng, sheet.n
    sheet.other("account_no", 4_000_000_000 + 37 * np.arange(n), "identifier")
    segment = sheet.label(
        "segment",
        pick(rng, n, (5, 3, 2)),
        ("Retail", "Premium", "Private"),
        variants={"upper": 0.06},
    )
    income = np.exp(at((10.3, 10.9, 11.6), segment) + rng.normal(0, 0.35, n))
    sheet.number(
        "income",
        income,
        ("segment",),
        decimals=2,
        form="${}",
        style="english",
        codes={"9999": 0.02},
    )
    balance = np.exp(np.log(income) - 1.5 + rng.normal(0, 0.6, n))
    sheet.number("balance", balance, ("income",), decimals=2, form="USD {}", style="english")
    opened = dirt.days(rng, n, "2005-01-01", "2023-12-31") + rng.integers(0, 86_400, n)
    sheet.moment("opened", opened, form="s")
    job = sheet.label(
        "employment",
        pick_by(rng, [(6, 2, 2), (7, 2, 1), (4, 6, 1)], segment),
        ("employed", "self-employed", "unemployed"),
        ("segment",),
        missing={"unknown": 0.02},
    )
    rate = 4.5 - 0.9 * (np.log(income) - 10.7) + 1.8 * (job == 2) + rng.normal(0, 0.5, n)
    sheet.number("rate", np.maximum(rate, 0.2), ("income", "employment"), decimals=2, form="{}%")
    used = 1 / (1 + np.exp(-(rng.normal(0, 0.8, n) + 0.9 * (job == 2) - 0.3)))
    sheet.number(
        "utilisation",
        100 * used,
        ("employment",),
        decimals=1,
        form="{}%",
        forms={"{}": (0.2, 0.01)},
    )
    late = step(rng, 3.2 * (used - 0.5) + 0.35 * (rate - 4.5), (0.9, 2.3))
    sheet.label("arrears", late, ("none", "30 days", "90 days"), ("utilisation", "rate"))
    fee = np.round(rng.gamma(3, 4, n), 2)
    foreign = rng.random(n) < 0.4
    sheet.other(
        "fee",
        [f"${one:.2f}" if own else f"EUR {one:.2f}" for one, own in zip(fee, foreign, strict=True)],
        "text|identifier",
    )
    lost = yes(rng, -2.2 + at((0, 1.4, 3.0), late))
    sheet.label("default", lost, ("N", "Y"), ("arrears",))


def survey(sheet: MessySheet) -> None:
    """Draw a survey: ordered answers, bins of income, negative codes, spelling variants."""
    rng, n = sheet.rng, sheet.n
    sheet.other("respondent", dirt.numbered("R{:05d}", 10_000 + 3 * np.arange(n)), "identifier")
    age = rng.gamma(12, 4, n).clip(18, 95)
    sheet.number("age", age, codes={"-9": 0.02, "-8": 0.01})
    school = step(rng, -0.03 * (age - 48), (-0.6, 0.8))
    sheet.label(
        "education",
        school,
        ("primary", "secondary", "tertiary"),
        ("age",),
        variants={"upper": 0.04, "space": 0.03},
    )
    money = step(rng, 1.1 * school, (-0.2, 1.2, 2.4))
    bins = ("under 1,000", "1,000 - 1,999", "2,000 - 2,999", "3,000 and more")
    sheet.label("income", money, bins, ("education",), blank=0.03)
    trust = step(rng, 0.9 * school - 0.6, (-1.2, 0, 1, 2.2))
    answers = ("strongly disagree", "disagree", "neutral", "agree", "strongly agree")
    sheet.label("trust", trust, answers, ("education",), variants={"upper": 0.02})
    happy = step(rng, 0.55 * money + 0.5 * trust - 1.6, (-1.2, 0, 1, 2.2))
    sheet.label("satisfied", happy, answers, ("income", "trust"), missing={"no answer": 0.02})
    hours = np.clip(3.6 - 0.035 * (age - 48) + rng.normal(0, 1.0, n), 0, None)
    sheet.number("online", hours, ("age",), decimals=1, form="{} h", codes={"99 h": 0.02})
    vote = choose(rng, np.stack([0.0 * trust, 0.5 * trust - 1, 0.9 - 0.4 * trust], axis=1))
    sheet.label("vote", vote, ("none", "centre", "protest"), ("trust",), variants={"space": 0.05})
    months = "January February March April May June July August September October November December"
    sheet.label("month", rng.integers(0, 12, n), months.split())
    children = rng.poisson(np.clip(0.05 * (age - 20), 0.05, 1.8))
    sheet.number("children", children, ("age",), codes={"-9": 0.02}, role="category|quantity")
    sheet.other("comment", dirt.sentences(rng, n, 0.5), "text")


def web_shop(sheet: MessySheet) -> None:
    """Draw orders: milliseconds since 1970, prices with a currency before, two encodings."""
    rng, n = sheet.rng, sheet.n
    sheet.other("order", dirt.hexadecimal(rng, n, 10), "identifier")
    stamp = dirt.days(rng, n, "2024-01-01", "2024-12-31") + rng.integers(0, 86_400, n)
    sheet.moment("created", stamp, form="ms")
    city = sheet.label(
        "city",
        pick(rng, n, (4, 3, 2, 1)),
        ("München", "Köln", "Zürich", "Hamburg"),
        variants={"lower": 0.04, "plain": 0.05},
    )
    device = sheet.label(
        "device",
        pick_by(rng, [(5, 4, 1), (4, 5, 1), (2, 7, 1), (6, 2, 2)], city),
        ("desktop", "phone", "tablet"),
        ("city",),
        variants={"upper": 0.05},
    )
    kind = pick_by(rng, [(2, 2, 5), (6, 2, 2), (2, 5, 2)], device)
    sheet.label("category", kind, ("Schuhe", "Mode", "Möbel"), ("device",))
    price = np.exp(at((4.2, 3.4, 5.6), kind) + rng.normal(0, 0.4, n))
    sheet.number("price", price, ("category",), decimals=2, form="EUR {}", style="german")
    off = step(rng, 0.9 * (np.log(price) - 4.3), (0.6, 1.8))
    sheet.number(
        "discount", at((0, 10, 20), off), ("price",), form="{} %", role="quantity|category"
    )
    days = 1 + rng.poisson(at((1.2, 1.2, 8.0), kind))
    sheet.moment("shipped", stamp + days * dirt.DAY, ("category",), form="%Y-%m-%d")
    parcel = np.exp(at((0.2, -0.8, 3.2), kind) + rng.normal(0, 0.35, n))
    sheet.number("weight", parcel, ("category",), decimals=2, form="{} kg", style="comma")
    back = yes(rng, -1.8 + at((1.3, 0.9, 0), kind) + 0.12 * (days - 3))
    sheet.label("returned", back, ("nein", "ja"), ("category", "shipped"), variants={"upper": 0.03})
    stars = step(rng, 1.0 - 1.6 * back, (-2, -1, 0, 1.5))
    sheet.number("rating", 1 + stars, ("returned",), form="{}/5", role="category|quantity")


def machine(sheet: MessySheet) -> None:
    """Draw readings of a machine: two units in a column, codes of nines below zero, weekdays."""
    rng, n = sheet.rng, sheet.n
    day = np.sort(dirt.days(rng, n, "2024-02-01", "2024-10-31"))
    sheet.moment("time", day + rng.permutation(n) % 86_400, form="%Y-%m-%dT%H:%M:%S")
    week = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    weekday = rng.integers(0, 7, n)
    sheet.label("maintained", weekday, week)
    load = step(rng, np.zeros(n), (-0.6, 0.9))
    sheet.label("load", load, ("low", "medium", "high"), variants={"upper": 0.05})
    speed = at((900, 1450, 2100), load) + rng.normal(0, 180, n)
    sheet.number(
        "speed", speed, ("load",), form="{} rpm", style="english", codes={"-9999 rpm": 0.01}
    )
    heat = 45 + 0.02 * speed + rng.normal(0, 5, n)
    sheet.number(
        "bearing", heat, ("speed",), decimals=1, form="{} °C", words={"sensor error": 0.01}
    )
    pressure = 4 + 0.0022 * speed + rng.normal(0, 0.6, n)
    sheet.number(
        "pressure", pressure, ("speed",), decimals=2, form="{} bar", forms={"{} mbar": (0.06, 1000)}
    )
    current = 8 + 4.0 * load + rng.normal(0, 2.0, n)
    sheet.number("current", current, ("load",), decimals=2, form="{} A")
    sheet.near_copy(
        "current_mA",
        "current",
        [f"{1000 * one:.0f}" for one in np.round(current, 2)],
    )
    vibration = np.exp(-1.3 + 0.035 * (heat - 73) + rng.normal(0, 0.35, n))
    sheet.number("vibration", vibration, ("bearing",), decimals=2, form="{} mm/s", below=0.1)
    alarm = yes(rng, -2.4 + 2.2 * (np.log(vibration) + 1.2) + 0.8 * (pressure - 7))
    sheet.label(
        "alarm", alarm, ("OK", "ALARM"), ("vibration", "pressure"), variants={"lower": 0.04}
    )
    sheet.number("humidity", 100 * rng.beta(4, 4, n), form="{} %", codes={"999 %": 0.015})
    sheet.other("firmware", np.full(n, "v2.1"), "constant")
