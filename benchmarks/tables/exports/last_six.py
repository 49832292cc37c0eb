"""The other six exports: school, insurance, clinic visits, census, logistics, genomics."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.exports.sheet import MessySheet
from benchmarks.tables.mechanisms import at, choose, pick, pick_by, step, yes

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def school(sheet: MessySheet) -> None:
    """Draw pupils: grades with signs, percent and fractions, months, title rows."""
    rng, n = sheet.rng, sheet.n
    sheet.other("Pupil ID", dirt.numbered("{:06d}", 100_000 + 7 * np.arange(n)), "identifier")
    year = rng.integers(5, 11, n)
    sheet.number("Class", year, form="Year {}", role="category|quantity")
    sheet.label(
        "School",
        pick(rng, n, (5, 4, 3)),
        ("St. Mary's", "Park Lane", "Highfield"),
        variants={"upper": 0.05, "space": 0.03},
    )
    support = step(rng, np.zeros(n), (0.0, 1.3))
    sheet.label("Support", support, ("none", "some", "much"))
    hours = np.maximum(4.5 + 1.3 * support + rng.normal(0, 1.6, n), 0)
    sheet.number("Homework", hours, ("Support",), decimals=1, form="{} h/week", blank=0.03)
    away = rng.poisson(np.exp(1.9 - 0.22 * (hours - 5)))
    sheet.number("Absent", away, ("Homework",), form="{} days", codes={"99 days": 0.015})
    marks = np.clip(62 + 4.5 * (hours - 5) - 1.1 * (away - 6) + rng.normal(0, 8, n), 5, 100)
    sheet.number(
        "Maths",
        marks,
        ("Homework", "Absent"),
        decimals=1,
        form="{}%",
        forms={"{}": (0.15, 0.01)},
        words={"absent": 0.01},
    )
    grade = np.searchsorted((40, 50, 60, 70, 80), marks + rng.normal(0, 4, n))
    sheet.label(
        "Grade", grade, ("F", "E", "D", "C", "B", "A"), ("Maths",), variants={"lower": 0.04}
    )
    reading = np.clip(60 + 2.0 * (year - 7.5) + 3.2 * (hours - 5) + rng.normal(0, 9, n), 5, 100)
    sheet.number("Reading", reading, ("Class", "Homework"), form="{}/100")
    lunch = yes(rng, -0.8 - 0.6 * support)
    sheet.label("Free lunch", lunch, ("no", "yes"), ("Support",), variants={"upper": 0.06})
    sheet.label(
        "Born",
        rng.integers(0, 12, n),
        MONTHS,
    )
    sheet.other("Remark", dirt.sentences(rng, n, 0.6), "text")


def insurance(sheet: MessySheet) -> None:
    """Draw policies: pounds with thousands, accents, bands, years beside ages."""
    rng, n = sheet.rng, sheet.n
    sheet.other("policy", dirt.numbered("POL/{:07d}", 9 * np.arange(n) + 31), "identifier")
    born = rng.integers(1940, 2004, n)
    sheet.number("birth_year", born)
    sheet.near_copy("age", "birth_year", (2024 - born).astype(str).astype(object))
    old = (1975 - born) / 16
    region = sheet.label(
        "region",
        pick(rng, n, (4, 3, 2)),
        ("Île-de-France", "Genève", "Québec"),
        variants={"plain": 0.06, "upper": 0.03},
    )
    car = choose(rng, np.stack([0.2 * old, 0.4 - 0.3 * old, -0.6 + 0.5 * region], axis=1))
    sheet.label("vehicle", car, ("saloon", "hatchback", "van"), ("birth_year", "region"))
    value = np.exp(at((9.8, 9.1, 10.2), car) + 0.12 * old + rng.normal(0, 0.3, n))
    sheet.number("sum_insured", value, ("vehicle",), form="£{}", style="english")
    sheet.edges.append(("birth_year", "sum_insured"))
    miles = np.exp(2.3 - 0.25 * old + 0.4 * (car == 2) + rng.normal(0, 0.4, n))
    bands = ("0-5k", "5-10k", "10-15k", "15k+")
    band = np.searchsorted((5, 10, 15), miles)
    sheet.label("mileage", band, bands, ("birth_year", "vehicle"))
    claims = rng.poisson(np.exp(-1.7 + 0.55 * band))
    sheet.number("claims", claims, ("mileage",), codes={"-9": 0.02}, role="category|quantity")
    premium = 180 + 0.011 * value + 95 * claims + rng.gamma(3, 15, n)
    sheet.number(
        "premium", premium, ("sum_insured", "claims"), decimals=2, form="£{}", style="english"
    )
    start = dirt.days(rng, n, "2021-01-01", "2023-12-31")
    sheet.moment("start", start + rng.integers(0, 86_400, n), form="%d/%m/%Y %H:%M")
    excess = sheet.label("excess", pick(rng, n, (3, 4, 3)), ("low", "standard", "high"))
    months = 6 + rng.poisson(at((20, 12, 5), excess))
    sheet.moment("end", start + 30 * months * dirt.DAY, ("excess",), form="%d/%m/%Y", blank=0.01)
    paid = np.exp(6.4 + 0.5 * np.minimum(claims, 3) + rng.normal(0, 0.5, n))
    sheet.number(
        "paid", paid, ("claims",), form="{}", style="english", codes={"8888": 0.02}, blank=0.02
    )


def clinic_visits(sheet: MessySheet) -> None:
    """Draw visits: a workbook with titles and merged headers, metres beside centimetres."""
    rng, n = sheet.rng, sheet.n
    sheet.other("Visit", 50_000 + np.arange(n), "identifier")
    woman = rng.random(n) < 0.55
    sheet.label("Sex", woman, ("male", "female"), variants={"upper": 0.05})
    age = rng.gamma(10, 5.2, n).clip(18, 95)
    sheet.number("Age", age, typed=True, codes={"999": 0.02})
    height = 178 - 12.5 * woman + rng.normal(0, 6.5, n)
    sheet.number("Height", height, ("Sex",), form="{} cm", forms={"{} m": (0.1, 0.01)}, decimals=1)
    weight = 78 + 0.75 * (height - 171) + rng.normal(0, 9, n)
    kilograms = sheet.number("Weight", weight, ("Height",), decimals=1, typed=True)
    sheet.near_copy("Weight (lb)", "Weight", np.round(kilograms * 2.20462, 1).astype(object))
    high = 122 + 0.55 * (age - 52) + 0.4 * (weight - 78) + rng.normal(0, 9, n)
    sheet.number("Systolic", high, ("Age", "Weight"), form="{} mmHg")
    low = 78 + 0.42 * (high - 122) + rng.normal(0, 6, n)
    sheet.number("Diastolic", low, ("Systolic",), form="{} mmHg")
    before = step(rng, 0.045 * (age - 52), (-1.0, 0.3, 1.6))
    scale = ("none", "mild", "moderate", "severe")
    arm = sheet.label("Treatment", pick(rng, n, (1, 1)), ("placebo", "verum"))
    sheet.label("Pain before", before, scale, ("Age",), variants={"upper": 0.03})
    after = step(rng, 1.2 * before - 1.8 * arm - 1.0, (-1.0, 0.3, 1.6))
    sheet.label("Pain after", after, scale, ("Pain before", "Treatment"), variants={"space": 0.04})
    sleep = np.clip(7.2 - 0.7 * after + rng.normal(0, 0.9, n), 0, 12)
    sheet.number(
        "Sleep", sleep, ("Pain after",), decimals=1, form="{} h", words={"not asked": 0.01}
    )
    visited = dirt.days(rng, n, "2023-01-01", "2024-06-30")
    sheet.moment("Date", visited, form="%Y-%m-%d")
    sheet.group("Body", ("Height", "Weight", "Weight (lb)"))
    sheet.group("Blood pressure", ("Systolic", "Diastolic"))
    sheet.group("Pain", ("Pain before", "Pain after"))


def census(sheet: MessySheet) -> None:
    """Draw persons: a workbook with merged headers, codes of eights and nines, age bands."""
    rng, n = sheet.rng, sheet.n
    sheet.other("Person", 700_000 + 3 * np.arange(n), "identifier")
    bands = ("0-17", "18-29", "30-44", "45-64", "65+")
    band = sheet.label("Age band", pick(rng, n, (2, 2, 3, 3, 2)), bands)
    region = sheet.label(
        "Region",
        pick(rng, n, (4, 3, 3)),
        ("Ñuble", "Málaga", "León"),
        variants={"plain": 0.05, "upper": 0.02},
    )
    schooling = step(rng, 0.7 * (band > 0) + 0.3 * (band == 2) - 0.5 * (band == 4), (-0.3, 0.9))
    sheet.label(
        "Education", schooling, ("low", "medium", "high"), ("Age band",), variants={"upper": 0.04}
    )
    job = choose(
        rng,
        np.stack([1.2 * (band == 0) + 1.8 * (band == 4), 0.6 * schooling, 0.4 + 0 * band], axis=1),
    )
    sheet.label("Work", job, ("none", "office", "manual"), ("Age band", "Education"))
    income = np.exp(9.4 + 0.35 * schooling + at((-1.2, 0.4, 0.1), job) + rng.normal(0, 0.35, n))
    sheet.number(
        "Income",
        income,
        ("Education", "Work"),
        style="spaced",
        codes={"8888": 0.02, "9999": 0.02},
    )
    rooms = 1 + rng.poisson(np.exp(0.55 + 0.45 * (np.log(income) - 9.6)).clip(0.3, 8))
    sheet.number("Rooms", rooms, ("Income",), typed=True, role="category|quantity")
    area = 22 * rooms + rng.gamma(6, 4, n)
    sheet.number("Area", area, ("Rooms",), decimals=1, form="{} m²")
    rent = 150 + 6.2 * area * at((1.0, 1.5, 0.8), region) + rng.normal(0, 60, n)
    sheet.number(
        "Rent", np.maximum(rent, 90), ("Area", "Region"), decimals=0, form="{} €", style="german"
    )
    commute = np.maximum(rng.gamma(3, 8, n) * at((0.3, 1.4, 0.9), job), 1)
    sheet.number("Commute", commute, ("Work",), form="{} min")
    heating = pick_by(rng, [(6, 2, 2), (2, 6, 2), (2, 2, 6)], region)
    sheet.label("Heating", heating, ("gas", "electric", "wood"), ("Region",), blank=0.03)
    sheet.other("Country", np.full(n, "ES"), "constant")
    sheet.group("Home", ("Rooms", "Area", "Rent"))
    sheet.group("Status", ("Education", "Work"))


def logistics(sheet: MessySheet) -> None:
    """Draw shipments: kilometres beside metres, tonnes beside kilograms, two date precisions."""
    rng, n = sheet.rng, sheet.n
    sheet.other("shipment", dirt.numbered("SHP{:09d}", 13 * np.arange(n) + 10**8), "identifier")
    mode = sheet.label(
        "mode", pick(rng, n, (5, 3, 2)), ("road", "rail", "air"), variants={"upper": 0.06}
    )
    far = np.exp(at((5.2, 6.3, 7.6), mode) + rng.normal(0, 0.5, n))
    sheet.number("distance", far, ("mode",), decimals=1, form="{} km", forms={"{} m": (0.05, 1000)})
    mass = np.exp(at((7.6, 9.2, 5.0), mode) + rng.normal(0, 0.6, n))
    sheet.number("weight", mass, ("mode",), decimals=1, form="{} kg", forms={"{} t": (0.12, 0.001)})
    cost = 40 + 0.9 * np.sqrt(far) * np.sqrt(mass) * at((1.0, 0.6, 4.0), mode)
    cost *= np.exp(rng.normal(0, 0.25, n))
    sheet.number(
        "cost", cost, ("distance", "weight", "mode"), decimals=2, form="€ {}", style="german"
    )
    left = dirt.days(rng, n, "2023-01-01", "2024-12-31")
    sheet.moment("departed", left + rng.integers(4, 23, n) * 3600, form="%Y-%m-%d %H:%M")
    days = 1 + rng.poisson(np.clip(far / at((300, 250, 3000), mode), 0.2, 15))
    sheet.moment("arrived", left + days * dirt.DAY, ("distance", "mode"), form="%Y-%m-%d")
    weather = sheet.label("weather", pick(rng, n, (6, 3, 1)), ("good", "fair", "bad"))
    late = np.maximum(rng.gamma(1.5, 9, n) * at((0.6, 1.3, 3.0), weather), 0)
    sheet.number("delay", late, ("weather",), form="{} min", codes={"9999 min": 0.02})
    damage = yes(rng, -3.0 + 0.03 * late + 0.9 * (mode == 1))
    sheet.label("damaged", damage, ("no", "yes"), ("delay", "mode"), variants={"upper": 0.02})
    rated = step(rng, 1.6 - 0.05 * late - 1.8 * damage, (-1.5, 0, 1.4))
    answers = ("poor", "fair", "good", "excellent")
    sheet.label("rating", rated, answers, ("delay", "damaged"), blank=0.05)
    sheet.number(
        "temperature", 12 + rng.normal(0, 8, n), decimals=1, form="{} °C", codes={"-99.9 °C": 0.01}
    )


def genomics(sheet: MessySheet) -> None:
    """Draw samples: units in two spellings, detection limits, exponents, genotypes."""
    rng, n = sheet.rng, sheet.n
    sheet.other("sample", dirt.numbered("S{:05d}_L001", 10_000 + np.arange(n)), "identifier")
    batch = sheet.label("batch", pick(rng, n, (1, 1, 1)), ("B1", "B2", "B3"))
    amount = np.exp(3.4 + at((0, 0.4, -0.4), batch) + rng.normal(0, 0.35, n))
    sheet.number(
        "concentration",
        amount,
        ("batch",),
        decimals=1,
        form="{} ng/µl",
        forms={"{} ng/ul": (0.3, 1)},
        words={"ND": 0.01},
    )
    integrity = np.clip(7.2 + 1.0 * (np.log(amount) - 3.4) + rng.normal(0, 0.6, n), 1, 10)
    sheet.number("RIN", integrity, ("concentration",), decimals=1, codes={"-1": 0.01})
    reads = np.exp(16.5 + 0.30 * (integrity - 7) + rng.normal(0, 0.25, n))
    sheet.number("reads", reads, ("RIN",), style="english")
    first = pick(rng, n, (49, 42, 9))
    sheet.label("rs1042522", first, ("G/G", "C/G", "C/C"))
    second = pick_by(rng, [(8, 2, 0.4), (3, 6, 2), (1, 4, 6)], first)
    sheet.label("rs12979860", second, ("C/C", "C/T", "T/T"), ("rs1042522",), missing={"./.": 0.02})
    level = np.exp(1.0 + 0.9 * second + rng.normal(0, 0.6, n))
    cells = sheet.number("IFNL3", level, ("rs12979860",), decimals=2, form="{} TPM", below=1.0)
    target = np.exp(0.3 + 0.8 * (np.log(np.maximum(cells, 0.05)) - 1.5) + rng.normal(0, 0.5, n))
    sheet.number("MX1", target, ("IFNL3",), decimals=3, form="{} TPM")
    sheet.near_copy("MX1_log2", "MX1", [f"{one:.3f}" for one in np.log2(np.round(target, 3) + 1)])
    mapped = 100 / (1 + np.exp(-(2.2 + 0.5 * (integrity - 7) + rng.normal(0, 0.4, n))))
    sheet.number("mapped", mapped, ("RIN",), decimals=2, form="{}%")
    sex = sheet.label("sex", pick(rng, n, (1, 1)), ("female", "male"), variants={"upper": 0.04})
    xist = np.exp(np.where(sex == 0, 4.0, -1.5) + rng.normal(0, 0.7, n))
    sheet.number("XIST", xist, ("sex",), decimals=1, form="{}", below=0.5)
    response = yes(rng, -1.4 + 0.8 * (np.log(np.maximum(target, 0.01)) - 0.3) + 0.7 * sex)
    sheet.label("response", response, ("NR", "R"), ("MX1", "sex"), missing={"unknown": 0.02})
    sheet.number("p_value", 10 ** -rng.gamma(2, 1.5, n), decimals=8)
