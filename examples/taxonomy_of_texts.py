"""
A taxonomy of texts
===================

You learn how to cluster texts and get a tree of the clusters from the same method.

`NumericalTaxonomy` learns both together: clusters, and a tree whose paths are the distances between clusters. The
texts are 120 made-up notes on six topics, two each of sport, food and music.
"""

# %%
# Texts
# -----
# A note has eight words of its topic, six of its field and six that stand anywhere.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score

from cladebench import Hierarchy
from cladebench.methods import NumericalTaxonomy

fields = {
    "sport": "match team coach season win player league score",
    "food": "dish taste fresh cook kitchen plate salt table",
    "music": "song stage record listen rhythm concert tune sound",
}
topics = {
    "football": ("sport", "goal keeper penalty pitch striker corner"),
    "tennis": ("sport", "racket serve net court set volley"),
    "bread": ("food", "flour oven yeast crust dough loaf"),
    "soup": ("food", "broth bowl onion spoon simmer carrot"),
    "jazz": ("music", "saxophone swing trumpet solo blues trio"),
    "opera": ("music", "soprano aria libretto chorus tenor overture"),
}
anywhere = "day people good new time city year first week last"
rng = np.random.default_rng(0)


def note(topic):
    """Draw the words of a note."""
    field, words = topics[topic]
    drawn = [
        rng.choice(words.split(), 8),
        rng.choice(fields[field].split(), 6),
        rng.choice(anywhere.split(), 6),
    ]
    return " ".join(np.concatenate(drawn))


truth = np.repeat(list(topics), 20)
texts = [note(topic) for topic in truth]
print(texts[0])

# %%
# Clusters and their tree
# -----------------------
# Rows of words are at unit length. So their linear kernel is the cosine between two texts.
vectorizer = TfidfVectorizer()
X = vectorizer.fit_transform(texts).toarray()
method = NumericalTaxonomy(n_clusters=6, kernel="linear", n_starts=5, random_state=0).fit(X)
print(f"agreement with the topics: {adjusted_rand_score(truth, method.labels_):.2f}")

# %%
# The words of each cluster
# -------------------------
# Words that are more frequent in a cluster than in all texts give it a name.
words = vectorizer.get_feature_names_out()
named = []
for cluster in range(method.n_clusters_):
    lift = X[method.labels_ == cluster].mean(axis=0) - X.mean(axis=0)
    named.append(", ".join(words[np.argsort(-lift)[:3]]))
    print(cluster, named[-1])

# %%
# The picture
# -----------
# ``tree_`` is the tree of the clusters. A tree of distances has no root. Topics of a field are neighbours, though the
# method has seen neither.
tree = method.tree_
tree = Hierarchy(tree.parents, tree.leaf_of, sample_names=named, edge_lengths=tree.edge_lengths)
fields_of_clusters = [topics[truth[method.labels_ == cluster][0]][0] for cluster in range(method.n_clusters_)]
fig, ax = plt.subplots(figsize=(7, 5), layout="constrained")
tree.plot_unrooted(ax, labels=fields_of_clusters)
