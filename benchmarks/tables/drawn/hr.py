"""Staff of a company: names, dates of birth, of hire and of leaving, pay."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import at, pick, pick_by, step, yes
from benchmarks.tables.sheet import Sheet

DEPARTMENTS = ("Engineering", "Sales", "Support", "Finance", "HR")
TITLES = (
    ("Engineer", "Senior Engineer", "Lead Engineer", "Director of Engineering"),
    ("Sales Associate", "Account Manager", "Sales Lead", "Sales Director"),
    ("Agent", "Senior Agent", "Support Lead", "Head of Support"),
    ("Accountant", "Senior Accountant", "Controller", "Finance Director"),
    ("HR Assistant", "HR Partner", "HR Lead", "HR Director"),
)
YEAR = 365.25 * dirt.DAY


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    today = int(np.datetime64("2025-01-01", "s").astype(np.int64))
    age = np.clip(20 + rng.gamma(4, 5.2, n), 19, 66)
    born = (today - age * YEAR).astype(np.int64) // dirt.DAY * dirt.DAY
    sheet.moment("birth_date", born, np.searchsorted((28, 35, 45, 55), age), form="%d.%m.%Y")
    woman = sheet.flag("gender", rng.random(n) < 0.46, labels=("male", "female"), typos=0.001)
    education = sheet.label(
        "education",
        step(rng, 0.02 * (age - 40), (-1.2, 1.0)),
        ("school", "bachelor", "master"),
        ("birth_date",),
        blank=0.02,
    )
    unit = pick_by(rng, [(2, 4, 6, 1, 1), (5, 4, 3, 3, 2), (7, 2, 1, 4, 1)], education)
    sheet.label("department", unit, DEPARTMENTS, ("education",), typos=0.0005)
    served = rng.beta(1.1, 2.6, n) * (age - 18.5)
    hired = (today - served * YEAR).astype(np.int64) // dirt.DAY * dirt.DAY
    sheet.moment(
        "hire_date", hired, np.searchsorted((1, 3, 7, 15), served), ("birth_date",), form="%Y-%m-%d"
    )
    rank = step(rng, 0.16 * served + 0.6 * education, (1.6, 3.2, 5.0))
    sheet.label(
        "level", rank, ("1", "2", "3", "4"), ("hire_date", "education"), role="category|quantity"
    )
    titles = [title for own in TITLES for title in own]
    sheet.label("job_title", 4 * unit + rank, titles, ("department", "level"))
    pay = np.exp(
        10.7
        + 0.22 * rank
        + at((0.25, 0.1, -0.15, 0.15, 0), unit)
        - 0.06 * woman
        + rng.normal(0, 0.11, n)
    )
    sheet.number(
        "salary",
        np.round(pay, -2),
        (40000, 50000, 65000, 85000),
        ("level", "department", "gender"),
        odd={"confidential": 0.001, "0": 0.0004},
    )
    home = sheet.flag(
        "remote",
        yes(rng, -1.0 + at((1.6, -0.2, 0.2, 0.4, 0), unit)),
        ("department",),
        labels=("office", "remote"),
    )
    over = sheet.flag(
        "overtime",
        yes(rng, -1.2 + at((0.6, 0.9, 0, -0.4, -0.8), unit) + 0.3 * rank),
        ("department", "level"),
    )
    content = step(rng, 0.9 * home - 1.3 * over + 1.5e-5 * (pay - 60000), (-1.6, -0.4, 1.0))
    sheet.label(
        "satisfaction",
        content,
        ("low", "medium", "high", "very high"),
        ("remote", "overtime", "salary"),
        blank=0.12,
    )
    rating = step(rng, 0.6 * content + 0.4 * over, (-0.6, 1.6))
    sheet.label(
        "performance",
        rating,
        ("below", "meets", "exceeds"),
        ("satisfaction", "overtime"),
        blank=0.05,
    )
    bonus = np.where(rating > 0, pay * at((0, 0.05, 0.12), rating) * rng.gamma(16, 1 / 16, n), 0)
    sheet.number("bonus", bonus, (1, 3000, 5000, 8000), ("performance", "salary"))
    left = yes(rng, -1.6 - 0.8 * (content - 1) - 0.05 * served)
    sheet.flag("left_company", left, ("satisfaction", "hire_date"))
    # Who is still there has no day of leaving: the blank says it.
    gone = (hired + (today - hired) * rng.random(n)).astype(np.int64) // dirt.DAY * dirt.DAY
    sheet.moment("termination_date", gone, left, ("left_company",), form="%Y-%m-%d", none=~left)
    number = sheet.start + np.arange(n)
    names = dirt.names(rng, n)
    sheet.other("employee_id", dirt.numbered("E{:07d}", number + 1_000), "identifier")
    sheet.other("name", names, "text|identifier")
    mail = dirt.joined([as_address(names), number.astype(str).astype(object), "@example.com"])
    sheet.other("email", mail, "identifier|text")
    sheet.other(
        "manager_id", dirt.numbered("E{:07d}", 1_000 + pick(rng, n, np.ones(4_000))), "identifier"
    )
    sheet.other("company", np.full(n, "Northwind GmbH"), "constant")


def as_address(names: dirt.Texts) -> dirt.Texts:
    """Write names as the first part of an address."""
    return np.asarray([name.replace(" ", "").lower() for name in names], dtype=object)
