"""scikit-learn's own checks of its estimator interface; none is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastcaf import CAFHFCM, ConvexClustering, FuzzyCMeans

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
        CAFHFCM(fusion_weights="neighbours"),
        CAFHFCM(membership="fcm", fuzzifier="auto"),
        CAFHFCM(membership="kernel"),
        FuzzyCMeans(),
        FuzzyCMeans(membership="kernel"),
        ConvexClustering(),
        ConvexClustering(weights="uniform"),
        CAFHFCM(noise="auto"),
        FuzzyCMeans(noise="auto"),
    ]
)
def test_estimator_follows_the_conventions_of_scikit_learn(estimator, check):
    check(estimator)


# The checks allow five iterations: too few where m is far above 2, as for their few features.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([FuzzyCMeans(fuzzifier="auto")])
def test_very_soft_estimator_does_so_too(estimator, check):
    check(estimator)
