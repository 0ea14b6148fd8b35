# Claims judged against records.
rule audit:
    input:
        cells=rules.collect.output,
        certificates=rules.crosscheck.output,
        claims=PLAN.paper_files("claims.yaml"),
        sources=PLAN.package_sources("audit"),
    output:
        f"{OUT}/audit.csv",
    params:
        papers=" ".join(f"--paper {paper}" for paper in PLAN.papers),
        out=OUT,
    log:
        f"{OUT}/logs/audit.log",
    conda:
        "../../environment.yml"
    shell:
        "{CLADEBENCH} audit --results {params.out:q} {params.papers} > {log:q} 2>&1"
