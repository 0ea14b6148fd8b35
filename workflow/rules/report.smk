# Tables, figures and pages.
rule artifacts:
    input:
        cells=rules.collect.output,
        papers=PLAN.paper_files(),
        sources=PLAN.package_sources("papers") + PLAN.package_sources("report"),
    output:
        [
            report(
                path,
                caption=caption,
                category=paper,
                labels={"artifact": name, "kind": kind},
            )
            for paper, name, kind, path, caption in PLAN.artifact_files()
        ],
        [
            str(Path(path).with_suffix(".json"))
            for _, _, kind, path, _ in PLAN.artifact_files()
            if kind == "table"
        ],
    log:
        f"{OUT}/logs/artifacts.log",
    conda:
        "../../environment.yml"
    params:
        papers=PLAN.paper_options,
        scope=PLAN.scope,
        out=lambda w, output: Path(output[0]).parents[2],
        cladebench=CLADEBENCH,
    shell:
        "logged {log:q} {params.cladebench} artifacts --results {params.out:q} --scope {params.scope} {params.papers}"


rule report:
    input:
        artifacts=rules.artifacts.output,
        audit=rules.audit.output,
        certificates=rules.crosscheck.output,
        papers=PLAN.paper_files(),
        sources=PLAN.package_sources("report"),
    output:
        report(
            f"{OUT}/report/index.html",
            caption="../report/pages.rst",
            category="Report",
            labels={"artifact": "all papers", "kind": "pages"},
        ),
    log:
        f"{OUT}/logs/report.log",
    conda:
        "../../environment.yml"
    params:
        papers=PLAN.paper_options,
        scope=PLAN.scope,
        out=lambda w, output: Path(output[0]).parents[1],
        cladebench=CLADEBENCH,
    shell:
        "logged {log:q} {params.cladebench} report --results {params.out:q} --scope {params.scope} {params.papers}"


# The last step decides the exit code: nothing planned is missing, nothing failed that was not declared, no certificate failed.
rule gate:
    input:
        rules.report.output,
        rules.collect.output,
    output:
        # a stamp: Snakemake removes what a failed step made, and gate.txt says what is wrong
        touch(f"{OUT}/jobs/gate.open"),
    log:
        f"{OUT}/logs/gate.log",
    conda:
        "../../environment.yml"
    params:
        papers=PLAN.paper_options,
        scope=PLAN.scope,
        out=lambda w, output: Path(output[0]).parents[1],
        cladebench=CLADEBENCH,
        flags=PLAN.flags,
    shell:
        "{params.cladebench} gate {params.papers} --scope {params.scope} --out {params.out:q} {params.flags} 2>&1 | tee {log:q}"
