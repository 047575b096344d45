"""Reports: the text, the notebook's HTML, and what they say when something is doubtful."""

import json
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr

from fastcaf import CAFHFCM
from fastcaf.display.report import Findings
from fastcaf.display.report.tree import text_tree


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
    best, *others = model.selection_
    second = others[0].n_clusters
    asked = CAFHFCM(second, membership=others[0].membership, random_state=0).fit(blobs[0])
    assert marked(asked) == ([second], [second])
    words = " ".join(asked.summary().split())
    assert f"Reported as asked for: {second} clusters" in words
    assert f"Ranked first: {best.n_clusters} clusters" in words
    assert asked.selection_[0].reason in words
    assert "Reported as asked for" in asked._repr_html_()
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
    assert Findings.of(doubtful).verdict.startswith("Doubtful")
    asked = CAFHFCM(3, random_state=0).fit(blobs[0])
    assert Findings.of(asked).verdict.startswith("The number rests on what was asked for")
    other = CAFHFCM(random_state=0, selection="xie-beni").fit(blobs[0])
    assert other.verdict_ == asked.verdict_  # scores of other rules have another scale
    for one in (model, doubtful, asked):
        assert Findings.of(one).verdict in one.summary()
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
