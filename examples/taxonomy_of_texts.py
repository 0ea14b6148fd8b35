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
# Rows of words are at unit length, and their linear kernel is the cosine of the angle between two texts.
X = TfidfVectorizer().fit_transform(texts).toarray()
method = NumericalTaxonomy(n_clusters=6, kernel="linear", n_starts=5, random_state=0).fit(X)
print(f"agreement with the topics: {adjusted_rand_score(truth, method.labels_):.2f}")

# %%
# The picture
# -----------
# A tree of distances has no root. Topics of a field are neighbours, though the method has seen neither.
field_of = np.array([topics[topic][0] for topic in truth])
fig, ax = plt.subplots(figsize=(6.5, 5), layout="constrained")
method.hierarchy_.plot_unrooted(ax, labels=field_of)

# %%
# The words of each cluster
# -------------------------
# Words that are most frequent in a cluster, compared with all texts, give it a name.
words = np.array(TfidfVectorizer().fit(texts).get_feature_names_out())
for cluster in range(method.n_clusters_):
    lift = X[method.labels_ == cluster].mean(axis=0) - X.mean(axis=0)
    print(cluster, " ".join(words[np.argsort(-lift)[:4]]))
