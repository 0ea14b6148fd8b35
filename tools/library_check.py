"""Is the installed library whole? What a new user types first, without any extra.

Run it outside of the checkout's sources: ``python tools/library_check.py``.
"""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import cladebench
from cladebench.distances import LMNN
from cladebench.methods import Perch
from cladebench.metrics import dendrogram_purity

X, y = load_iris(return_X_y=True)
tree = Perch(random_state=0).fit(X).hierarchy_
purity = dendrogram_purity(tree, y)
accuracy = make_pipeline(LMNN(), KNeighborsClassifier(3)).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
Z = cladebench.linkage(X, "ward")
print(f"cladebench {cladebench.__version__}: purity {purity:.3f}, accuracy {accuracy:.3f}, {len(Z)} merges")
assert 0.6 < purity <= 1.0 and accuracy > 0.9 and len(Z) == len(X) - 1 and np.isfinite(Z).all()
