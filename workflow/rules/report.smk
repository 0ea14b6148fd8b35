# Tables and figures, a job for each paper, side by side; then the pages.
for paper in PLAN.papers:

    rule:
        name:
            f"artifacts_{paper}"
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
                for owner, name, kind, path, caption in PLAN.artifact_files()
                if owner == paper
            ],
            PLAN.artifact_data(paper),
        log:
            f"{OUT}/logs/artifacts-{paper}.log",
        conda:
            "../../environment.yml"
        params:
            paper=PLAN.papers[paper],
            scope=PLAN.scope,
            out=lambda w, output: Path(output[0]).parents[2],
            cladebench=CLADEBENCH,
        shell:
            "logged {log:q} {params.cladebench} artifacts --results {params.out:q} --scope {params.scope} --paper {params.paper}"


rule report:
    input:
        artifacts=[path for _, _, _, path, _ in PLAN.artifact_files()],
        data=[path for paper in PLAN.papers for path in PLAN.artifact_data(paper)],
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


# The last step decides the exit code: nothing planned is missing, nothing failed that was not declared, no solver check failed.
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
