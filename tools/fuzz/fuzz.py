"""`make fuzz`: spoiled arguments for everything that the compiled core exports, under sanitizers.

Valid calls (`calls.py`) are spoiled (`mutations.py`) and made by a worker (`worker.py`), one after another. What is
refused is as it should be. A fault is a call that ends the process, a report of a sanitizer, an exception that is no
refusal, and a call that goes on for more than `LIMIT` seconds of CPU time. Each is printed with the command that makes
this call again; the worker goes on behind it.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: CPU seconds of one call, and seconds in which a worker that waits for nothing uses none.
LIMIT, STILL = 20.0, 120.0
BATCH = 2000


def built(folder: Path) -> Path:
    """The core under AddressSanitizer and UndefinedBehaviorSanitizer, built where it is not."""
    tools = Path(sys.executable).parent
    options = {
        "CMAKE_MAKE_PROGRAM": tools / "ninja",
        "Python_EXECUTABLE": sys.executable,
        "CLADEBENCH_SANITIZE": "address,undefined,float-cast-overflow",
        "CMAKE_BUILD_TYPE": "Debug",
        # Calls are small: to optimise would take longer than it saves.
        "CMAKE_CXX_FLAGS_DEBUG": "-O0 -g1 -D_GLIBCXX_ASSERTIONS",
    }
    defined = [f"-D{name}={value}" for name, value in options.items()]
    subprocess.run([tools / "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *defined], check=True)
    subprocess.run([tools / "cmake", "--build", folder], check=True)
    return next((folder / "src/core").glob("_core.*"))


def sanitized(core: Path) -> dict[str, str]:
    """Variables under which Python loads a sanitized module: its runtime comes first. Leaks of Python are no news."""
    linked = subprocess.run(["ldd", core], check=True, capture_output=True, text=True).stdout
    found = [re.search(rf"{name}\S* => (\S+)", linked) for name in ("libasan", r"libstdc\+\+")]
    if found[0] is None:
        raise SystemExit(f"fuzz: {core} is not linked to libasan; expected a build by GCC, on Linux")
    return {
        "LD_PRELOAD": " ".join(path[1] for path in found if path),
        "ASAN_OPTIONS": "detect_leaks=0:max_allocation_size_mb=8192",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def command(core: Path, seed: int, first: int, count: int, progress: str) -> list[str]:
    """The command of a worker."""
    return [sys.executable, str(HERE / "worker.py"), str(core), *map(str, (seed, first, count)), progress]


def watched(args: list[str], env: dict[str, str], progress: np.memmap, log: Path) -> str | None:
    """Run a worker to its end; what is wrong with how it ended."""
    with log.open("wb") as output:
        worker = subprocess.Popen(args, env=env, stdout=output, stderr=output)
    process = psutil.Process(worker.pid)
    last, since, used, before = -1, time.monotonic(), 0.0, 0.0
    while worker.poll() is None:
        time.sleep(0.05)
        try:
            now = sum(process.cpu_times()[:2])
        except psutil.Error:
            continue
        if now > before:
            since, before = time.monotonic(), now
        if int(progress[0]) != last:
            last, used = int(progress[0]), now
        elif now - used > LIMIT or time.monotonic() - since > STILL:
            worker.kill()
            worker.wait()
            return f"goes on after {now - used:.0f} s of CPU time"
    return None if worker.returncode == 0 else f"ends the worker with {worker.returncode}"


def fuzz(core: Path, seed: int, first: int, count: int, variables: dict[str, str]) -> int:
    """Make so many calls; the number of faults, which are printed."""
    faults, end, env = 0, first + count, {**os.environ, **variables}
    again = " ".join([*(f"{name}='{value}'" for name, value in variables.items()), ""])
    with tempfile.TemporaryDirectory() as folder:
        place, log = Path(folder, "progress"), Path(folder, "log")
        progress = np.memmap(place, np.int64, "w+", shape=1)
        while first < end:
            progress[0] = -1
            until = min(end, first + BATCH)
            wrong = watched(command(core, seed, first, until - first, str(place)), env, progress, log)
            if wrong is None:
                first = until
                print(f"seed {seed}: {first:,} of {end:,} calls, {faults} faults", flush=True)
                continue
            faults += 1
            number = int(progress[0])
            print(f"FAULT: call {number} of seed {seed} {wrong}; again by\n  {again}", end="")
            print(" ".join(command(core, seed, number, 1, "-")))
            lines = log.read_text(errors="replace").splitlines()
            print("\n".join(f"    {line}" for line in lines[:40]), flush=True)
            if number < 0:
                return faults
            first = number + 1
    return faults


def main() -> None:
    """Take options, build what is wanted, fuzz, say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=300, help="spoiled calls of each exported name")
    parser.add_argument("--core", type=Path, help="a compiled core that is there already, without sanitizers")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    from calls import CALLS

    core, variables = options.core, {}
    if core is None:
        core = built(ROOT / "build/fuzz")
        variables = sanitized(core)
    count = options.rounds * len(CALLS)
    faults = fuzz(core, options.seed, 0, count, variables)
    print(f"{count:,} calls of {len(CALLS)} names: {faults} faults")
    sys.exit(min(faults, 1))


if __name__ == "__main__":
    main()
