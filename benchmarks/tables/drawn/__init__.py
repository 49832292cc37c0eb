"""The tables, one module each: `draw(sheet)` fills a sheet, parents before children."""
