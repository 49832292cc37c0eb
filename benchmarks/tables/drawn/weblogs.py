"""Requests to a web shop: paths, users, times, what was answered and how fast."""

from functools import cache

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import Codes, at, choose, few_and_many, pick, pick_by, yes
from benchmarks.tables.sheet import Sheet

N_USERS = 20_000
SECTIONS = (
    "/",
    "/shop/item/",
    "/shop/list/",
    "/account/",
    "/api/v1/cart/",
    "/static/img/",
    "/help/",
)
N_PAGES = (1, 6_000, 120, 15, 40, 900, 60)
AGENTS = ("Mozilla/5.0 ({os}) {browser}/{n}.0", "bot-{n}/1.{n} (+https://bots.example/{n})")


@cache
def users() -> tuple[Codes, Codes]:
    """Return country and plan of every user: the same ones whatever the rows."""
    rng = np.random.default_rng(77)
    country = pick(rng, N_USERS, (40, 20, 15, 10, 8, 7))
    plan = pick_by(rng, [(7, 2, 1), (6, 3, 1), (3, 4, 3), (5, 4, 1), (8, 1, 1), (4, 3, 3)], country)
    return country, plan


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    user = pick(rng, n, few_and_many(N_USERS, 0.6))
    country, plan = (own[user] for own in users())
    sheet.label("country", country, ("US", "DE", "FR", "IN", "BR", "JP"), blank=0.004)
    sheet.label("plan", plan, ("free", "plus", "pro"), ("country",))
    day = dirt.days(rng, n, "2024-09-01", "2024-11-30")
    hours = np.where(
        rng.random(n) < 0.75, np.clip(rng.normal(15, 4, n), 0, 23.99), 24 * rng.random(n)
    )
    when = day + (3600 * hours).astype(np.int64)
    hour = dirt.calendar(when)[2]
    sheet.moment(
        "time", when, np.searchsorted((7, 12, 18), hour, side="right"), form="%Y-%m-%dT%H:%M:%SZ"
    )
    night = hour < 7
    bot = sheet.flag("is_bot", yes(rng, -3.0 + 2.0 * night), ("time",), labels=("false", "true"))
    device = np.where(
        bot, 2, pick_by(rng, [(5, 4), (4, 5), (4, 5), (8, 2), (7, 3), (6, 4)], country)
    )
    sheet.label("device", device, ("mobile", "desktop", "none"), ("is_bot", "country"))
    system = pick_by(rng, [(60, 38, 1, 1, 0), (0, 1, 68, 22, 9), (0, 0, 0, 0, 100)], device)
    systems = ("Android", "iOS", "Windows", "macOS", "Linux")
    sheet.label("os", system, systems, ("device",))
    browser = pick_by(
        rng,
        [(80, 5, 12, 3), (10, 88, 1, 1), (60, 0, 15, 25), (35, 50, 12, 3), (40, 0, 55, 5)],
        system,
    )
    browsers = ("Chrome", "Safari", "Firefox", "Edge")
    sheet.label("browser", browser, browsers, ("os",))
    version = rng.integers(90, 131, n)
    texts = [
        np.asarray(systems, object)[system],
        np.asarray(browsers, object)[browser],
        version.astype(str).astype(object),
    ]
    agent = dirt.joined(["Mozilla/5.0 (", texts[0], ") ", texts[1], "/", texts[2], ".0"])
    robot = dirt.joined(
        ["bot-", (version % 30).astype(str).astype(object), "/1.0 (+https://bots.example)"]
    )
    # Says the same as os and browser, and a version beside: a label of many, left to the learner.
    sheet.other("user_agent", np.where(bot, robot, agent), "category|code|text|identifier")
    sheet.unjudged.add("user_agent")
    bias = np.asarray((0.6, 1.6, 1.0, 0.2, 0.3, 1.2, -0.8))
    weights = (
        bias
        + np.outer(bot, (0.5, 1.5, 1.0, -1.5, -2.5, -1.0, 0.0))
        + np.outer(plan, (0, 0, 0, 0.5, 0.8, 0, 0.3))
    )
    section = choose(rng, weights)
    page = np.zeros(n, dtype=np.int64)
    for number, pages in enumerate(N_PAGES):
        here = section == number
        page[here] = pick(rng, int(here.sum()), few_and_many(pages, 0.9))
    numbers = np.where(section == 0, "", page.astype(str)).astype(object)
    sheet.label("path", section, SECTIONS, ("is_bot", "plan"), role="code|category")
    sheet.longer("path", dirt.joined([np.asarray(SECTIONS, object)[section], numbers]))
    method = pick_by(
        rng,
        [(99, 1, 0), (99, 1, 0), (99, 1, 0), (60, 38, 2), (30, 60, 10), (100, 0, 0), (95, 5, 0)],
        section,
    )
    sheet.label("method", method, ("GET", "POST", "DELETE"), ("path",))
    bad = -2.8 + at((-1, 0.3, -0.5, 0.4, 0.6, -1.5, 0), section) + 1.3 * bot
    status = choose(
        rng,
        np.stack(
            [
                np.full(n, 2.0),
                bad + 0.5,
                bad + 1.0,
                bad + at((0, 0, 0), method) + 1.2 * (method > 0),
            ],
            axis=1,
        ),
    )
    sheet.label("status", status, ("200", "301", "404", "500"), ("path", "is_bot", "method"))
    cached = yes(rng, -2.0 + at((2.0, 0.5, 0.8, -2, -3, 4.0, 1.5), section) - 2.0 * (status == 3))
    sheet.flag("cache_hit", cached, ("path", "status"), labels=("false", "true"))
    size = (
        np.exp(rng.normal(at((9.5, 9, 9.8, 8, 6, 10.5, 8.5), section), 0.5)) * (status == 0)
        + 300
        + 20 * rng.random(n)
    )
    sheet.number("bytes", size, (500, 2000, 8000, 20000), ("path", "status"), odd={"-": 0.002})
    slow = np.exp(
        3.4
        - 1.6 * cached
        + at((0, 0.3, 0.6, 0.5, 0.9, 0.0, 0.1), section)
        + 0.8 * (status == 3)
        + rng.normal(0, 0.5, n)
    )
    sheet.number("response_ms", slow, (8, 20, 50, 100), ("cache_hit", "path", "status"), decimals=1)
    came_from = np.where(
        bot,
        3,
        choose(
            rng,
            np.stack([np.full(n, 0.8), 0.6 - 0.9 * (plan == 2), -0.4 + 0.9 * (plan == 2)], axis=1),
        ),
    )
    hosts = ("https://search.example/?q=", "https://social.example/p/", "https://shop.example/", "")
    sheet.label("referrer", came_from, hosts, ("is_bot", "plan"), none=3, role="code|category")
    more = pick(rng, n, few_and_many(3_000)).astype(str).astype(object)
    sheet.longer("referrer", dirt.joined([np.asarray(hosts, object)[came_from], more]))
    sheet.other("user_id", dirt.numbered("u{:06d}", 13 * user % 900_001), "identifier")
    sheet.other("session", dirt.hexadecimal(rng, n), "identifier")
    parts = [rng.integers(1, 255, n).astype(str).astype(object) for _ in range(3)]
    sheet.other(
        "ip", dirt.joined(["10.", parts[0], ".", parts[1], ".", parts[2]]), "identifier|code"
    )
    sheet.other("protocol", np.full(n, "HTTP/2"), "constant")
