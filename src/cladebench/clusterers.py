"""Use clusterers of any library: data they take, clusters they give."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import get_tags

from cladebench import estimators
from cladebench.hierarchy import Hierarchy

IntArray = npt.NDArray[np.int64]


def number_of(parameters: Iterable[str]) -> str:
    """Name the parameter of the number of clusters, if any.

    Parameters
    ----------
    parameters : iterable of str
        Those of the constructor, such as the keys of `cladebench.estimators.parameters`.

    Examples
    --------
    >>> from cladebench.clusterers import number_of
    >>> number_of(["n_components", "covariance_type"])
    'n_components'
    """
    return next((name for name in ("n_clusters", "n_components", "k") if name in parameters), "")


def takes(
    clusterer: type[Any],
    kind: str,
    sparse: bool = False,
    grid: Mapping[str, list[Any]] | None = None,
) -> tuple[dict[str, list[Any]], str]:
    """Say with which parameters a class takes data, or why not.

    No data are needed: the tags and constraints say it that scikit-learn has for classes, and the constructor.

    Parameters
    ----------
    clusterer : type
        A clusterer, of any library.
    kind : {"features", "distances"}
    sparse : bool, default=False
        Whether features are sparse.
    grid : mapping of str to list, optional
        Values that its parameters are going to have.

    Returns
    -------
    dict of str to list
        Parameters that the data ask for. Each has the values that are left of its grid.
    str
        The reason; empty where it takes them.

    Examples
    --------
    >>> from cladebench.clusterers import takes
    >>> from sklearn.cluster import HDBSCAN, Birch
    >>> takes(HDBSCAN, "distances")
    ({'metric': ['precomputed']}, '')
    >>> takes(Birch, "distances")[1]
    "Birch takes features, not distances (no metric='precomputed')"
    """
    tags = _tags(clusterer)
    if (tags is not None and tags.target_tags.required) or getattr(clusterer, "uses_labels", False):
        return {}, f"{clusterer.__name__} learns from labels"
    pairwise = bool(tags is not None and tags.input_tags.pairwise)
    if kind == "distances":
        return ({}, "") if pairwise else _with_distances(clusterer, grid or {})
    if pairwise:
        return {}, f"{clusterer.__name__} takes distances, not features"
    if sparse and not (tags is not None and tags.input_tags.sparse):
        return {}, f"{clusterer.__name__} takes no sparse features (no tag input_tags.sparse)"
    return {}, ""


def _with_distances(cls: type[Any], grid: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], str]:
    known = estimators.parameters(cls)
    allowed = getattr(cls, "_parameter_constraints", {}).get("metric") or ()
    words = [word for option in allowed for word in getattr(option, "options", ())]
    other_words = allowed and "precomputed" not in words and not any(option is str for option in allowed)
    if "metric" not in known or other_words:
        return {}, f"{cls.__name__} takes features, not distances (no metric='precomputed')"
    forced: dict[str, list[Any]] = {"metric": ["precomputed"]}
    # Ward's criterion is of means, which distances do not have.
    linkages = grid.get("linkage", [known.get("linkage")])
    if "linkage" in known and "ward" in linkages:
        left = [value for value in linkages if value != "ward"]
        if not left:
            return {}, f"{cls.__name__} with linkage='ward' takes features, not distances"
        forced["linkage"] = left
    return forced, ""


def _tags(cls: type[Any]) -> Any:
    """Give scikit-learn's tags of a class; None where it has none."""
    try:
        return get_tags(cls())
    except Exception:  # whatever a class of others does
        return None


@dataclass(frozen=True, eq=False)
class Fitted:
    """Hold what a fit gave: clusters, perhaps a tree, and wall seconds.

    Attributes
    ----------
    clusters : ndarray of shape (n_samples,)
        0, 1, ...; each sample that is noise is a cluster of its own.
    tree : Hierarchy or None
    seconds : float

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.clusterers import Fitted
    >>> Fitted(np.array([0, 0, 1]), None, 0.1).clusters.tolist()
    [0, 0, 1]
    """

    clusters: IntArray
    tree: Hierarchy | None
    seconds: float


def fit_clusterer(estimator: Any, X: Any, n_clusters: int) -> Fitted:
    """Fit any clusterer on a copy of X, and read its result.

    Parameters
    ----------
    estimator : object
        With ``fit`` or ``fit_predict``. Clusters are read from ``labels_``, from its tree, by ``predict`` or by
        ``fit_predict``, whichever comes first; the tree as `cladebench.estimators.as_hierarchy` does.
    X : ndarray or sparse array of shape (n_samples, n_features)
        Or distances of shape (n_samples, n_samples). The estimator may write into its copy.
    n_clusters : int
        Where a tree alone is given, it is cut into so many.

    Returns
    -------
    Fitted

    Raises
    ------
    ValueError
        If there is not one label a sample.
    TypeError
        If there are no clusters, or other labels than whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.clusterers import fit_clusterer
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> found = fit_clusterer(AgglomerativeClustering(2), np.array([[0.0], [9.0], [0.1]]), 2)
    >>> found.clusters.tolist(), found.tree.n_samples
    ([0, 1, 0], 3)
    """
    lent, clusters = X.copy(), None  # it may write into its rows, and is asked about them again
    started = time.perf_counter()
    if callable(getattr(estimator, "fit", None)):
        estimator.fit(lent)
    else:
        clusters = estimator.fit_predict(lent)
    seconds = time.perf_counter() - started
    tree = tree_of(estimator, X.shape[0])
    return Fitted(_clusters(estimator, clusters, tree, X, n_clusters), tree, seconds)


def _clusters(estimator: Any, clusters: Any, tree: Hierarchy | None, X: Any, n_clusters: int) -> IntArray:
    """Read the clusters of a fitted estimator; it may have given them."""
    name, n = type(estimator).__name__, X.shape[0]
    if clusters is None:
        if getattr(estimator, "labels_", None) is not None:
            clusters = estimator.labels_
        elif tree is not None:
            return tree.cut(n_clusters)
        elif callable(getattr(estimator, "predict", None)):
            clusters = estimator.predict(X.copy())
        elif callable(getattr(estimator, "fit_predict", None)):
            clusters = estimator.fit_predict(X.copy())
        else:
            raise TypeError(f"{name} gives no clusters; expected labels_, predict, fit_predict or a tree")
    values = np.asarray(clusters)
    if values.shape != (n,):
        raise ValueError(f"{name} gave labels of shape {values.shape}; expected ({n},), one a row")
    if values.dtype.kind not in "iu":
        kind = "text" if values.dtype.kind in "US" else f"type {values.dtype}"
        raise TypeError(f"{name} gave labels of {kind}; expected whole numbers")
    return estimators.as_labels(SimpleNamespace(labels_=values))


def tree_of(fitted: Any, n_samples: int) -> Hierarchy | None:
    """Read the tree over so many samples; None where there is none.

    Parameters
    ----------
    fitted : object
        As `cladebench.estimators.as_hierarchy` takes it.
    n_samples : int

    Examples
    --------
    >>> import numpy as np
    >>> from cladebench.clusterers import tree_of
    >>> from sklearn.cluster import KMeans
    >>> tree_of(KMeans(2, random_state=0).fit(np.eye(3)), 3) is None
    True
    """
    with contextlib.suppress(TypeError):
        tree = estimators.as_hierarchy(fitted)
        return tree if tree.n_samples == n_samples else None
    return None
