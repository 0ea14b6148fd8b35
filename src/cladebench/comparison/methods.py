"""Find the methods of a comparison by name, dotted path or file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from inspect import Parameter
from pathlib import Path
from typing import Any

from cladebench import clusterers, estimators
from cladebench.comparison import CONTROLS
from cladebench.input_files import InputFileError
from cladebench.users_code import users_code

#: Ours that are no methods: what knows nothing, or all.
_NOT_FITTING = (*CONTROLS, "BalancedRandomTree", "StarTree", "OracleTree")


@dataclass(frozen=True)
class Method:
    """A method of a comparison.

    Attributes
    ----------
    key : str
        What files and pages call it: the name of its class, with a module before it where two have one name.
    estimator : str
        As `cladebench.estimators.find` takes it.
    given : str
        As the file has it.
    cls : type or None
        None where it is not installed.
    missing : str
        Why there is no class; else empty.
    folder : str
        Where the module of a user's file is found; else empty.
    """

    key: str
    estimator: str
    given: str
    cls: type[Any] | None = field(default=None, repr=False)
    missing: str = ""
    folder: str = ""

    @property
    def class_name(self) -> str:
        """Name of the class alone."""
        return self.estimator.rpartition(".")[2]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Read the class's parameters with defaults; none where it is not installed."""
        return {} if self.cls is None else estimators.parameters(self.cls)

    def takes(self, kind: str, sparse: bool, settings: Mapping[str, list[Any]]) -> tuple[dict[str, Any], str]:
        """Say whether and how it takes data; see `clusterers.takes`."""
        if self.cls is None:
            return {}, self.missing
        return ({}, "") if self.key in CONTROLS else clusterers.takes(self.cls, kind, sparse, settings)


def fitting() -> list[str]:
    """Names of our clusterers that need no labels."""
    from cladebench import methods

    return [name for name in methods.discover() if name not in _NOT_FITTING]


def found_methods(given: Iterable[str], path: Path) -> list[Method]:
    """Find the classes of a list of methods, the controls last.

    Each has a key of its own.

    Raises
    ------
    InputFileError
        If a file or class is not there, or cannot be made without arguments. A library that is not installed is no
        error: its method has no class, and says so.
    """
    texts = [name for text in given for name in (fitting() if text == "fitting" else [text])]
    found = [_find(text, path) for text in dict.fromkeys(texts) if text not in CONTROLS]
    found += [_find(name, path) for name in CONTROLS]
    names = [method.key for method in found]
    keyed, taken = [], set()
    for method in found:
        key = method.key
        if names.count(key) > 1 and "." in method.estimator:
            key = f"{method.estimator.split('.')[0]}.{key}"
        while key in taken:
            key += "-2"
        taken.add(key)
        keyed.append(replace(method, key=key))
    return keyed


def _find(text: str, path: Path) -> Method:
    where, folder = f"{path}: methods: {text}", ""
    if text.endswith(".py"):
        raise InputFileError(f"{where}: names no class; expected {text}:Class")
    estimator = text
    if ".py:" in text:
        estimator, folder = _from_file(text, path, where)
    top = estimator.split(".")[0]
    if "." in estimator and not folder and top.isidentifier() and importlib.util.find_spec(top) is None:
        return Method(estimator.rpartition(".")[2], estimator, text, None, f"{top} is not installed")
    with users_code(where):
        try:
            cls = estimators.find(estimator)
        except ValueError as error:  # there is none: no fault of a user's code
            said, near, _ = str(error).removeprefix(f"estimator {estimator!r}: ").partition("? allowed: ")
            raise InputFileError(f"{where}: {said}{'?' if near else ''}") from None
        required = [k for k, default in estimators.parameters(cls).items() if default is Parameter.empty]
    if required:
        raise InputFileError(f"{where}: its constructor needs {required[0]!r}; expected defaults for all")
    if not any(callable(getattr(cls, name, None)) for name in ("fit", "fit_predict")):
        raise InputFileError(f"{where}: it has neither fit nor fit_predict; expected a clusterer")
    return Method(cls.__name__, estimator, text, cls, "", folder)


def _from_file(text: str, path: Path, where: str) -> tuple[str, str]:
    """Name the class in a file, and the folder to import from."""
    name, _, cls = text.rpartition(":")
    file = (path.parent / name).resolve()
    if not file.is_file():
        raise InputFileError(
            f"{where}: no file {file}; expected file.py:Class, from the folder of the comparison"
        )
    top, parts = file.parent, [file.stem]
    while (top / "__init__.py").exists():
        top, parts = top.parent, [top.name, *parts]
    module = ".".join(parts)
    if str(top) not in sys.path:
        sys.path.append(str(top))
    importlib.invalidate_caches()
    with users_code(f"{where}: cannot be imported"):
        found = importlib.import_module(module)
    if Path(str(found.__file__)).resolve() != file:
        raise InputFileError(
            f"{where}: a module {module!r} is at {found.__file__}; expected another file name"
        )
    return f"{module}.{cls}", str(top)
