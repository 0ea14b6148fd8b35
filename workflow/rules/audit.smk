# Claims judged against records.
rule audit:
    input:
        cells=rules.collect.output,
        certificates=rules.crosscheck.output,
        papers=PLAN.paper_files(),
        sources=PLAN.package_sources("audit"),
    output:
        f"{OUT}/audit.csv",
        f"{OUT}/audit.json",
    log:
        f"{OUT}/logs/audit.log",
    priority: 1  # takes as long as the artifacts of a few papers: first, so that both cores end together
    conda:
        "../../environment.yml"
    params:
        papers=PLAN.paper_options,
        scope=PLAN.scope,
        out=lambda w, output: Path(output[0]).parents[0],
        cladebench=CLADEBENCH,
    shell:
        "logged {log:q} {params.cladebench} audit --results {params.out:q} --scope {params.scope} {params.papers}"
