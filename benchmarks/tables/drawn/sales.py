"""Lines of orders: thousands of articles, prices, shops, discounts, what came back."""

from functools import cache

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import (
    Codes,
    Numbers,
    at,
    choose,
    few_and_many,
    pick,
    pick_by,
    yes,
)
from benchmarks.tables.sheet import Sheet

N_ARTICLES = 4_000
KINDS = ("Electronics", "Garden", "Household", "Toys", "Clothing")
SHORT = ("EL", "GA", "HO", "TO", "CL")
N_SHOPS = 40


@cache
def articles() -> tuple[Codes, Codes, Numbers, list[str]]:
    """Return kind, brand, list price and code of every article: the same ones whatever the rows."""
    rng = np.random.default_rng(78)
    kind = pick(rng, N_ARTICLES, (15, 15, 30, 15, 25))
    brand = pick_by(
        rng, [(6, 3, 1, 0.5), (1, 4, 4, 1), (2, 3, 4, 2), (1, 1, 6, 3), (1, 5, 2, 3)], kind
    )
    price = np.exp(
        at((4.6, 3.2, 2.6, 2.8, 3.3), kind)
        + at((0.5, 0.1, -0.3, 0.0), brand)
        + rng.normal(0, 0.45, N_ARTICLES)
    )
    codes = [f"{SHORT[own]}-{number % 37:02d}-{number:05d}" for number, own in enumerate(kind)]
    return kind, brand, np.asarray(np.round(price, 2), dtype=np.float64), codes


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    kinds, brands, prices, codes = articles()
    shop = pick(rng, n, few_and_many(N_SHOPS, 0.5))
    region = shop % 4
    sheet.label(
        "store", shop, [f"Store {number:03d}" for number in range(N_SHOPS)], role="category|code"
    )
    sheet.label("region", region, ("North", "South", "East", "West"), ("store",), typos=0.001)
    day = dirt.days(rng, n, "2022-01-01", "2024-12-31")
    month = dirt.calendar(day)[0]
    sheet.moment("order_date", day, month // 3, form="%d.%m.%Y")
    segment = sheet.label(
        "segment", pick(rng, n, (6, 3, 1)), ("consumer", "business", "school"), blank=0.02
    )
    channel = sheet.label(
        "channel",
        pick_by(rng, [(4, 5, 1), (3, 3, 4), (2, 2, 6)], segment),
        ("web", "store", "phone"),
        ("segment",),
    )
    wanted = np.stack(
        [
            0.2 + 0.8 * (segment == 1),
            -0.6 + 1.3 * (month // 3 == 1),
            np.full(n, 0.4),
            -0.4 + 1.2 * (month // 3 == 3) + 0.9 * (segment == 2),
            0.2 - 1.2 * (segment == 1),
        ],
        axis=1,
    )
    kind = choose(rng, wanted)
    article = np.zeros(n, dtype=np.int64)
    for number in range(len(KINDS)):
        own = np.flatnonzero(kinds == number)
        here = kind == number
        article[here] = own[pick(rng, int(here.sum()), few_and_many(len(own), 0.7))]
    brand, listed = brands[article], prices[article]
    # The article is what is ordered: its kind and its brand follow from it.
    sheet.label("sku", kind, KINDS, ("segment", "order_date"), role="code|category")
    sheet.longer("sku", np.asarray(codes, dtype=object)[article], judged_as="category")
    sheet.label("category", kind, KINDS, ("sku",), blank=0.003)
    sheet.label("brand", brand, ("Astra", "Borea", "Nomen", "Own brand"), ("sku",), typos=0.002)
    promo = sheet.flag(
        "promotion",
        yes(rng, -2.2 + 1.6 * (month >= 10) + 0.9 * (channel == 0)),
        ("order_date", "channel"),
    )
    cut = np.where(promo, pick(rng, n, (0, 2, 4, 4)), pick(rng, n, (14, 2, 1, 0.2)) * (segment > 0))
    sheet.label(
        "discount",
        cut,
        ("0%", "5%", "10%", "20%"),
        ("promotion", "segment"),
        role="category|quantity",
    )
    price = np.round(listed * at((1, 0.95, 0.9, 0.8), cut), 2)
    sheet.number(
        "unit_price",
        price,
        (12, 20, 40, 90),
        ("sku", "brand", "discount"),
        decimals=2,
        odd={"on request": 0.0007},
        blank=0.002,
    )
    amount = 1 + rng.poisson(at((0.3, 3.5, 5.0), segment) + 0.7 * promo)
    sheet.number("quantity", amount, (2, 3, 6), ("segment", "promotion"), role="quantity|category")
    sheet.number(
        "revenue",
        price * amount,
        (15, 40, 100, 300),
        ("unit_price", "quantity"),
        decimals=2,
        blank=0.002,
    )
    way = pick_by(rng, [(6, 2, 2, 0.1), (3, 1, 1, 5), (1, 0.2, 6, 0.1)], channel)
    sheet.label("payment", way, ("card", "wallet", "invoice", "cash"), ("channel",))
    wait = np.where(channel == 1, 0, 1 + rng.poisson(at((1.2, 2.0, 2.6, 1.6), region)))
    sheet.number(
        "shipping_days", wait, (1, 2, 3, 5), ("channel", "region"), role="quantity|category"
    )
    back = yes(rng, -3.2 + at((0.3, -0.5, 0, 0, 1.7), kind) + 0.9 * (channel == 0) + 0.12 * wait)
    sheet.flag("returned", back, ("sku", "channel", "shipping_days"), labels=("N", "Y"))
    sheet.other(
        "order_id", dirt.numbered("ORD-{:09d}", 3 * (sheet.start + np.arange(n)) // 2), "identifier"
    )
    sheet.other("customer_note", dirt.sentences(rng, n, 0.8, 5), "text")
    sheet.other("currency", np.full(n, "EUR"), "constant")
