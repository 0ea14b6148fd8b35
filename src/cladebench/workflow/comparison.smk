# A comparison: jobs of a few methods, then the page. `cladebench run-comparison` starts it, and so does the Snakefile of
# the repository with `--config comparison=FILE`.
import shlex
import sys
from pathlib import Path

from cladebench.input_files import InputFileError
from cladebench.workflow.comparison_jobs import ComparisonJobs
from cladebench.workflow.ending import let_end
from cladebench.workflow.folder_lock import hold_if_possible

try:
    COMPARISON = ComparisonJobs(
        config,
        planned="planned" in config or not workflow.is_main_process,
        cores=workflow.resource_settings.cores,
    )
except InputFileError as error:
    sys.exit("\n".join(f"cladebench: {line}" for line in str(error).splitlines()))
if workflow.is_main_process:
    COMPARISON.forget_damaged()
hold_if_possible(Path.cwd())
RUN_COMPARISON = f"{shlex.quote(sys.executable)} -m cladebench.cli run-comparison {shlex.quote(str(COMPARISON.file))} --out {shlex.quote(str(COMPARISON.out))}"


wildcard_constraints:
    job="[A-Za-z0-9_.-]+",


onstart:
    hold_if_possible(Path.cwd())
    COMPARISON.note_start(
        job.wildcards.job
        for job in workflow.dag.needrun_jobs()
        if job.rule.name == "comparison_runs"
    )


onsuccess:
    let_end()
    if "planned" not in config:  # else the command says it
        print(f"{COMPARISON.out}/index.html")


onerror:
    let_end()


rule all:
    input:
        f"{COMPARISON.out}/index.html",


rule comparison_runs:
    input:
        lambda w: COMPARISON.sources(w.job),
    output:
        f"{COMPARISON.out}/jobs/{{job}}.json",
    params:
        runs=lambda w: COMPARISON.digest(w.job),
        command=RUN_COMPARISON,
    shell:
        "{params.command} --job {wildcards.job}"


rule comparison_page:
    input:
        expand(f"{COMPARISON.out}/jobs/{{job}}.json", job=list(COMPARISON.jobs)),
        f"{COMPARISON.out}/plan.json",
        COMPARISON.page_sources(),
    output:
        f"{COMPARISON.out}/index.html",
    params:
        command=RUN_COMPARISON,
    shell:
        "{params.command} --page"


localrules:
    all,
    comparison_page,
