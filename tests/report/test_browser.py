"""The page in a real browser: driven with mouse and keyboard, no error, no request.

Skipped where there is no Chromium, or where playwright, which drives it, is not installed: the nox
session `browser` has both.
"""

import re
import shutil
import struct
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import pytest

import bnsieve as bn
from bnsieve.cli.run.files import record_of, write_files
from bnsieve.cli.run.run import RunSettings, learn
from bnsieve.report import comparison_page, picture

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FOUND = next(filter(None, map(shutil.which, BROWSERS)), None)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(FOUND is None, reason=f"no browser found: none of {', '.join(BROWSERS)}"),
]
sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright drives it")


@pytest.fixture(scope="module")
def chromium():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=FOUND, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """A function that opens a page; errors and requests are refused at the end."""
    heard: list[str] = []
    contexts = []

    def open_page(path, **options):
        context = chromium.new_context(**{"viewport": {"width": 1200, "height": 800}} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("dialog", lambda dialog: heard.append(f"dialog {dialog.message}"))
        own = path.as_uri()
        page.on("request", lambda asked: asked.url.startswith(own) or heard.append(asked.url))
        page.goto(own)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []


def card_of(page, name):
    """The card of a column among the answers."""
    return page.locator("#answers .card").filter(
        has=page.get_by_role("button", name=name, exact=True)
    )


def margin_shown(page, name, label):
    """The share that a card shows."""
    card = page.locator("#answers .card").filter(
        has=page.get_by_role("button", name=name, exact=True)
    )
    text = card.locator(".bars button").filter(has_text=label).locator(".percent").inner_text()
    return float(text.removesuffix("%")) / 100


def test_search_opens_a_column_and_escape_closes_it(opened, asia_page):
    page = opened(asia_page)
    assert page.is_visible("#summary")
    page.fill("#find", "lun")
    assert page.locator("#found li").count() == 1
    page.keyboard.press("Enter")
    assert page.inner_text("#details h2") == "lung"
    assert not page.is_visible("#summary")
    assert page.locator("#details table").count() == 1
    page.keyboard.press("Escape")
    assert page.is_visible("#summary")


def test_an_edge_shows_its_support(opened, asia_page, asia_learner):
    page = opened(asia_page)
    page.locator("#edge-table button").first.click()
    text = page.inner_text("#details")
    assert "of 4 resamples" in text
    assert "Independence tests" in text
    assert re.search(r"Size [+\u2212]0\.\d\d: .* goes with .* \(rank correlation", text)
    assert page.locator(".edge.chosen").count() == 1


def test_the_slider_hides_the_weakest_edges(opened, asia_page, asia_learner):
    page = opened(asia_page)
    n_edges = asia_learner.graph_.n_edges
    page.focus("#weak")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("svg.picture .edge.hidden").count() == 2
    assert page.inner_text("#shown").startswith(f"The {n_edges - 2} most reliable of {n_edges}")


def test_the_keyboard_alone_reaches_every_column(opened, asia_page):
    page = opened(asia_page)
    page.focus('.node[tabindex="0"]')
    seen = set()
    for key in 3 * ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"]:
        seen.add(page.evaluate("document.activeElement.dataset.node"))
        page.keyboard.press(key)
    assert len(seen) > 3
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "details"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.classList.contains('node')")


def test_evidence_moves_the_margins(opened, asia_page, asia_learner):
    page = opened(asia_page)
    network = asia_learner.network_
    before = network.query("lung").to_series()["yes"]
    assert margin_shown(page, "lung", "yes") == pytest.approx(before, abs=0.006)
    card_of(page, "xray").locator(".bars button").filter(has_text="yes").click()
    after = network.query("lung", {"xray": "yes"}).to_series()["yes"]
    assert margin_shown(page, "lung", "yes") == pytest.approx(after, abs=0.006)
    assert "observed xray = yes" in page.inner_text("#given").replace("\n", " ")
    page.click("#forget")
    assert margin_shown(page, "lung", "yes") == pytest.approx(before, abs=0.006)


def test_setting_is_told_apart_from_observing(opened, asia_page, asia_learner):
    page = opened(asia_page)
    network = asia_learner.network_
    page.check('input[name="mode"][value="set"]')
    card_of(page, "xray").locator(".bars button").filter(has_text="yes").click()
    expected = network.do({"xray": "yes"}).query("lung").to_series()["yes"]
    assert margin_shown(page, "lung", "yes") == pytest.approx(expected, abs=0.006)
    assert "set xray = yes" in page.inner_text("#given").replace("\n", " ")
    assert page.locator(".node.done").count() == 1
    assert page.locator("#answers .card.done").count() == 1
    # The same state, observed, takes its place.
    page.check('input[name="mode"][value="observe"]')
    card_of(page, "xray").locator(".bars button").filter(has_text="yes").click()
    expected = network.query("lung", {"xray": "yes"}).to_series()["yes"]
    assert margin_shown(page, "lung", "yes") == pytest.approx(expected, abs=0.006)
    assert page.locator(".node.done").count() == 0
    assert page.locator(".node.given").count() == 1
    page.click("#forget")
    assert page.inner_text("#given") == "Nothing is observed or set."


def test_directions_that_a_setting_rests_on_are_named(opened, asia_page, asia_learner):
    page = opened(asia_page)
    open_edges = [
        (tail, head)
        for tail, head in asia_learner.dag_.edges
        if (tail, head) not in asia_learner.confirmed_edges_
    ]
    tail, head = open_edges[0]
    page.check('input[name="mode"][value="set"]')
    card_of(page, tail).locator(".bars button").first.click()
    assert f"{tail} → {head}" in page.inner_text("#caution")


def test_a_page_of_a_numeric_target_with_hostile_names_works(opened, tmp_path):
    rng = np.random.default_rng(0)
    names = ["<img src=x onerror=alert(1)>", "</script><b>", "=1+1", "plain"]
    frame = pd.DataFrame({name: rng.normal(0, 1, 800) for name in names[:2]})
    frame[names[2]] = np.where(frame[names[0]] + rng.normal(0, 1, 800) > 0, "</td><b>1", "-2")
    frame[names[3]] = 1e6 * (frame[names[0]] - frame[names[1]]) + rng.normal(0, 1e5, 800)
    frame.to_csv(tmp_path / "data.csv", index=False)
    outcome = learn(RunSettings(tmp_path / "data.csv", target="plain"))
    write_files(outcome, record_of(outcome), tmp_path / "run")
    page = opened(tmp_path / "run" / "report.html", viewport={"width": 390, "height": 844})
    assert page.locator("#target tbody tr").count() == len(outcome.drivers)
    for number in range(page.locator("#sliders input").count()):
        page.locator("#sliders input").nth(number).focus()
        page.keyboard.press("ArrowRight")
    assert page.locator("main b, main img, main script").count() == 0
    _, content = downloaded(page, "[data-csv=drivers]")
    assert not re.search(rb'^"?[=@]', content, re.MULTILINE)
    downloaded(page, "[data-tornado]")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("width", [1400, 390])
def test_sliders_set_drivers_of_the_target(opened, churn_run, width):
    outcome, path = churn_run
    page = opened(path, viewport={"width": width, "height": 844})
    network = outcome.learner.network_
    drivers = outcome.drivers
    assert page.inner_text("#target h2") == "What drives churn = yes"
    assert page.locator("#target tbody tr").count() == len(drivers)
    assert page.locator("#sliders input").count() == len(drivers)
    slider = page.locator(".slider").filter(has_text="plan").locator("input")
    slider.focus()
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "pro"
    done = network.do({"plan": "pro"}).query("churn").to_series()["yes"]
    seen = network.query("churn", {"plan": "pro"}).to_series()["yes"]
    assert abs(done - seen) > 0.1  # the data were made so
    words = page.inner_text("#target-words")
    shown = [float(one) / 100 for one in re.findall(r"([\d.]+)\s%", words)]
    assert shown[1:] == pytest.approx([done, seen], abs=0.006)
    assert margin_shown(page, "churn", "yes") == pytest.approx(done, abs=0.006)
    # Its cause stays as it was; what it causes moves.
    free = network.query("age").to_series()["old"]
    assert margin_shown(page, "age", "old") == pytest.approx(free, abs=0.006)
    page.keyboard.press("Home")
    assert page.inner_text("#given") == "Nothing is observed or set."
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_tornado_is_saved_as_svg(opened, churn_run):
    page = opened(churn_run[1])
    _, svg = downloaded(page, "[data-tornado]")
    texts = "".join(ElementTree.fromstring(svg).itertext())
    assert "drivers of churn = yes" in texts
    _, content = downloaded(page, "[data-csv=drivers]")
    first = content.decode().splitlines()[1].split(",")
    assert first[0] == churn_run[0].drivers.all[0].name
    assert float(first[1]) == pytest.approx(churn_run[0].drivers.all[0].difference)


def test_the_methods_paragraph_is_copied(opened, asia_page):
    page = opened(asia_page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("[data-copy]")
    page.wait_for_function("document.getElementById('copied').textContent !== ''")
    assert page.inner_text("#copied") == "Copied."
    text = page.evaluate("document.getElementById('methods-text').textContent")
    assert page.evaluate("navigator.clipboard.readText()") == text


def test_dark_colours_by_the_system_or_by_hand(opened, asia_page):
    page = opened(asia_page, color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == "rgb(20, 25, 31)"
    page.click("#theme")
    assert page.evaluate(background) == "rgb(253, 253, 252)"


def test_paper_has_the_summary_and_no_buttons(opened, asia_page):
    page = opened(asia_page, color_scheme="dark")
    page.locator("#edge-table button").first.click()
    page.emulate_media(media="print")
    assert page.is_visible("#summary")
    for hidden in (".tools", "#details", "#ask", "nav"):
        assert not page.locator(hidden).first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")


def test_a_phone_scrolls_downwards_only(opened, asia_page):
    page = opened(asia_page, viewport={"width": 390, "height": 844}, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_phone_shows_neighbours_that_can_be_read(opened, tmp_path):
    data = bn.load_network("alarm").sample(2_000, random_state=0)
    learner = bn.TsetlinSieve(random_state=0).fit(data)
    learner.report(tmp_path / "alarm.html", title="alarm")
    page = opened(tmp_path / "alarm.html", viewport={"width": 390, "height": 844}, is_mobile=True)
    assert not page.is_visible("svg.picture")
    graph = learner.graph_

    def neighbours():
        return set(page.locator(".near-node").all_inner_texts())

    hub = page.locator(".near-centre bdi").inner_text()
    assert len(graph.adjacent(hub)) == max(len(graph.adjacent(name)) for name in graph.nodes)
    assert neighbours() == set(graph.adjacent(hub))
    sizes = page.evaluate(
        "[...document.querySelectorAll('#near button')].filter(b => b.checkVisibility())"
        ".map(b => parseFloat(getComputedStyle(b).fontSize))"
    )
    assert min(sizes) >= 13
    page.locator(".near-node").first.click()
    moved = page.locator(".near-centre bdi").inner_text()
    assert moved != hub and moved in graph.adjacent(hub)
    assert neighbours() == set(graph.adjacent(moved))
    page.locator("#near summary").click()
    assert page.locator(".chips button").count() == graph.n_nodes
    page.fill("#find", "SAO2")
    page.keyboard.press("Enter")
    assert page.locator(".near-centre bdi").inner_text() == "SAO2"
    page.get_by_role("button", name="details", exact=True).click()
    assert page.inner_text("#details h2") == "SAO2"
    page.click("[data-view=picture]")
    assert page.is_visible("svg.picture") and not page.is_visible("#near")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_wide_page_has_the_picture_first_and_the_neighbours_too(opened, asia_page):
    page = opened(asia_page, viewport={"width": 1400, "height": 900})
    assert page.is_visible("svg.picture") and not page.is_visible("#near")
    page.click("[data-view=list]")
    assert page.is_visible(".near-centre") and not page.is_visible("svg.picture")


def downloaded(page, button):
    """The name and the bytes of the file that a button saves."""
    with page.expect_download() as waiting:
        page.locator(button).first.dispatch_event("click")
    found = waiting.value
    return found.suggested_filename, found.path().read_bytes()


def objects_of_pdf(content):
    """The objects of a PDF file, by the offsets of its table."""
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF", content).group(1))
    places = [int(line[:10]) for line in re.findall(rb"\d{10} 00000 n", content[start:])]
    return [content[place:] for place in places]


@pytest.mark.parametrize("width", [1400, 390])
def test_the_picture_is_saved_as_svg_png_and_pdf(opened, asia_page, asia_learner, width):
    page = opened(asia_page, viewport={"width": width, "height": 844}, color_scheme="dark")
    name, svg = downloaded(page, "[data-picture=svg]")
    assert name == "asia-graph.svg"
    root = ElementTree.fromstring(svg)
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(asia_learner.graph_.nodes) <= set(texts)
    assert "direction confirmed" in texts
    name, png = downloaded(page, "[data-picture=png]")
    assert (name, png[:8]) == ("asia-graph.png", b"\x89PNG\r\n\x1a\n")
    # Three pixels to each unit of the drawing.
    size = tuple(3 * int(root.get(side)) for side in ("width", "height"))
    assert struct.unpack(">II", png[16:24]) == pytest.approx(size, abs=3)
    name, pdf = downloaded(page, "[data-picture=pdf]")
    assert (name, pdf[:5]) == ("asia-graph.pdf", b"%PDF-")
    for number, text in enumerate(objects_of_pdf(pdf), start=1):
        assert text.startswith(b"%d 0 obj\n" % number)
    for node in asia_learner.graph_.nodes:
        assert b"(%s) Tj" % node.encode() in pdf


def test_bars_of_knowledge_are_saved_with_the_picture(opened, churn_run):
    page = opened(churn_run[1])
    _, svg = downloaded(page, "[data-picture=svg]")
    assert b"NaN" not in svg
    texts = [one.text for one in ElementTree.fromstring(svg).iter() if one.tag.endswith("text")]
    assert "direction given by your knowledge" in texts
    _, pdf = downloaded(page, "[data-picture=pdf]")
    assert b"NaN" not in pdf


def test_letters_that_a_pdf_font_lacks_are_saved_as_pixels(opened, hostile_page):
    page = opened(hostile_page)
    _, pdf = downloaded(page, "[data-picture=pdf]")
    assert b"/DCTDecode" in pdf
    assert pdf.count(b"endobj") == 5
    length = int(re.search(rb"/DCTDecode /Length (\d+)", pdf).group(1))
    image = pdf.split(b"/DCTDecode", 1)[1].split(b"stream\n", 1)[1][:length]
    assert image[:3] == b"\xff\xd8\xff" and image[-2:] == b"\xff\xd9"
    _, svg = downloaded(page, "[data-picture=svg]")
    ElementTree.fromstring(svg)


def test_tables_are_saved_as_csv(opened, asia_page, asia_learner, tmp_path):
    page = opened(asia_page)
    name, content = downloaded(page, "[data-csv=edges]")
    assert name == "asia-edges.csv"
    (tmp_path / name).write_bytes(content)
    edges = pd.read_csv(tmp_path / name)
    assert len(edges) == asia_learner.graph_.n_edges
    directed = edges[edges["Edge"] == "directed"]
    assert set(zip(directed["From"], directed["To"], strict=True)) == set(
        asia_learner.graph_.directed_edges
    )
    assert edges["Strength"].between(0, 1).all()
    assert edges["Size"].between(-1, 1).all()
    page.locator(".node").nth(0).dispatch_event("click")
    _, content = downloaded(page, "[data-csv=probabilities]")
    (tmp_path / "table.csv").write_bytes(content)
    shown = pd.read_csv(tmp_path / "table.csv")
    first = asia_learner.network_.graph.nodes[0]
    states = [str(state) for state in asia_learner.network_.states[first]]
    assert shown[states].to_numpy().sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_cell_that_looks_like_a_formula_is_text(opened, hostile_page):
    page = opened(hostile_page)
    _, content = downloaded(page, "[data-csv=columns]")
    assert not re.search(rb'^"?[=+@-]', content, re.MULTILINE)


def test_no_row_of_a_table_is_hidden(opened, tmp_path):
    data = bn.load_network("alarm").sample(2_000, random_state=0)
    learner = bn.TsetlinSieve(random_state=0).fit(data)
    learner.report(tmp_path / "alarm.html", title="alarm")
    page = opened(tmp_path / "alarm.html")
    assert page.locator("#edge-table tbody tr").count() == learner.graph_.n_edges
    network = learner.network_
    large = max(network.graph.nodes, key=lambda name: network.tables[name][..., 0].size)
    assert network.tables[large][..., 0].size > 20
    page.fill("#find", large)
    page.keyboard.press("Enter")
    rows = page.locator("#details table tbody tr")
    assert rows.count() == network.tables[large][..., 0].size
    page.fill('#edges input[type="search"]', "VENTLUNG")
    shown = page.locator("#edge-table tbody tr:visible").all_inner_texts()
    assert 0 < len(shown) < learner.graph_.n_edges
    assert all("VENTLUNG" in text for text in shown)
    assert page.inner_text("#edges .table-tools .soft").startswith(f"{len(shown)} of ")


def test_many_states_are_listed_in_their_order(opened, tmp_path):
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    weeks = [f"w{i}" for i in np.random.default_rng(0).integers(1, 31, 720)]
    frame = pd.DataFrame({"month": 60 * months, "week": weeks})
    frame = frame.sample(frac=1, random_state=0, ignore_index=True)
    frame["cold"] = [("yes" if m in months[:3] else "no") for m in frame["month"]]
    bn.TsetlinSieve(random_state=0, prepare=None).fit(frame).report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert card_of(page, "month").locator(".bars .text").all_inner_texts() == months
    weeks = card_of(page, "week")
    assert weeks.locator(".bars button").count() == 8
    weeks.get_by_role("button", name="All 30 states").click()
    shown = card_of(page, "week").locator(".bars .text").all_inner_texts()
    assert shown == [f"w{i}" for i in range(1, 31)]


def test_hostile_names_are_shown_as_text(opened, hostile_page):
    page = opened(hostile_page)
    n_nodes = page.locator(".node").count()
    for number in range(n_nodes):
        page.locator(f'.node[data-node="{number}"]').dispatch_event("click")
        title = page.evaluate("document.querySelector('#details h2').textContent")
        names = page.evaluate("JSON.parse(document.getElementById('data').textContent).nodes")
        name = names[number]["name"]
        assert title == (name if name.strip() else "(no name)")
    for number in range(len(page.evaluate("[...document.querySelectorAll('#edge-table button')]"))):
        page.locator(f'[data-open-edge="{number}"]').dispatch_event("click")
    page.locator("#answers .bars button").first.click()
    assert page.locator("main b, main img, main script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200


def test_a_graph_too_large_for_a_picture_has_the_rest(opened, asia_learner, tmp_path, monkeypatch):
    monkeypatch.setattr(picture, "MAX_NODES", 5)
    asia_learner.report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert "a graph of 8 nodes is too large to draw" in page.inner_text("#graph")
    page.locator("#edge-table button").first.click()
    assert page.is_visible("#details")


def test_two_graphs_move_together(opened, tmp_path):
    first = bn.Graph(list("abcd"), [("a", "b"), ("b", "c"), ("c", "d")])
    second = bn.Graph(list("abcd"), [("b", "a"), ("b", "c"), ("a", "d")])
    path = tmp_path / "compare.html"
    path.write_text(comparison_page(first, second, "one", "two"), encoding="utf-8")
    page = opened(path)
    page.locator("[data-zoom=in]").first.click()
    views = page.evaluate(
        "[...document.querySelectorAll('svg.picture')].map(s => s.getAttribute('viewBox'))"
    )
    assert views[0] == views[1]
    page.uncheck('[data-kind="lost"]')
    assert page.locator(".edge.lost.hidden").count() == 1
