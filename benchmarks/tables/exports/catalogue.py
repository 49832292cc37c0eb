"""A name in, a messy export out: its file, the cleaned table, and what is true of it."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from benchmarks.tables.exports import first_six, last_six
from benchmarks.tables.exports.sheet import MessySheet


@dataclass(frozen=True)
class MessyTable:
    """One of the twelve exports.

    Attributes
    ----------
    name, about : str
    fill : callable
        Fills a sheet.
    form : {"csv", "tsv", "xlsx"}
    separator, encoding : str
        Of a text file; "mixed" writes every other row in UTF-8, the rest in the Western encoding
        of Windows, as files do that were put together from two.
    titles : tuple of str
        Lines above the names of the columns.
    """

    name: str
    about: str
    fill: Callable[[MessySheet], None]
    form: str = "csv"
    separator: str = ","
    encoding: str = "utf-8"
    titles: tuple[str, ...] = ()

    def sheet(self, n_rows: int, seed: int = 0) -> MessySheet:
        """Draw the table."""
        sheet = MessySheet(np.random.default_rng((seed, crc32(self.name.encode()))), n_rows)
        self.fill(sheet)
        return sheet

    def write(self, sheet: MessySheet, folder: Path) -> Path:
        """Write the export as its program does."""
        path = folder / f"{self.name}.{self.form}"
        if self.form == "xlsx":
            self._write_workbook(sheet, path)
        else:
            self._write_text(sheet, path)
        return path

    def _write_text(self, sheet: MessySheet, path: Path) -> None:
        lines = [list(sheet.shown), *zip(*sheet.shown.values(), strict=True)]
        with path.open("wb") as file:
            for title in self.titles:
                file.write(f"{title}\n".encode())
            for number, cells in enumerate(lines):
                text = io.StringIO()
                csv.writer(text, delimiter=self.separator, lineterminator="\n").writerow(cells)
                encoding = self.encoding
                if encoding == "mixed":
                    encoding = "utf-8" if number % 2 else "cp1252"
                file.write(text.getvalue().encode(encoding))

    def _write_workbook(self, sheet: MessySheet, path: Path) -> None:
        from openpyxl import Workbook

        book = Workbook()
        page: Any = book.active
        for title in self.titles:
            page.append([title] if title else [])
        top = len(self.titles) + 1
        upper: list[str | None] = []
        lower: list[str | None] = []
        for name in sheet.shown:
            above = sheet.groups.get(name)
            upper.append(name if above is None else above)
            lower.append(None if above is None else name.removeprefix(f"{above} "))
        page.append(upper)
        page.append(lower)
        start = 0
        for place in range(1, len(upper) + 1):
            is_end = place == len(upper) or upper[place] != upper[start]
            if is_end and lower[start] is None:
                page.merge_cells(None, top, start + 1, top + 1, start + 1)
            elif is_end and place - start > 1:
                page.merge_cells(None, top, start + 1, top, place)
            start = place if is_end else start
        for cells in zip(*sheet.shown.values(), strict=True):
            page.append([one.item() if isinstance(one, np.generic) else one for one in cells])
        book.save(path)

    def write_cleaned(self, sheet: MessySheet, folder: Path) -> Path:
        """Write the same table as a person cleans it."""
        path = folder / f"{self.name}-cleaned.parquet"
        pd.DataFrame(sheet.cleaned).to_parquet(path)
        return path


MESSY_TABLES = {
    table.name: table
    for table in (
        MessyTable("hospital", "time of day on one date only, units in 8 %", first_six.hospital),
        MessyTable(
            "laboratory",
            "title rows, limits, decimal commas",
            first_six.laboratory,
            separator=";",
            encoding="cp1252",
            titles=("Laborexport", "Stand: 31.12.2024", ""),
        ),
        MessyTable("bank", "currencies, percent, seconds since 1970", first_six.bank),
        MessyTable("survey", "ordered answers, negative codes, spellings", first_six.survey),
        MessyTable(
            "web_shop", "milliseconds, two encodings", first_six.web_shop, "csv", ";", "mixed"
        ),
        MessyTable("machine", "two units in a column, weekdays", first_six.machine),
        MessyTable(
            "school",
            "title rows, percent beside fractions",
            last_six.school,
            titles=("Pupil export 2024", "created by office, do not edit", ""),
        ),
        MessyTable("insurance", "pounds, accents, bands", last_six.insurance),
        MessyTable(
            "clinic_visits",
            "a workbook with merged headers",
            last_six.clinic_visits,
            "xlsx",
            titles=("Clinic visits", "Export of 1 July 2024", ""),
        ),
        MessyTable("census", "a workbook, codes of nines", last_six.census, "xlsx"),
        MessyTable("logistics", "kilometres beside metres", last_six.logistics, separator="|"),
        MessyTable("genomics", "detection limits, genotypes", last_six.genomics, "tsv", "\t"),
    )
}
