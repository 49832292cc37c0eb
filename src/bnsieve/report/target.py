"""The target panel of the page: drivers in a table, a tornado plot, and sliders to set them.

In: the `Drivers` of a `Subject`. Out: lines for the template, and what the sliders need.
"""

import math
from dataclasses import dataclass
from typing import Any

from bnsieve.explain import Driver, Drivers
from bnsieve.report.subject import Subject
from bnsieve.report.writing import MINUS, named, share
from bnsieve.text import listed


@dataclass(frozen=True)
class DriverLine:
    """One line of the table of drivers, in words."""

    driver: Driver
    difference: str
    compared: str
    share: str
    how: str
    direction: str
    notes: tuple[str, ...]


def driver_lines(drivers: Drivers | None) -> list[DriverLine]:
    """Return a line for every driver."""
    return [] if drivers is None else [_line(driver, drivers) for driver in drivers]


def _line(driver: Driver, drivers: Drivers) -> DriverLine:
    contrast, compared = driver.contrast, ""
    if contrast is not None:
        compared = f"{named(contrast.treated, 24)} against {named(contrast.control, 24)}"
        if drivers.state is None and contrast.state is not None:
            compared += f", of {named(drivers.target)} = {named(contrast.state, 24)}"
    adjusted = "not adjusted" if driver.adjustment is None else ""
    if driver.adjustment:
        adjusted = f"adjusted for {listed(list(map(named, driver.adjustment)))}"
    return DriverLine(
        driver,
        _difference(driver, drivers),
        f"{compared}; {adjusted}" if compared and adjusted else compared,
        share(driver.share),
        driver.how,
        driver.direction or "",
        drivers.remarks(driver),
    )


def _difference(driver: Driver, drivers: Drivers) -> str:
    if math.isnan(driver.difference):
        return "unknown"
    text = _figure(driver.difference, drivers)
    if math.isnan(driver.low) or math.isnan(driver.high):
        return text
    return f"{text} [{_figure(driver.low, drivers)}, {_figure(driver.high, drivers)}]"


def _figure(value: float, drivers: Drivers) -> str:
    """Return a difference: of a mean in its unit, else in percentage points."""
    text = f"{value:+.3g}" if drivers.is_numeric else f"{100 * value:+.1f}"
    return text.replace("-", MINUS)


def target_data(subject: Subject, answers: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the sliders need: the numbers of the target and of its drivers; None without."""
    drivers = subject.drivers
    if drivers is None or "cliques" not in answers:
        return None
    names = [node["name"] for node in answers["nodes"]] if "nodes" in answers else []
    place = {name: i for i, name in enumerate(names or subject.network.graph.nodes)}
    return {
        "node": place[drivers.target],
        "label": None if drivers.state is None else str(drivers.state),
        "drivers": [place[driver.name] for driver in drivers if driver.name in place],
    }
