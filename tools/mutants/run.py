"""`make mutants`: plants small faults in a copy of the sources and counts those that the tests catch.

1. The project's files are copied to a temporary folder, one copy for each worker; the working tree is not touched,
   and may be edited meanwhile.
2. All tests that could matter run once on copies whose blocks of statements say that they ran: which tests reach
   which block, and how long each takes. Tests that fail here are not used. What a test file did is kept by content.
3. A sample of mutants is drawn, by rooms and lines. Each runs the tests that reach its block, the quickest files
   first, up to the first failure. A mutant whose tests take far longer than they did counts as caught.

Mutants that no test could catch are listed with a reason in `equivalent.yaml`; all others that survive are survivors.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import yaml

from baseline import Baseline, all_mutations
from copies import HERE, JANITOR, PACKAGE, Progress, Worker, copy_project, work_through
from mutations import Mutation, changes_bytecode


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
            if not wanted:
                break
            source = (root / place[0]).read_bytes()
            mutants = chance.sample(lines[room][place], len(lines[room][place]))
            fit = next((mutation for mutation in mutants if changes_bytecode(mutation, source)), None)
            if fit:
                sample.append(fit)
                wanted -= 1
    return sample


def excuses(found: list[Mutation], root: Path) -> dict[Mutation, str]:
    """The mutants that are listed as equivalent, with the reasons; an entry that fits no mutant is an error."""
    excused, problems, path = {}, [], root / "tools/mutants/equivalent.yaml"
    for entry in (yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None) or []:
        key, source = (entry["line"], entry["before"], entry["after"]), root / entry["file"]
        lines = source.read_text(encoding="utf-8").split("\n") if source.exists() else []
        fitting = [
            one
            for one in found
            if one.path == entry["file"] and (lines[one.line - 1].strip(), one.before, one.after) == key
        ]
        if not fitting:
            problems.append(f"{path.name}: no mutant fits {entry}; expected one of the code as it is now")
        excused |= dict.fromkeys(fitting, entry["reason"])
    if problems:
        raise SystemExit("\n".join(problems))
    return excused


def controls(sample: list[Mutation]) -> list[Mutation]:
    """Of each room a mutation that changes nothing, which no test may catch."""
    rooms = {room_of(one.path): replace(one, end=one.start, text="") for one in sample}
    return list(rooms.values())


def check_control(control: Mutation, fate: str) -> None:
    """Stop if the tests fail for another reason than a mutant: then no count would mean anything."""
    if fate in ("caught", "too slow"):
        raise SystemExit(f"error: {control.path} is unchanged, yet its tests fail ({fate})")


def main() -> int:
    """Run it and print the survivors; 0 where the share caught is at least the floor."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=200, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1, help="draws the sample")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1, help="number of workers")
    parser.add_argument("--floor", type=float, default=90.0, help="least share caught, in percent")
    parser.add_argument("--only", default="", help="mutate only files with this in their path")
    parser.add_argument("--root", type=Path, default=HERE.parents[1], help="the project")
    options = parser.parse_args()
    began = time.monotonic()
    folder = tempfile.mkdtemp(prefix="mutants-")
    janitor = subprocess.Popen(
        [sys.executable, "-c", JANITOR, folder], stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        root = copy_project(options.root.resolve(), Path(folder, "unchanged"))
        mutants, telling = all_mutations(root)
        excused = excuses(mutants, root)
        workers = []
        for i in range(options.cores):
            home = Path(folder, str(i))
            home.mkdir()
            workers.append(Worker(root, home))
        baseline = Baseline(workers, root, telling)
        found = [mutation for mutation in mutants if options.only in mutation.path]
        sample = draw(found, root, options.sample, options.seed)
        fates: dict[Mutation, str] = {one: "equivalent" for one in sample if one in excused}
        tried = [one for one in sample if one not in excused]
        print(
            f"{len(baseline.seconds)} tests used, {len(baseline.failing)} that fail without mutants left out; "
            f"{len(sample)} of {len(found)} mutants, seed {options.seed}"
        )
        for test in baseline.failing:
            print(f"fails without mutants: {test}")
        work_through(workers, controls(tried), baseline.try_mutant, check_control)
        progress = Progress("mutants", len(tried))

        def note(mutation: Mutation, fate: str) -> None:
            fates[mutation] = fate
            if fate in ("survived", "not reached"):
                place = f"{mutation.path}:{mutation.line} ({mutation.scope})"
                print(f"{fate}: {place}: {mutation.before}  ->  {mutation.after}")
            progress.step(f", {sum(fate in ('caught', 'too slow') for fate in fates.values())} caught")

        work_through(workers, tried, baseline.try_mutant, note)
    finally:
        janitor.communicate(b"")
    return report(fates, sample, options.floor, (time.monotonic() - began) / 60)


def report(fates: dict[Mutation, str], sample: list[Mutation], floor: float, minutes: float) -> int:
    """Print the table of rooms; the exit code."""
    kinds = ("caught", "too slow", "survived", "not reached", "equivalent")
    rooms, share = [*sorted({room_of(one.path) for one in sample}), "all"], 0.0
    width = max(map(len, ("room", *rooms)))
    print(f"\n{'room':{width}}" + "".join(f"{kind:>13}" for kind in kinds) + f"{'share caught':>15}")
    for room in rooms:
        counts = Counter(fates[one] for one in sample if room in ("all", room_of(one.path)))
        tried = sum(counts.values()) - counts["equivalent"]
        share = 100 * (counts["caught"] + counts["too slow"]) / tried if tried else 100.0
        print(f"{room:{width}}" + "".join(f"{counts[kind]:13}" for kind in kinds) + f"{share:13.1f} %")
    print(f"{minutes:.1f} minutes; at least {floor:g} % must be caught")
    return 0 if share >= floor else 1


if __name__ == "__main__":
    sys.exit(main())
