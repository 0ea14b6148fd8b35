"""What the tests do without mutants, and what they say of one."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from copies import HERE, PACKAGE, Progress, Worker, work_through
from mutations import Mutation, instrumented, mutations

ROOMS = ("paper", "papers", "audit", "bench", "metrics")
# The rooms' own tests and those of what stands above them; `workflow` is left out: each of its tests takes minutes.
TESTS = ("paper", "papers", "audit", "bench", "metrics", "commands", "report", "docs")
FIRST = 4  # files that are loaded and run before the others: most mutants are caught there
LONGEST = 40.0  # seconds of tests, as measured without mutants, that one mutant may be given


def sources(root: Path) -> list[Path]:
    """The files that are mutated."""
    return sorted(path for room in ROOMS for path in (root / PACKAGE / room).rglob("*.py"))


def test_files(root: Path) -> list[str]:
    """The test files that may be used."""
    paths = [path for room in TESTS for path in (root / "tests" / room).rglob("test_*.py")]
    return sorted(path.relative_to(root).as_posix() for path in paths)


def digest(paths: Iterable[Path], *more: object) -> str:
    """Of the names and contents of files."""
    found = hashlib.sha256(repr(more).encode())
    for path in sorted(paths):
        found.update(f"{path.name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return found.hexdigest()


def all_mutations(root: Path) -> tuple[list[Mutation], dict[str, tuple[str, range]]]:
    """The mutations of all sources, and of each file the text that says which of its blocks ran, with their numbers."""
    found, telling, first = [], {}, 0
    for path in sources(root):
        name, source = path.relative_to(root).as_posix(), path.read_bytes()
        found += mutations(source, name, first)
        text, last = instrumented(source, first, "_block_ran")
        telling[name] = (text, range(first, last))
        first = last
    return found, telling


class Baseline:
    """What the tests do without mutants: seconds of each that passes, and the tests that reach a block."""

    def __init__(self, workers: list[Worker], root: Path, telling: dict[str, tuple[str, range]]):
        self.seconds: dict[str, float] = {}
        self.failing: list[str] = []
        self.reaching: dict[int, set[str]] = defaultdict(set)
        self.touching: dict[str, set[str]] = defaultdict(set)
        for name, (text, _) in telling.items():
            for worker in workers:
                (worker.root / name).write_text(text, encoding="utf-8")
        files = test_files(root)
        kinds = (".py", ".yaml", ".json", ".toml")
        folders = (root / "tests", root / PACKAGE)
        used = [path for folder in folders for path in folder.rglob("*") if path.suffix in kinds]
        tools = [HERE / name for name in ("worker.py", "site/sitecustomize.py")]
        shared = [path for path in used if not path.name.startswith("test_")]
        everything = digest([*shared, *tools], sys.version, [text for text, _ in telling.values()])
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cladebench-mutants"
        cache.mkdir(parents=True, exist_ok=True)
        progress = Progress("tests without mutants, in files", len(files))
        users: dict[str, set[str]] = defaultdict(set)
        hits: list[tuple[str, int]] = []

        def run(worker: Worker, file: str) -> dict:
            kept = cache / f"{digest([root / file], everything)}.json"
            if kept.exists():
                return json.loads(kept.read_text())
            out = worker.home / "hits.txt"
            out.unlink(missing_ok=True)
            results = worker.ask(stages=[[file]], seconds=900, hits=str(out))["results"]
            answer = {"results": results, "hits": out.read_text().splitlines() if out.exists() else []}
            if results and all(facts["passed"] for facts in results.values()):
                (worker.home / "kept.json").write_text(json.dumps(answer))
                shutil.copy(worker.home / "kept.json", kept.with_suffix(f".{os.getpid()}"))
                kept.with_suffix(f".{os.getpid()}").replace(kept)
            return answer

        def note(file: str, result: dict) -> None:
            for test, facts in result["results"].items():
                for fixture in facts["fixtures"]:
                    users[fixture].add(test)
                if facts["passed"]:
                    self.seconds[test] = facts["seconds"]
                else:
                    self.failing.append(test)
            hits.extend((name, int(number)) for name, number in (line.split("\t") for line in result["hits"]))
            progress.step()

        work_through(workers, files, run, note)
        for name, number in hits:
            self.reaching[number] |= (
                users[name] if name.startswith("fixture ") else {name}
            ) & self.seconds.keys()
        texts = {file: (root / file).read_text(encoding="utf-8") for file in files}
        for name, (_, numbers) in telling.items():
            for number in numbers:
                self.touching[name] |= self.reaching[number]
            # A test that reads a constant alone runs no block of the file; it names the module.
            package, _, stem = (
                Path(name).relative_to("src").with_suffix("").as_posix().replace("/", ".").rpartition(".")
            )
            named = re.compile(rf"\b{re.escape(package)}(\.| import [^\n]*\b){re.escape(stem)}\b")
            naming = {file for file, text in texts.items() if named.search(text)}
            self.touching[name] |= {test for test in self.seconds if test.split("::")[0] in naming}
            for worker in workers:
                shutil.copy2(root / name, worker.root / name)

    def tests_of(self, mutation: Mutation) -> list[str]:
        """The tests that reach a mutant, those of its room and then the quickest first, as many as the time allows."""
        tests = self.touching[mutation.path] if mutation.block is None else self.reaching[mutation.block]
        room = f"tests/{Path(mutation.path).parent.relative_to(PACKAGE).as_posix()}/"
        chosen, left = [], LONGEST
        for test in sorted(tests, key=lambda test: (not test.startswith(room), self.seconds[test], test)):
            left -= self.seconds[test]
            if left < 0 and chosen:
                break
            chosen.append(test)
        return chosen

    def try_mutant(self, worker: Worker, mutation: Mutation) -> str:
        """``caught``, ``too slow``, ``survived``, or ``not reached`` by any test."""
        tests = self.tests_of(mutation)
        if not tests:
            return "not reached"
        cost: Counter[str] = Counter()
        for test in tests:
            cost[test.split("::")[0]] += self.seconds[test]
        module = Path(mutation.path).stem
        files = sorted(cost, key=lambda file: (module not in file and cost[file] > 2, cost[file], file))
        path = worker.root / mutation.path
        source = path.read_bytes()
        try:
            path.write_bytes(mutation.apply(source))
            stages = [files[:FIRST], files[FIRST:]] if len(files) > FIRST else [files]
            # Other work on the machine makes tests slow, and no mutant caught.
            load = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
            each = load * (10 + 5 * max(self.seconds[test] for test in tests))
            within = each + 4 * load * sum(cost.values())
            answer = worker.ask(stages=stages, tests=tests, each=each, seconds=within)
        finally:
            path.write_bytes(source)
        if answer["too_slow"]:
            return "too slow"
        return {None: "too slow", 0: "survived", 5: "survived"}.get(answer["code"], "caught")
