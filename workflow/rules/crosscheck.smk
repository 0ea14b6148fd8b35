# Fast paths against exact solvers; leaves solver checks, whatever they say: the gate judges.
rule crosscheck:
    input:
        PLAN.package_sources("crosscheck"),
    output:
        f"{OUT}/certificates.csv",
    log:
        f"{OUT}/logs/crosscheck.log",
    # It waits for nothing: begun last, it would leave the other cores idle at the end.
    priority: 1
    conda:
        "../../environment.yml"
    threads: 1
    params:
        scope=PLAN.scope,
        seed=PLAN.config.seed,
        out=lambda w, output: Path(output[0]).parents[0],
        cladebench=CLADEBENCH,
    shell:
        "logged {log:q} {params.cladebench} crosscheck --scope {params.scope} --seed {params.seed} --out {params.out:q} --record-only"
