# Cells: one job for each (paper, data set, method), its settings and repetitions inside, or for more of them: a scope's
# `jobs` says what.
rule cells:
    input:
        # what a cell imports: an edit there, and nowhere else, runs it again
        lambda w: PLAN.sources(w.job),
    output:
        f"{OUT}/jobs/{{job}}.json",
    log:
        f"{OUT}/logs/{{job}}.log",
    conda:
        "../../environment.yml"
    threads: PLAN.config.threads
    resources:
        mem_mb=lambda w: PLAN.memory_mb(w.job),
        runtime=lambda w: PLAN.runtime_minutes(w.job),
    params:
        # not files, but reasons to run again: the planned cells, and data that came within reach
        cells=lambda w: PLAN.digest(w.job),
        data=lambda w: PLAN.data_state(w.job),
        options=lambda w: PLAN.run_options(w.job),
        scope=PLAN.scope,
        out=lambda w, output: Path(output[0]).parents[1],
        cladebench=CLADEBENCH,
        flags=PLAN.flags,
    shell:
        "logged {log:q} {params.cladebench} run --plan-checked {params.options}"
        " --scope {params.scope} --out {params.out:q} {params.flags}"


# Jobs with many runs start first: a long one that starts last runs alone.
use rule cells as long_cells with:
    output:
        f"{OUT}/jobs/{{job,{PLAN.long_jobs}}}.json",
    priority: 2


ruleorder: long_cells > cells


# All records of the scope in one table.
rule collect:
    input:
        PLAN.job_files(),
    output:
        f"{OUT}/cells.parquet",
    log:
        f"{OUT}/logs/collect.log",
    conda:
        "../../environment.yml"
    params:
        papers=PLAN.paper_options,
        scope=PLAN.scope,
        out=lambda w, output: Path(output[0]).parents[0],
        cladebench=CLADEBENCH,
        flags=PLAN.flags,
    shell:
        "logged {log:q} {params.cladebench} collect {params.papers} --scope {params.scope} --out {params.out:q} {params.flags}"
