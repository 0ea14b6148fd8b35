"""List the classes of Animals with Attributes.

Each has its synset, its number of images and its ancestors in WordNet.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.sets.class_trees import class_tree

#: Each class: its synset in WordNet, and its number of images in the first edition of the data.
CLASSES = {
    "antelope": ("n02419796", 546),
    "grizzly+bear": ("n02132580", 879),
    "killer+whale": ("n02071294", 542),
    "beaver": ("n02363005", 185),
    "dalmatian": ("n02110341", 589),
    "persian+cat": ("n02123394", 714),
    "horse": ("n02374451", 821),
    "german+shepherd": ("n02106662", 1058),
    "blue+whale": ("n02064816", 261),
    "siamese+cat": ("n02123597", 485),
    "skunk": ("n02445715", 284),
    "mole": ("n01889520", 92),
    "tiger": ("n02129604", 546),
    "hippopotamus": ("n02398521", 723),
    "leopard": ("n02128385", 608),
    "moose": ("n02432983", 722),
    "spider+monkey": ("n02493793", 352),
    "humpback+whale": ("n02065726", 716),
    "elephant": ("n02503517", 747),
    "gorilla": ("n02480855", 803),
    "ox": ("n02403003", 168),
    "fox": ("n02118333", 426),
    "sheep": ("n02411705", 631),
    "seal": ("n02076196", 509),
    "chimpanzee": ("n02481823", 701),
    "hamster": ("n02342885", 842),
    "squirrel": ("n02355227", 908),
    "rhinoceros": ("n02391994", 699),
    "rabbit": ("n02324045", 568),
    "bat": ("n02139199", 401),
    "giraffe": ("n02439033", 1100),
    "wolf": ("n02114100", 546),
    "chihuahua": ("n02085620", 693),
    "rat": ("n02331046", 303),
    "weasel": ("n02441942", 279),
    "otter": ("n02444819", 726),
    "buffalo": ("n02410702", 560),
    "zebra": ("n02391049", 770),
    "giant+panda": ("n02510455", 942),
    "deer": ("n02430045", 1073),
    "bobcat": ("n02127482", 641),
    "pig": ("n02395406", 331),
    "lion": ("n02129165", 484),
    "mouse": ("n02330245", 208),
    "polar+bear": ("n02134084", 816),
    "collie": ("n02106030", 1168),
    "walrus": ("n02081571", 337),
    "raccoon": ("n02508021", 633),
    "cow": ("n02403454", 658),
    "dolphin": ("n02068974", 681),
}

#: Ancestors of the classes in WordNet 3.0: each synset, then the synsets below it. Three have two parents (dog,
#: domestic cat, elephant): the one in the line further up counts.
HYPONYMS = """
n00001740 n00001930
n00001930 n00002684
n00002684 n00003553
n00003553 n00004258
n00004258 n00004475
n00004475 n00015388
n00015388 n01317541 n01466257
n01317541 n02084071 n02121808
n01466257 n01471682
n01471682 n01861778
n01861778 n01886756
n01886756 n01889074 n02062017 n02075296 n02139199 n02323449 n02329401 n02370806 n02453108 n02469914 n02503127
n01889074 n01889520
n02062017 n02062430 n02075927
n02062430 n02062744
n02062744 n02063224 n02066707
n02063224 n02064816 n02065726
n02066707 n02068974
n02068974 n02071294
n02075296 n02083346 n02120997 n02131653 n02441326 n02507649
n02075927 n02076196 n02081571
n02083346 n02084071 n02114100 n02118333
n02084071 n02085374 n02103406 n02110341
n02085374 n02085620
n02103406 n02104523
n02104523 n02106030 n02106662
n02120997 n02121620 n02127808
n02121620 n02121808 n02124623
n02121808 n02123394 n02123597
n02124623 n02127052
n02127052 n02127482
n02127808 n02128385 n02129165 n02129604
n02131653 n02132136 n02134084
n02132136 n02132580
n02323449 n02323902
n02323902 n02324045
n02329401 n02330245 n02331046 n02342885 n02355227 n02363005
n02370806 n02373336 n02394477
n02373336 n02374149 n02391994
n02374149 n02374451 n02391049
n02394477 n02395003 n02398521 n02399000
n02395003 n02395406
n02399000 n02401031 n02430045 n02439033
n02401031 n02402010 n02410509 n02411705 n02419796
n02402010 n02402425
n02402425 n02403003 n02403454
n02410509 n02410702
n02430045 n02432983
n02441326 n02441942 n02444819 n02445715
n02453108 n02503517
n02469914 n02470325 n02484322
n02470325 n02470899
n02470899 n02480153
n02480153 n02480855 n02481823
n02484322 n02489589
n02489589 n02493793
n02503127 n02503517
n02507649 n02508021 n02510455
"""


def tree_of(synsets: list[str]) -> NDArray[np.intp]:
    """Parents in the tree of the synsets and their ancestors, chains kept.

    Node c is ``synsets[c]``.

    The further nodes follow in the order of their names. A class may be an inner node.
    """
    parent_of: dict[int, int] = {}
    for line in HYPONYMS.strip().split("\n"):
        above, *below = map(_number, line.split())
        for synset in below:
            parent_of.setdefault(synset, above)
    return class_tree(parent_of, list(map(_number, synsets)))


def _number(synset: str) -> int:
    return int(synset.removeprefix("n"))
