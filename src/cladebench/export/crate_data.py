"""The data sets of a run as entities of an RO-Crate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from cladebench import datasets
from cladebench.datasets.base import DatasetInfo, RemoteFile
from cladebench.export.run_folder import PaperRun
from cladebench.report.paper_facts import address_of

if TYPE_CHECKING:
    import pandas as pd


#: What a file is, by the end of its name.
KINDS = {
    ".csv": "text/csv",
    ".gz": "application/gzip",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
    ".zip": "application/zip",
}
#: How the ids of data sets begin.
DATA = "#data-"


def paper_id(paper: PaperRun) -> str:
    """Name the entity of a paper."""
    return f"#paper-{quote(paper.name)}"


def paper_entity(paper: PaperRun) -> dict[str, Any]:
    """Write a paper that was checked."""
    entity: dict[str, Any] = {
        "@id": paper_id(paper),
        "@type": "ScholarlyArticle",
        "name": paper.plan.title,
        "description": " ".join(paper.plan.citation.split()),
    }
    address = address_of(paper.plan.citation)
    return entity | ({"url": address} if address else {})


def data_entities(papers: Iterable[PaperRun], cells: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Give each data set that was loaded, its files and its licence.

    Parameters
    ----------
    papers : iterable of PaperRun
    cells : DataFrame
        One row a run, as ``cells.parquet`` has them.

    Yields
    ------
    dict
        The ids of data sets begin with `DATA`.
    """
    used: dict[str, list[str]] = {}
    loaded = cells[cells["data_sha256"].notna()]
    for paper in papers:
        for name in loaded[loaded["paper"] == paper.name]["dataset"].unique():
            users = used.setdefault(paper.plan.data_of(name), [])
            if paper_id(paper) not in users:
                users.append(paper_id(paper))
    seen: set[str] = set()
    for name in sorted(used):
        info = datasets.info(name)
        licence = {"@id": f"#licence-{quote(info.licence)}", "@type": "CreativeWork", "name": info.licence}
        for entity in (data_set(info, used[name]), *map(data_file, info.files), licence):
            if entity["@id"] not in seen:
                seen.add(entity["@id"])
                yield entity


def data_set(info: DatasetInfo, users: list[str]) -> dict[str, Any]:
    """Write a registry's data set, as files or as what generates it."""
    stand_in = f" Stand-in for {info.stand_in_for}." if info.stand_in_for else ""
    entity: dict[str, Any] = {
        "@id": f"{DATA}{info.name}",
        "@type": "Collection" if info.files else "CreativeWork",
        "name": info.title,
        "alternateName": info.name,
        "description": f"{info.kind}: {info.contents}.{stand_in}",
        "license": {"@id": f"#licence-{quote(info.licence)}"},
        "citation": " ".join(info.citation.split()),
        "subjectOf": [{"@id": user} for user in users],
    }
    if info.files:
        entity["hasPart"] = [{"@id": _id(file)} for file in info.files]
        entity["mainEntity"] = entity["hasPart"][0]
    return entity


def data_file(file: RemoteFile) -> dict[str, Any]:
    """Write a data file with its sha256 and any official address."""
    entity: dict[str, Any] = {
        "@id": _id(file),
        "@type": "File" if file.official_url else "CreativeWork",
        "name": file.name,
        "encodingFormat": KINDS.get(PurePosixPath(file.name).suffix, "application/octet-stream"),
        "contentSize": str(file.size),
        "sha256": file.sha256,
    }
    if file.official_url:
        entity["url"] = file.official_url
    elif file.made_from:
        entity["description"] = " ".join(file.made_from.split())
    return entity


def _id(file: RemoteFile) -> str:
    return file.official_url or f"#file-{quote(file.name)}"
