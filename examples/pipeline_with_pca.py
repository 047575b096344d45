"""Wine in a pipeline: scale, reduce by PCA, cluster.

Run it with ``python examples/pipeline_with_pca.py``.  178 wines, 13 chemical measurements in
units from 0.1 to 1,000: scaling is a must, and a few principal components hold what matters.
"""

import warnings

from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastcaf import CAFHFCM, FastcafWarning

warnings.simplefilter("ignore", FastcafWarning)  # what is doubtful is printed at the end
wine = load_wine()
pipeline = make_pipeline(StandardScaler(), PCA(3), CAFHFCM(random_state=0))

print("features  clusters  agreement with the cultivars (adjusted Rand index)")
for components in (2, 3, 5):
    fitted = clone(pipeline).set_params(pca__n_components=components).fit(wine.data)
    model = fitted[-1]
    agreement = adjusted_rand_score(wine.target, model.labels_)
    print(f"{components:8d}  {model.n_clusters_:8d}  {agreement:.2f}")

# The pipeline is a clusterer and a transformer: distances to the clusters are new features.
pipeline.fit(wine.data)
print(f"\ndistances to the clusters: {pipeline.transform(wine.data).shape}")
print(f"memberships of the first wine: {pipeline.predict_proba(wine.data[:1])[0].round(2)}")
print(f"doubts: {pipeline[-1].doubts_ or 'none'}")
