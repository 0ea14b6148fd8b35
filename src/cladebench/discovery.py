"""Classes found by folder.

A new file in a package needs no list that names it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

#: Why a class cannot pass a check, and how the check then fails: the type of its error, or a part of the error's text.
Excuse: TypeAlias = tuple[str, type[BaseException] | str]

_CLASS = re.compile(r"^class +(\w+)", re.MULTILINE)


class Discovered:
    """What an estimator that is found by folder says of itself.

    The contract tests read it.
    """

    #: True where `fit` needs the class labels ``y``.
    uses_labels: ClassVar[bool] = False
    #: True where X may be sparse; it is then handed on as CSR, and never made dense.
    takes_sparse: ClassVar[bool] = False
    #: True where the result does not depend on the order of the samples (but for ties).
    order_invariant: ClassVar[bool] = False
    #: Constructor parameters that make a fit cheap enough for the contract tests.
    contract_params: ClassVar[Mapping[str, Any]] = {}
    #: Contract checks that the class cannot pass: name of the check -> (reason, error that it ends in).
    contract_excuses: ClassVar[Mapping[str, Excuse]] = {}

    def _check_parameters(self) -> None:
        """Raise a ValueError that names a parameter with a senseless value."""


class Folder:
    """The public classes of some kinds that a package defines.

    Concrete subclasses of some base classes.

    Modules are imported when the first class is asked for. One that cannot be imported is named in a warning, and the
    others are found all the same. Modules whose names begin with an underscore, and ``base``, are not looked at.

    Parameters
    ----------
    package : str
        Dotted name of the package.
    *bases : str
        Names of the base classes, which stand in the package's module ``base``.
    """

    def __init__(self, package: str, *bases: str) -> None:
        self._package, self._bases = package, bases
        self._found: dict[str, type[Any]] | None = None
        self._faults: dict[str, tuple[Path, BaseException]] = {}  # module -> its file, why it is not there

    def refresh(self) -> None:
        """Forget what was found: the next question looks at the folder again."""
        self._found, self._faults = None, {}
        self.__dict__.pop("_module_names", None)

    def classes(self, base: type[Any] | None = None) -> dict[str, type[Any]]:
        """All classes of the folder, or those derived from one base.

        Returns
        -------
        dict of str to type
            Class name to class, sorted by name.

        Raises
        ------
        ImportError
            If two modules define classes of one name.
        """
        if self._found is None:
            self._found = self._look()
        return {name: cls for name, cls in self._found.items() if base is None or issubclass(cls, base)}

    def get(self, name: str) -> type[Any]:
        """Find one class, for the ``__getattr__`` of the package.

        Raises
        ------
        AttributeError
            If the folder has no such class.
        ImportError
            If the class stands in a module that cannot be imported; it says why.
        """
        # The import machinery asks for submodules and dunders before it imports: these name no class.
        if not name.startswith("_") and name != "base" and name not in self._module_names:
            found = self.classes()
            if name in found:
                return found[name]
            for file, fault in self._faults.values():
                if name in _defined_in(file):
                    raise ImportError(
                        f"{self._package} has no {name}: {cannot_import(file, fault)}"
                    ) from fault
        raise AttributeError(f"module {self._package!r} has no attribute {name!r}")

    @functools.cached_property
    def _module_names(self) -> frozenset[str]:
        return frozenset(name for name, _ in self._modules())

    def _modules(self) -> Iterator[tuple[str, Path]]:
        """Names of the modules, and their files (of a package: its ``__init__.py``)."""
        for info in pkgutil.iter_modules(importlib.import_module(self._package).__path__):
            if info.name != "base" and not info.name.startswith("_"):
                spec = info.module_finder.find_spec(info.name, None)
                yield info.name, Path(spec.origin if spec is not None and spec.origin else info.name)

    def _look(self) -> dict[str, type[Any]]:
        bases = importlib.import_module(f"{self._package}.base")
        kinds = tuple(getattr(bases, name) for name in self._bases)
        found: dict[str, type[Any]] = {}
        for module_name, file in self._modules():
            try:
                module = importlib.import_module(f"{self._package}.{module_name}")
            except (Exception, SystemExit) as fault:
                self._faults[module_name] = (file, fault)
                warnings.warn(f"{cannot_import(file, fault)}; it is left out", stacklevel=4)
                continue
            for name, value in vars(module).items():
                if (
                    name.startswith("_")
                    or not inspect.isclass(value)
                    or inspect.isabstract(value)
                    or not issubclass(value, kinds)
                    or not f"{value.__module__}.".startswith(f"{module.__name__}.")  # imported from elsewhere
                ):
                    continue
                if name in found:
                    raise ImportError(
                        f"two classes are named {name}: in {found[name].__module__} and in {value.__module__}"
                    )
                found[name] = value
        return dict(sorted(found.items()))


def cannot_import(file: Path | str, fault: BaseException) -> str:
    """Say which file cannot be imported, and why."""
    return f"{file} cannot be imported ({type(fault).__name__}: {fault})"


def _defined_in(file: Path) -> set[str]:
    """Name the classes that a source defines.

    The source of a module, or of all modules of a package.
    """
    files = file.parent.rglob("*.py") if file.name == "__init__.py" else [file]
    return {
        name for path in files for name in _CLASS.findall(path.read_text(encoding="utf-8", errors="replace"))
    }
