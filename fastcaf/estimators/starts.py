"""Starting centroids of a path, as an estimator's parameters ask for them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastcaf._typing import FloatArray
from fastcaf.data.training_data import TrainingData
from fastcaf.exceptions import DegenerateDataWarning
from fastcaf.fusion.start import drawn_starts, given_start

__all__ = ["Starts"]


@dataclass(frozen=True)
class Starts:
    """Where paths begin.

    Parameters
    ----------
    init, n_start
        As in ``CAFHFCM``; "auto" is "bisection" where the rule is "likelihood".
    generator : RandomState
    by_likelihood : bool
        Whether the rule is "likelihood".  Then it starts from every distinct row where there
        are few.
    """

    init: Any
    n_start: float | int
    generator: np.random.RandomState
    by_likelihood: bool

    def first(self, training: TrainingData) -> FloatArray:
        """Starting centroids, in internal coordinates."""
        if not isinstance(self.init, str):
            return given_start("init", self.init, training.coordinates)
        return self._drawn(training)

    def on_other_features(
        self, view: TrainingData, scales: FloatArray, *, start: FloatArray
    ) -> FloatArray:
        """Starting centroids for the same rows with features divided by ``scales``."""
        if not isinstance(self.init, str):
            return start / scales
        with warnings.catch_warnings():  # what is degenerate was said once
            warnings.simplefilter("ignore", DegenerateDataWarning)
            return self._drawn(view)

    def _drawn(self, training: TrainingData) -> FloatArray:
        init = self.init
        if init == "auto":
            init = "bisection" if self.by_likelihood else "k-means++"
        (drawn,) = drawn_starts(
            init, training, self.n_start, self.generator, all_if_few=self.by_likelihood
        )
        return drawn
