"""What is killed, and how one sees that it did no damage."""

import json
import shutil

import numpy as np
from sklearn.datasets import make_blobs

import fastcaf
from fastcaf.cli.commands import main
from fastcaf.kernels import cache_files

ROWS = make_blobs(150, centers=4, n_features=3, cluster_std=0.4, random_state=0)[0]


def left_behind(folder):
    """Hidden files and folders, which is how everything in the making is called."""
    return [str(one) for one in folder.rglob(".*")]


class Cluster:
    """``fastcaf cluster``, with results of an earlier run in the folder or none."""

    name = "cluster"

    def __init__(self, folder):
        self.folder = folder
        self.table = folder / "rows.csv"
        names = [f"secret-{i:03d}" for i in range(len(ROWS))]
        lines = [
            ",".join([n, *map(repr, row)]) for n, row in zip(names, ROWS.tolist(), strict=True)
        ]
        self.table.write_text("\n".join(["id,a,b,c", *lines]) + "\n")

    def run(self):
        out = ["--out", str(self.folder / "out"), "--html", str(self.folder / "page.html")]
        return main(["cluster", str(self.table), "--id", "id", *out])

    def forget(self):
        """Every other time there is no earlier result."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "page.html").unlink(missing_ok=True)

    def damage(self):
        out, page = self.folder / "out", self.folder / "page.html"
        if page.exists() and not page.read_text().rstrip().endswith("</html>"):
            yield "page.html is cut"
        for one in out.rglob("*") if out.exists() else ():
            if any(part.startswith(".") for part in one.relative_to(out).parts):
                continue  # in the making
            if one.suffix == ".json":
                json.loads(one.read_text())
            elif one.suffix == ".fcaf":
                fastcaf.load(one)
            elif one.name in ("labels.csv", "memberships.csv"):
                if len(one.read_text().splitlines()) != len(ROWS) + 1:
                    yield f"{one.name} is cut"


class Save:
    """``model.save`` over and over: two models in turn, over the same file."""

    name = "save"

    def __init__(self, folder):
        self.folder, self.file = folder, folder / "model.fcaf"
        self.models = [fastcaf.FuzzyCMeans(k, random_state=0).fit(ROWS) for k in (2, 4)]

    def run(self):
        for i in range(20):
            self.models[i % 2].save(self.file)

    def forget(self):
        self.file.unlink(missing_ok=True)

    def damage(self):
        if self.file.exists():
            model = fastcaf.load(self.file)
            if not np.array_equal(
                model.predict(ROWS), self.models[model.n_clusters // 4].labels_
            ):
                yield "the model that was loaded is another"


class Explore:
    """``model.explore`` over and over, over the same page."""

    name = "explore"

    def __init__(self, folder):
        self.folder, self.file = folder, folder / "page.html"
        self.model = fastcaf.CAFHFCM(random_state=0, membership="fcm").fit(ROWS)

    def run(self):
        for _ in range(5):
            self.model.explore(self.file)

    def forget(self):
        self.file.unlink(missing_ok=True)

    def damage(self):
        if self.file.exists() and not self.file.read_text().rstrip().endswith("</html>"):
            yield "the page is cut"


class WarmUp:
    """``fastcaf warm-up`` in a cache that lacks a few kernels, other ones every time."""

    name = "warm-up"
    missing = 12
    needed = "nearest_serial"  # a small kernel that every fit calls; others are parts of these

    def __init__(self, folder):
        self.folder, self.rng = folder, np.random.default_rng(0)

    def run(self):
        return main(["warm-up"])

    def forget(self):
        entries = sorted(self.folder.rglob(f"*{cache_files.SUFFIX}"))
        small = [one for one in entries if one.stat().st_size < 60_000]
        chosen = [small[i] for i in self.rng.permutation(len(small))[: self.missing]]
        for one in {*chosen, *(one for one in entries if self.needed in one.name)}:
            one.unlink()

    def damage(self):
        for file in cache_files.damaged_files():
            yield f"{file} is damaged"


def left_in_cache(folder):
    """Files in the making of the cache."""
    return [str(one) for one in folder.rglob("*.tmp*")]
