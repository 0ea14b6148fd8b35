"""The records of a run on disk: written by rename."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cladebench.bench.store.cells_faults import metric_fault
from cladebench.bench.store.cells_table import as_table, kept_rows, rows_of
from cladebench.files import is_special, remove, write_atomically, write_json
from cladebench.input_files import parse_json, validator
from cladebench.measures import Measure

if TYPE_CHECKING:
    import pandas as pd

    from cladebench.bench.plan.jobs import PlannedCell


class RecordError(ValueError):
    """A record on disk is missing or cannot be read."""


class ArraysLost(RecordError):
    """The arrays of a cell are missing or damaged."""


class Store:
    """The folder of one run, ``results/<scope>``.

    Parameters
    ----------
    root : Path
        Made when something is written.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    def path(self, cell_id: str, suffix: str = ".json") -> Path:
        """Where the record (``.json``) or the arrays (``.npz``) of a cell are."""
        paper, dataset, method, setting, repetition = cell_id.split("/")
        return self.root / "cells" / paper / dataset / method / f"{setting}-{repetition}{suffix}"

    def job_path(self, job: str) -> Path:
        """Where the summary of a job is."""
        return self.root / "jobs" / f"{job}.json"

    def log_path(self, job: str) -> Path:
        """Where the output of a job's cells is."""
        return self.root / "logs" / f"{job}.cells.log"

    def write_arrays(self, cell_id: str, arrays: Mapping[str, np.ndarray]) -> str:
        """Write a cell's arrays as a compressed NPZ; give its SHA-256.

        Equal content gives equal bytes.
        """
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in sorted(arrays):
                member = io.BytesIO()
                np.lib.format.write_array(member, np.asarray(arrays[name]), allow_pickle=False)
                # ZipInfo's default date is fixed, where numpy.savez writes the time of day.
                info = zipfile.ZipInfo(f"{name}.npy")
                archive.writestr(info, member.getvalue(), zipfile.ZIP_DEFLATED, 1)
        write_atomically(self.path(cell_id, ".npz"), buffer.getvalue())
        return hashlib.sha256(buffer.getbuffer()).hexdigest()

    def arrays_fault(self, record: Mapping[str, Any]) -> str | None:
        """Say what is wrong with a record's arrays; None where nothing is."""
        path = self.path(record["cell_id"], ".npz")
        if not record["arrays"]:
            return None
        if is_special(path):
            return f"{path}: the arrays of {record['cell_id']} are no file"
        try:
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except FileNotFoundError:
            return f"{path}: the arrays of {record['cell_id']} are gone"
        except OSError as error:
            return f"{path}: the arrays of {record['cell_id']} cannot be read: {error.strerror}"
        if digest != record["arrays_sha256"]:
            return f"{path}: the arrays of {record['cell_id']} are damaged"
        return None

    def write_record(self, record: Mapping[str, Any]) -> None:
        """Write a record after its arrays, checked against its schema.

        Raises
        ------
        ValueError
            If the record does not follow the schema.
        """
        error = next(iter(validator("record").iter_errors(record)), None)
        if error is not None:
            raise ValueError(f"record {record.get('cell_id')}: {error.json_path}: {error.message}")
        path = self.path(record["cell_id"])
        if path.is_dir():
            remove(path)
        write_json(path, record)
        if not record["arrays"]:
            remove(self.path(record["cell_id"], ".npz"))

    def remove(self, cell_id: str) -> None:
        """Remove a cell's record, then its arrays.

        No record is left without its arrays.
        """
        remove(self.path(cell_id))
        remove(self.path(cell_id, ".npz"))

    def misplaced(self, cell_id: str) -> str | None:
        """Say what stands where a record is to be written.

        It is no file; None where nothing does.
        """
        path = self.path(cell_id)
        return (
            f"{path}: the run put something else in the place of its record"
            if path.is_dir() or is_special(path)
            else None
        )

    def read_record(self, cell_id: str) -> dict[str, Any]:
        """Read one record.

        Raises
        ------
        RecordError
            If there is none or the file is damaged.
        """
        return self._read(self.path(cell_id))

    def damaged(self, cell_ids: Iterable[str], *, thoroughly: bool) -> Iterator[RecordError]:
        """Say of each record that is there what makes it unreadable.

        Parameters
        ----------
        cell_ids : iterable of str
        thoroughly : bool
            Hold it against the schema, too. What was cut or overwritten is found without, in a twentieth of the time.
        """
        for path in map(self.path, cell_ids):
            if not os.path.lexists(path):
                continue
            try:
                self._read(path) if thoroughly else _parsed(path)
            except RecordError as error:
                yield error

    def load_arrays(self, cell_id: str) -> dict[str, np.ndarray]:
        """Read the arrays of a cell.

        Raises
        ------
        ArraysLost
            If there is no record, or the file is not what was written with it.
        RecordError
            If the record is damaged or lists no arrays.
        """
        path = self.path(cell_id)
        if not path.exists():
            raise ArraysLost(f"{path}: there is no record")
        record = self.read_record(cell_id)
        if not record["arrays"]:
            raise RecordError(f"{path}: run {cell_id} has no arrays")
        fault = self.arrays_fault(record)
        if fault is not None:
            raise ArraysLost(fault)
        with np.load(self.path(cell_id, ".npz"), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}

    def _read(self, path: Path) -> dict[str, Any]:
        record = _parsed(path)
        if not validator("record").is_valid(record):
            raise RecordError(f"{path}: the record does not follow its schema")
        if record["cell_id"] != _whose(record) or self.path(record["cell_id"]) != path:
            raise RecordError(f"{path}: the record is of another run, {record['cell_id']}")
        return dict(record)

    def iter_records(self, cell_ids: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """Read the records of the given cells, or all.

        Cells without a record are left out.
        """
        if cell_ids is None:
            paths = sorted((self.root / "cells").glob("*/*/*/*.json"))
        else:
            paths = [path for path in map(self.path, cell_ids) if os.path.lexists(path)]
        yield from map(self._read, paths)

    def write_parquet(
        self,
        path: Path | str,
        cell_ids: Iterable[str] | None = None,
        measures: Mapping[str, Mapping[str, Measure]] | None = None,
        *,
        keep: pd.DataFrame | None = None,
    ) -> None:
        """Write records as a long table; equal tables give equal bytes.

        A row for each cell, metric and point, one row for a cell that is not ``ok``. The columns are those of
        `cladebench.bench.store.cells_table`. Rows are sorted by paper, data set, method, setting (numbers by size),
        repetition, fold, metric, evaluation point.

        Parameters
        ----------
        path : Path or str
        cell_ids : iterable of str, optional
            The planned cells; default: every record in the folder, also those of settings no longer planned.
        measures : mapping of str to mapping of str to Measure, optional
            For each paper what its metrics are; metrics and values are not checked by default.
        keep : DataFrame, optional
            Rows of a table that are written too, as they are, where their cell has no record.

        Raises
        ------
        RecordError
            If a record has a metric that is not described, or a value outside the range of its measure by more than
            rounding (1e-6, relative to the bound where that is larger than 1); nothing is written, the records stay.
        """
        import pyarrow.parquet

        rows = [row for record in self.iter_records(cell_ids) for row in rows_of(record)]
        for row in rows:
            if measures is not None and row["metric"] is not None:
                fault = metric_fault(row, measures[row["paper"]])
                if fault:
                    raise RecordError(f"{self.path(row['cell_id'])}: {fault}")
        if keep is not None:
            recorded = {row["cell_id"] for row in rows}
            rows += (row for row in kept_rows(keep) if row["cell_id"] not in recorded)
        rows.sort(key=lambda row: row.pop("_order"))
        buffer = io.BytesIO()
        pyarrow.parquet.write_table(as_table(rows), buffer, compression="zstd")
        write_atomically(Path(path), buffer.getvalue())

    def forget_damaged(self, job: str, cell_ids: Iterable[str], *, thoroughly: bool = True) -> list[str]:
        """Remove the summary of a job of which a record is damaged.

        Without it the workflow runs the job again.

        Returns
        -------
        list of str
            What is wrong with which records.
        """
        if not self.job_path(job).exists():
            return []
        faults = [str(error) for error in self.damaged(cell_ids, thoroughly=thoroughly)]
        if faults:
            self.job_path(job).unlink(missing_ok=True)
        return faults

    def ledger_rows(
        self, cells: Iterable[PlannedCell], kept: pd.DataFrame | None = None
    ) -> list[dict[str, Any]]:
        """The rows of `ledger`."""
        elsewhere = {}
        if kept is not None:
            first = kept.drop_duplicates("cell_id")
            elsewhere = {
                cell: {"status": status, "reason": reason}
                for cell, status, reason in zip(
                    first["cell_id"], first["status"], first["reason"], strict=True
                )
            }
        rows = []
        for cell in cells:
            spec = cell.spec
            row: dict[str, Any] = {
                "cell_id": spec.cell_id,
                "paper": spec.paper,
                "dataset": spec.dataset,
                "method": spec.method,
                "setting_id": spec.setting_id,
                "repetition": spec.repetition,
                "fold": spec.fold,
            }
            if spec.cell_id in elsewhere and not self.path(spec.cell_id).exists():
                rows.append(row | elsewhere[spec.cell_id])
                continue
            try:
                record = self.read_record(spec.cell_id)
                fault = self.arrays_fault(record)
                row |= {"status": record["status"], "reason": record["reason"]}
                if fault is not None:  # a record without what it lists is half a record
                    row |= {"status": "missing", "reason": fault}
            except RecordError as error:
                row |= {"status": "missing", "reason": str(error)}
            rows.append(row)
        return rows

    def ledger(self, cells: Iterable[PlannedCell], *, kept: pd.DataFrame | None = None) -> pd.DataFrame:
        """Planned against done.

        Parameters
        ----------
        cells : iterable of PlannedCell
            The planned cells.
        kept : DataFrame, optional
            Rows of a table that say how cells ended whose records are not in the folder.

        Returns
        -------
        DataFrame
            One row a cell, in the given order: cell_id, paper, dataset, method, setting_id, repetition, fold, status
            (of its record; ``missing`` where the record or its arrays are not there or damaged), reason.
        """
        import pandas as pd

        columns = [
            "cell_id",
            "paper",
            "dataset",
            "method",
            "setting_id",
            "repetition",
            "fold",
            "status",
            "reason",
        ]
        return pd.DataFrame(self.ledger_rows(cells, kept), columns=columns)


def _parsed(path: Path) -> Any:
    try:
        if is_special(path):
            raise RecordError(f"{path}: the record is no file")
        return parse_json(path.read_bytes())
    except FileNotFoundError:
        raise RecordError(f"{path}: there is no record") from None
    except OSError as error:
        raise RecordError(f"{path}: the record cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RecordError(f"{path}: the record cannot be read: {error}") from None


def _whose(record: Mapping[str, Any]) -> str:
    """The cell that a record's entries name."""
    fold = "" if record["fold"] is None else f".{record['fold']}"
    names = (record[key] for key in ("paper", "dataset", "method", "setting_id", "repetition"))
    return "/".join(map(str, names)) + fold
