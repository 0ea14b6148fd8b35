"""Jobs of the toy paper, changed and joined, and what a run of them leaves."""

import dataclasses

from cladebench.bench.run.progress import Progress
from cladebench.bench.run.run_job import run_job
from cladebench.bench.store.store import Store


def run(job, root):
    """Run a job: its summary, the records of its cells, and the lines that tell of them."""
    lines = []
    summary = run_job(job, Store(root), Progress(len(job.cells), lines.append))
    return summary, [Store(root).read_record(c.spec.cell_id) for c in job.cells], lines


def changed_cells(cells, **changes):
    return tuple(dataclasses.replace(cell, spec=dataclasses.replace(cell.spec, **changes)) for cell in cells)


def named(job, name, **params):
    """The job of one method with a name and parameters of its own."""
    method = dataclasses.replace(job.methods[0], name=name, params=params)
    return dataclasses.replace(job, methods=(method,), cells=changed_cells(job.cells, method=name))


def joined(jobs):
    """The cells of several jobs in one.

    A worker that the first cell of a job has ended is replaced for its second one, which leaves it to the next job:
    one start for each fault, where jobs by themselves have two.
    """
    jobs = list(jobs)
    return dataclasses.replace(
        jobs[0],
        methods=tuple(method for job in jobs for method in job.methods),
        cells=tuple(cell for job in jobs for cell in job.cells),
    )


def in_pairs(records):
    return list(zip(records[::2], records[1::2], strict=True))


def score_of(record):
    return record["readings"][0]["metrics"]["score"]
