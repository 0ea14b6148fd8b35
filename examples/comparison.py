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
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_iris

folder = Path(tempfile.mkdtemp())
iris = load_iris(as_frame=True)
iris.data.assign(species=iris.target_names[iris.target]).to_csv(folder / "flowers.csv", index=False)


def cladebench(command: str) -> str:
    """Run a command as in a terminal, in the folder of the table; give what it says."""
    words = [sys.executable, "-m", "cladebench.cli", *command.split()]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout


print(cladebench("new-comparison flowers.csv --label species"))

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
# Methods run in processes of their own, with limits. Random clusters and a random tree are always in. The command
# says what each run gave, and in the end where the page is.
said = cladebench("run-comparison comparison.yaml").splitlines()
print("\n".join(line.split(";")[0] for line in said if " kept; " in line))
page = Path(said[-1])
print(page.relative_to(folder))

# %%
# The scores
# ----------
# The page shows them with intervals, chance values and costs. The same numbers are in ``scores.csv``.
scores = pd.read_csv(page.parent / "scores.csv")
table = scores.pivot_table(index="method", columns="measure", values="mean")
print(table[["ari", "ami"]].sort_values("ari", ascending=False).round(2))

# %%
# One of its pictures
# -------------------
# A point is a sample, and a colour a cluster.
fig, ax = plt.subplots(figsize=(9, 3.5), layout="constrained")
ax.imshow(plt.imread(page.parent / "figures" / "data-flowers.png"))
ax.axis("off")
