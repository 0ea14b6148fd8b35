"""The critical-difference diagram: drawn on request from 10 data sets on, refused in a sentence below."""

import numpy as np
import pytest

from cladebench import datasets
from cladebench.comparison import page
from cladebench.comparison.as_plan import as_document
from cladebench.comparison.spec import read_comparison
from cladebench.input_files import InputFileError
from made_up_runs import made_up_run

MEANS = {"mine": 0.7, "a": 0.69, "b": 0.2, "RandomClusters": 0.0}
REFUSED = "No critical-difference diagram: it needs 10 data sets with labels. Here "


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write the page of a made-up run on so many data sets."""

    def away(name):
        raise datasets.DatasetError("not at hand")

    def write(
        n_data, asked=True, measures=("ari", "silhouette", "fit_seconds", "memory_mb"), labels="classes"
    ):
        random = np.random.default_rng(0)
        scores = {
            f"d{i}": {name: mean + random.normal(0, 0.02, 4) for name, mean in MEANS.items()}
            for i in range(n_data)
        }
        run = made_up_run(scores, tmp_path, mine="mine", measures=measures, labels=labels)
        run.document["critical_difference"] = asked
        monkeypatch.setattr(page, "collect", lambda folder: run)
        monkeypatch.setattr(datasets, "load", away)
        return page.write_page(tmp_path).read_text(encoding="utf-8")

    return write


def test_from_ten_data_sets_on_the_page_has_it_on_request(written, tmp_path):
    text = written(10)
    assert 'alt="Critical-difference diagram' in text and REFUSED not in text
    # Demšar (2006), table 5: 2.569 for four methods; times the root of 4 * 5 / 60.
    assert "differ by less than 1.48: the Nemenyi test" in text
    assert {"critical-difference.svg", "critical-difference.png"} <= {
        p.name for p in tmp_path.glob("figures/*")
    }
    text = written(10, asked=False)
    assert "ritical-difference" not in text


def test_of_fewer_it_is_refused_in_a_sentence(written, tmp_path):
    assert REFUSED + "are 9." in written(9)
    assert REFUSED + "is 1." in written(1)
    assert not [*tmp_path.glob("figures/critical*")]
    unlabelled = written(12, measures=("silhouette", "fit_seconds", "memory_mb"), labels="")
    assert REFUSED + "are 0." in unlabelled


def test_the_file_asks_for_it_with_a_word(inputs):
    file = inputs / "comparison.yaml"
    data = "data: {patients: {file: patients.csv, label: diagnosis}}\nmethods: [Agglomerative]\n"
    for line, asked in (("", False), ("critical_difference: true\n", True)):
        file.write_text(data + line)
        assert as_document(read_comparison(file))["critical_difference"] is asked
    file.write_text(data + "critical_difference: yes please\n")
    with pytest.raises(InputFileError, match="critical_difference"):
        read_comparison(file)
