"""
Comparing methods on your own table
===================================

You learn how to compare clusterers on a CSV file: one file says what to compare, and one command makes a page. In a
terminal one types ``cladebench new-comparison flowers.csv --label species``, then ``cladebench run-comparison
comparison.yaml``.
"""

# %%
# A table
# -------
# Any CSV file with a row a sample will do. A column of labels may be there to score with; no method reads it.
import contextlib
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_iris

from cladebench.bench.progress import Progress
from cladebench.bench.run_job import run_job
from cladebench.bench.store import Store
from cladebench.cli import main
from cladebench.comparison.as_plan import jobs_of, read_plan
from cladebench.comparison.page import write_page
from cladebench.workflow.comparison_jobs import plan

folder = Path(tempfile.mkdtemp())
iris = load_iris(as_frame=True)
iris.data.assign(species=iris.target_names[iris.target]).to_csv(folder / "flowers.csv", index=False)
with contextlib.chdir(folder):
    main(["new-comparison", "flowers.csv", "--label", "species"])

# %%
# What to compare
# ---------------
# The command has written a file. Two methods and two draws are put into it here, to be quick. The defaults are
# ``fitting``, that is all methods that take the data, and ten draws.
file = folder / "comparison.yaml"
text = file.read_text().replace("[fitting]", "[Agglomerative, FlatKMeans]")
file.write_text(text.replace("repetitions: 10", "repetitions: 2"))
print(file.read_text())

# %%
# Run it
# ------
# These are the steps of ``cladebench run-comparison``, one after another. Each method runs in a process of its own,
# with limits. Random clusters and a random tree are always in.
results = folder / "comparison-results"
plan(file, results, cores=1)
for job in jobs_of(read_plan(results)):
    quiet = Progress(len(job.cells), say=lambda line: None)
    print([method.name for method in job.methods], dict(run_job(job, Store(results), quiet).statuses))
page = write_page(results)
print(page.relative_to(folder))

# %%
# The scores
# ----------
# The page shows them with intervals, chance values and costs. The same numbers are in ``scores.csv``.
scores = pd.read_csv(results / "scores.csv")
table = scores.pivot_table(index="method", columns="measure", values="mean")
print(table[["ari", "ami"]].sort_values("ari", ascending=False).round(2))

# %%
# One of its pictures
# -------------------
# A point is a sample, and a colour a cluster.
fig, ax = plt.subplots(figsize=(9, 3.5), layout="constrained")
ax.imshow(plt.imread(results / "figures" / "data-flowers.png"))
ax.axis("off")
