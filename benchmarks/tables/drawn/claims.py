"""Insurance claims: diagnoses by ICD-10, procedures, providers, what was billed and paid."""

from functools import cache

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import Codes, at, choose, few_and_many, pick, pick_by, step, yes
from benchmarks.tables.sheet import Sheet

# Chapters by their first letters, and how many codes of each there are.
CHAPTERS = ("E", "F", "I", "J", "M", "S", "Z")
N_PROVIDERS = 600
SPECIALTIES = (
    "general practice",
    "psychiatry",
    "cardiology",
    "pulmonology",
    "orthopaedics",
    "surgery",
)
STATES = ("CA", "TX", "FL", "NY", "OH")


@cache
def codes_of(chapter: int) -> list[str]:
    """Return the codes of a chapter: three figures, and mostly a fourth behind a point."""
    letter = CHAPTERS[chapter]
    return [f"{letter}{first:02d}.{last}" for first in range(10, 50) for last in range(8)]


@cache
def specialties() -> Codes:
    """Return what each provider does: the same ones whatever the rows."""
    return pick(np.random.default_rng(80), N_PROVIDERS, (40, 8, 12, 8, 16, 16))


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    age = sheet.number(
        "age", np.clip(90 * rng.beta(1.6, 1.6, n), 0, 99), (18, 35, 50, 65), blank=0.002
    )
    woman = sheet.flag("sex", rng.random(n) < 0.54, labels=("M", "F"), typos=0.0005)
    state = sheet.label("state", pick(rng, n, (35, 25, 20, 12, 8)), STATES)
    # The first two figures of a postcode are the state's.
    area = pick(rng, n, few_and_many(300, 0.7))
    sheet.label("zip", state, STATES, ("state",), role="code|category")
    stems = np.asarray(("90", "75", "32", "10", "44"), dtype=object)[state]
    sheet.longer("zip", dirt.joined([stems, dirt.numbered("{:03d}", area)]), judged_as="state")
    plan = sheet.label(
        "plan", step(rng, 0.05 * (age - 55), (-0.8, 1.2)), ("HMO", "PPO", "Medicare"), ("age",)
    )
    old = (age - 45) / 20
    weights = np.stack(
        [
            0.4 + 0.5 * old,
            0.3 - 0.3 * old + 0.5 * woman,
            0.1 + 1.0 * old,
            0.4 - 0.2 * old,
            0.4 + 0.4 * old,
            0.3 - 0.6 * old - 0.5 * woman,
            0.8 - 0.2 * old,
        ],
        axis=1,
    )
    chapter = choose(rng, weights)
    number = pick(rng, n, few_and_many(320, 0.8))
    sheet.label("icd10_primary", chapter, CHAPTERS, ("age", "sex"), role="code|category")
    every = np.asarray([codes_of(own) for own in range(len(CHAPTERS))], dtype=object)
    sheet.longer("icd10_primary", every[chapter, number])
    # No second diagnosis is a blank cell, and says something.
    second = np.where(
        yes(rng, -1.2 + 0.9 * old),
        choose(rng, weights + 1.2 * (chapter[:, None] == np.arange(7))),
        7,
    )
    sheet.label(
        "icd10_secondary",
        second,
        (*CHAPTERS, ""),
        ("age", "sex", "icd10_primary"),
        none=7,
        role="code|category",
    )
    number = pick(rng, n, few_and_many(320, 0.8))
    sheet.longer("icd10_secondary", every[np.minimum(second, 6), number])
    seen = pick_by(
        rng,
        [
            (7, 0, 1, 0, 0, 1),
            (4, 6, 0, 0, 0, 0),
            (3, 0, 7, 0, 0, 1),
            (6, 0, 0, 4, 0, 0),
            (4, 0, 0, 0, 6, 1),
            (1, 0, 0, 0, 4, 6),
            (9, 0, 1, 0, 0, 0),
        ],
        chapter,
    )
    provider = np.zeros(n, dtype=np.int64)
    for kind in range(len(SPECIALTIES)):
        own, here = np.flatnonzero(specialties() == kind), seen == kind
        provider[here] = own[pick(rng, int(here.sum()), few_and_many(len(own), 0.5))]
    sheet.label("provider", seen, SPECIALTIES, ("icd10_primary",), role="code|category|identifier")
    sheet.longer(
        "provider", dirt.numbered("NPI{:06d}", 100_000 + 37 * provider), judged_as="specialty"
    )
    sheet.label("specialty", seen, SPECIALTIES, ("icd10_primary",), blank=0.004)
    place = pick_by(rng, [(8, 1, 1), (7, 2, 1), (4, 4, 2), (6, 3, 1), (5, 3, 2), (1, 4, 5)], seen)
    places = ("11 office", "22 outpatient hospital", "21 inpatient hospital")
    sheet.label("place_of_service", place, places, ("specialty",))
    procedure = pick_by(
        rng,
        [(6, 3, 1, 0), (2, 1, 7, 0), (3, 5, 1, 1), (4, 5, 1, 0), (2, 6, 0, 2), (1, 2, 0, 7)],
        seen,
    )
    heads = ("992", "930", "908", "271")
    # Figures only: whoever does not know the name takes them for numbers, in the same order.
    sheet.label("cpt", procedure, heads, ("specialty",), role="code|category|quantity")
    ends = dirt.numbered("{:02d}", pick(rng, n, few_and_many(40)))
    sheet.longer("cpt", dirt.joined([np.asarray(heads, object)[procedure], ends]))
    billed = np.exp(
        4.6 + at((0, 0.7, 1.6), place) + at((0, 0.5, 0.3, 1.5), procedure) + rng.normal(0, 0.5, n)
    )
    sheet.number("billed", billed, (120, 250, 600, 1500), ("place_of_service", "cpt"), decimals=2)
    allowed = billed * np.clip(at((0.45, 0.62, 0.38), plan) + rng.normal(0, 0.06, n), 0.1, 1)
    sheet.number(
        "allowed", allowed, (60, 120, 300, 800), ("billed", "plan"), decimals=2, blank=0.01
    )
    denied = yes(rng, -2.8 + 0.9 * (plan == 0) + 0.8 * (billed > 1500))
    sheet.flag("denied", denied, ("plan", "billed"), labels=("N", "Y"))
    paid = np.where(denied, 0, allowed * np.clip(rng.normal(0.8, 0.05, n), 0, 1))
    sheet.number("paid", paid, (1, 60, 150, 500), ("allowed", "denied"), decimals=2)
    served = dirt.days(rng, n, "2023-01-01", "2024-12-31")
    sheet.moment("service_date", served, np.zeros(n), form="%m/%d/%Y")
    waited = 5 + rng.gamma(2, 6, n) + 25 * denied
    codes = np.searchsorted((15, 30, 45), waited)
    sheet.moment(
        "paid_date",
        served + waited.astype(np.int64) * dirt.DAY,
        codes,
        ("denied",),
        form="%m/%d/%Y",
        blank=0.01,
    )
    sheet.other(
        "claim_id",
        dirt.numbered("{:012d}", 10**10 + 17 * (sheet.start + np.arange(n))),
        "identifier",
    )
    sheet.other(
        "member_id", dirt.numbered("M{:07d}", rng.integers(0, 90_000, n) * 101), "identifier"
    )
    sheet.other("payer", np.full(n, "Acme Health"), "constant")
