"""Find clusterers by name, dotted path or file of a user."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from inspect import Parameter
from pathlib import Path
from typing import Any

from cladebench import clusterers, estimators, extras, methods
from cladebench.discovery import Discovered
from cladebench.distances.base import Distance
from cladebench.input_files import InputFileError
from cladebench.users_code import users_code


@dataclass(frozen=True)
class NamedClusterer:
    """A clusterer as a file or a command names it.

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
        What it needs and is not installed, in words; else empty.
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
        """Say whether and how it takes data; see `cladebench.clusterers.takes`."""
        if self.cls is None or self.missing:
            return {}, self.missing
        return clusterers.takes(self.cls, kind, sparse, settings)


def named_clusterers(texts: Iterable[str], folder: Path, where: str) -> list[NamedClusterer]:
    """Find the classes of a list of names.

    Each has a key of its own.

    Parameters
    ----------
    texts : iterable of str
        As `cladebench.estimators.find` takes them, or ``file.py:Class``.
    folder : Path
        From which files are looked for.
    where : str
        The place that names them, for errors.

    Raises
    ------
    InputFileError
        If a file or class is not there, or cannot be made without arguments. A library that is not installed is no
        error: its clusterer has no class, and says so.

    Examples
    --------
    >>> from pathlib import Path
    >>> from cladebench.named_clusterers import named_clusterers
    >>> names = ["FlatKMeans", "sklearn.cluster.KMeans", "nowhere.Method"]
    >>> [found.key for found in named_clusterers(names, Path("."), "methods")]
    ['FlatKMeans', 'KMeans', 'Method']
    """
    clusterers = [_find(text, folder, f"{where}: {text}") for text in dict.fromkeys(texts)]
    names = [one.key for one in clusterers]
    keyed, taken = [], set()
    for one in clusterers:
        key = one.key
        if names.count(key) > 1 and "." in one.estimator:
            key = f"{one.estimator.split('.')[0]}.{key}"
        while key in taken:
            key += "-2"
        taken.add(key)
        keyed.append(replace(one, key=key))
    return keyed


def _find(text: str, folder: Path, where: str) -> NamedClusterer:
    if text.endswith(".py"):
        raise InputFileError(f"{where}: names no class; expected {text}:Class")
    estimator, top_folder = _from_file(text, folder, where) if ".py:" in text else (text, "")
    top = estimator.split(".")[0]
    if "." in estimator and not top_folder and top.isidentifier() and importlib.util.find_spec(top) is None:
        return NamedClusterer(estimator.rpartition(".")[2], estimator, text, None, f"{top} is not installed")
    with users_code(where, "code that runs"):
        try:
            cls = estimators.find(estimator)
        except ValueError as error:  # there is none: no fault of a user's code
            if "." not in estimator:
                raise InputFileError(f"{where}: is no clusterer of ours; {_nearest(estimator)}") from None
            said, near, _ = str(error).removeprefix(f"estimator {estimator!r}: ").partition("? allowed: ")
            raise InputFileError(f"{where}: {said}{'?' if near else ''}") from None
        required = [k for k, default in estimators.parameters(cls).items() if default is Parameter.empty]
    if required:
        raise InputFileError(f"{where}: its constructor needs {required[0]!r}; expected defaults for all")
    if issubclass(cls, Distance):
        raise InputFileError(f"{where}: is a distance; expected a clusterer")
    if not any(callable(getattr(cls, name, None)) for name in ("fit", "fit_predict")):
        raise InputFileError(f"{where}: it has neither fit nor fit_predict; expected a clusterer")
    return NamedClusterer(cls.__name__, estimator, text, cls, _lacking(cls), top_folder)


def _nearest(name: str) -> str:
    """Say which clusterer of ours or of scikit-learn was meant."""
    import difflib  # late: nobody needs it as long as names are right

    modules = [importlib.import_module(f"sklearn.{part}") for part in ("cluster", "mixture")]
    classes = [(module.__name__, key) for module in modules for key in module.__all__ if key[0].isupper()]
    meant = {key.lower(): f"{module}.{key}" for module, key in classes}
    meant |= {key.lower(): key for key in methods.discover()}
    near = difflib.get_close_matches(name.lower(), meant, n=1)
    other = "expected one of cladebench.methods, or the dotted path of a class"
    return f"did you mean {meant[near[0]]!r}?" if near else other


def _lacking(cls: type[Any]) -> str:
    """Say what one of our classes needs in vain.

    Empty if all that it needs is installed.
    """
    needs = cls.needs if issubclass(cls, Discovered) else ()
    return next((extras.missing(package) for package in needs if not extras.is_installed(package)), "")


def _from_file(text: str, folder: Path, where: str) -> tuple[str, str]:
    """Name the class in a file, and the folder to import from."""
    name, _, cls = text.rpartition(":")
    file = (folder / name).resolve()
    if not file.is_file():
        raise InputFileError(f"{where}: no file {file}; expected file.py:Class, from the folder of the file")
    top, parts = file.parent, [file.stem]
    while (top / "__init__.py").exists():
        top, parts = top.parent, [top.name, *parts]
    module = ".".join(parts)
    if str(top) not in sys.path:
        sys.path.append(str(top))
    importlib.invalidate_caches()
    with users_code(where, "code that runs"):
        loaded = importlib.import_module(module)
    if Path(str(loaded.__file__)).resolve() != file:
        raise InputFileError(
            f"{where}: a module {module!r} is at {loaded.__file__}; expected another file name"
        )
    return f"{module}.{cls}", str(top)
