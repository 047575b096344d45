"""scikit-learn's callbacks, which hear of every level; they need scikit-learn 1.9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # pragma: no cover - releases before 1.9 have no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "LevelTasks", "calls_back"]

Method = TypeVar("Method", bound=Callable[..., Any])


class StoppedByCallback(KeyboardInterrupt):
    """A callback asked to stop: the fit ends as with Ctrl-C, and keeps the levels reached."""


def calls_back(fit: Method) -> Method:
    """Let the callbacks of an estimator be taken down after its fit, however it ends."""
    managed: Method = with_callbacks(fit)
    return managed


class LevelTasks:
    """The tasks of one fit, as callbacks see them: the fit, and in it the levels of all paths.

    Parameters
    ----------
    estimator : CAFHFCM
    X : object
        The user's rows.
    y : object
        Ignored by fits; scikit-learn's ``ScoringMonitor`` scores only where there is one.
    sample_weight : object
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator = estimator
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._arguments = {"X": X, "y": y, "metadata": metadata}
        self._context: Any = None
        if hasattr(estimator, "_init_callback_context"):
            self._context = estimator._init_callback_context(max_subtasks=None)
            self._context.call_on_fit_task_begin(estimator=estimator, **self._arguments)

    def reached(self, membership: str, as_fitted: Callable[[], dict[str, Any]]) -> None:
        """Tell of a level; one task that begins and ends now.

        ``as_fitted`` returns what an estimator needs to predict with that level.
        """
        if self._context is None or not getattr(self._estimator, "_skl_callbacks", None):
            return
        task = self._context.subcontext(task_name=f"{membership} level")
        arguments = {
            "estimator": self._estimator,
            "reconstruction_attributes": as_fitted,
            **self._arguments,
        }
        task.call_on_fit_task_begin(**arguments)
        if task.call_on_fit_task_end(**arguments):
            raise StoppedByCallback

    def finish(self) -> None:
        """Tell that the fit is done."""
        if self._context is not None:
            self._context.call_on_fit_task_end(
                estimator=self._estimator, reconstruction_attributes=dict, **self._arguments
            )
