"""Iris: three species, of which two overlap, and how many clusters that makes.

Run it with ``python examples/iris.py``.  It shows the first things to do with a fit: read the
summary, look at the alternatives, and cut the same fit elsewhere.  With a file name,
``python examples/iris.py iris.png``, it draws an overview as well.
"""

import sys

from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from fastcaf import CAFHFCM

iris = load_iris()
model = CAFHFCM(random_state=0).fit(iris.data)
print(model.summary())

# The default finds two clusters: one species stands apart, the other two touch.  The ranking
# says which number comes next, and why it lost.
second = model.selection_[1]
print(f"\nThe second choice is {second.n_clusters} clusters.\n  {second.reason}")

# No refit is needed to look at it: every number is a level, or a cut, of the same fit.
three = model.cut(n_clusters=3)
print("\nAgreement with the species (adjusted Rand index, 1 is perfect)")
print(f"  {model.n_clusters_} clusters: {adjusted_rand_score(iris.target, model.labels_):.2f}")
print(f"  {three.n_clusters} clusters: {adjusted_rand_score(iris.target, three.labels):.2f}")

# Memberships say which flowers are hard to tell apart: the largest is far below 1.
doubtful = three.memberships.max(axis=1) < 0.6
names = iris.target_names[iris.target[doubtful]]
print(f"\n{doubtful.sum()} flowers belong to no cluster by more than 0.6:")
print(f"  {sorted(set(names.tolist()))}")

if len(sys.argv) > 1:
    from fastcaf import plot  # needs matplotlib

    plot.overview(model, iris.data).savefig(sys.argv[1])
    print(f"\nwritten: {sys.argv[1]}")
