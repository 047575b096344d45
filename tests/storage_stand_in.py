"""``model.save`` and ``fastcaf.load`` for the tests, where the library has none yet."""

import pickle

import fastcaf


def _save(model, path):
    with open(path, "wb") as file:
        pickle.dump(model, file)


def _load(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def install():
    if not hasattr(fastcaf.CAFHFCM, "save"):
        fastcaf.CAFHFCM.save = _save
    if not hasattr(fastcaf, "load"):
        fastcaf.load = _load
