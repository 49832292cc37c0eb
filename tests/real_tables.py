"""The twelve tables of the study, at a width that tests have time for."""

from functools import partial

from benchmarks.tables.catalogue import TABLES, RealTable
from benchmarks.tables.drawn import genetics

SMALLER = TABLES | {
    "genetics": RealTable("genetics", "genotypes at 60 places", partial(genetics.draw, n_places=60))
}
