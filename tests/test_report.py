"""Reports: the text, the notebook's HTML, and what they say when something is doubtful."""

import json
import re
import warnings
from copy import copy
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

from fastcaf import CAFHFCM
from fastcaf.display.report import Findings, html_report
from fastcaf.display.report.tree import text_tree
from fastcaf.display.words import shape_words
from fastcaf.selection.shapes import SHAPES


@pytest.fixture(scope="module")
def model(blobs):
    return CAFHFCM(random_state=0).fit(blobs[0])


@pytest.fixture(scope="module")
def doubtful():
    cloud = np.random.default_rng(0).standard_normal((200, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CAFHFCM(random_state=0).fit(cloud)


class Balanced(HTMLParser):
    """Checks that elements close in the order in which they opened."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def without_numbers(page):
    """Scikit-learn numbers its elements, on from page to page."""
    return re.sub(r"\d+", "", page)


def test_findings_add_up(model):
    found = Findings.of(model)
    assert [one.label for one in found.clusters] == list(range(model.n_clusters_))
    assert sum(one.rows for one in found.clusters) == len(model.labels_)
    assert sum(one.share for one in found.clusters) == pytest.approx(1.0)
    assert sum(one.mass for one in found.clusters) == pytest.approx(len(model.labels_))
    assert found.candidates[0].n_clusters == model.n_clusters_
    assert found.reported == 0
    assert found.reason == found.candidates[0].reason
    assert found.doubts == []
    assert json.loads(json.dumps(found.as_dict()))["clusters"][0]["label"] == 0


def test_findings_are_ready_for_json(doubtful):
    found = Findings.of(doubtful)
    assert not all(np.isfinite(one.cluster_gap) for one in found.candidates)  # of one cluster
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    for one, other in zip(told["candidates"], found.candidates, strict=True):
        assert one["score"] == (other.score if np.isfinite(other.score) else None)
        assert one["cluster_gap"] == (
            other.cluster_gap if np.isfinite(other.cluster_gap) else None
        )


def test_summary_names_clusters_alternatives_and_reason(model):
    text = model.summary()
    assert text.startswith("300 rows, 2 features: 5 clusters")
    for label, size in enumerate(np.bincount(model.labels_)):
        assert re.search(rf"^ +{label} +{size} ", text, re.MULTILINE)
    for candidate in model.selection_[:4]:
        assert f"{candidate.n_clusters:d}  {candidate.score:6.2f}" in text
    assert " ".join(model.selection_[0].reason.split()) in " ".join(text.split())
    assert "Note" not in text
    assert max(map(len, text.splitlines())) <= 96


def marked(model):
    """Numbers that the text and the notebook's HTML mark as chosen."""
    text = re.findall(r"^ +-> +(\d+)", model.summary(), re.MULTILINE)
    page = re.findall(r'<tr class="chosen"><td>(\d+)</td>', model._repr_html_())
    return [int(one) for one in text], [int(one) for one in page]


def test_the_reported_number_is_marked_and_not_the_best_one(model, blobs):
    assert marked(model) == ([5], [5])
    others = model.selection_[1:]
    second = others[0].n_clusters
    asked = CAFHFCM(second, random_state=0).fit(blobs[0])
    assert marked(asked) == ([second], [second])
    words = " ".join(asked.summary().split())
    assert asked.selection_[0].reason in words
    best, then, *_ = CAFHFCM(membership="fcm", random_state=0).fit(blobs[0]).selection_
    third = then.n_clusters
    other = CAFHFCM(third, membership="fcm", random_state=0).fit(blobs[0])
    assert marked(other) == ([third], [third])
    words = " ".join(other.summary().split())
    assert f"Reported as asked for: {third} clusters" in words
    assert f"Ranked first: {best.n_clusters} clusters" in words
    assert "Reported as asked for" in other._repr_html_()
    assert "asked for" not in model.summary()


def test_nothing_is_marked_where_the_reported_number_is_not_shown(blobs):
    asked = CAFHFCM(25, random_state=0).fit(blobs[0])
    assert marked(asked) == ([], [])
    assert "Reported as asked for: 25 clusters" in asked.summary()


def test_summary_of_many_clusters_is_short(blobs):
    model = CAFHFCM(25, random_state=0).fit(blobs[0])
    text, rest = model.summary(), np.bincount(model.labels_, minlength=25)[12:]
    assert f"and 13 more, of {rest.min()} to {rest.max()} row" in text
    assert len(text.splitlines()) < 35


def test_doubts_are_told_in_words(doubtful):
    (doubt, *_) = doubtful.doubts_
    assert "structure" in doubt or "one cluster" in doubt
    assert "Note: " + doubt[:30] in doubtful.summary()
    assert f'<p class="doubt">{doubt[:30]}' in doubtful._repr_html_()


def test_notebooks_show_the_report_above_the_diagram_of_scikit_learn(model):
    page = model._repr_html_()
    other = model._repr_mimebundle_()["text/html"]
    assert without_numbers(page) == without_numbers(other)
    assert "300 rows, 2 features: 5 clusters" in page
    assert without_numbers(page).endswith(without_numbers(estimator_html_repr(model)))
    Balanced().feed(re.search(r'<div class="fastcaf-report">.*?</div>', page, re.DOTALL)[0])


def test_before_the_fit_and_in_pipelines_scikit_learn_speaks():
    model = CAFHFCM()
    assert "fastcaf-report" not in model._repr_html_()
    assert "CAFHFCM" in make_pipeline(StandardScaler(), model)._repr_html_()
    with pytest.raises(NotFittedError):
        model.summary()


def test_the_verdict_is_a_word_that_fits(model, doubtful, blobs):
    assert Findings.of(model).verdict.startswith("Clear: the next best number, ")
    said = "One cluster: several explain the rows hardly better. Found by 5 of 5 starts."
    assert Findings.of(doubtful).verdict == said
    asked = CAFHFCM(3, random_state=0).fit(blobs[0])
    assert Findings.of(asked).verdict.startswith("The number rests on what was asked for")
    other = CAFHFCM(random_state=0, selection="xie-beni").fit(blobs[0])
    assert other.verdict_ == asked.verdict_  # scores of other rules have another scale
    for one in (model, doubtful, asked):
        assert Findings.of(one).verdict in " ".join(one.summary().split())
        assert Findings.of(one).verdict in one._repr_html_()


@pytest.mark.parametrize("leaves", [1, 3, 5, 12, 34])
def test_the_tree_counts_rows_and_names_the_reported_clusters(model, leaves):
    text = text_tree(model, leaves)
    sizes = np.bincount(model.labels_)
    shown = dict(re.findall(r"([\d,]+) rows \([\d.]+%\) \* cluster (\d+)", text))
    if leaves >= model.n_clusters_:
        assert len(re.findall(r"\* cluster", text)) == model.n_clusters_
        for size, label in re.findall(r"([\d,]+) rows \([\d.]+%\) \* cluster (\d+)", text):
            assert int(size) == sizes[int(label)]
    assert shown or leaves < model.n_clusters_
    assert "300 rows (100.0%)" in text


def fitted(X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CAFHFCM(random_state=0, **options).fit(X)


@pytest.fixture(scope="module")
def thin():
    """Two long clusters side by side, found by merging components."""
    rows = np.random.default_rng(0).standard_normal((400, 2)) * [6.0, 0.5]
    rows[200:, 1] += 5.0
    return fitted(rows @ np.array([[0.8, 0.6], [-0.6, 0.8]]))


def table(page):
    """Heading and first line of the first table of a page."""
    heading = re.findall(r"<th>(.*?)</th>", page.split("</thead>")[0])
    return dict(zip(heading, re.findall(r"<td>(.*?)</td>", page), strict=False))


def test_candidates_have_their_likelihood_shape_and_valley(thin):
    best = thin.selection_[0]
    assert "clusters?   score  likelihood  valley  shape (path)" in thin.summary()
    line = f"{best.likelihood:10.1f}  {best.valley:6.2f}  elongated, all alike (full)"
    assert line in thin.summary()
    told = table(thin._repr_html_())
    assert told["likelihood (nats)"] == f"{best.likelihood:,.1f}"
    assert told["valley"] == f"{best.valley:.2f}"
    assert told["shape"] == "elongated, all alike"
    assert told["path"] == "full"
    assert "weakest separation" not in thin.summary() + thin._repr_html_()


def test_other_rules_keep_their_columns(blobs):
    other = fitted(blobs[0], membership="fcm")
    best = other.selection_[0]
    assert "weakest separation  gamma" in other.summary()
    assert f"{best.weakest_separation:18.2f}" in other.summary()
    assert table(other._repr_html_())["weakest separation"] == f"{best.weakest_separation:.2f}"
    assert "likelihood" not in other.summary()
    assert Findings.of(other).shape == ""
    assert "fcm memberships, gamma = " in Findings.of(other).headline


def test_the_shape_is_told_in_words(thin, model, blobs):
    assert Findings.of(thin).shape == "Clusters elongated, all alike."
    assert Findings.of(model).shape == "Clusters round, of equal spread."
    line = fitted(np.concatenate([blobs[0][:, :1], blobs[0][:, :1] + 40.0]))
    assert Findings.of(line).shape in (
        "Clusters of equal spread.",
        "Clusters of unequal spread.",
    )
    for one in (thin, model, line):
        assert f"\n  {Findings.of(one).shape}\n" in one.summary()
        assert f"<p>{Findings.of(one).shape}</p>" in one._repr_html_()
        assert Findings.of(one).as_dict()["shape"] == Findings.of(one).shape


@pytest.mark.parametrize("name", [one.covariance_type for one in SHAPES])
def test_every_shape_has_words(name):
    (shape,) = [one for one in SHAPES if one.covariance_type == name]
    assert shape_words(name, 3, 2) == shape.words
    assert shape_words(name, 1, 2) == ("round" if shape.is_round else "elongated")
    assert shape_words(name, 3, 1) == f"of {'equal' if shape.is_tied else 'unequal'} spread"
    assert shape_words("", 3, 2) == ""


def test_heavy_tails_are_told(thin):
    heavy = copy(thin)
    best, *others = thin.selection_
    heavy.selection_ = [replace(best, heavy_tails=True), *others]
    assert Findings.of(heavy).shape == "Clusters elongated, all alike, with heavy tails."
    assert "elongated, all alike, heavy tails (full)" in heavy.summary()
    assert "heavy tails" not in thin.summary()


def test_paths_of_merges_have_losses_and_no_gamma(thin):
    assert thin.path_.levels[0].by_loss
    assert "gamma" not in thin.summary()
    assert Findings.of(thin).headline == "400 rows, 2 features: 2 clusters (full path)"
    lost = thin.path_.levels[-1].gamma
    assert f"{lost:.4g} nats of likelihood lost by all merges" in thin.summary()
    tree = text_tree(thin, 3)
    assert f"\n{lost:.4g} nats: 400 rows" in tree
    assert "gamma" not in tree


def test_nothing_is_not_a_number(thin, model, doubtful, blobs):
    others = [fitted(blobs[0], selection=one) for one in ("persistence", "xie-beni")]
    one = replace(thin.selection_[0], valley=np.nan)
    unknown = copy(thin)
    unknown.selection_ = [one, *thin.selection_[1:]]
    for each in (thin, model, doubtful, *others, unknown):
        page = re.sub(r"<[^>]*>", " ", html_report(each))
        assert not re.search(r"\bnan\b", each.summary() + page, re.IGNORECASE)
