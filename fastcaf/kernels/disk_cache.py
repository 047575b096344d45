"""Numba's cache of compiled functions, such that no trouble with it reaches a fit.

Whatever goes wrong while a kernel is loaded or kept (damage, a full disk, no right to read or
write), it is compiled instead, and one warning in a process names the folder and the cure.

This is the one file that derives from classes of ``numba.core.caching``.  Where they are no
longer there, ``jit.py`` takes Numba's cache as it is.
"""

import sys
from traceback import walk_tb

from numba.core.caching import FunctionCache, NullCache
from numba.core.serialize import dumps

from fastcaf.kernels.cache_files import (
    CURE,
    NO_FOLDER,
    CheckedFiles,
    DamagedEntry,
    complain,
    folders,
)

__all__ = ["keep_on_disk"]

OURS = {"fastcaf", "llvmlite", "numba", *sys.stdlib_module_names} - {"__main__"}


class KernelCache(FunctionCache):
    """The cache of one kernel."""

    def __init__(self, function):
        super().__init__(function)
        self._cache_file = CheckedFiles(
            self.cache_path,
            self._impl.filename_base,
            self._impl.locator.get_source_stamp(),
            dumps,
        )
        if function.__module__.startswith("fastcaf."):  # others may share a folder
            folders.add(self.cache_path)

    def load_overload(self, sig, target_context):
        """The compiled kernel, or None where it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except DamagedEntry as error:
            self._complain(f"is damaged ({error})")
        except Exception as error:
            if _is_foreign(error):
                raise
            self._complain(f"cannot be read ({_words(error)})")
        return None

    def save_overload(self, sig, data):
        """Keep a kernel, where that is possible."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            if _is_foreign(error):
                raise
            self._complain(f"cannot be written ({_words(error)})")

    def _complain(self, what):
        complain(
            f"The cache of compiled kernels in {self.cache_path} {what}; what it does not give "
            f"is compiled anew. {CURE}; NUMBA_CACHE_DIR names another folder."
        )


class NoCache(NullCache):
    """Where nothing can be kept; said when there is something to compile, not at import."""

    def load_overload(self, sig, target_context):
        """Nothing."""
        complain(NO_FOLDER)


def keep_on_disk(dispatcher):
    """Let what is compiled be loaded from the disk, and kept there."""
    if not isinstance(dispatcher._cache, NullCache):
        raise AttributeError("Numba does not look for its cache there any more")
    try:
        dispatcher._cache = KernelCache(dispatcher.py_func)
    except RuntimeError:  # Numba found no folder that can be written
        dispatcher._cache = NoCache()


def _is_foreign(error):
    """Whether it comes from the user's code, that is from a signal handler."""
    modules = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__))
    return not {name.split(".")[0] for name in modules} <= OURS


def _words(error):
    return f"{type(error).__name__}: {error}"
