"""Explain abbreviations where a page uses them first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup, escape

from cladebench.bench.plan.plan import Plan
from cladebench.measures import Measure

#: Where a page says in a line what the abbreviations mean that it uses first from there on.
MARK = "<!-- abbreviations -->"
#: Where there are more, names of methods are folded.
MOST_IN_A_LINE = 6

_WORDS = {
    "nats": "units of information by the natural logarithm; 1 nat is 1.44 bits",
    "SVM": "support vector machine",
    "PCA": "principal component analysis",
    "SIFT": "scale-invariant feature transform, a description of a patch of an image",
    "HOG": "histograms of oriented gradients",
    "LBP": "local binary patterns of neighbouring pixels",
    "textons": "small patterns that recur in textures",
    "UIUC": "a collection of photographs of 25 textures",
    "CIFAR": "a collection of small photographs",
    "Outex": "a collection of photographs of textures, 24 of them here",
    "Dasgupta cost": "a cost of trees, lower where similar points part late",
    "dendrogram purity": "how pure the smallest subtree around two points of a class is, 1 at best",
    "V-measure": "how well clusters agree with classes, 1 at best",
    "F over pairs": "how well pairs of points in one cluster agree with the classes, 1 at best",
    "conditional entropy": "what the clusters leave unknown of the classes, 0 at best",
}
#: Words of one paper, by a method that it runs.
_TERMS = {
    "Exemplar": {
        "learned weights": "weights of distances, learned by the paper's method",
        "SVM-cluster": "a support vector machine that learns to cluster",
        "multiple kernel SVM": "a classifier that learns weights of several kernels",
        "rounds": "steps of learning, each over all training sets",
        "price": "what each cluster costs, which decides how many there are",
        "planes": "cutting planes, the last steps of learning, which end near its optimum",
        "regulariser": "a part of the loss that keeps weights small",
        "tau": "how much the regulariser counts",
        "loss": "what learning lowers on the training sets",
        "NN accuracy": "how often a point has the class of its nearest neighbour",
        "matched accuracy": "share of points in the cluster that is matched with their class",
    },
    "GHC-N-FT": {
        "routers": "functions that send a point left or right at a node",
        "joint training": "all nodes of a tree are trained at once",
        "blocks": "subtrees of a few levels, each trained at once",
        "greedy start": "the tree is first trained node by node",
    },
    "HFD": {
        "must-links": "pairs that are given as belonging together",
        "cannot-links": "pairs that are given as belonging apart",
        "relaxed constraints": "a split may leave some cannot-links together",
        "unconstrained points": "points that no must-link or cannot-link names",
    },
    "NTC": {"star": "a tree in which all clusters are equally far apart"},
    "HMMC": {"stand-ins": "data used instead of the paper's, which are not public"},
}
#: Methods whose names say little; only on pages of papers that run them.
_METHODS = {
    "AL": "average linkage",
    "BoostMetric": "a distance learned by boosting",
    "BIRCH": "balanced iterative reducing and clustering using hierarchies",
    "CL": "complete linkage",
    "CLUHSIC": "clustering by the Hilbert-Schmidt independence criterion",
    "DCA": "discriminative component analysis",
    "GB-LMNN": "LMNN with gradient-boosted trees",
    "GHC": "gradient-based hierarchical clustering",
    "GHC-L-BW-2": "GHC, linear routers, trained two levels at a time",
    "GHC-L-FT": "GHC, linear routers, the full tree trained at once",
    "GHC-N-BW-2": "GHC, neural routers, trained two levels at a time",
    "GHC-N-FT": "GHC, neural routers, the full tree trained at once",
    "HAC-C": "agglomerative clustering, complete linkage",
    "HFD": "hierarchy forest distance",
    "HKM": "hierarchical K-means, the leaf with the most compact parts split next",
    "HKMeans": "hierarchical K-means",
    "HKM-D": "hierarchical K-means, the most scattered leaf split next",
    "HMMC": "hierarchical maximum-margin clustering",
    "HMMC-1": "HMMC with the l1 norm",
    "HMMC-2": "HMMC with the squared l2 norm",
    "HMMC-E": "HMMC with the exclusive regulariser alone",
    "HMMC-G": "HMMC with the group regulariser alone",
    "HSC": "hierarchical spectral clustering, the leaf with the most compact parts split next",
    "HSC-D": "hierarchical spectral clustering, the most scattered leaf split next",
    "ITML": "information-theoretic metric learning",
    "KM": "K-means",
    "LMNN": "large margin nearest neighbours",
    "MMC": "maximum-margin clustering",
    "NTC": "numerical taxonomy clustering",
    "Perch": "a tree that grows point by point and turns where points are out of place",
    "RFD": "random forest distance",
    "SC": "spectral clustering",
    "SL": "single linkage",
}
#: What is passed over: text that is no prose, tags, and comments.
_SKIPPED = r"<(?P<tag>script|style|code|option|svg|abbr)\b.*?</(?P=tag)>|<!--.*?-->|<[^>]*>"


def abbreviations(plan: Plan) -> dict[str, str]:
    """List abbreviations that a paper's pages may use, with their meanings.

    Short names of measures come from the plan, which knows what they mean.
    """
    meanings = dict(_WORDS)
    for measure in plan.measures.values():
        for short in _short_names(measure):
            meanings[short] = measure.meaning
    for short, meaning in _METHODS.items():
        if any(method == short or method.startswith(f"{short}-") for method in plan.methods):
            meanings[short] = meaning
    for method, terms in _TERMS.items():
        if method in plan.methods:
            meanings |= terms
    return meanings


def _short_names(measure: Measure) -> Iterable[str]:
    names = (measure.title, measure.name.upper() if len(measure.name) <= 3 else "")
    return (name for name in names if re.fullmatch(r"[a-z]?[A-Z]{2,}", name))


def explained(text: str, meanings: Mapping[str, str]) -> Markup:
    """Explain each abbreviation where it is used first, in HTML.

    The `MARK` before it explains it in words. What is used before the first mark is explained there too.

    >>> str(explained("<p>SP and SP</p>", {"SP": "a <score>: how near"}))
    '<p><abbr title="a &lt;score&gt;: how near">SP</abbr> and SP</p>'
    """
    forms = {form: word for word in meanings for form in (word, word[:1].upper() + word[1:])}
    known = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    words = rf"(?<![\w-])(?P<word>{known})(?![\w-])" if known else "(?!)(?P<word>)"
    pieces: list[str] = []
    used: list[list[str]] = [[]]  # before the first mark, behind each
    marks: list[int] = []
    end = 0
    for match in re.finditer(rf"{re.escape(MARK)}|{_SKIPPED}|{words}", text, re.DOTALL):
        pieces.append(text[end : match.start()])
        end = match.end()
        word = forms.get(match["word"], "")
        if match[0] == MARK:
            marks.append(len(pieces))
            used.append([])
            pieces.append("")
        elif word and not any(word in part for part in used):
            used[-1].append(word)
            pieces.append(f'<abbr title="{escape(meanings[word])}">{match[0]}</abbr>')
        else:
            pieces.append(match[0])
    pieces.append(text[end:])
    if marks:
        used[1][:0] = used[0]
    for place, part in zip(marks, used[1:], strict=True):
        pieces[place] = _line(part, meanings)
    return Markup("".join(pieces))


def _line(words: Sequence[str], meanings: Mapping[str, str]) -> str:
    """Write what abbreviations mean in a line.

    Many names of methods are folded.
    """
    folded = [word for word in words if word in _METHODS] if len(words) > MOST_IN_A_LINE else []
    line = _said((word for word in words if word not in folded), meanings)
    shown = f'<p class="words"><small>{line}</small></p>' if line else ""
    if not folded:
        return shown
    head = f"<summary><small>Names of methods: {', '.join(folded)}</small></summary>"
    return f'{shown}<details class="words">{head}<small>{_said(folded, meanings)}</small></details>'


def _said(words: Iterable[str], meanings: Mapping[str, str]) -> str:
    """Give abbreviations with their meanings up to the first colon, if any."""
    said = "; ".join(f"{word}: {escape(meanings[word].partition(':')[0])}" for word in words)
    return f"{said}." if said else ""
