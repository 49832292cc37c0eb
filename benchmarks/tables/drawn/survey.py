"""A customer survey: whole questions as headers, answers in words, boxes ticked or left blank."""

import numpy as np

from benchmarks.tables import dirt
from benchmarks.tables.mechanisms import at, choose, pick, step, yes
from benchmarks.tables.sheet import Sheet

Q_AGE = "Q1. Which of these age groups do you belong to?"
Q_REGION = "Q2. In which region do you live?"
Q_CHANNEL = "Q3. How do you usually get in touch with us (website, app, telephone or branch)?"
Q_WAIT = (
    "Q4. Thinking of the last time: about how many minutes did you wait until somebody helped you?"
)
Q_STAFF = 'Q5a. How much do you agree: "The person who helped me was friendly, and knew their job"?'
Q_SOLVED = "Q5b. Was your question answered completely, in part, or not at all?"
Q_PRICE = "Q6. How do you find our prices compared with those of others, all things considered?"
Q_SATISFIED = (
    "Q7. Overall, how satisfied or dissatisfied are you with us; please think of the last 12 months"
)
Q_NPS = "Q8. On a scale from 0 to 10: how likely are you to recommend us to a friend or colleague?"
Q_STAY = "Q9. Do you intend to be our customer in a year's time?"
Q_NEWS = "Q10. Please tick all that apply: [I read the newsletter]"
Q_APP = "Q10. Please tick all that apply: [I use the app]"
Q_FORUM = "Q10. Please tick all that apply: [I take part in the forum]"
Q_INCOME = "Q11. What is your household's monthly income before tax? (You need not answer.)"
Q_WORDS = "Q12. What could we do better? Please tell us in your own words."

AGREE = ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree")
SATISFIED = (
    "Very dissatisfied",
    "Dissatisfied",
    "Neither satisfied nor dissatisfied",
    "Satisfied",
    "Very satisfied",
)


def draw(sheet: Sheet) -> None:
    """Draw the rows."""
    rng, n = sheet.rng, sheet.n
    age = pick(rng, n, (12, 22, 26, 24, 16))
    ages = ("18 to 24", "25 to 39", "40 to 54", "55 to 69", "70 or older")
    sheet.label(Q_AGE, age, ages, blank=0.01)
    region = pick(rng, n, (30, 25, 25, 20))
    sheet.label(Q_REGION, region, ("North", "South", "East", "West"), blank=0.01, typos=0.002)
    income = step(rng, 0.9 * np.minimum(age, 3) + at((0.8, 0.2, -0.5, 0), region), (0.8, 2.2, 3.6))
    incomes = ("Under 2,000", "2,000 to 3,499", "3,500 to 4,999", "5,000 or more")
    refuses = yes(rng, -1.5 + 0.4 * (income == 3))
    sheet.label(Q_INCOME, income, incomes, (Q_AGE, Q_REGION), blank=refuses)
    young = np.stack(
        [0.4 - 0.1 * age, 1.8 - 0.8 * age, -0.6 + 0.35 * age, -1.2 + 0.55 * age], axis=1
    )
    channel = choose(rng, young)
    sheet.label(Q_CHANNEL, channel, ("Website", "App", "Telephone", "Branch"), (Q_AGE,), blank=0.02)
    wait = np.minimum(90, np.ceil(rng.gamma(1.5, 1, n) * at((1.5, 1.2, 9, 6), channel)))
    sheet.number(
        Q_WAIT,
        wait,
        (2, 5, 10, 20),
        (Q_CHANNEL,),
        blank=0.06,
        odd={"don't know": 0.004, "1 hour": 0.0005},
    )
    staff = step(rng, 1.3 + 0.9 * (channel == 3) - 0.07 * wait, (-2.5, -1, 0.4, 2.2))
    sheet.label(Q_STAFF, staff, AGREE, (Q_CHANNEL, Q_WAIT), blank=0.03)
    solved = step(rng, 0.9 * (staff - 2), (-1.4, 0.6))
    sheet.label(Q_SOLVED, solved, ("Not at all", "In part", "Completely"), (Q_STAFF,), blank=0.03)
    price = step(rng, -0.8 * income + 0.5, (-1.6, 0.4))
    labels = ("Higher than elsewhere", "About the same", "Lower than elsewhere")
    sheet.label(Q_PRICE, 2 - price, labels, (Q_INCOME,), blank=0.05)
    content = step(
        rng, 1.2 * (solved - 1) + 0.7 * (staff - 2) + 0.9 * (1 - price), (-2.8, -1.2, 0.2, 2.2)
    )
    sheet.label(Q_SATISFIED, content, SATISFIED, (Q_SOLVED, Q_STAFF, Q_PRICE), blank=0.02)
    nps = np.clip(np.round(1.9 * content + 0.6 + rng.normal(0, 1.6, n)), 0, 10)
    sheet.number(Q_NPS, nps, (7, 9), (Q_SATISFIED,), blank=0.03, role="quantity|category")
    stay = step(rng, 0.9 * (content - 2) + at((-0.6, -0.2, 0, 0.4, 0.8), age), (-1.6, 0.2))
    sheet.label(Q_STAY, stay, ("No", "Not sure", "Yes"), (Q_SATISFIED, Q_AGE), blank=0.02)
    # A box that is not ticked is a blank cell.
    app = yes(rng, -0.8 + 2.6 * (channel == 1) - 0.5 * (age - 2))
    sheet.flag(Q_APP, app, (Q_CHANNEL, Q_AGE), labels=("", "Yes"), none=0)
    news = yes(rng, -1.0 + 0.5 * (content - 2))
    sheet.flag(Q_NEWS, news, (Q_SATISFIED,), labels=("", "Yes"), none=0)
    forum = yes(rng, -2.6 + 1.6 * news + 1.1 * app)
    sheet.flag(Q_FORUM, forum, (Q_NEWS, Q_APP), labels=("", "Yes"), none=0)
    sheet.other("Respondent", sheet.start + 100_001 + np.arange(n), "identifier")
    # Days up to the twelfth only make day and month hard to tell apart; here all days occur.
    sent = dirt.days(rng, n, "2024-02-01", "2024-05-31") + rng.integers(8 * 3600, 22 * 3600, n)
    sheet.moment("Submitted", sent, np.zeros(n), form="%d/%m/%Y %H:%M")
    sheet.other("Language", np.full(n, "English"), "constant")
    sheet.other(Q_WORDS, dirt.sentences(rng, n, 0.6, 9), "text")
