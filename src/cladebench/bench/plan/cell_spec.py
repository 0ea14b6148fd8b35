"""What a cell is: its specification, limits, identity and seed."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STATUSES = ("ok", "timeout", "out_of_memory", "error", "unavailable", "not_applicable")


def canonical_json(value: Any) -> str:
    """Serialise to JSON so that equal values give equal text.

    Keys are sorted, and there are no spaces.

    Parameters
    ----------
    value : JSON-able object
        Mappings with string keys, sequences, strings, finite numbers, booleans and None.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If a number is NaN or infinite, which JSON cannot express.
    TypeError
        If some part has no JSON form.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`, in hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def point_text(at: Mapping[str, Any]) -> str:
    """Write an evaluation point as canonical JSON.

    Whole numbers are written without a fraction, however given.
    """
    whole = {k: int(v) if isinstance(v, float) and v.is_integer() else v for k, v in at.items()}
    return canonical_json(whole)


def setting_id(setting: Mapping[str, Any]) -> str:
    """Short name of a setting.

    The first 8 hexadecimal digits of its digest (``default`` when it is empty).
    """
    return digest(dict(setting))[:8] if setting else "default"


def setting_order(setting: Mapping[str, Any]) -> list[tuple[str, int, float, str]]:
    """Give the sort key of settings: parameter names, numbers first by size."""
    return [
        (name, 0, float(value), "")
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else (name, 1, 0.0, canonical_json(value))
        for name, value in sorted(setting.items())
    ]


def derive_seed(root_seed: int, *parts: str | int) -> int:
    """Derive a seed in [0, 2**32) for an identified random stream."""
    return int.from_bytes(hashlib.sha256(canonical_json([root_seed, *parts]).encode()).digest()[:4], "big")


@dataclass(frozen=True)
class Limits:
    """Limit what one cell may use, or the watchdog kills its worker.

    Parameters
    ----------
    time_s : float
        CPU seconds, for each declared thread. CPU time is judged rather than wall time, so that a machine with
        more jobs than cores does not turn slow cells into timeouts.
    memory_mb : float
        Resident memory of the worker's whole process group in MiB, the interpreter and libraries included.
    wall_s : float, optional
        Wall seconds; catches what waits without computing. Default ``3 * time_s + 30``: a machine three times
        oversubscribed still meets the CPU limit first.
    """

    time_s: float
    memory_mb: float
    wall_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("time_s", "memory_mb", "wall_s"):
            value = getattr(self, name)
            if name == "wall_s" and value is None:
                object.__setattr__(self, name, 3.0 * self.time_s + 30.0)
            elif not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0):
                raise ValueError(f"limits.{name} must be a positive finite number, got {value!r}")

    @property
    def wall_limit(self) -> float:
        """The wall limit in seconds, default resolved."""
        assert self.wall_s is not None
        return self.wall_s

    def scaled(self, time: float = 1.0, memory: float = 1.0) -> Limits:
        """The same limits times a factor, for a slower or smaller machine."""
        return Limits(self.time_s * time, self.memory_mb * memory, self.wall_limit * time)

    def as_dict(self) -> dict[str, float]:
        """The limits as a JSON-able mapping."""
        return {"time_s": self.time_s, "memory_mb": self.memory_mb, "wall_s": self.wall_limit}


@dataclass(frozen=True)
class MethodPlan:
    """A method as the plan names it.

    Parameters
    ----------
    name : str
        Key in the plan, and the ``method`` of its records.
    estimator : str
        What the paper's protocol calls: a class of ``cladebench.methods``, or the dotted path of a class or
        function.
    params : Mapping
        Parameters that hold in every setting.
    label : str
        What tables and figures print.
    role : {"method", "baseline", "extra", "control", "study", "alternative"}
        ``extra`` is what we add beside the paper; a ``study`` measures something of the data set itself.
    """

    name: str
    estimator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    role: str = "method"

    def parameters(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters of the estimator in one setting.

        The setting wins over the method's own.
        """
        return {**self.params, **setting}

    def as_dict(self) -> dict[str, Any]:
        """The plan of the method as a JSON-able mapping."""
        return {
            "name": self.name,
            "estimator": self.estimator,
            "params": dict(self.params),
            "label": self.label,
            "role": self.role,
        }


@dataclass(frozen=True)
class CellSpec:
    """One cell: method, setting, data set and repetition.

    Parameters
    ----------
    paper, dataset, method : str
        Names in the plan.
    setting : Mapping
        The point of the grid: the parameters that vary within the plan.
    repetition : int
        0, 1, ...; also the draw of data sets that are drawn.
    root_seed : int
        The seed of the whole run.
    fold : int or None
        Which fold of the repetition is held out, where the task has folds.
    task : Mapping
        What the spine draws for a repetition (`cladebench.bench.plan.task.draw_task`).
    entry : str
        The data's name in the registry where the plan calls them by another (``problems``); else empty. Not part of the
        identity: the data's digest is.
    limits : Limits
        What the cell may use. Not part of its identity.
    threads : int, default=1
        Threads of the core's parallel loops. Not part of its identity: they must not change results.
    """

    paper: str
    dataset: str
    method: str
    setting: Mapping[str, Any]
    repetition: int
    root_seed: int
    limits: Limits
    threads: int = 1
    fold: int | None = None
    task: Mapping[str, Any] = field(default_factory=dict)
    entry: str = ""

    @property
    def data(self) -> str:
        """The data's name in the registry."""
        return self.entry or self.dataset

    @property
    def seed(self) -> int:
        """Give the cell's seed in [0, 2**32).

        Neither the setting nor the rest of the plan enters.
        """
        fold = () if self.fold is None else (f"fold {self.fold}",)
        return derive_seed(self.root_seed, self.paper, self.dataset, self.method, self.repetition, *fold)

    @property
    def setting_id(self) -> str:
        """Short digest of the setting."""
        return setting_id(self.setting)

    @property
    def cell_id(self) -> str:
        """``paper/dataset/method/setting_id/repetition``, with ``.fold`` behind it where there are folds."""
        fold = "" if self.fold is None else f".{self.fold}"
        return f"{self.paper}/{self.dataset}/{self.method}/{self.setting_id}/{self.repetition}{fold}"

    def identity(self) -> dict[str, Any]:
        """What makes two cells the same computation: all but limits and threads."""
        return {
            "paper": self.paper,
            "dataset": self.dataset,
            "method": self.method,
            "setting": dict(self.setting),
            "repetition": self.repetition,
            "fold": self.fold,
            "root_seed": self.root_seed,
            "task": dict(self.task),
        }

    def as_dict(self) -> dict[str, Any]:
        """The specification as a JSON-able mapping; `from_dict` reads it back."""
        entry = {"entry": self.entry} if self.entry else {}
        return {**self.identity(), **entry, "limits": self.limits.as_dict(), "threads": self.threads}

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> CellSpec:
        """Read back what `as_dict` gave."""
        return cls(**{**mapping, "limits": Limits(**mapping["limits"])})
