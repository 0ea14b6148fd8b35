"""The registry of measures.

What a metric in a record means, its unit, its direction, and what chance gives.

Tables, claims, figures, glossary and controls read it. A paper adds its own, or says otherwise, in the section
``measures`` of its plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from cladebench.notation import significant

Direction = Literal["higher", "lower"]

#: What a measure may be computed from: of the data, and of the result.
NEEDS = ("labels", "class tree", "test labels", "constraints", "similarity", "tree", "partition", "distance")


@dataclass(frozen=True)
class Measure:
    """What a metric is.

    Attributes
    ----------
    name : str
        As records have it.
    meaning : str
        In a sentence.
    title : str
        In a heading.
    unit : str
        Of the number as tables show it; ``%`` for a share that is shown in percent.
    direction : {"higher", "lower"} or None
        Which is better; None where neither is.
    range : tuple of float
        Least and largest value possible, as recorded.
    blind : float or None
        What a result that knows nothing of the data has, where it is the same for all data; None where it depends on
        them: then the random controls of a run say it.
    needs : tuple of str
        What it is computed from, of `NEEDS`.
    corrected : str
        The measure that is its chance-corrected form, where there is one.
    random : tuple of str
        Methods that cannot know what it measures, though they may know the data otherwise.
    """

    name: str
    meaning: str
    title: str = ""
    unit: str = ""
    direction: Direction | None = None
    range: tuple[float, float] = (-math.inf, math.inf)
    blind: float | None = None
    needs: tuple[str, ...] = ()
    corrected: str = ""
    random: tuple[str, ...] = ()

    @property
    def rewards_shape(self) -> bool:
        """Say whether chance alone can score on it.

        It judges a tree or a partition, and a random method may score on it.

        Beside each such measure, records have its score with the rows permuted; see `permuted_name`.
        """
        judges = not {"tree", "partition"}.isdisjoint(self.needs)
        return judges and self.direction is not None and self.blind is None

    @property
    def scale(self) -> float:
        """Give the factor of shown values: 100 for percentages, else 1."""
        return 100.0 if self.unit == "%" else 1.0

    @property
    def heading(self) -> str:
        """Title with the unit."""
        title = self.title or self.name.replace("_", " ")
        return f"{title} ({self.unit})" if self.unit else title

    def text(self, value: float) -> str:
        """Write a value with two decimals as percentage, else four digits."""
        return f"{value * self.scale:.2f}" if self.unit == "%" else significant(value)

    def better(self, left: float, right: float) -> bool:
        """Whether `left` is better than `right`.

        Raises
        ------
        ValueError
            If the measure has no direction.
        """
        if self.direction is None:
            raise ValueError(f"measure {self.name!r} has no direction")
        return left > right if self.direction == "higher" else left < right


_SHARE = (0.0, 1.0)
_POSITIVE = (0.0, math.inf)

_KNOWN = (
    Measure(
        "dendrogram_purity",
        "share of the class in the lowest common ancestor of two points of one class, averaged over all such pairs",
        "dendrogram purity",
        direction="higher",
        range=_SHARE,
        needs=("labels", "tree"),
        corrected="dendrogram_purity_adjusted",
    ),
    Measure(
        "dendrogram_purity_adjusted",
        "adjusted dendrogram purity: dendrogram purity less its expectation when the rows are permuted, over what it "
        "could exceed it by",
        "adjusted purity",
        direction="higher",
        range=(-math.inf, 1.0),
        blind=0.0,
        needs=("labels", "tree"),
    ),
    Measure(
        "dasgupta_cost",
        "sum over pairs of points of their similarity times the number of points below their lowest common ancestor",
        "Dasgupta cost",
        direction="lower",
        range=_POSITIVE,
        needs=("similarity", "tree"),
    ),
    Measure(
        "sp",
        "shortest path similarity: one minus the mean squared difference of path lengths in the tree found and in that "
        "of the classes",
        "SP",
        direction="higher",
        range=_SHARE,
        needs=("labels", "class tree", "tree"),
        corrected="sp_correlation",
    ),
    Measure(
        "sp_correlation",
        "correlation over all pairs of points of the path lengths in the tree found and in that of the classes, "
        "the cophenetic correlation of the two",
        "SP correlation",
        direction="higher",
        range=(-1.0, 1.0),
        blind=0.0,
        needs=("labels", "class tree", "tree"),
    ),
    Measure(
        "ps",
        "path sharing similarity: one minus the mean squared difference of shared branches in the tree found and in "
        "that of the classes",
        "PS",
        direction="higher",
        range=_SHARE,
        needs=("labels", "class tree", "tree"),
        corrected="ps_correlation",
    ),
    Measure(
        "ps_correlation",
        "correlation over all pairs of points of the path sharing in the tree found and in that of the classes",
        "PS correlation",
        direction="higher",
        range=(-1.0, 1.0),
        blind=0.0,
        needs=("labels", "class tree", "tree"),
    ),
    Measure(
        "ri",
        "Rand index: share of the pairs of points on which clusters and classes agree",
        "RI",
        direction="higher",
        range=_SHARE,
        needs=("labels", "partition"),
        corrected="ari",
    ),
    Measure(
        "ari",
        "adjusted Rand index: the Rand index, corrected for chance",
        "adjusted RI",
        direction="higher",
        range=(-0.5, 1.0),
        blind=0.0,
        needs=("labels", "partition"),
    ),
    Measure(
        "pair_f",
        "F-measure over pairs: harmonic mean of precision and recall of the pairs of points that clusters keep "
        "together, against those that classes do",
        "F over pairs",
        direction="higher",
        range=_SHARE,
        needs=("labels", "partition"),
        corrected="ari",
    ),
    Measure(
        "matched_accuracy",
        "clustering accuracy: share of the points whose cluster is matched to their class, in the best one-to-one "
        "matching",
        "matched accuracy",
        unit="%",
        direction="higher",
        range=_SHARE,
        needs=("labels", "partition"),
        corrected="matched_accuracy_adjusted",
    ),
    Measure(
        "matched_accuracy_adjusted",
        "matched accuracy less its mean when the rows are permuted, over what it could exceed it by",
        "adjusted matched accuracy",
        direction="higher",
        range=(-math.inf, 1.0),
        blind=0.0,
        needs=("labels", "partition"),
    ),
    Measure(
        "v_measure",
        "V-measure: harmonic mean of homogeneity (each cluster has one class) and completeness (each class is in one "
        "cluster)",
        "V-measure",
        direction="higher",
        range=_SHARE,
        needs=("labels", "partition"),
        corrected="ami",
    ),
    Measure(
        "conditional_entropy",
        "conditional entropy H(l|c) of the class given the cluster, in nats: 0 where each cluster has one class",
        "H(l|c)",
        unit="nats",
        direction="lower",
        range=_POSITIVE,
        needs=("labels", "partition"),
        corrected="ami",
    ),
    Measure(
        "ami",
        "adjusted mutual information: V-measure, corrected for chance",
        "adjusted MI",
        direction="higher",
        range=(-1.0, 1.0),
        blind=0.0,
        needs=("labels", "partition"),
    ),
    Measure(
        "accuracy",
        "share of the test points whose class is found",
        direction="higher",
        range=_SHARE,
        needs=("test labels",),
    ),
    Measure(
        "precision",
        "share of the nearest training points that have the class of the test point",
        direction="higher",
        range=_SHARE,
        needs=("test labels", "distance"),
    ),
    Measure(
        "mean_average_precision",
        "mean over the queries of the average precision of the neighbours returned, against the exact ones",
        "mAP",
        direction="higher",
        range=_SHARE,
        blind=0.0,
        needs=("distance",),
    ),
    Measure("seconds", "wall seconds of the fit", unit="s", direction="lower", range=_POSITIVE),
    Measure("fit_seconds", "wall seconds of the fit", unit="s", direction="lower", range=_POSITIVE),
    Measure("depth", "edges from the root to the deepest node", range=_POSITIVE),
    Measure("n_nodes", "nodes of the tree", "nodes", range=_POSITIVE),
    Measure("n_leaves", "nodes without children", "leaves", range=_POSITIVE),
    Measure("n_clusters", "clusters found", "clusters", range=_POSITIVE),
    Measure("converged", "1 where the optimisation reached its tolerance", direction="higher", range=_SHARE),
    Measure("n_iterations", "iterations of the optimisation", "iterations", range=_POSITIVE),
)


def permuted_name(metric: str) -> str:
    """Name the expectation of a metric under permutation.

    It is exact, with the rows of the result permuted at random.
    """
    return f"{metric}_permuted"


def _with_permuted(known: Iterable[Measure]) -> dict[str, Measure]:
    """Put the permuted measure behind each that rewards shape.

    It is what the measure gives a result whose rows are permuted.
    """
    by_name: dict[str, Measure] = {}
    for entry in known:
        by_name[entry.name] = entry
        if entry.rewards_shape:
            name, title = permuted_name(entry.name), entry.title or entry.name.replace("_", " ")
            meaning = (
                f"expectation of {title} when the rows are permuted at random: what its shape alone is worth"
            )
            by_name[name] = Measure(
                name, meaning, f"{title}, permuted", entry.unit, range=entry.range, needs=entry.needs
            )
    return by_name


#: All measures that no paper has to explain, by name.
MEASURES: Mapping[str, Measure] = MappingProxyType(_with_permuted(_KNOWN))


def measure(name: str) -> Measure:
    """Return a measure of the registry.

    Raises
    ------
    KeyError
        If there is none of that name; a paper's own are in its plan (`cladebench.bench.plan.plan.Plan.measures`).
    """
    if name not in MEASURES:
        raise KeyError(f"no measure {name!r}; known: {', '.join(MEASURES)}")
    return MEASURES[name]


def with_own(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Measure]:
    """Add a paper's own measures to the registry.

    Parameters
    ----------
    entries : mapping of str to mapping
        The section ``measures`` of a plan: attributes of :class:`Measure` by name; for a known measure only those that
        differ.

    Returns
    -------
    dict of str to Measure
        Behind each that rewards shape its expectation under permutation, unless the plan has one of that name.

    Raises
    ------
    ValueError
        If a new measure has no ``meaning``.
    """
    by_name = {entry.name: entry for entry in _KNOWN}
    for name, entry in entries.items():
        given = dict(entry)
        if "range" in given:
            low, high = given["range"]
            given["range"] = (-math.inf if low is None else low, math.inf if high is None else high)
        given |= {key: tuple(given[key]) for key in ("needs", "random") if key in given}
        if name in by_name:
            by_name[name] = replace(by_name[name], **given)
        elif "meaning" in given:
            by_name[name] = Measure(name, **given)
        else:
            raise ValueError(f"measures.{name}: missing key 'meaning': what the number says, in a sentence")
    return _with_permuted(by_name.values())
