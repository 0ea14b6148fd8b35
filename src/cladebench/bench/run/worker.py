"""The child process in which cells run.

``python -m cladebench.bench.run.worker <commands fd> <answers fd>``.

It speaks JSON lines. First comes what holds for all cells (``sys_path``, ``package``, ``root``), answered by
``{"ready": true}``. Then come cells, each with its ``spec``, ``method``, ``modules``, ``provenance`` and a ``token``.
Where there are modules, ``{"imported": true}`` with the token says that they are imported. The answer repeats the token
too. It has the ``record``, whose arrays are on disk by then. Its ``changes`` are what the cell left changed in this
process. The end of the input ends the worker.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any

from cladebench.bench.plan.cell_spec import CellSpec, Limits, MethodPlan, canonical_json
from cladebench.bench.run.leftovers import Watch

#: Address space beyond the memory limit: XLA, OpenBLAS and thread stacks reserve far more than they touch.
ADDRESS_HEADROOM_MB = 8192


def worker_environment(threads: int) -> dict[str, str]:
    """Environment of a worker, set before anything is imported in it.

    The core's loops use `threads`. BLAS and XLA stay at one thread whatever is declared, because they split sums by the
    number of threads, and a result must not depend on it.
    """
    return {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        "LOKY_MAX_CPU_COUNT": str(threads),
        "NPROC": "1",  # size of XLA's pool of threads
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
        "JAX_PLATFORMS": "cpu",
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "MPLBACKEND": "Agg",
    }


def _limit_address_space(memory_mb: float) -> None:
    """Refuse allocations far over the limit at once.

    The watchdog, which polls, stops what grows beyond it.

    Without ``/proc`` there is no backstop: the present size, from which the limit counts, is not known.
    """
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return
    wanted = pages * resource.getpagesize() + int((memory_mb + ADDRESS_HEADROOM_MB) * 2**20)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(
        resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
    )


def _import(modules: list[str], limits: Limits) -> None:
    """Import what a cell needs, outside the cell's time.

    An import that fails fails again inside the cell, where it is recorded.
    """
    _limit_address_space(limits.memory_mb)
    for module in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(module)


def _run(message: dict[str, Any], spec: CellSpec, job: dict[str, Any], watch: Watch) -> dict[str, Any]:
    """Run one cell, leave its arrays on disk and give the answer."""
    from cladebench.bench.run.run_cell import run_cell
    from cladebench.bench.store.store import Store

    method = MethodPlan(**message["method"])
    watch.begin()
    store = Store(job["root"])
    record, arrays = run_cell(
        spec, method, job["package"], message["provenance"], store.path(spec.cell_id, ".kept")
    )
    changes = watch.changes()
    if arrays:
        try:
            record["arrays_sha256"] = store.write_arrays(spec.cell_id, arrays)
        except (OSError, MemoryError) as error:
            traceback.print_exc()
            record.update(
                status="error",
                reason=f"arrays cannot be written: {error}",
                readings=[],
                arrays=[],
                details={},
            )
    return {"token": message["token"], "record": record, "changes": changes}


def main(commands_fd: int, answers_fd: int) -> None:
    """Serve until the input ends."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for descriptor in (commands_fd, answers_fd):
        os.set_inheritable(descriptor, False)
    import json

    pid = os.getpid()
    with open(commands_fd, encoding="utf-8") as commands, open(answers_fd, "w", encoding="utf-8") as answers:

        def answer(value: dict[str, Any]) -> None:
            if os.getpid() != pid:  # a cell has forked, and this is the child: only the parent may answer
                os._exit(0)
            answers.write(canonical_json(value) + "\n")
            answers.flush()

        job = json.loads(commands.readline() or "null")
        if job is None:
            return
        sys.path.extend(path for path in job["sys_path"] if path not in sys.path)
        answer({"ready": True})
        watch = Watch()
        for line in commands:
            message = json.loads(line)
            spec = CellSpec.from_dict(message["spec"])
            _import(message["modules"], spec.limits)
            if message["modules"]:
                answer({"token": message["token"], "imported": True})
            answer(_run(message, spec, job, watch))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
