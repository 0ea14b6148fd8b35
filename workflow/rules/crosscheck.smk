# Fast paths against exact solvers; leaves certificates, whatever they say: the gate judges.
rule crosscheck:
    input:
        PLAN.package_sources("crosscheck"),
    output:
        f"{OUT}/certificates.csv",
    params:
        scope=PLAN.scope,
        out=OUT,
    log:
        f"{OUT}/logs/crosscheck.log",
    threads: 1
    conda:
        "../../environment.yml"
    shell:
        "{CLADEBENCH} crosscheck --scope {params.scope} --out {params.out:q} --record-only > {log:q} 2>&1"
