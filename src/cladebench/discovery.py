"""The names that a package exports, imported when they are asked for.

A package's stub, ``__init__.pyi``, has a line for each: ``from .birch import BirchTree as BirchTree``. Type checkers
and editors read it, and so does the package. A line more changes the code of no other class.
"""

from __future__ import annotations

import ast
import functools
import importlib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from cladebench import extras
from cladebench.nearest_name import did_you_mean

#: Why a class cannot pass a check, and how the check then fails: the type of its error, or a part of the error's text.
Excuse: TypeAlias = tuple[str, type[BaseException] | str]


class Discovered:
    """What an estimator that a package exports says of itself.

    The contract tests read it.

    Examples
    --------
    >>> from cladebench.methods import BirchTree
    >>> BirchTree.uses_labels, BirchTree.takes_sparse
    (False, False)
    """

    #: True where `fit` needs the class labels ``y``.
    uses_labels: ClassVar[bool] = False
    #: True where X may be sparse; it is then handed on as CSR, and never made dense.
    takes_sparse: ClassVar[bool] = False
    #: Packages of an extra without which `fit` fails.
    needs: ClassVar[tuple[str, ...]] = ()
    #: True where the result does not depend on the order of the samples (but for ties).
    order_invariant: ClassVar[bool] = False
    #: Constructor parameters that make a fit cheap enough for the contract tests.
    contract_params: ClassVar[Mapping[str, Any]] = {}
    #: Contract checks that the class cannot pass: name of the check -> (reason, error that it ends in).
    contract_excuses: ClassVar[Mapping[str, Excuse]] = {}

    def _check_parameters(self) -> None:
        """Raise a ValueError that names a parameter with a senseless value."""

    def _check_values(self) -> None:
        """Check all parameters, before a fit and before a plan is run."""
        self._check_parameters()


@functools.cache
def exports(stub: Path) -> Mapping[str, str]:
    """Read from a package's stub which module each exported name comes from.

    Parameters
    ----------
    stub : Path
        An ``__init__.pyi`` with lines such as ``from .birch import BirchTree as BirchTree``.

    Returns
    -------
    mapping of str to str
        Name to module, without the package before it.

    Examples
    --------
    >>> from pathlib import Path
    >>> import cladebench.metrics
    >>> from cladebench.discovery import exports
    >>> exports(Path(cladebench.metrics.__file__).with_suffix(".pyi"))["rand_index"]
    'partitions'
    """
    return {
        alias.asname or alias.name: node.module
        for node in ast.parse(stub.read_bytes(), filename=str(stub)).body
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module
        for alias in node.names
    }


def lazily(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the ``__getattr__`` and ``__dir__`` of a package from its stub.

    Each name is imported when it is asked for.

    Parameters
    ----------
    package, file : str
        The package's ``__name__`` and ``__file__``.

    Returns
    -------
    get, names : callable
        ``get`` raises an AttributeError that asks whether the nearest name was meant. An ImportError says which module
        cannot be imported. Python's ``from package import name`` puts its own words in place of the former.

    Examples
    --------
    >>> import cladebench.metrics
    >>> from cladebench.discovery import lazily
    >>> get, names = lazily("cladebench.metrics", cladebench.metrics.__file__)
    >>> get("rand_index")([0, 1], [1, 0]), "rand_index" in names()
    (1.0, True)
    """
    stub = Path(file).with_suffix(".pyi")

    def get(name: str) -> Any:
        module = exports(stub).get(name)
        if module is None:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}{did_you_mean(name, exports(stub))}"
            )
        try:
            return getattr(importlib.import_module(f"{package}.{module}"), name)
        except (Exception, SystemExit) as fault:
            raise ImportError(
                f"{package} has no {name}: {cannot_import(f'{package}.{module}', fault)}"
            ) from fault

    return get, lambda: sorted(exports(stub))


def attach(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], Callable[..., dict[str, type[Any]]]]:
    """Make the ``__getattr__``, ``__dir__`` and ``discover`` of a package of classes.

    Parameters
    ----------
    package, file : str
        See `lazily`.
    """
    get, exported = lazily(package, file)

    def names() -> list[str]:
        return sorted([*exported(), "discover"])

    def discover(base: type[Any] | None = None) -> dict[str, type[Any]]:
        """List the exported classes, or those derived from one base, by name.

        A class whose module cannot be imported is named in a warning and left out.

        Examples
        --------
        >>> from cladebench import methods
        >>> from cladebench.methods.base import HierarchicalClusterer
        >>> "Perch" in methods.discover(HierarchicalClusterer)
        True
        """
        classes = {}
        for name in exported():
            try:
                classes[name] = get(name)
            except ImportError as fault:
                warnings.warn(f"{fault}; it is left out", stacklevel=2)
        return {name: cls for name, cls in classes.items() if base is None or issubclass(cls, base)}

    return get, names, discover


def cannot_import(module: Path | str, fault: BaseException) -> str:
    """Say which module or file cannot be imported, and why.

    Examples
    --------
    >>> from cladebench.discovery import cannot_import
    >>> cannot_import("mine", NameError("x"))
    'mine cannot be imported (NameError: x)'
    """
    return f"{module} cannot be imported ({extras.advice(fault) or f'{type(fault).__name__}: {fault}'})"
