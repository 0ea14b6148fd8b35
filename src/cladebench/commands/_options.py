"""Options that several commands share: which papers, which scope, which configuration."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cladebench.files import check_path

if TYPE_CHECKING:
    from cladebench.bench.plan.jobs import Job

#: What `--paper` is when it is left out, in every command that reads what a run has left.
_RECORDED = "those with records in the folder"
#: Those of the configuration, by which the folders of their runs are called.
_SCOPES = ("smoke", "quick", "full")


def user_path(text: str) -> Path:
    """Read a path of the command line.

    No shell expands the ``~`` of ``--out=~/run``.
    """
    try:
        return Path(os.path.expanduser(check_path(text, "path")))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def folder_path(text: str) -> Path:
    """Read the path of a folder, which need not be there yet."""
    path = user_path(text)
    if held := file_in_the_way(path):
        raise argparse.ArgumentTypeError(f"{held}: is a file; expected a folder, or a new one")
    return path


def file_in_the_way(folder: Path) -> Path | None:
    """Find the file in the place of a folder or its parents."""
    try:
        return next((place for place in (folder, *folder.absolute().parents) if place.is_file()), None)
    except OSError:  # a name that is too long, which is told when the folder is made
        return None


def count(text: str) -> int:
    """Read a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number of at least 1")
    return int(text)


def whole(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number") from None


def number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a number") from None


def add_run_options(parser: argparse.ArgumentParser, *, recorded: bool = False) -> None:
    """Add what says which cells a run has.

    Parameters
    ----------
    parser : ArgumentParser
    recorded : bool, default=False
        The command reads records: without ``--paper`` it takes the papers that have some, not the configuration's.
    """
    _add_paper(parser, _RECORDED if recorded else "those of the configuration")
    add_scope_option(parser)
    add_folder_option(
        parser, "--out", "--results", about="folder of the records (default: <results_dir>/<scope>)"
    )
    parser.add_argument(
        "--config",
        type=user_path,
        metavar="FILE",
        help="configuration (default: config/config.yaml where it exists)",
    )
    parser.add_argument("--seed", type=whole, help="root seed (default: the configuration's)")
    parser.add_argument("--threads", type=whole, help="threads of each run (default: the configuration's)")
    parser.add_argument("--time-scale", type=number, metavar="FACTOR", help="factor on the time limits")
    parser.add_argument("--memory-scale", type=number, metavar="FACTOR", help="factor on the memory limits")


def add_keep_option(parser: argparse.ArgumentParser, about: str) -> None:
    """Add ``--keep``, for a run in several pieces.

    `about` says what it does with the rows that count.
    """
    parser.add_argument(
        "--keep",
        nargs="?",
        const="same-code",
        choices=("same-code", "any-code"),
        help=f"{about}: for a run in several pieces or on several machines. A row counts if its run, done again "
        "would give it: it has the same seed, setting, parameters, data and task, values in their range, and the same "
        "sources, core and versions of libraries. With any-code these last three may be others, and the command says "
        "for how many runs they are",
    )


def add_results_options(parser: argparse.ArgumentParser, files: str, *, own_out: bool = False) -> None:
    """Add the options that choose a run and its papers.

    Parameters
    ----------
    parser : ArgumentParser
    files : str
        Those of the run that the command needs.
    own_out : bool, default=False
        The command has an ``--out`` of another meaning.
    """
    names = ["--results"] if own_out else ["--results", "--out"]
    add_folder_option(parser, *names, about=f"folder of a run, with {files}", required=True)
    _add_paper(parser, _RECORDED)


def add_folder_option(
    parser: argparse.ArgumentParser, *names: str, about: str, required: bool = False
) -> None:
    """Add the folder of a run by its names.

    Writers put ``--out`` first, readers ``--results``; all know both.
    """
    parser.add_argument(*names, type=folder_path, required=required, metavar="FOLDER", help=about)


def _add_paper(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--paper",
        action="append",
        help=f"only this paper: an id, or the package of a paper of your own (repeatable; default: {default})",
    )


def planned_jobs(
    args: argparse.Namespace, *, recorded: bool = False, tabled: bool = False
) -> tuple[list[Job], Path]:
    """List the planned jobs and the folder of their records.

    They are those of the papers and scope asked for.

    Parameters
    ----------
    args : Namespace
        With the options of `add_run_options`.
    recorded : bool, default=False
        As there.
    tabled : bool, default=False
        Then papers that only ``cells.parquet`` has are taken, too.

    Raises
    ------
    InputFileError
        If the configuration, a plan or ``cells.parquet`` is wrong, or no paper has records.
    """
    from cladebench.bench.plan.config import load_config
    from cladebench.bench.plan.jobs import expand
    from cladebench.bench.store.cells_table import papers_in
    from cladebench.paper.catalogue import built_in_papers, load_plan

    config = load_config(args.config)
    os.environ.update(config.data.environment())
    # A run may add a scope to those of its folder.
    scope = args.scope or (scope_of(args.out, None, config.scope) if args.out else config.scope)
    out = args.out or Path(config.results_dir) / scope
    papers = args.paper
    if not papers and recorded:
        with_records = {folder.name for folder in (out / "cells").glob("*/")}
        if tabled and (out / "cells.parquet").exists():
            with_records |= papers_in(out / "cells.parquet")
        papers = _names_of(with_records, out / "cells", config.papers)
    if recorded:
        scope_of(out, scope, scope)
    jobs = [
        job
        for paper in dict.fromkeys(papers or config.papers or built_in_papers())
        for job in expand(
            load_plan(paper),
            scope,
            root_seed=config.seed if args.seed is None else args.seed,
            threads=config.threads if args.threads is None else args.threads,
            time_scale=config.time_scale if args.time_scale is None else args.time_scale,
            memory_scale=config.memory_scale if args.memory_scale is None else args.memory_scale,
        )
    ]
    return jobs, out


def refuse_to_lose(path: Path, what: str, held: Iterable[str], kept: Iterable[str], advice: str) -> None:
    """Refuse to write a file over one that holds more.

    Raises
    ------
    InputFileError
        Naming the file and what it `held` that would not be `kept`.
    """
    from cladebench.input_files import InputFileError

    lost = sorted(set(held) - set(kept))
    if lost:
        raise InputFileError(f"{path}: it has {what} {', '.join(lost)}, which would be lost; {advice}")


def add_scope_option(parser: argparse.ArgumentParser, otherwise: str = "the configuration's") -> None:
    """Add ``--scope``.

    `otherwise` is what is taken where the folder of the run does not say it.
    """
    parser.add_argument(
        "--scope", help=f"smoke, quick or full (default: that of the runs in the folder, or {otherwise})"
    )


def scope_of(folder: Path, given: str | None, otherwise: str) -> str:
    """Say which scope was run in a folder.

    Parameters
    ----------
    folder : Path
        Its jobs say their scope. A folder without jobs may be called by it, as ``results/full``, of which git keeps
        the table alone.
    given : str or None
        What ``--scope`` says.
    otherwise : str
        What is returned if nothing says it.

    Raises
    ------
    InputFileError
        If `given` is another one, or there are several; names a file of the run and both scopes.
    """
    from cladebench.input_files import InputFileError

    name = folder.absolute().name
    recorded = _recorded_scopes(folder)
    if not recorded and name in _SCOPES and (folder / "cells.parquet").exists():
        recorded = {name: folder / "cells.parquet"}
    for scope, path in recorded.items():
        if given is not None and scope != given:
            raise InputFileError(
                f"{path}: was run in the scope {scope!r}, not {given!r}; expected --scope {scope}"
            )
    if given is not None or not recorded:
        return given or (name if name in _SCOPES else otherwise)
    if len(recorded) > 1:
        raise InputFileError(
            f"{folder / 'jobs'}: has runs of the scopes {', '.join(recorded)}; expected --scope"
        )
    return next(iter(recorded))


def chosen_scope(args: argparse.Namespace) -> str:
    """Say which scope was run in ``--results``; see `scope_of`.

    Raises
    ------
    InputFileError
        As there, or if the configuration is wrong.
    """
    from cladebench.bench.plan.config import load_config

    return scope_of(args.results, args.scope, load_config().scope)


def _recorded_scopes(folder: Path) -> dict[str, Path]:
    """List the scopes of a folder's jobs, each with a job's file."""
    from cladebench.files import is_special
    from cladebench.input_files import parse_json

    scopes: dict[str, Path] = {}
    for path in sorted((folder / "jobs").glob("*.json")):
        try:
            scope = None if is_special(path) else parse_json(path.read_bytes())["scope"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a damaged summary says nothing; the records count
        if isinstance(scope, str):
            scopes.setdefault(scope, path)
    return scopes


def chosen_papers(args: argparse.Namespace) -> list[str]:
    """List the papers of ``--paper``, else those in ``--results``' ``cells.parquet``.

    Raises
    ------
    InputFileError
        If ``cells.parquet`` cannot be read, or holds a paper that cannot be found.
    """
    from cladebench.bench.store.cells_table import papers_in

    if args.paper:
        return list(dict.fromkeys(args.paper))
    path = args.results / "cells.parquet"
    return papers_of(papers_in(path), path)


def papers_of(ids: Iterable[str], where: Path) -> list[str]:
    """List the names that load the papers of a file.

    Raises
    ------
    InputFileError
        If there is none, or one cannot be found.
    """
    from cladebench.bench.plan.config import load_config

    return _names_of(ids, where, load_config().papers)


def _names_of(ids: Iterable[str], where: Path, configured: Iterable[str]) -> list[str]:
    """Names under which the plans of recorded papers are found.

    A record has the id, not the package.
    """
    from cladebench.input_files import InputFileError
    from cladebench.paper.catalogue import built_in_papers

    names = {name: name for name in built_in_papers()}
    names |= {name.rpartition(".")[2]: name for name in configured}
    recorded = sorted(set(ids))
    if not recorded:
        raise InputFileError(f"{where}: no paper has records; run it first (cladebench run)")
    for paper in recorded:
        if paper not in names:
            raise InputFileError(
                f"{where}: records of {paper!r}, which the configuration does not name; "
                "expected its package in --paper"
            )
    return [names[paper] for paper in recorded]
