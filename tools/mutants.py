"""`make mutants`: plants small faults in a copy of the sources and counts those that the tests catch.

1. The tracked files are copied to a temporary folder, one copy for each worker; the working tree is never touched.
2. All tests that could matter run once on copies whose blocks of statements say that they ran: which tests reach which block, and how
   long each takes. Tests that fail here are not used.
3. A sample of mutants is drawn, by rooms and lines. Each runs the tests that reach its block, the fastest files first, up to the first
   failure. A mutant whose tests take far longer than they did counts as caught.

Mutants that no test could catch are listed with a reason in `equivalent_mutants.yaml`; all others that survive count as survivors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

import yaml
from mutations import Mutation, changes_bytecode, instrumented, mutations

HERE = Path(__file__).resolve().parent
PACKAGE = "src/cladebench"
ROOMS = ("papers", "papers/hmmc", "papers/ghc", "audit", "bench", "metrics")
# The rooms' own tests and those of what stands above them; `workflow` is left out: it starts Snakemake, minutes for one mutant.
TESTS = ("papers", "audit", "bench", "metrics", "commands", "report", "docs")
LONGEST = 60.0  # seconds of tests, as measured without mutants, that one mutant may be given

# Outlives a killed run: waits for the end of its input, which comes with the end of the run in any way, and removes the copies.
JANITOR = """
import shutil, sys, time
sys.stdin.read()
for _ in range(100):
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    time.sleep(0.1)
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    import os
    if not os.path.exists(sys.argv[1]):
        break
"""


class Worker:
    """A copy of the project, and the process that runs its tests."""

    def __init__(self, root: Path, home: Path):
        self.root, self.home = home / "project", home
        names = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, check=True
        ).stdout.split(b"\0")
        for name in filter(None, (os.fsdecode(name) for name in names)):
            if (root / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, self.root / name)
        core = find_spec("cladebench._core") if (root / PACKAGE).exists() else None
        if core is not None and core.origin:
            shutil.copy2(core.origin, self.root / PACKAGE)
        (home / "tmp").mkdir()
        path = os.pathsep.join([str(HERE / "mutants_site"), str(self.root / "src"), str(self.root / "tests")])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(home / "tmp"), "MPLBACKEND": "Agg"}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}
        command = [sys.executable, str(HERE / "mutants_worker.py"), str(home)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.root, env=environment, text=True, start_new_session=True
        )

    def ask(self, **job: object) -> dict:
        """Have one job done."""
        assert self.process.stdin and self.process.stdout
        print(json.dumps({"hits": "", "tests": None, **job}), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("a worker died")
        return json.loads(answer)


def work_through(workers: list[Worker], jobs: Iterable, do: Callable, after: Callable) -> None:
    """Give the jobs to the workers, each job to who is free; `after` sees the results one by one."""
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    results: queue.SimpleQueue = queue.SimpleQueue()
    n = sum(1 for job in jobs if waiting.put(job) is None)

    def serve(worker: Worker) -> None:
        try:
            while True:
                job = waiting.get_nowait()
                results.put((job, do(worker, job)))
        except queue.Empty:
            pass
        except BaseException as problem:
            results.put((None, problem))

    for worker in workers:
        threading.Thread(target=serve, args=(worker,), daemon=True).start()
    for _ in range(n):
        job, result = results.get()
        if isinstance(result, BaseException):
            raise result
        after(job, result)


class Progress:
    """A line now and then: how far, and how long it takes still."""

    def __init__(self, what: str, n: int):
        self.what, self.n, self.done, self.began, self.shown = what, n, 0, time.monotonic(), 0.0

    def step(self, note: str = "") -> None:
        """One more is done."""
        self.done += 1
        now = time.monotonic()
        if now - self.shown > (0.5 if sys.stdout.isatty() else 15) or self.done == self.n:
            self.shown = now
            left = (now - self.began) / self.done * (self.n - self.done)
            end = "\r" if sys.stdout.isatty() and self.done < self.n else "\n"
            print(f"{self.what}: {self.done} of {self.n}{note}, {left:.0f} s left     ", end=end, flush=True)


def sources(root: Path) -> list[Path]:
    """The files that are mutated."""
    return sorted(path for room in ROOMS for path in (root / PACKAGE / room).glob("*.py"))


def test_files(root: Path) -> list[str]:
    """The test files that may be used."""
    return sorted(path.relative_to(root).as_posix() for room in TESTS for path in (root / "tests" / room).glob("test_*.py"))


def digest(root: Path, paths: Iterable[Path], *more: object) -> str:
    """Of the names and contents of files."""
    found = hashlib.sha256(repr(more).encode())
    for path in sorted(paths):
        found.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return found.hexdigest()


class Baseline:
    """What the tests do without mutants: seconds of each that passes, and the tests that reach a block."""

    def __init__(self, workers: list[Worker], root: Path):
        self.seconds: dict[str, float] = {}
        self.failing: list[str] = []
        self.reaching: dict[int, set[str]] = defaultdict(set)
        self.mutations: list[Mutation] = []
        self.touching: dict[str, set[str]] = defaultdict(set)
        first, of_file = 0, {}
        for path in sources(root):
            name, source = path.relative_to(root).as_posix(), path.read_bytes()
            self.mutations += mutations(source, name, first)
            text, last = instrumented(source, first, "_block_ran")
            of_file[name] = range(first, last)
            first = last
            for worker in workers:
                (worker.root / name).write_text(text, encoding="utf-8")
        files = test_files(root)
        helpers = [path for path in (root / "tests").rglob("*") if path.is_file() and path.suffix in (".py", ".yaml") and "test_" not in path.name]
        code = [*(root / PACKAGE).rglob("*.py"), *(root / PACKAGE).rglob("*.yaml"), *(root / PACKAGE).rglob("*.json"), *HERE.rglob("*.py")]
        everything = digest(root, [*helpers, *code], sys.version)
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cladebench-mutants"
        cache.mkdir(parents=True, exist_ok=True)
        progress = Progress("tests without mutants, in files", len(files))
        users: dict[str, set[str]] = defaultdict(set)
        hits: list[tuple[str, int]] = []

        def run(worker: Worker, file: str) -> dict:
            kept = cache / f"{digest(root, [root / file], everything)}.json"
            if kept.exists():
                return json.loads(kept.read_text())
            out = worker.home / "hits.txt"
            out.unlink(missing_ok=True)
            results = worker.ask(files=[file], seconds=900, hits=str(out))["results"]
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
            self.reaching[number] |= (users[name] if name.startswith("fixture ") else {name}) & self.seconds.keys()
        for name, numbers in of_file.items():
            for number in numbers:
                self.touching[name] |= self.reaching[number]
            for worker in workers:
                shutil.copy2(root / name, worker.root / name)

    def tests_of(self, mutation: Mutation) -> list[str]:
        """The tests that reach a mutant, the quickest first, as many as the time allows."""
        tests = self.touching[mutation.path] if mutation.block is None else self.reaching[mutation.block]
        chosen, left = [], LONGEST
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
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
            answer = worker.ask(files=files, tests=tests, seconds=20 + 4 * sum(cost.values()))
        finally:
            path.write_bytes(source)
        return {None: "too slow", 0: "survived", 5: "survived"}.get(answer["code"], "caught")


def room_of(path: str) -> str:
    """The room that a source file stands in."""
    return Path(path).parent.relative_to(PACKAGE).as_posix()


def draw(found: list[Mutation], root: Path, size: int, seed: int) -> list[Mutation]:
    """A sample: rooms by their number of lines with mutants, lines within a room alike, one mutant of a line."""
    lines: dict[str, dict[tuple[str, int], list[Mutation]]] = defaultdict(lambda: defaultdict(list))
    for mutation in found:
        lines[room_of(mutation.path)][mutation.path, mutation.line].append(mutation)
    total = sum(map(len, lines.values()))
    sample = []
    for room in sorted(lines):
        chance = random.Random(f"{seed} {room}")
        places = sorted(lines[room])
        chance.shuffle(places)
        wanted = round(size * len(places) / total)
        for place in places:
            mutants = lines[room][place]
            fit = [mutation for mutation in chance.sample(mutants, len(mutants)) if changes_bytecode(mutation, (root / place[0]).read_bytes())]
            if wanted and fit:
                sample.append(fit[0])
                wanted -= 1
    return sample


def excuses(found: list[Mutation], path: Path) -> dict[Mutation, str]:
    """The mutants that are listed as equivalent, with the reasons; an entry that fits no mutant is an error."""
    excused = {}
    for entry in (yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None) or []:
        key = (entry["file"], entry["in"], entry["before"], entry["after"])
        fitting = [one for one in found if (one.path, one.scope, one.before, one.after) == key]
        if not fitting:
            raise SystemExit(f"{path.name}: no mutant fits {entry}: the code has changed, remove or mend the entry")
        excused |= dict.fromkeys(fitting, entry["reason"])
    return excused


def main() -> int:
    """Run it; 0 where the share caught is at least the floor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=200, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1, help="draws the sample")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1, help="number of workers")
    parser.add_argument("--floor", type=float, default=90.0, help="least share caught, in percent")
    parser.add_argument("--only", default="", help="mutate only files with this in their path")
    parser.add_argument("--root", type=Path, default=HERE.parent, help="the project")
    options = parser.parse_args()
    began = time.monotonic()
    folder = tempfile.mkdtemp(prefix="mutants-")
    janitor = subprocess.Popen([sys.executable, "-c", JANITOR, folder], stdin=subprocess.PIPE, start_new_session=True)
    try:
        root = options.root.resolve()
        workers = []
        for i in range(options.cores):
            home = Path(folder, str(i))
            home.mkdir()
            workers.append(Worker(root, home))
        baseline = Baseline(workers, root)
        found = [mutation for mutation in baseline.mutations if options.only in mutation.path]
        excused = excuses(found, HERE / "equivalent_mutants.yaml") if not options.only else {}
        sample = draw(found, root, options.sample, options.seed)
        fates: dict[Mutation, str] = {one: "equivalent" for one in sample if one in excused}
        tried = [one for one in sample if one not in excused]
        print(
            f"{len(baseline.seconds)} tests used, {len(baseline.failing)} that fail without mutants left out; "
            f"{len(sample)} of {len(found)} mutants, seed {options.seed}"
        )
        progress = Progress("mutants", len(tried))

        def note(mutation: Mutation, fate: str) -> None:
            fates[mutation] = fate
            progress.step(f", {sum(fate in ('caught', 'too slow') for fate in fates.values())} caught")

        work_through(workers, tried, baseline.try_mutant, note)
    finally:
        janitor.communicate(b"")
    return report(fates, sample, baseline, options.floor, (time.monotonic() - began) / 60)


def report(fates: dict[Mutation, str], sample: list[Mutation], baseline: Baseline, floor: float, minutes: float) -> int:
    """Print the survivors and the table of rooms; the exit code."""
    for test in baseline.failing:
        print(f"fails without mutants: {test}")
    for mutation in sorted(sample, key=lambda one: (one.path, one.line)):
        if fates[mutation] in ("survived", "not reached"):
            print(f"{fates[mutation]}: {mutation.path}:{mutation.line} ({mutation.scope}): {mutation.before}  ->  {mutation.after}")
    kinds = ("caught", "too slow", "survived", "not reached", "equivalent")
    print(f"\n{'room':14}" + "".join(f"{kind:>13}" for kind in kinds) + f"{'share caught':>15}")
    share = 0.0
    for room in [*sorted({room_of(one.path) for one in sample}), "all"]:
        counts = Counter(fates[one] for one in sample if room in ("all", room_of(one.path)))
        tried = sum(counts.values()) - counts["equivalent"]
        share = 100 * (counts["caught"] + counts["too slow"]) / tried if tried else 100.0
        print(f"{room:14}" + "".join(f"{counts[kind]:13}" for kind in kinds) + f"{share:13.1f} %")
    print(f"{minutes:.1f} minutes; at least {floor:g} % must be caught")
    return 0 if share >= floor else 1


if __name__ == "__main__":
    sys.exit(main())
