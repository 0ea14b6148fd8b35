# The entry point: `snakemake --cores 16` runs the default scope, `--config scope=full` the papers' own protocols.
# `--config comparison=comparison.yaml` runs a comparison instead.
if "comparison" in config:

    include: "src/cladebench/workflow/comparison.smk"

else:

    include: "workflow/Snakefile"


# An included rule is never the default target, so it is named here.
rule default:
    default_target: True
    input:
        rules.all.input,
