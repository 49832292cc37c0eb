"""Columns that look like age, sex or a date, by name and by what they hold."""

import pytest

from bnsieve.knowledge import Knowledge, suggested_first, suggested_knowledge

TWO = ("no", "yes")


@pytest.mark.parametrize(
    "name",
    ["age", "AGE", "patient_age", "AgeAtVisit", "Alter (Jahre)", "Âge", "edad", "età", "Geschlecht",
     "gender", "sexe", "płeć", "kjønn", "birth year", "dateOfBirth", "admission_date", "Jahr"],
)  # fmt: skip
def test_comes_first(name):
    assert suggested_first({name: TWO}) == (name,)


@pytest.mark.parametrize(
    "name",
    ["stage", "mileage", "wages", "sexual_health", "discharge_date", "date of death", "days_since",
     "data", "", "1", "年齢"],
)  # fmt: skip
def test_does_not(name):
    assert suggested_first({name: TWO}) == ()


def test_labels_tell():
    assert suggested_first({"V3": ("M", "F")}) == ("V3",)
    assert suggested_first({"V3": ("male", "female", "unknown")}) == ("V3",)
    assert suggested_first({"V3": ("m", "x")}) == ()
    assert suggested_first({"V3": (1, 2)}) == ()
    assert suggested_first({"V3": ()}) == ()
    assert suggested_first({"gender studies course": tuple("abcdefgh")}) == ()


def test_knowledge_is_about_the_others():
    states = {"age": TWO, "ward": TWO, "sex": ("m", "f")}
    assert suggested_knowledge(states) == Knowledge(tiers=[["age", "sex"], ["ward"]])
    assert suggested_knowledge({"age": TWO}) is None
    assert suggested_knowledge({"ward": TWO}) is None
    assert suggested_knowledge({}) is None


def test_a_word_in_a_long_question_does_not_make_it_a_date():
    states = {"Do you intend to be our customer in a year's time?": ("yes", "no"), "year": (1, 2)}
    assert suggested_first(states) == ("year",)
