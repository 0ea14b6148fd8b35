"""Write a run as a Workflow Run RO-Crate.

Profiles are RO-Crate 1.1, Workflow RO-Crate 1.0, and Process and Workflow Run Crate 0.5.
https://www.researchobject.org/workflow-run-crate/
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from cladebench.bench.store.cells_table import read_cells
from cladebench.export.crate_data import DATA, KINDS, data_entities, paper_entity, paper_id
from cladebench.export.crate_software import is_code, software_entities
from cladebench.export.crate_suite import CONFIGURATION, Suite
from cladebench.export.run_folder import Format, RunFolder, as_json
from cladebench.input_files import InputFileError
from cladebench.report.run_facts import environment_rows
from cladebench.suite_folder import suite_folder

METADATA = "ro-crate-metadata.json"
CONTEXT = ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"]
WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}
SNAKEMAKE = {
    "@id": "https://w3id.org/workflowhub/workflow-ro-crate#snakemake",
    "@type": "ComputerLanguage",
    "name": "Snakemake",
    "identifier": {"@id": "https://snakemake.github.io/"},
    "url": {"@id": "https://snakemake.github.io/"},
}
#: What a run leaves for readers, as patterns below its folder, with what it is.
OUTPUTS = {
    "README.md": "main tables and findings",
    "audit.csv": "every claim with its answer",
    "audit.json": "every claim with its answer, nested",
    "cells.parquet": "every run",
    "certificates.csv": "the solver checks",
    "environment.json": "commits, builds, machines and versions of the runs",
    "gate.txt": "what the gate found wrong",
    "tables/*/*": "a table of a paper",
    "figures/*/*": "a figure of a paper",
    "report/*.html": "a page of the report",
}


def files(run: RunFolder, folder: Path) -> Mapping[str, bytes]:
    """Give the metadata and the workflow, and outputs that are elsewhere.

    A crate may describe only files below its own folder.
    """
    crate = Crate(run, Suite(suite_folder()))
    elsewhere = folder.absolute() != run.results.absolute()
    kept = crate.outputs if elsewhere else {}
    return {METADATA: as_json(crate.document()), **crate.sources, **kept}


@dataclass(frozen=True)
class Crate:
    """A run and the project's own files as entities of a crate."""

    run: RunFolder
    suite: Suite

    @functools.cached_property
    def outputs(self) -> dict[str, bytes]:
        """Content of each output, by its name below the run."""
        paths = (path for pattern in OUTPUTS for path in sorted(self.run.results.glob(pattern)))
        return {
            path.relative_to(self.run.results).as_posix(): path.read_bytes()
            for path in paths
            if path.is_file() and not path.name.startswith(".")
        }

    @functools.cached_property
    def sources(self) -> dict[str, bytes]:
        """Content of the workflow's files and of the configuration.

        The main file comes first.
        """
        names = (*self.suite.workflow, CONFIGURATION)
        return {name: (self.suite.root / name).read_bytes() for name in names}

    @functools.cached_property
    def cells(self) -> pd.DataFrame:
        """A row for each run."""
        cells = read_cells(self.run.results / "cells.parquet", one_row_a_run=True)
        return cells[cells["paper"].isin([paper.name for paper in self.run.papers])]

    @functools.cached_property
    def environments(self) -> tuple[dict[str, Any], ...]:
        """What runs were made with."""
        return environment_rows(self.cells)

    @functools.cached_property
    def authors(self) -> list[dict[str, Any]]:
        """Authors of the software, as ``CITATION.cff`` has them."""
        return [_author(author) for author in self.suite.citation["authors"]]

    @property
    def licence(self) -> dict[str, Any]:
        """Licence of the software and of its results."""
        name = str(self.suite.citation["license"])
        return {"@id": f"https://spdx.org/licenses/{name}", "@type": "CreativeWork", "name": name}

    @functools.cached_property
    def data(self) -> list[dict[str, Any]]:
        """Data sets, their files and their licences."""
        return list(data_entities(self.run.papers, self.cells))

    @functools.cached_property
    def software(self) -> list[dict[str, Any]]:
        """States of the code and packages that runs were made with."""
        return software_entities(self.environments)

    @functools.cached_property
    def results(self) -> list[dict[str, Any]]:
        """The outputs."""
        about = {
            path.relative_to(self.run.results).as_posix(): text
            for pattern, text in OUTPUTS.items()
            for path in self.run.results.glob(pattern)
        }
        entities = [_file(name, content, about[name]) for name, content in self.outputs.items()]
        return [
            entity | ({"about": {"@id": "./"}} if entity["@id"] == "README.md" else {}) for entity in entities
        ]

    @functools.cached_property
    def code(self) -> list[dict[str, Any]]:
        """The workflow, what it includes, and its configuration."""
        main, *others = (
            _file(name, content, "a file of the workflow") for name, content in self.sources.items()
        )
        workflow = {
            "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
            "name": "cladebench",
            "description": f"the workflow {self.suite.state}: runs, checks, verdicts, tables, figures and pages. "
            "The states of the code with which runs were made are among its software requirements.",
            "programmingLanguage": refs([SNAKEMAKE])[0],
            "author": refs(self.authors),
            "creator": refs(self.authors),
            "license": refs([self.licence]),
            "version": str(self.suite.citation.get("version", "")),
            "hasPart": refs(other for other in others if other["@id"] != CONFIGURATION),
            "softwareRequirements": refs(self.software),
        }
        return [main | workflow, *others]

    def action(self) -> dict[str, Any]:
        """The run. Its files do not say when it began and ended."""
        papers = ", ".join(paper.name for paper in self.run.papers)
        hours = self.cells["cpu_seconds"].sum() / 3600
        states = sum(map(is_code, self.software))
        return {
            "@id": f"#run-{hashlib.sha256(self.outputs['audit.csv']).hexdigest()[:12]}",
            "@type": "CreateAction",
            "name": f"Run of {papers}",
            "description": f"{len(self.cells):,} runs of methods on data, {hours:.1f} CPU hours, "
            f"made with {states} state{'s' * (states != 1)} of the code. "
            "The files of a run do not say when it began and ended.",
            "instrument": refs(self.code[:1]),
            "agent": refs(self.authors),
            "object": [*refs(self.code[-1:]), *refs(self._data_sets())],
            "result": refs(self.results),
        }

    def root(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """The folder that the crate is."""
        citation = self.suite.citation
        every = (*self.code, *self.results, *self.data)
        return {
            "@id": "./",
            "@type": "Dataset",
            "name": f"Results of cladebench: {'; '.join(paper.plan.title for paper in self.run.papers)}",
            "description": str(citation.get("abstract", citation.get("title", "cladebench"))),
            "datePublished": self._day(),
            "license": refs([self.licence]),
            "author": refs(self.authors),
            "publisher": refs(self.authors[:1]),
            "about": [{"@id": paper_id(paper)} for paper in self.run.papers],
            "conformsTo": [{"@id": profile} for profile in PROFILES],
            "mainEntity": refs(self.code[:1]),
            "hasPart": refs(entity for entity in every if "File" in entity["@type"]),
            "mentions": refs([action, *self._data_sets()]),
        }

    def document(self) -> dict[str, Any]:
        """Write ``ro-crate-metadata.json`` as a JSON-LD document."""
        action = self.action()
        descriptor = {
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": [{"@id": "https://w3id.org/ro/crate/1.1"}, {"@id": WORKFLOW_CRATE}],
        }
        profiles = (
            {"@id": uri, "@type": "CreativeWork", "name": name, "version": version}
            for uri, (name, version) in PROFILES.items()
        )
        graph: Iterable[Mapping[str, Any]] = (
            *(descriptor, self.root(action), *profiles, *self.code, SNAKEMAKE, action, *self.authors),
            *(self.licence, *map(paper_entity, self.run.papers), *self.software, *self.data, *self.results),
        )
        return {"@context": CONTEXT, "@graph": [_plain(entity) for entity in graph]}

    def _data_sets(self) -> list[dict[str, Any]]:
        return [entity for entity in self.data if entity["@id"].startswith(DATA)]

    def _day(self) -> str:
        """Give the day of the release, or of the newest commit.

        A run without a release has the newest commit that ran, else that of the build.
        """
        day = str(self.suite.citation.get("date-released", "")) or self.suite.last_day(
            {str(row["commit"]) for row in self.environments}
        )
        if not day:
            raise InputFileError(
                f"{self.suite.root / 'CITATION.cff'}: no date-released, and git knows no commit that ran; expected one "
                "of them: a crate must have a date"
            )
        return day


def refs(entities: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Refer to entities."""
    return [{"@id": entity["@id"]} for entity in entities]


def _plain(entity: Mapping[str, Any]) -> dict[str, Any]:
    """Write lists of one as what is in them.

    What is empty is left out.
    """
    return {
        key: value[0] if isinstance(value, list) and len(value) == 1 else value
        for key, value in entity.items()
        if value not in ([], "")
    }


def _file(name: str, content: bytes, about: str) -> dict[str, Any]:
    """A file of the crate."""
    return {
        "@id": quote(name),
        "@type": "File",
        "name": name,
        "description": about,
        "encodingFormat": KINDS.get(Path(name).suffix, "text/plain"),
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _author(author: Mapping[str, Any]) -> dict[str, Any]:
    """An author of ``CITATION.cff``.

    A person, or an organisation, which has a name.
    """
    person = " ".join(str(author[key]) for key in ("given-names", "family-names") if key in author)
    name = str(author.get("name", person))
    return {
        "@id": str(author.get("orcid", f"#author-{quote(name)}")),
        "@type": "Organization" if "name" in author else "Person",
        "name": name,
    }


FORMAT = Format(".", files, whole=True)
