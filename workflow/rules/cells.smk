# Cells: one job for each (paper, data set, method), its settings and repetitions inside.
rule cells:
    input:
        # what a cell imports: an edit there, and nowhere else, runs it again
        lambda w: PLAN.sources(w.paper, w.method),
    output:
        f"{OUT}/jobs/{{paper}}.{{dataset}}.{{method}}.json",
    log:
        f"{OUT}/logs/{{paper}}.{{dataset}}.{{method}}.log",
    conda:
        "../../environment.yml"
    threads: PLAN.config.threads
    resources:
        mem_mb=lambda w: PLAN.memory_mb(w.paper, w.dataset, w.method),
        runtime=lambda w: PLAN.runtime_minutes(w.paper, w.dataset, w.method),
    params:
        # not files, but reasons to run again: the planned cells, and data that came within reach
        cells=lambda w: PLAN.digest(w.paper, w.dataset, w.method),
        data=lambda w: PLAN.data_state(w.dataset),
        paper=lambda w: PLAN.papers[w.paper],
        scope=PLAN.scope,
        out=lambda w, output: Path(output[0]).parents[1],
        cladebench=CLADEBENCH,
        flags=PLAN.flags,
    shell:
        "logged {log:q} {params.cladebench} run --plan-checked --paper {params.paper} --dataset {wildcards.dataset} --method {wildcards.method}"
        " --scope {params.scope} --out {params.out:q} {params.flags}"


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
