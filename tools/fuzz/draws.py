"""What calls of the core are drawn from: numbers, labels, trees, and objects that are made when the call is."""

# ruff: noqa: D103  (named after what they draw)

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arguments = dict[str, Any]
Draw = Callable[[np.random.Generator, Any], Arguments]

#: The generator of each exported name; a method is written ``Class.method``, with its object under ``self``.
CALLS: dict[str, Draw] = {}
#: What a fuzz has nothing to vary of.
WITHOUT_ARGUMENTS = {"instruction_set", "instruction_sets", "max_threads", "SplitStart"}


@dataclass
class Make:
    """An object of the core that is made when the call is: of a class and its arguments, or of its attributes."""

    name: str
    arguments: Arguments

    def __call__(self, core: Any) -> Any:  # noqa: D102
        kind = getattr(core, self.name)
        if self.name == "SplitStart":
            return getattr(kind, self.arguments["name"])
        if self.name != "SplitSettings":
            return kind(**made(self.arguments, core))
        settings = kind()
        for name, value in made(self.arguments, core).items():
            setattr(settings, name, value)
        return settings


def made(arguments: Arguments, core: Any) -> Arguments:
    """Arguments with objects in place of what is to be made."""
    return {name: value(core) if isinstance(value, Make) else value for name, value in arguments.items()}


def perform(core: Any, name: str, arguments: Arguments) -> None:
    """Call the core, and read what it gives to the last number."""
    given = made(arguments, core)
    owner = given.pop("self", None)
    read(getattr(core if owner is None else owner, name.rpartition(".")[2])(**given))
    read(owner)


def read(found: Any) -> None:
    """Look at all numbers, and at all attributes of an object of the core."""
    if isinstance(found, np.ndarray):
        found.tobytes()
    elif isinstance(found, dict | tuple | list):
        for part in found.values() if isinstance(found, dict) else found:
            read(part)
    elif type(found).__module__.endswith("_core"):
        for attribute in dir(type(found)):
            if not attribute.startswith("_"):
                value = getattr(found, attribute)
                if isinstance(value, np.ndarray):
                    read(value)


def exported(core: Any) -> set[str]:
    """Every function, class and method of the core, as `CALLS` names them."""
    names = set()
    for name, value in vars(core).items():
        if name.startswith("_") or not callable(value):
            continue
        names.add(name)
        if isinstance(value, type) and name != "SplitStart":
            names |= {
                f"{name}.{method}"
                for method, part in vars(value).items()
                if callable(part) and not method.startswith("_")
            }
    return names


def call(draw: Draw) -> Draw:
    """Enter a generator; its name is the exported one, with two underscores for the dot of a method."""
    CALLS[draw.__name__.replace("__", ".")] = draw
    return draw


def size(rng: np.random.Generator, least: int = 1, most: int = 12) -> int:
    """Mostly small; now and then so large that blocks, lanes and threads come into play."""
    if rng.random() < 0.1:
        most *= 20
    return int(rng.integers(least, most + 1))


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Normal numbers; or few different ones, so that many tie."""
    if rng.random() < 0.3:
        return rng.integers(-1, 2, shape).astype(float)
    return rng.normal(size=shape)


def labels(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    return rng.integers(0, k, n)


def pairs(rng: np.random.Generator, n: int, least: int = 0) -> np.ndarray:
    return rng.integers(0, n, (int(rng.integers(least, 9)), 2))


def parents(rng: np.random.Generator, n_nodes: int) -> np.ndarray:
    """A tree of any arity, its nodes in any order."""
    reach = int(rng.choice([1, 2, n_nodes]))
    up = np.array([-1] + [k - int(rng.integers(1, min(k, reach) + 1)) for k in range(1, n_nodes)])
    name = rng.permutation(n_nodes)
    found = np.full(n_nodes, -1)
    found[name[1:]] = name[up[1:]]
    return found


def tree(rng: np.random.Generator, n_samples: int) -> Make:
    n_nodes = size(rng)
    leaf_of = rng.integers(0, n_nodes, n_samples)
    return Make("Tree", {"parents": parents(rng, n_nodes), "leaf_of": leaf_of})


def unrooted(rng: np.random.Generator, k: int) -> np.ndarray:
    """A binary tree of k points, rooted at point 0; its inner nodes come behind the points."""
    if k <= 2:
        return np.array([-1, 0][:k])
    up = np.full(2 * k - 2, -1)
    up[1] = 0
    for point in range(2, k):
        inner = k + point - 2
        child = int(rng.choice(np.flatnonzero(up >= 0)))
        up[inner], up[child], up[point] = up[child], inner, inner
    return up


def symmetric(rng: np.random.Generator, n: int) -> np.ndarray:
    S = floats(rng, n, n)
    return np.ascontiguousarray(S + S.T)
