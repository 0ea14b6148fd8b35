"""Forests in files.

One NumPy archive, closed by a digest of all that stands before it.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from sklearn.utils.validation import check_is_fitted

from cladebench.distances._forest_parts import check_parameters, json_facts, params_of
from cladebench.files import write_atomically

KIND = "cladebench hierarchy forest 1"
#: Name of the array that holds the facts as JSON.
_FACTS = "facts"
_DIGEST = 64
_ARRAYS: Mapping[str, tuple[type[np.generic], int]] = {  # dtype and dimensions
    "n_nodes": (np.int64, 1),
    "right": (np.int32, 1),
    "size": (np.int32, 1),
    "features": (np.uint32, 2),
    "weights": (np.float64, 2),
    "X": (np.float64, 2),
}


def _attribute(array: str) -> str:
    return "_fit_X" if array == "X" else f"{array}_"


def save_forest(forest: Any, path: Path) -> None:
    """Write a fitted HierarchyForest and its training rows."""
    check_is_fitted(forest, "n_nodes_")
    params = json_facts(params_of(forest) | {"checkpoint": None})
    if not isinstance(params["random_state"], int):
        params["random_state"] = None
    names = getattr(forest, "feature_names_in_", None)
    facts = {
        "kind": KIND,
        "params": params,
        "seed": forest.seed_,
        "constraints_digest": forest.constraints_digest_,
        "feature_names": None if names is None else names.tolist(),
    }
    write_forest(path, {name: getattr(forest, _attribute(name)) for name in _ARRAYS}, facts)


def load_forest(make: Callable[..., Any], path: Path) -> Any:
    """Read what `save_forest` wrote, `make` being the class.

    ValueError if the file holds anything else.
    """
    arrays, facts = read_forest(path, KIND)
    try:
        forest = make(**facts["params"])
        check_parameters(forest)
        forest.fitted_with_, forest.seconds_taken_up_ = forest.get_params(), 0.0
        for name, (dtype, dimensions) in _ARRAYS.items():
            array = arrays[name]
            if array.dtype != dtype or array.ndim != dimensions:
                raise ValueError(f"{name} has dtype {array.dtype} and shape {array.shape}")
            setattr(forest, _attribute(name), np.ascontiguousarray(array))
        if len(forest.n_nodes_) != forest.n_trees or not np.isfinite(forest._fit_X).all():
            raise ValueError("its number of trees, or its rows, do not fit its parameters")
        forest.seed_, forest.constraints_digest_ = int(facts["seed"]), str(facts["constraints_digest"])
        forest.n_features_in_ = forest._fit_X.shape[1]
        if facts["feature_names"] is not None:
            names = np.array(facts["feature_names"], dtype=object)
            if names.shape != (forest.n_features_in_,) or not all(isinstance(name, str) for name in names):
                raise ValueError(f"feature_names is {facts['feature_names']!r}")
            forest.feature_names_in_ = names
        forest._place(forest._fit_X)
    except MemoryError:
        raise
    except Exception as error:  # facts and trees may be anything
        raise ValueError(f"{path} holds no forest that can be used: {error}") from error
    return forest


def write_forest(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays and facts as an archive, atomically.

    ``np.load`` can read it too.

    Parameters
    ----------
    path : Path
    arrays : Mapping
        Name -> array; no objects.
    facts : Mapping
        What JSON can hold.
    """
    text = json.dumps(facts, sort_keys=True, allow_nan=False).encode()
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{_FACTS: np.frombuffer(text, dtype=np.uint8)}, **arrays)
    # The digest is the comment that a zip archive may end with. It covers the bytes that say so, too.
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"0" * _DIGEST
    content = buffer.getbuffer()
    content[-_DIGEST:] = hashlib.sha256(content[:-_DIGEST]).hexdigest().encode()
    write_atomically(path, content)  # type: ignore[arg-type]  # a view of bytes: a forest may take gigabytes


def read_forest(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what `write_forest` wrote.

    Parameters
    ----------
    path : Path
    kind : str
        What the facts must say under ``kind``.

    Returns
    -------
    arrays, facts : dict

    Raises
    ------
    ValueError
        If the file is something else, was cut short or altered.
    OSError
        If it cannot be read.
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is no file; expected a file of a forest")
    with path.open("rb") as file:
        length = file.seek(0, io.SEEK_END) - _DIGEST
        file.seek(0)
        digest = hashlib.sha256()
        for start in range(0, length, 2**20):
            digest.update(file.read(min(2**20, length - start)))
        if length < 0 or file.read() != digest.hexdigest().encode():
            raise ValueError(
                f"{path}: its digest does not fit; expected a file of a forest, whole and unaltered"
            )
        try:
            arrays = _members(file)
            facts = json.loads(arrays.pop(_FACTS).tobytes())
            stored_kind = facts["kind"]
        except MemoryError:
            raise
        # Anyone can write a digest: what stands before it may be anything that these readers trip over.
        except Exception as error:
            raise ValueError(f"{path} is no file of a forest: {error!r}") from error
    if stored_kind != kind:
        raise ValueError(f"{path} holds {stored_kind!r}; expected {kind!r}")
    return arrays, facts


def _members(file: BinaryIO) -> dict[str, np.ndarray]:
    """Read the arrays of an archive, within its size.

    Each must be as long as it says before memory is asked for.
    """
    arrays = {}
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            if entry.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{entry.filename} is compressed")
            with archive.open(entry) as member:
                if np.lib.format.read_magic(member) != (1, 0):
                    raise ValueError(f"{entry.filename} is no array of format 1.0")
                shape, _, dtype = np.lib.format.read_array_header_1_0(member)
                claimed, stored = math.prod(shape) * dtype.itemsize, entry.file_size - member.tell()
                if dtype.hasobject or claimed != stored:
                    raise ValueError(f"{entry.filename} has {dtype} of shape {shape} in {stored} bytes")
                member.seek(0)
                arrays[entry.filename.removesuffix(".npy")] = np.lib.format.read_array(
                    member, allow_pickle=False
                )
    return arrays
