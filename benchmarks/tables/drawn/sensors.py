"""Weather and air at twelve stations, a line a minute: hours, seasons, faults."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import at, yes
from benchmarks.tables.sheet import Sheet

N_STATIONS = 12
FIRMWARE = ("2.1.0", "2.1.3", "3.0.1")
# Every quarter of an hour one line per station: 200,000 rows are half a year.
STEP = 900


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    row = sheet.start + np.arange(n)
    station = sheet.cause("station", row % N_STATIONS)
    # Many rows are many years; the lines of a year come in an order that mixes the seasons.
    quarter = (row // N_STATIONS * 7_919) % 350_400
    when = int(np.datetime64("2015-01-01", "s").astype(np.int64)) + quarter * STEP
    parts = zip(("month", "weekday", "hour"), dirt.calendar(when), strict=True)
    month, weekday, hour = (sheet.cause(f"timestamp_{name}", part) for name, part in parts)
    sheet.moment("timestamp", when, np.searchsorted((6, 10, 16, 20), hour, side="right"))
    names = [f"ST-{number:02d}" for number in range(N_STATIONS)]
    sheet.label("station", station, names, role="category|code")
    height = sheet.cause("site", station % 4)
    sheet.label("site", height, ("river", "town", "hill", "motorway"), ("station",))
    firmware = np.where(station < 5, 0, np.where(station < 9, 1, 2))
    firmware = sheet.cause("firmware", firmware)
    sheet.label("firmware", firmware, FIRMWARE, ("station",), role="category|code")
    season = -9 * np.cos(2 * np.pi * (month - 0.5) / 12)
    daily = -4 * np.cos(2 * np.pi * (hour - 3) / 24)
    warmth = 10 + season + daily + at((0.5, 1.5, -3.5, 1.0), height) + rng.normal(0, 2.5, n)
    warmth = sheet.cause("temperature_c", warmth)
    odd = {"ERR": 0.0006, "-999": 0.0012}
    sheet.number(
        "temperature_c",
        warmth,
        (0, 8, 15, 22),
        ("timestamp", "site"),
        decimals=1,
        odd=odd,
        blank=0.01,
    )
    humidity = np.clip(84 - 1.5 * (warmth - 5) + rng.normal(0, 7, n), 12, 100)
    humidity = sheet.cause("humidity_pct", humidity)
    sheet.number(
        "humidity_pct",
        humidity,
        (45, 60, 75, 90),
        ("temperature_c",),
        odd={"ERR": 0.0006},
        blank=0.01,
    )
    pressure = sheet.cause("pressure_hpa", 1013 + rng.normal(0, 8, n))
    sheet.number("pressure_hpa", pressure, (1005, 1013, 1021), decimals=1, blank=0.005)
    rain = np.where(
        yes(rng, -2.4 + 0.09 * (humidity - 65) - 0.17 * (pressure - 1013)),
        rng.gamma(0.9, 1.4, n),
        0,
    )
    rain = sheet.cause("rain_mm", rain)
    sheet.number(
        "rain_mm", rain, (0.05, 1, 3), ("humidity_pct", "pressure_hpa"), decimals=1, blank=0.01
    )
    wind = (
        rng.gamma(2.2, 1.3, n) * np.exp(-0.035 * (pressure - 1013)) * at((1, 0.7, 1.6, 1.1), height)
    )
    wind = sheet.cause("wind_ms", wind)
    sheet.number("wind_ms", wind, (1.5, 3, 5), ("pressure_hpa", "site"), decimals=1, blank=0.01)
    rush = np.isin(hour, (7, 8, 9, 16, 17, 18)) * (weekday < 5)
    traffic = rng.gamma(6, 1 / 6, n) * (6 + 22 * rush) * at((0.3, 1.2, 0.1, 2.5), height)
    traffic = sheet.cause("vehicles", traffic)
    sheet.number("vehicles", traffic, (2, 8, 20, 45), ("timestamp", "site"))
    no2 = (6 + 0.9 * traffic) / (0.7 + 0.25 * wind) * rng.gamma(9, 1 / 9, n)
    no2 = sheet.cause("no2_ugm3", no2)
    sheet.number(
        "no2_ugm3", no2, (6, 12, 25), ("vehicles", "wind_ms"), decimals=1, below=1.0, blank=0.03
    )
    pm10 = (
        (12 + 0.35 * traffic + 3 * (warmth < 3))
        * np.exp(-0.12 * np.minimum(rain, 4) - 0.04 * wind)
        * rng.gamma(9, 1 / 9, n)
    )
    pm10 = sheet.cause("pm10_ugm3", pm10)
    sheet.number(
        "pm10_ugm3",
        pm10,
        (8, 14, 22),
        ("vehicles", "temperature_c", "rain_mm", "wind_ms"),
        decimals=1,
        blank=0.03,
    )
    battery = 3.9 + 0.012 * (warmth - 10) + at((-0.12, 0.0, 0.1), firmware) + rng.normal(0, 0.08, n)
    battery = sheet.cause("battery_v", battery)
    sheet.number("battery_v", battery, (3.7, 3.85, 4.0), ("temperature_c", "firmware"), decimals=2)
    fault = yes(rng, -5.0 - 9 * (battery - 3.85))
    fault = sheet.cause("status", fault)
    sheet.flag("status", fault, ("battery_v",), labels=("OK", "LOW POWER"))
    sheet.other("checksum", dirt.hexadecimal(rng, n, 8), "identifier")
    sheet.other("network", np.full(n, "AIRNET-1"), "constant")
    sheet.other("remarks", np.full(n, None, dtype=object), "empty")
