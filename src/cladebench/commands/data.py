"""``cladebench data list | info | fetch | check``.

What data there are, get them, compare them with the registry.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from cladebench import datasets
from cladebench.commands._options import user_path
from cladebench.datasets import fetch, settings


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "data",
        help="list, show, fetch and check data sets",
        description="List, show (info), fetch and check data sets.",
        epilog=f"Environment (or the configuration's data section): {settings.CACHE} folder of fetched files "
        f"(default: .cladebench/cache in the checkout); {settings.MIRROR} folders to read first; "
        f"{settings.OFFLINE}=1 never asks the network.",
    )
    parser.add_argument(
        "--config",
        type=user_path,
        metavar="FILE",
        help="configuration to take the data section from (default: config/config.yaml)",
    )
    actions = parser.add_subparsers(dest="action", required=True, title="actions", metavar="ACTION")
    actions.add_parser(
        "list",
        help="show all data sets, where they are, and their files",
        description="Show all data sets, where they are on this machine, and the path of each of their files in a "
        "mirror folder. A file of the wrong size is called altered; contents are compared by 'cladebench data check'.",
    ).set_defaults(func=configured(list_datasets))
    describing = actions.add_parser(
        "info",
        help="show all that the registry says of data sets",
        description="Show all that the registry says of data sets, and where they are on this machine.",
    )
    describing.add_argument("names", nargs="+", metavar="NAME", help="data set")
    describing.set_defaults(func=configured(describe_datasets))
    fetching = actions.add_parser(
        "fetch",
        help="get the files of data sets",
        description="Get the files of data sets from the first source that has them; downloads go into the cache. "
        "Exit code 1 when any could not be had or is altered.",
    )
    fetching.add_argument("names", nargs="*", metavar="NAME", help="data set (default: all)")
    fetching.add_argument(
        "--allow-unavailable",
        action="store_true",
        help="exit code 0 also when a source cannot be reached (never when a file is altered)",
    )
    fetching.set_defaults(func=configured(fetch_datasets))
    actions.add_parser(
        "check",
        help="compare all local files with the registry",
        description="Compare the sha256 of every local copy with the registry; nothing is removed. Exit code 1 when "
        "any differs.",
    ).set_defaults(func=configured(check_datasets))


def configured(action: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Wrap an action.

    The configuration's data section comes first, and a wrong input is one line and exit code 2.
    """

    def run(args: argparse.Namespace) -> int:
        from cladebench.bench.plan.config import load_config
        from cladebench.input_files import InputFileError

        try:
            os.environ.update(load_config(args.config).data.environment())
            return action(args)
        except ValueError as error:
            raise InputFileError(str(error)) from None

    return run


def away(name: str) -> str:
    """Say what to do about a data set that is away."""
    if missing := datasets.info(name).missing_libraries:
        return f"needs {', '.join(missing)}"
    if not datasets.info(name).fetchable:
        return "not here (mirror only)"
    return "not here (offline)" if settings.current().offline else "to be fetched"


def list_datasets(args: argparse.Namespace) -> int:
    """Print the registry as a table.

    Below it stands where each file belongs in a mirror folder.
    """
    table = datasets.registry_frame()
    columns = {
        "name": "name",
        "kind": "kind",
        "n_samples": "n",
        "n_features": "d",
        "n_classes": "classes",
        "available": "available",
        "stand_in_for": "stand-in for",
    }
    table = table[list(columns)].rename(columns=columns)
    now = settings.current()
    table["available"] = [
        place or away(name) for name, place in table[["name", "available"]].itertuples(index=False)
    ]
    table["stand-in for"] = table["stand-in for"].replace("", "-")
    table["beside"] = [beside(datasets.info(name)) for name in table["name"]]
    for column in ("d", "classes"):
        table[column] = table[column].astype(object).where(table[column].notna(), "-")
    print(table.to_string(index=False))
    users: dict[str, list[str]] = {}  # of each file
    for entry in map(datasets.info, datasets.names()):
        for file in entry.files:
            users.setdefault(file.name, []).append(entry.name)
    width = max(map(len, users), default=0)
    print(
        f"files, by their path in a mirror folder ({settings.MIRROR}), and the data sets read from them; "
        "PATH.gz may have one packed"
    )
    for path in sorted(users):
        print(f"{path:<{width}}  {', '.join(users[path])}")
    for copy in _local_copies(sizes_only=True):
        if copy.fault:
            print(f"altered: {copy.path}: {copy.fault}")
    for mirror in now.mirrors:
        if not mirror.is_dir():
            print(f"mirror {mirror}: no such folder")
    return 0


def beside(entry: datasets.DatasetInfo) -> str:
    """What a data set has beside features and labels, in few words."""
    words = ["images"] if entry.images else []
    if entry.views:
        kinds = sorted(set(entry.views.values()))
        words.append(f"{len(entry.views)} {'views' if len(entry.views) > 1 else 'view'} ({', '.join(kinds)})")
    if entry.parts:
        roles = list(entry.parts.values())
        words.append(f"{roles.count('train')} train, {roles.count('test')} test sets")
    if entry.n_training is not None:
        words.append(f"{entry.n_training} train, {entry.n_samples - entry.n_training} test rows")
    return "; ".join(words) or "-"


def describe_datasets(args: argparse.Namespace) -> int:
    """Print the registry entries of the named data sets."""
    for number, name in enumerate(args.names):
        entry = datasets.info(name)
        stands = f", stands in for {entry.stand_in_for}" if entry.stand_in_for else ""
        facts = {
            "kind": f"{entry.kind}{stands}",
            "contents": entry.contents,
            "draws": str(entry.n_draws),
            "available": datasets.availability(name) or away(name),
            "licence": entry.licence,
            "citation": entry.citation,
            "notes": entry.notes or "-",
        }
        print(("\n" if number else "") + f"{name}: {entry.title}")
        for key, value in facts.items():
            print(f"  {key + ':':<11}{value}")
        for part, role in entry.parts.items():
            print(f"  part:      {part} ({role})")
        for file in entry.files:
            print(f"  file:      {file.name}, {file.size} bytes, sha256 {file.sha256}")
            print(f"             {' '.join(file.urls) or 'no public address serves it'}")
    return 0


def fetch_datasets(args: argparse.Namespace) -> int:
    """Get the files of the named data sets.

    1 when any could not be had or is altered.
    """
    entries = [datasets.info(name) for name in args.names or datasets.names()]
    altered, unavailable = set[str](), set[str]()  # a file may serve several data sets
    for number, entry in enumerate(entries, start=1):
        prefix = f"[{number}/{len(entries)}] {entry.name}"
        if not entry.files:
            print(f"{prefix}: generated, nothing to fetch", flush=True)
        if datasets.availability(entry.name) is None and not settings.current().offline:
            print(f"{prefix}: fetching {sum(f.size for f in entry.files if f.urls):,} bytes", flush=True)
        for file in entry.files:
            try:
                got = fetch.obtain(file)
            except datasets.DataUnavailable as error:
                unavailable.add(file.name)
                print(f"{prefix}: unavailable: {error}", flush=True)
            except datasets.DatasetError as error:
                altered.add(file.name)
                print(f"{prefix}: error: {error}", flush=True)
            else:
                print(f"{prefix}: {file.name}, {file.size} bytes, {got.source}: {got.place}", flush=True)
    if unavailable or altered:
        print(f"{len(unavailable)} files unavailable, {len(altered)} altered", flush=True)
    if unavailable:
        paths = "".join(f"\n  FOLDER/{name}" for name in sorted(unavailable))
        print(f"to go on, put copies into a folder and set {settings.MIRROR}=FOLDER:{paths}", flush=True)
    return int(bool(altered or (unavailable and not args.allow_unavailable)))


def _local_copies(sizes_only: bool = False) -> list[fetch.Checked]:
    """Every local copy of every registered file, compared with the registry."""
    files = {file.name: file for name in datasets.names() for file in datasets.info(name).files}
    return [copy for file in files.values() for copy in fetch.check_local(file, sizes_only)]


def check_datasets(args: argparse.Namespace) -> int:
    """Compare every local copy of every registered file with its sha256.

    1 when any differs.
    """
    checked = _local_copies()
    for result in checked:
        print(f"{result.file.name}: {result.fault or 'ok'} ({result.source} {result.path})")
    faults = sum(result.fault is not None for result in checked)
    print(f"{len(checked)} local files checked, {faults} truncated, altered or unreadable")
    return int(faults > 0)
