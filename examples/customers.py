"""Customers: a few groups of very different sizes, in columns with different units.

Run it with ``python examples/customers.py``.  The data are drawn here: 1,500 customers with
visits a month, spending a visit and years since the first purchase.  Units differ, so the
columns are scaled first; groups differ in size by a factor of eight.
"""

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastcaf import CAFHFCM

COLUMNS = ["visits", "spending", "years"]
# name: rows, means and standard deviations of the columns
GROUPS = {
    "occasional": (800, [1.5, 20, 2], [0.4, 5, 0.6]),
    "regular": (400, [8, 35, 6], [0.9, 6, 1.0]),
    "bargain hunters": (200, [12, 10, 3], [1.0, 3, 0.8]),
    "big spenders": (100, [3, 150, 5], [0.7, 15, 1.0]),
}

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(mean, spread, (n, 3)) for n, mean, spread in GROUPS.values()])
names = np.repeat(list(GROUPS), [n for n, _, _ in GROUPS.values()])

# Without scaling, the spending (in money) would drown the visits and the years.
pipeline = make_pipeline(StandardScaler(), CAFHFCM(random_state=0)).fit(X)
scaler, model = pipeline[0], pipeline[-1]
print(f"{model.n_clusters_} groups of customers, the largest first:\n")

# cluster_means_ are means of the rows; back in the units of the table they describe a group.
profiles = scaler.inverse_transform(model.cluster_means_)
print("group  customers  " + "  ".join(f"{name:>8}" for name in COLUMNS) + "  mostly")
for label, profile in enumerate(profiles):
    inside = names[model.labels_ == label]
    kinds, counts = np.unique(inside, return_counts=True)
    values = "  ".join(f"{value:8.1f}" for value in profile)
    print(f"{label:5d}  {len(inside):9d}  {values}  {kinds[counts.argmax()]}")

# Somebody new: which group, and how surely?
newcomer = [[9.5, 25.0, 5.0]]
shares = pipeline.predict_proba(newcomer)[0]
print(
    f"\nA new customer {newcomer[0]} is in group {pipeline.predict(newcomer)[0]}; memberships:"
)
print("  " + ", ".join(f"{share:.2f} of group {label}" for label, share in enumerate(shares)))
