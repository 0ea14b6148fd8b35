"""Group the data sets of the exemplar paper as its figures do."""

from __future__ import annotations

#: Per cent of noisy dimensions -> data sets of Fig. 2(d), of which the first that was run is shown.
MIXTURES = {
    noisy: (f"noisy-mixtures-{noisy}", f"noisy-mixtures-{noisy}-n100")
    for noisy in (10, 30, 50, 70, 80, 90, 95)
}
#: Data sets of Fig. 2(a), with the points and clusters of a set.
SIZES = {
    "noisy-mixtures-50-n100": "100 points, 4 clusters",
    "noisy-mixtures-50-n200": "200 points, 5 clusters",
    "noisy-mixtures-50-n350": "350 points, 8 clusters",
    "noisy-mixtures-50": "500 points, 10 clusters",
    "noisy-mixtures-50-n800": "800 points, 15 clusters",
}
OUTEX = ("outex",)
UIUC = ("uiuc", "uiuc-few")
SCENES = ("scenes", "scenes-few")
IMAGES = (*OUTEX, *UIUC, *SCENES)
