"""scikit-learn's own checks of its estimator interface; none is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastcaf import CAFHFCM, FuzzyCMeans

# Some checks fit noise, or fewer distinct rows than the default number of clusters, about which
# our own warnings rightly speak up: they must not fail a check.
pytestmark = pytest.mark.filterwarnings("ignore::fastcaf.FastcafWarning")


@pytest.fixture(autouse=True)
def no_check_skips_itself(monkeypatch):
    """The check of array API input runs only where this is set."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@parametrize_with_checks(
    [
        CAFHFCM(),
        CAFHFCM(fusion_weights="mass"),
        CAFHFCM(noise="auto"),
        FuzzyCMeans(),
        FuzzyCMeans(noise="auto"),
    ]
)
def test_estimator_follows_the_conventions_of_scikit_learn(estimator, check):
    check(estimator)
