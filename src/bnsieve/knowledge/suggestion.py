"""Knowledge to suggest for columns that look like age, sex or dates.

In: the names of columns and their categories. Out: `Knowledge` to offer, never to assume: columns
that look like age, sex, a birth or a date have no causes among the others. Names are read in
English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and the Scandinavian languages.
"""

import re
import unicodedata
from collections.abc import Hashable, Mapping, Sequence

from bnsieve.knowledge.knowledge import Knowledge

_AGE = "age ages alter edad eta idade leeftijd wiek alder aldersgruppe altersgruppe"
_SEX = "sex gender geschlecht sexe sexo sesso genre genero geslacht plec kon kjonn"
_BIRTH = (
    "birth born dob yob birthdate birthday birthyear geburt geburtsdatum geburtsjahr naissance "
    "nacimiento nascita nascimento geboorte geboortedatum urodzenia fodt fodd fodselsdato"
)
_DATE = (
    "date datum fecha dato datetime timestamp year jahr annee ano anno jaar rok ar month monat "
    "mois mes mese maand miesiac manad weekday wochentag season quarter"
)
# A date that ends something has causes; time that passed is no date.
_LATER = (
    "end ended discharge discharged death died dead exit close closed closing release released "
    "last due return returned delivered delivery shipped paid payment churn cancel cancelled left "
    "finish finished entlassung ende tod sortie fin deces alta muerte since until elapsed days "
    "duration diagnosis event outcome first update updated"
)
_SEXES = (
    "m f w d x male female man woman men women boy girl mann frau maennlich weiblich mannlich "
    "homme femme masculin feminin hombre mujer masculino femenino feminino maschio femmina vrouw "
    "kvinne kvinna divers diverse other unknown"
)
_WORDS = {
    "first": frozenset(f"{_AGE} {_SEX} {_BIRTH}".split()),
    "sex": frozenset(_SEX.split()),
    "date": frozenset(_DATE.split()),
    "later": frozenset(_LATER.split()),
    "sexes": frozenset(_SEXES.split()),
}
_MAX_SEXES = 5
# In a longer name, such as a question, a word such as "year" is rarely what the column is.
_MAX_DATE_WORDS = 4


def suggested_first(states: Mapping[str, Sequence[Hashable]]) -> tuple[str, ...]:
    """Return the columns that look like age, sex, birth or a date, in their order.

    Parameters
    ----------
    states : mapping of str to sequence of categories
        Columns and what they hold.
    """
    return tuple(name for name, categories in states.items() if _comes_first(name, categories))


def suggested_knowledge(states: Mapping[str, Sequence[Hashable]]) -> Knowledge | None:
    """Return knowledge to offer: no edge from another column into age, sex, birth or a date.

    None if no column looks like one of these, or all do.
    """
    first = suggested_first(states)
    others = [name for name in states if name not in set(first)]
    return Knowledge(tiers=[first, others]) if first and others else None


def _comes_first(name: str, categories: Sequence[Hashable]) -> bool:
    in_order = _words_of(name)
    words = set(in_order)
    if words & _WORDS["later"]:
        return False
    said = {word for category in categories for word in _words_of(str(category))}
    if said and len(categories) <= _MAX_SEXES and said <= _WORDS["sexes"] and _two_sexes(said):
        return True
    if words & _WORDS["sex"]:
        return len(categories) <= _MAX_SEXES
    is_date = len(in_order) <= _MAX_DATE_WORDS and bool(words & _WORDS["date"])
    return is_date or bool(words & _WORDS["first"])


def _two_sexes(said: set[str]) -> bool:
    """Tell whether the categories name women and men, and not just unknown or other."""
    initials = {word[0] for word in said - {"other", "unknown", "divers", "diverse", "d", "x"}}
    return len(initials) > 1


def _words_of(text: str) -> list[str]:
    """Split a name into words without accents: "AgeAtVisit", "age_at_visit", "Alter (Jahre)"."""
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("ł", "l"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain)
    return re.findall(r"[a-z]+", plain.lower())
