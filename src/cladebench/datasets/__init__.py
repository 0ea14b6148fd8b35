"""Data sets: registry, fetching, checks and generators.

One file a family: a module of ``sets/`` that defines ``DATASETS``, a tuple of :class:`DatasetInfo`, is
found by itself. ``load(name)`` gives checked arrays; see ``docs/adding-a-dataset.md``.
"""

from cladebench.datasets.base import (
    CacheUnwritable,
    ChecksumMismatch,
    Content,
    Dataset,
    DatasetError,
    DatasetInfo,
    DataUnavailable,
    Images,
    Part,
    RemoteFile,
    View,
)
from cladebench.datasets.registry import (
    availability,
    fixed_sizes,
    info,
    load,
    names,
    registry_frame,
    source_files,
)

__all__ = [
    "CacheUnwritable",
    "ChecksumMismatch",
    "Content",
    "DataUnavailable",
    "Dataset",
    "DatasetError",
    "DatasetInfo",
    "Images",
    "Part",
    "RemoteFile",
    "View",
    "availability",
    "fixed_sizes",
    "info",
    "load",
    "names",
    "registry_frame",
    "source_files",
]
