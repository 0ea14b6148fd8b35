"""Estimators by name, as distances, trees and labels.

The name is a plan's own or a library's.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import get_tags
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from cladebench import distances, methods
from cladebench.class_labels import check_faithful
from cladebench.discovery import Discovered
from cladebench.distances._mapped import MappedDistance
from cladebench.distances.base import Distance
from cladebench.hierarchy import Hierarchy
from cladebench.input_files import one_of
from cladebench.tree_formats import parents_of_merges
from cladebench.users_code import place_of
from cladebench.validation import as_array, as_floats, check_features

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: How scikit-learn says that a value is wrong.
_INVALID = re.compile(r"The '(\w+)' parameter of \w+ must be (.*)\. Got (.*) instead\.", re.DOTALL)
#: For scikit-learn's `AgglomerativeClustering`: its tree up to the root, with the heights by which it is cut.
WHOLE_TREE: Mapping[str, Any] = {"compute_full_tree": True, "compute_distances": True}


def find(name: str) -> type[Any]:
    """Find the class of an estimator.

    Parameters
    ----------
    name : str
        The name of a class in `cladebench.methods` or `cladebench.distances`, or the dotted path of any other class,
        such as ``sklearn.neighbors.NeighborhoodComponentsAnalysis``.

    Returns
    -------
    type

    Raises
    ------
    ValueError
        If there is no such class; it names the nearest that there are.
    ImportError
        If the class stands in a module that cannot be imported; it says why.
    """
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"estimator {name!r}: expected a name, or names joined by dots")
    module_name, _, class_name = name.rpartition(".")
    if not module_name:
        return _find_own(name)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise ImportError(f"estimator {name!r}: {module_name} cannot be imported ({error})") from error
        raise ValueError(
            f"estimator {name!r}: there is no module {error.name}; expected one that is installed"
        ) from None
    except (Exception, SystemExit) as error:
        raise ImportError(
            f"estimator {name!r}: {module_name} cannot be imported ({type(error).__name__}: {error}; "
            f"{place_of(error)})"
        ) from error
    try:
        member = getattr(module, class_name)
    except AttributeError:
        classes = [key for key in dir(module) if inspect.isclass(getattr(module, key, None))]
        raise ValueError(
            f"estimator {name!r}: {module_name} has no {class_name}; {one_of(class_name, classes)}"
        ) from None
    if not inspect.isclass(member):
        raise ValueError(f"estimator {name!r}: it is a {type(member).__name__}; expected a class")
    return member


def _find_own(name: str) -> type[Any]:
    classes = []
    for package in (methods, distances):
        try:
            classes.append(getattr(package, name))
        except AttributeError:
            continue
    classes = [value for value in classes if inspect.isclass(value)]
    if len(classes) > 1:
        raise ValueError(
            f"estimator {name!r} is ambiguous: " + " and ".join(f"{c.__module__}.{name}" for c in classes)
        )
    if not classes:
        known = sorted({*methods.discover(), *distances.discover()})
        raise ValueError(
            f"estimator {name!r} is unknown; {one_of(name, known)}; or the dotted path of any other class"
        )
    return classes[0]


def parameters(cls: type[Any]) -> dict[str, Any]:
    """List a class's constructor parameters with their defaults.

    A parameter without one has ``inspect.Parameter.empty``.
    """
    return {
        name: parameter.default
        for name, parameter in inspect.signature(cls).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


def check_values(kind: type[Any], values: Mapping[str, Any]) -> None:
    """Check values of parameters as a fit does, without data.

    Classes of ours and of scikit-learn say what they take. Other classes take all that their constructor takes.

    Parameters
    ----------
    kind : type
        Its constructor needs no argument.
    values : mapping of str to object
        Parameters that it has, and their values. The others have their defaults.

    Raises
    ------
    ValueError, TypeError
        If a value makes no sense; it names the parameter, the value and what was expected.

    Examples
    --------
    >>> from cladebench import estimators
    >>> from cladebench.methods import BirchTree
    >>> estimators.check_values(BirchTree, {"threshold": "low"})
    Traceback (most recent call last):
    ...
    ValueError: threshold='low': expected a finite number >= 0.0
    """
    estimator = kind().set_params(**values) if hasattr(kind, "set_params") else kind(**values)
    try:
        if isinstance(estimator, Discovered):
            estimator._check_values()
        elif hasattr(estimator, "_parameter_constraints"):
            estimator._validate_params()
    except InvalidParameterError as error:
        raise ValueError(_INVALID.sub(r"\1=\3: expected \2", str(error))) from None


def lend(estimator: Any, values: Any) -> Any:
    """Copy what an estimator gets, unless it is one of ours.

    Estimators of others may write into what they are given, as scikit-learn's HDBSCAN does, and fail where they cannot.
    """
    ours = type(estimator).__module__.startswith("cladebench.")
    return values if ours else copy.deepcopy(values)


class TransformedDistance(MappedDistance):
    """Measure Euclidean distances after an estimator's transform.

    The estimator is one such as those of scikit-learn.

    Parameters
    ----------
    transformer : estimator with ``fit`` and ``transform``
        Fitted by `fit`, with X and y; it reads y if it wants to, and never constraints.
    """

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """True where the transformer does."""
        return bool(get_tags(self.transformer).input_tags.sparse)

    def fit(
        self, X: Any, y: Any = None, must_link: Any = None, cannot_link: Any = None
    ) -> TransformedDistance:
        """Fit the transformer and keep the rows of X.

        Arguments are those of `Distance.fit`.
        """
        check_features(X, who=self.transformer)
        check_faithful(y)
        self.transformer.fit(*lend(self.transformer, (X, y)))
        return super().fit(X, must_link=must_link, cannot_link=cannot_link)

    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, return_distance: bool = True
    ) -> tuple[FloatArray, IntArray] | IntArray:
        """Find the nearest rows, as `Distance.kneighbors` does.

        ValueError if the rows are not known.
        """
        if hasattr(self, "n_features_in_") and not hasattr(self, "_fit_X"):
            raise ValueError(
                f"{_named(self.transformer)} has no rows to search; expected as_distance(fitted, X)"
            )
        return super().kneighbors(X, n_neighbors, return_distance)

    def _learn(self, X: FloatArray, y: np.ndarray | None, must_link: IntArray, cannot_link: IntArray) -> None:
        check_is_fitted(self.transformer)

    def _map(self, X: FloatArray) -> FloatArray:
        mapped = self.transformer.transform(lend(self.transformer, X))
        return np.asarray(mapped.toarray() if hasattr(mapped, "toarray") else mapped, dtype=np.float64)


def as_distance(estimator: Any, X: Any = None) -> Distance:
    """Give an estimator `pairwise` and `kneighbors`.

    Parameters
    ----------
    estimator : Distance, or a transformer such as those of scikit-learn
        A `Distance` is returned as it is. The distance of a transformer is the Euclidean one after its transform. It
        may still be unfitted: the result has a ``fit`` that takes what that of any distance takes.
    X : array-like of shape (n_samples, n_features), optional
        With a transformer that is fitted already: the rows among which `kneighbors` looks, those that it was fitted
        to as a rule. A transformer does not keep them itself; without them there is `pairwise` alone.

    Returns
    -------
    Distance

    Raises
    ------
    TypeError
        If the estimator is neither.
    """
    if isinstance(estimator, Distance):
        return estimator
    transformer = all(hasattr(estimator, name) for name in ("fit", "transform", "__sklearn_tags__"))
    if inspect.isclass(estimator) or not transformer:
        raise TypeError(
            f"{_named(estimator)} gives no distance; expected a Distance (pairwise, kneighbors), or a "
            "sklearn.base.BaseEstimator with fit and transform"
        )
    distance = TransformedDistance(estimator)
    if X is not None:
        Distance.fit(distance, X)  # not its own, which would fit the transformer again
    elif hasattr(estimator, "n_features_in_"):
        distance.n_features_in_ = estimator.n_features_in_
    return distance


def as_hierarchy(fitted: Any) -> Hierarchy:
    """Give the tree of a fitted estimator.

    Parameters
    ----------
    fitted : object
        With ``hierarchy_`` (a `Hierarchy`), a matrix as SciPy's in ``linkage_`` or ``linkage_matrix_``, the
        ``single_linkage_tree_`` of the library hdbscan, or the ``children_`` of scikit-learn's
        `AgglomerativeClustering`; where that has ``distances_`` they are the heights.

    Returns
    -------
    Hierarchy

    Raises
    ------
    TypeError
        If it has no tree.
    ValueError
        If its tree was not built up to the root, or its merges or heights make no tree.
    """
    if isinstance(getattr(fitted, "hierarchy_", None), Hierarchy):
        return fitted.hierarchy_
    # FeatureAgglomeration has a tree of features.
    if getattr(fitted, "children_", None) is None or hasattr(fitted, "transform"):
        for name in ("linkage_", "linkage_matrix_"):
            if getattr(fitted, name, None) is not None:
                return Hierarchy.from_linkage(getattr(fitted, name))
        if hasattr(fitted, "single_linkage_tree_"):
            return Hierarchy.from_linkage(fitted.single_linkage_tree_.to_numpy())
        raise TypeError(
            f"{_named(fitted)} gives no tree; expected a fitted estimator with hierarchy_, or with the children_ of "
            "AgglomerativeClustering"
        )
    where = f"{_named(fitted)}.children_"
    children = as_floats(where, fitted.children_)
    n_samples = int(getattr(fitted, "n_leaves_", len(children) + 1))
    if len(children) != n_samples - 1:
        raise ValueError(
            f"{_named(fitted)} has {len(children)} merges of {n_samples} samples; expected {n_samples - 1}: fit it "
            "with compute_full_tree=True"
        )
    parents, leaf_of = parents_of_merges(children, where)
    heights = getattr(fitted, "distances_", None)
    if heights is not None:
        where = f"{_named(fitted)}.distances_"
        heights = as_floats(where, heights)
        if heights.shape != (n_samples - 1,):
            raise ValueError(f"{where} has shape {heights.shape}; expected ({n_samples - 1},), one a merge")
        heights = np.concatenate([np.zeros(n_samples), heights])
    return Hierarchy(parents, leaf_of, heights)


def as_labels(fitted: Any) -> IntArray:
    """Give the partition of a fitted estimator.

    Parameters
    ----------
    fitted : object
        With ``labels_``, integers. Negative ones are the noise of DBSCAN, HDBSCAN and OPTICS: each of these samples
        becomes a cluster of its own, for the method puts it together with no other.

    Returns
    -------
    ndarray of int64, shape (n_samples,)
        Clusters 0, 1, ..., in the order of the estimator's, noise behind them.

    Raises
    ------
    TypeError
        If it has no labels.
    """
    labels = as_array("labels_", getattr(fitted, "labels_", None))
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise TypeError(
            f"{_named(fitted)} gives no clusters; expected a fitted estimator with integer labels_"
        )
    noise = labels < 0
    codes = np.empty(len(labels), dtype=np.int64)
    clusters, codes[~noise] = np.unique(labels[~noise], return_inverse=True)
    codes[noise] = len(clusters) + np.arange(np.count_nonzero(noise))
    return codes


def _named(value: Any) -> str:
    return value.__name__ if inspect.isclass(value) else type(value).__name__
