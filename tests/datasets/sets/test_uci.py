from __future__ import annotations

import hashlib

import numpy as np
import pytest

from cladebench import datasets
from cladebench.datasets import ChecksumMismatch, DatasetError
from cladebench.datasets.content import features_sha256
from cladebench.datasets.sets import uci

GLASS_ROWS = "1,1.5,13.6,4.4,1.1,71.7,0.06,8.7,0,0,1\n\n2,1.6,13.8,3.6,1.3,72.7,0.48,7.8,0,0.1,7\n"


def test_bundled_digits_are_the_bytes_of_the_official_file():
    content = uci.bundled_optdigits()
    assert len(content) == uci.OPTDIGITS_TEST.size
    assert hashlib.sha256(content).hexdigest() == uci.OPTDIGITS_TEST.sha256


def test_other_bundled_digits_are_refused(monkeypatch):
    import sklearn.datasets

    digits = sklearn.datasets.load_digits()
    digits.data[0, 0] += 1
    monkeypatch.setattr(sklearn.datasets, "load_digits", lambda: digits)
    with pytest.raises(ChecksumMismatch, match="bundled"):
        datasets.load("digits")


def test_digits_never_wait_for_the_network(monkeypatch):
    def fail(*args):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(datasets.fetch, "_transfer", fail)
    assert datasets.load("digits").source == datasets.availability("digits") == "bundled"


def test_digits_are_the_same_from_the_file_and_from_the_bundle(places):
    bundled = datasets.load("digits", draw=3)
    places.put(places.mirror, uci.bundled_optdigits(), name=uci.OPTDIGITS_TEST.name)
    from_file = datasets.load("digits", draw=3)
    assert (bundled.source, from_file.source) == ("bundled", "mirror")
    assert bundled.content_sha256 == from_file.content_sha256
    np.testing.assert_array_equal(bundled.X, from_file.X)


def test_a_draw_follows_the_documented_rule():
    labels = np.loadtxt(uci.bundled_optdigits().decode().splitlines(), delimiter=",")[:, -1]
    for draw in (0, 4):
        expected = []
        for digit in range(10):
            rows = np.flatnonzero(labels == digit).tolist()
            rows.sort(key=lambda row: hashlib.sha256(f"optdigits/{draw}/{row}".encode()).hexdigest())
            expected += rows[:20]
        assert uci.draw_rows(labels.astype(np.intp), 20, draw).tolist() == sorted(expected)


def test_the_five_draws_differ_and_are_pinned():
    digests = [datasets.load("digits", draw).content_sha256 for draw in range(5)]
    assert len(set(digests)) == 5
    first = datasets.load("digits")
    assert (
        features_sha256(first.X, first.labels)
        == "1fe9f48796dd27ce5a686f5cadceb5fae09e7eab9a1e4f1e447daa0ef5eaaac3"
    )


def test_glass_drops_the_id_and_renumbers_the_classes():
    content = uci.load_glass({uci.GLASS.name: GLASS_ROWS.encode()}, 0)
    assert content.X.shape == (2, 9) and content.X[:, 0].tolist() == [1.5, 1.6]
    assert content.labels.tolist() == [0, 5] and content.label_names[5] == "headlamps"


def test_line_ends_do_not_matter():
    unix, dos = (GLASS_ROWS.replace("\n", end).encode() for end in ("\n", "\r\n"))
    np.testing.assert_array_equal(
        uci.load_glass({uci.GLASS.name: unix}, 0).X, uci.load_glass({uci.GLASS.name: dos}, 0).X
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3\n", "rows of 11 numbers, found 3"),
        (GLASS_ROWS + "3,1.5\n", "rows of 11 numbers"),
        (GLASS_ROWS.replace("13.6", "n/a"), "rows of 11 numbers"),
        (GLASS_ROWS.replace(",7\n", ",4\n"), "expected classes"),
    ],
)
def test_malformed_glass_is_named(text, message):
    with pytest.raises(DatasetError, match=f"glass/glass.data: .*{message}"):
        uci.load_glass({uci.GLASS.name: text.encode()}, 0)


@pytest.mark.parametrize("paper", ["ghc", "hmmc"])
def test_what_is_called_halves_is_drawn_in_halves_wherever_it_is_planned(paper):
    from cladebench.bench.plan.jobs import expand
    from cladebench.paper.catalogue import load_plan

    plan = load_plan(paper)
    for scope in plan.scopes:
        cells = [cell for job in expand(plan, scope) for cell in job.cells]
        drawn = [cell.spec.task for cell in cells if cell.spec.dataset.endswith("-halves")]
        assert all(task["share"] == 0.5 for task in drawn)
        assert bool(drawn) == (paper == "ghc" and scope != "smoke")
