"""An export of a German office program: semicolons, decimal commas, Latin-1, local dates."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import at, choose, few_and_many, pick, pick_by, step, yes
from benchmarks.tables.sheet import Sheet

LANDS = ("Baden-Württemberg", "Bayern", "Thüringen", "Sachsen", "Köln/Düsseldorf")
GROUPS = ("Möbel", "Büromaterial", "Küche", "Geräte")


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    land = sheet.label("Region", pick(rng, n, (3, 3, 1, 1.5, 2)), LANDS, typos=0.001)
    sheet.label("PLZ", land, LANDS, ("Region",), role="code|category")
    stem = np.asarray(("7", "8", "9", "0", "5"), dtype=object)[land]
    ends = dirt.numbered("{:04d}", 1_000 + pick(rng, n, few_and_many(900, 0.8)))
    sheet.longer("PLZ", dirt.joined([stem, ends]), judged_as="Region")
    kind = sheet.label(
        "Kundengruppe",
        pick_by(rng, [(5, 3, 2), (4, 4, 2), (6, 2, 2), (7, 2, 1), (3, 4, 3)], land),
        ("Privat", "Gewerbe", "Öffentlich"),
        ("Region",),
        blank=0.01,
    )
    day = dirt.days(rng, n, "2023-01-01", "2024-12-31")
    sheet.moment("Auftragsdatum", day, np.zeros(n), form="%d.%m.%Y")
    group = choose(
        rng,
        np.stack([0.4 + 0 * kind, 0.2 + 0.7 * kind, 0.8 - 0.8 * kind, 0.1 + 0.3 * kind], axis=1),
    )
    sheet.label("Artikelgruppe", group, GROUPS, ("Kundengruppe",))
    amount = 1 + rng.poisson(at((0.6, 4.5, 1.0, 0.5), group) * (1 + 0.6 * kind))
    sheet.number(
        "Menge", amount, (2, 4, 8), ("Artikelgruppe", "Kundengruppe"), role="quantity|category"
    )
    price = np.exp(at((5.3, 2.1, 3.7, 4.9), group) + rng.normal(0, 0.45, n))
    sheet.number(
        "Einzelpreis (EUR)",
        price,
        (10, 30, 80, 200),
        ("Artikelgruppe",),
        decimals=2,
        odd={"k.A.": 0.001},
    )
    step_off = step(rng, 0.8 * kind + 0.15 * np.minimum(amount, 12), (1.8, 3.2))
    off = at((0, 2.5, 5.0), step_off)
    sheet.number(
        "Rabatt %", off, (1, 4), ("Kundengruppe", "Menge"), decimals=1, role="quantity|category"
    )
    gross = price * amount * (1 - off / 100) * np.exp(rng.normal(0, 0.03, n))
    sheet.number(
        "Betrag",
        gross,
        (50, 150, 400, 1000),
        ("Einzelpreis (EUR)", "Menge"),
        decimals=2,
        thousands=True,
    )
    way = pick_by(rng, [(5, 3, 2), (1, 2, 7), (0.2, 0.5, 9)], kind)
    sheet.label("Zahlungsart", way, ("Lastschrift", "Karte", "Rechnung"), ("Kundengruppe",))
    late = step(rng, 1.5 * (way == 2) + 0.4 * (np.log(gross) - 5), (1.6, 3.0))
    sheet.label(
        "Mahnstufe", late, ("0", "1", "2"), ("Zahlungsart", "Betrag"), role="category|quantity"
    )
    sent = pick_by(rng, [(1, 2, 7), (7, 3, 0.2), (4, 5, 1), (2, 6, 2)], group)
    sheet.label("Versandart", sent, ("Brief", "Paket", "Spedition"), ("Artikelgruppe",), blank=0.02)
    days = 1 + rng.poisson(at((1, 2, 9), sent))
    sheet.moment(
        "Lieferdatum",
        day + days * dirt.DAY,
        np.searchsorted((3, 5, 9), days),
        ("Versandart",),
        form="%d.%m.%Y",
        blank=0.01,
    )
    bad = yes(rng, -3.4 + 1.4 * (sent == 2) + 0.7 * (group == 3) + 0.09 * days)
    sheet.flag(
        "Reklamation", bad, ("Versandart", "Artikelgruppe", "Lieferdatum"), labels=("nein", "ja")
    )
    sheet.other("Auftragsnr.", dirt.numbered("A-{:08d}", sheet.start + np.arange(n)), "identifier")
    sheet.other("Kunde", dirt.joined([dirt.names(rng, n), " & Söhne"]), "text|identifier")
    sheet.other("Bemerkung", dirt.sentences(rng, n, 0.7, 5), "text")
    sheet.other("Währung", np.full(n, "EUR"), "constant")
    sheet.other("Feld 17", np.full(n, None, dtype=object), "empty")
