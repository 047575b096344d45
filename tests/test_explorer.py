"""The explorer's page, in a real browser: slider, buttons, pictures, table, download."""

import re
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver import ActionChains
from sklearn.datasets import make_blobs

from chromium import Chromium
from fastcaf import CAFHFCM, RowBlocks
from fastcaf.display.explorer.stops import stops_of
from fastcaf.estimators import caf_hfcm

EVIL = "</script><b>x"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    downloads = tmp_path_factory.mktemp("downloads")
    browser = Chromium(tmp_path_factory.mktemp("profile"), downloads)
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium):
    """No test may leave a complaint in the console, or ask the network for anything."""
    chromium.complaints()
    yield chromium
    assert chromium.complaints() == []


@pytest.fixture(scope="module")
def model(blobs):
    """Two paths of gamma, and a level of one of them as the answer."""
    return CAFHFCM(random_state=0, selection="persistence").fit(blobs[0])


@pytest.fixture(scope="module")
def page(model, tmp_path_factory):
    return model.explore(tmp_path_factory.mktemp("page") / "report.html")


def rows_in_table(browser):
    return [int(line[1]) for line in browser.table()]


def test_the_page_opens_at_the_reported_level(browser, page, model):
    browser.open(page)
    assert browser.n_clusters == model.n_clusters_
    assert browser.text("h1").startswith("300 rows, 2 features: 5 clusters")
    assert browser.text("#summary") == model.summary()
    assert rows_in_table(browser) == np.bincount(model.labels_).tolist()
    told = np.array([line[3:] for line in browser.table()], dtype=float)
    np.testing.assert_allclose(told[:, 0], model.cluster_masses_, rtol=1e-3)
    np.testing.assert_allclose(told[:, 1], model.cluster_confidences_, atol=0.006)
    assert browser.all("#doubts p") == []


def test_the_slider_visits_every_level(browser, page, model):
    browser.open(page)
    path = model.path_
    assert browser.last_stop == len(path.levels) - 1
    for stop in range(0, len(path.levels), 7):
        browser.slide(stop)
        assert browser.n_clusters == path.n_clusters[stop]
        assert len(browser.table()) == path.n_clusters[stop]
        cut = model.cut(gamma=path.gammas[stop])
        sizes = np.bincount(cut.labels, minlength=cut.n_clusters).tolist()
        assert rows_in_table(browser) == sizes


def test_arrow_keys_move_the_slider(browser, page, model):
    browser.open(page)
    start = browser.stop
    browser.press("#slider", "ARROW_RIGHT", "ARROW_RIGHT")
    assert browser.stop == start + 2
    browser.press("#slider", "ARROW_LEFT")
    assert browser.stop == start + 1
    browser.press("#slider", "END")
    assert browser.n_clusters == model.path_.n_clusters[-1] == 1
    spoken = browser.one("#slider").get_attribute("aria-valuetext")
    assert spoken.startswith("1 cluster at gamma = ")


def test_buttons_jump_to_candidates_on_either_path(browser, page, model):
    browser.open(page)
    buttons = browser.all("#candidates button")
    assert buttons[0].text == f"{model.n_clusters_} clusters (best)"
    assert {one.membership for one in model.selection_[: len(buttons)]} == {"fcm", "entropy"}
    for button, candidate in zip(buttons, model.selection_, strict=False):
        button.click()
        assert browser.n_clusters == candidate.n_clusters
        (path,) = browser.all("#paths [aria-pressed=true]")
        assert path.text == candidate.membership
        assert browser.stop == candidate.level
        pressed = browser.all("#candidates [aria-pressed=true]")
        assert pressed == [button]


def test_the_switch_shows_the_other_path_at_a_like_level(browser, page, model):
    browser.open(page)
    (other,) = set(model.paths_) - {model.membership_}
    (button,) = (one for one in browser.all("#paths button") if one.text == other)
    button.click()
    path = model.paths_[other]
    assert browser.last_stop == len(path.levels) - 1
    assert browser.n_clusters == path.n_clusters[browser.stop]
    nearest = np.abs(path.n_clusters - model.n_clusters_).min()
    assert abs(browser.n_clusters - model.n_clusters_) == nearest


@pytest.mark.parametrize("picture", ["#staircase", "#tree"])
def test_a_click_in_a_picture_moves_the_slider_there(browser, page, model, picture):
    browser.open(page)
    element = browser.one(picture)
    seen = []
    for share in (-0.4, 0.0, 0.4):
        across = round(share * element.size["width"])
        ActionChains(browser.driver).move_to_element_with_offset(
            element, across, 0
        ).click().perform()
        marker = browser.one(f"{picture} .marker").get_attribute("x1")
        place = element.size["width"] / 2 + across
        assert abs(float(marker) - place) < 15
        assert browser.n_clusters == model.path_.n_clusters[browser.stop]
        seen.append(browser.stop)
    assert seen == sorted(set(seen))


def test_downloaded_labels_are_those_of_the_cut(browser, page, model):
    browser.open(page)
    for stop in (3, len(model.path_.levels) // 2):
        browser.slide(stop)
        header, *lines = browser.download()
        assert header == "row,label"
        rows, labels = np.array([line.split(",") for line in lines], dtype=int).T
        np.testing.assert_array_equal(rows, np.arange(300))
        assert "Rows are numbered from 0" in browser.text("#counted")
        np.testing.assert_array_equal(labels, model.cut(gamma=model.path_.gammas[stop]).labels)


def colours_drawn(browser):
    """Numbers of pixels in the scatter, by colour."""
    return browser.run(
        "const shown = document.getElementById('scatter');"
        "const copy = document.createElement('canvas');"
        "[copy.width, copy.height] = [shown.width, shown.height];"
        "const pen = copy.getContext('2d', {willReadFrequently: true});"
        "pen.drawImage(shown, 0, 0);"
        "const {data} = pen.getImageData(0, 0, copy.width, copy.height);"
        "const found = {}; for (let i = 0; i < data.length; i += 4) {"
        "const key = data.slice(i, i + 4).join(); found[key] = (found[key] || 0) + 1; }"
        "return found"
    )


def swatches(browser):
    given = browser.run(
        "return [...document.querySelectorAll('.swatch')].map(one => one.style.background)"
    )
    return [",".join([*re.findall(r"\d+", one), "255"]) for one in given]


def test_the_scatter_has_the_colours_of_the_table(browser, page):
    browser.open(page)
    first = swatches(browser)
    assert len(set(first)) == 5
    drawn = colours_drawn(browser)
    assert all(drawn.get(colour, 0) > 30 for colour in first)
    browser.slide(browser.last_stop)
    (last,) = swatches(browser)
    assert last in first, "a fused cluster keeps the colour of one of its parts"
    drawn = colours_drawn(browser)
    assert drawn[last] > 1000
    assert all(drawn.get(colour, 0) < 30 for colour in set(first) - {last})


def test_pointing_at_rows_and_playing(browser, page, model):
    browser.open(page)
    x, y = browser.run(
        "const data = JSON.parse(document.getElementById('data').textContent);"
        "const {width, height} = document.getElementById('scatter').getBoundingClientRect();"
        "const {places} = data.paths[0].stops[data.start];"
        "const [x, y] = placer(data, width, height)(places[0][0], places[1][0]);"
        "return [x - width / 2, y - height / 2]"
    )
    canvas = browser.one("#scatter")
    ActionChains(browser.driver).move_to_element_with_offset(canvas, x, y).perform()
    found = re.fullmatch(r"Row (\d+): cluster 0, membership (.*)\.", browser.text("#pointed"))
    assert model.labels_[int(found[1])] == 0
    assert float(found[2]) == pytest.approx(model.memberships_[int(found[1]), 0], abs=0.02)
    browser.slide(browser.last_stop - 2)
    browser.one("#play").click()
    browser.wait(lambda: browser.stop == browser.last_stop)
    browser.wait(lambda: browser.text("#play") == "Play")


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_its_window_in_light_and_dark(browser, page, width, dark):
    browser.open(page, width, dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    paper = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper))) < 300) == dark
    for picture in ("#scatter", "#staircase", "#tree"):
        size = browser.one(picture).rect
        assert size["height"] > 150
        assert size["x"] >= 0
        assert size["x"] + size["width"] <= width


def test_a_wicked_name_does_no_harm(browser, blobs, tmp_path):
    frame = pd.DataFrame(blobs[0], columns=[EVIL, "<img src=x onerror=alert(1)>"])
    model = CAFHFCM(random_state=0, membership="fcm").fit(frame)
    browser.open(model.explore(tmp_path / "wicked.html", frame))
    assert browser.all("b, img") == []
    assert browser.run(
        "return JSON.parse(document.getElementById('data').textContent).axes.names"
    ) == [EVIL, "<img src=x onerror=alert(1)>"]
    assert browser.n_clusters == model.n_clusters_
    assert browser.all("#paths button") == []


def test_a_million_rows_make_a_small_page_that_says_what_it_shows(browser, model, tmp_path):
    million = np.random.default_rng(0).uniform(-10, 10, (1_000_000, 2))
    page = model.explore(tmp_path / "million.html", million)
    assert page.stat().st_size < 3e6
    browser.open(page)
    assert "3,000 of 1,000,000 rows shown" in browser.text("#notes")
    assert "the 3,000 rows shown of 1,000,000" in browser.text("#counted")
    assert sum(rows_in_table(browser)) == 3000
    rows, labels = np.array([one.split(",") for one in browser.download()[1:]], dtype=int).T
    assert len(np.unique(rows)) == 3000
    assert rows.max() > 900_000
    cut = model.cut(gamma=model.path_.gammas[browser.stop])
    np.testing.assert_array_equal(labels, cut.predict(million[rows]))


def test_up_to_20000_rows_all_labels_are_in_the_page(browser, model, tmp_path):
    rows = np.random.default_rng(0).uniform(-10, 10, (8000, 2))
    browser.open(model.explore(tmp_path / "many.html", rows))
    assert "3,000 of 8,000 rows shown" in browser.text("#notes")
    assert sum(rows_in_table(browser)) == 8000
    labels = [int(one.split(",")[1]) for one in browser.download()[1:]]
    cut = model.cut(gamma=model.path_.gammas[browser.stop])
    np.testing.assert_array_equal(labels, cut.predict(rows))


def interrupted(blobs, patch):
    reached = []

    def report(level):
        reached.append(level)
        if len(reached) == 5:
            raise KeyboardInterrupt

    patch.setattr(caf_hfcm, "reporting", lambda verbose, units: nullcontext(report))
    return CAFHFCM(random_state=0).fit(blobs)


UNUSUAL = {
    "one feature": lambda X, patch: CAFHFCM(random_state=0).fit(X[:, :1]),
    "equal rows": lambda X, patch: CAFHFCM(random_state=0).fit(np.ones((20, 3))),
    "one row": lambda X, patch: CAFHFCM(random_state=0).fit(X[:1]),
    "ten features": lambda X, patch: CAFHFCM(random_state=0).fit(
        make_blobs(200, 10, centers=3, random_state=0)[0]
    ),
    "hundred clusters": lambda X, patch: CAFHFCM(100, n_start=120, random_state=0).fit(X),
    "a number that the path skips": lambda X, patch: CAFHFCM(33, random_state=0).fit(X),
    "beyond the path": lambda X, patch: CAFHFCM(
        2, [0.001, 0.002], random_state=0, membership="fcm"
    ).fit(X),
    "one gamma": lambda X, patch: CAFHFCM(gamma=0.0, random_state=0).fit(X),
    "many levels": lambda X, patch: CAFHFCM(gamma=np.arange(0.02, 8, 0.016)).fit(X),
    "interrupted": interrupted,
    "huge values": lambda X, patch: CAFHFCM(random_state=0).fit(X * 1e150),
    "tiny float32": lambda X, patch: CAFHFCM(random_state=0, membership="fcm").fit(
        (X * 1e-6).astype("f4")
    ),
    "weights": lambda X, patch: CAFHFCM(random_state=0).fit(
        X, sample_weight=np.arange(len(X)) % 3
    ),
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_fits_make_pages_that_work(browser, blobs, tmp_path, monkeypatch, case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = UNUSUAL[case](blobs[0], monkeypatch)
    browser.open(model.explore(tmp_path / "page.html"))
    assert browser.n_clusters == model.n_clusters_
    assert (
        rows_in_table(browser)
        == np.bincount(model.labels_, minlength=model.n_clusters_).tolist()
    )
    assert [one.text for one in browser.all("#doubts p")] == model.doubts_
    stops = stops_of(model, model.membership_)
    assert browser.last_stop == len(stops) - 1 < 121
    for stop in (0, len(stops) // 2, len(stops) - 1):
        browser.slide(stop)
        assert browser.n_clusters == stops[stop].level.n_clusters
    if case == "many levels":
        assert f"of the {len(model.path_.levels)} levels" in browser.text("#notes")
    for part in ("#staircase", "#tree", "#clusters"):
        assert "NaN" not in browser.one(part).get_attribute("outerHTML")


def test_rows_that_were_not_kept_can_be_given(browser, tmp_path):
    rows = make_blobs(25_000, centers=4, cluster_std=0.5, random_state=0)[0]
    blocks = RowBlocks([rows[:9_000], rows[9_000:]])
    model = CAFHFCM(random_state=0, membership="fcm", representatives=400).fit(blocks)
    with pytest.raises(ValueError, match=r"not kept.*pass the rows to show as X"):
        model.explore(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []
    browser.open(model.explore(tmp_path / "page.html", blocks))
    assert "Levels are those of the representatives" in browser.text("#notes")
    rows_told, labels = np.array(
        [one.split(",") for one in browser.download()[1:]], dtype=int
    ).T
    np.testing.assert_array_equal(labels, model.predict(rows[rows_told]))
