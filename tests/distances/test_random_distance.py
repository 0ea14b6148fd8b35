import numpy as np
from scipy.stats import kstest

from cladebench.distances import RandomDistance

X = np.random.default_rng(0).normal(size=(400, 2))


def test_places_are_uniform_and_have_nothing_to_do_with_the_features() -> None:
    places = RandomDistance(random_state=0).fit(X)._places(X)
    assert kstest(places, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(places, X[:, 0])[0, 1]) < 0.15
    near = RandomDistance(random_state=0).fit(X)._places(np.nextafter(X, np.inf))
    assert np.abs(near - places).mean() > 0.2


def test_equal_samples_have_one_place_and_seeds_differ() -> None:
    found = RandomDistance(random_state=0).fit(X)
    assert found.pairwise([[0.0, 1.0]], [[-0.0, 1.0]]).item() == 0.0
    other = RandomDistance(random_state=1).fit(X)
    assert found.seed_ != other.seed_
    assert not np.allclose(found.pairwise(X[:5]), other.pairwise(X[:5]))
    # A sample keeps its place whatever else was fitted.
    assert np.array_equal(RandomDistance(random_state=0).fit(X[:7]).pairwise(X[:5]), found.pairwise(X[:5]))


def test_it_is_the_distance_of_places_on_a_line() -> None:
    found = RandomDistance(random_state=0).fit(X)
    places = found._places(X[:3])
    assert found.pairwise(X[:1], X[1:3]).tolist() == [
        [abs(places[0] - places[1]), abs(places[0] - places[2])]
    ]
