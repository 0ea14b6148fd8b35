"""What the contract suites of all kinds of estimators share.

A check that a class cannot pass is excused in the class itself (``contract_excuses``), with a reason and the error that
the check must then end in.
"""

import inspect
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

Class = type[Any]
Check = Callable[[Class], None]


def make(cls: Class, **params: object) -> Any:
    """An estimator that is cheap to fit and, where it draws random numbers, has a seed."""
    estimator = cls(**{**cls.contract_params, **params})
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator


def blobs() -> tuple[np.ndarray, np.ndarray]:
    return make_blobs(n_samples=30, n_features=3, centers=3, cluster_std=2.0, random_state=0)


def refuses(cls: Class, X: object, *words: str, **params: object) -> None:
    with pytest.raises(ValueError) as caught:
        make(cls, **params).fit(X, np.zeros(np.shape(X)[0] if np.shape(X) else 1, dtype=int))
    missing = [word for word in words if word not in str(caught.value)]
    assert not missing, f"{caught.value!s} does not name {missing}"


def damaged_rows() -> Iterator[tuple[csr_array, str]]:
    """Sparse rows on which compiled loops would leave their arrays, each with what is said of them."""
    for column in (3, -1, 2**32 + 1):
        X = csr_array(blobs()[0])
        X.indices = X.indices.astype(np.int64)
        X.indices[4] = column
        yield X, rf"X has the column {column}; expected 0\.\.2$"
    X = csr_array(blobs()[0])
    X.indptr[5] = 10**6
    yield X, r"X\.indptr is damaged; expected 31 numbers that never fall, from 0 to at most 90$"


def check_global_random_state_unused(cls: Class) -> None:
    X, y = blobs()
    make(cls).fit(X, y)  # what a fit imports may draw while it is imported
    before = np.random.get_state()  # noqa: NPY002 - the global generator is what is looked at
    make(cls).fit(X, y)
    after = np.random.get_state()  # noqa: NPY002
    assert before[2] == after[2] and np.array_equal(before[1], after[1])


def check_x_is_not_written_to(cls: Class) -> None:
    X, y = blobs()
    before = X.copy()
    make(cls).fit(X, y)
    assert np.array_equal(X, before), "fit wrote to X"


def check_bad_data(cls: Class) -> None:
    X, _ = blobs()
    for value in (np.nan, np.inf, -np.inf):
        spoilt = X.copy()
        spoilt[3, 1] = value
        what = "NaN" if np.isnan(value) else "infinity"
        refuses(cls, spoilt, f"{cls.__name__}: X[3, 1] is {what}; expected finite numbers")
    refuses(cls, X[:, 0], "2D array")
    refuses(cls, X[None], "dim 3")
    refuses(cls, X[:0], "0 sample(s)")
    refuses(cls, X[:, :0], "0 feature(s)")
    refuses(cls, np.array([["a", "b"], ["c", "d"]]), f"{cls.__name__}: X[0, 0] is 'a'; expected numbers")


def check_damaged_rows(cls: Class) -> None:
    for X, said in damaged_rows():
        with pytest.raises(ValueError, match=said):
            make(cls).fit(X, np.arange(30) % 3)


def at_extreme_scales(fit: Callable[[np.ndarray], object]) -> None:
    """Fit rows whose squares overflow, and some whose squares are 0: refused in plain words, or sound."""
    X, _ = blobs()
    for scale in (1e200, 1e-310):
        try:
            fit(X * scale)
        except ValueError as error:
            assert "rescale X" in str(error)
        except (ArithmeticError, RuntimeWarning) as fault:
            raise AssertionError(
                f"X * {scale:g}: {fault}; expected a sound fit, or check_scale's error"
            ) from fault


def check_masks_and_dates(cls: Class) -> None:
    X, y = blobs()
    masked = np.ma.masked_greater(X, X.max() - 1e-9)
    for given in (masked, list(masked)):
        with pytest.raises(ValueError, match="X has 1 masked entries; expected values without a mask"):
            make(cls).fit(given, y)
    days = np.round(X).astype("timedelta64[D]")
    for dates in (days, np.datetime64("2020-01-01") + days, days.astype(object), pd.DataFrame(days)):
        refuses(cls, dates, "X has dates or times; expected numbers")
    if cls.uses_labels:
        with pytest.raises(ValueError, match="y has 10 masked entries"):
            make(cls).fit(X, np.ma.masked_equal(y, 2))


def check_labels_keep_what_they_have(cls: Class) -> None:
    X, y = blobs()
    expected = _learned(make(cls).fit(X, y), X)
    numbers = [2**63 + int(code) for code in y]  # one class, once they are floats
    dates = [date(2020, 1, 1 + code) for code in y]
    for labels in (numbers, [[number] for number in numbers], ["a" + "\0" * code for code in y], dates):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)  # a column
            assert np.array_equal(_learned(make(cls).fit(X, labels), X), expected)


def _learned(fitted: Any, X: np.ndarray) -> np.ndarray:
    return fitted.pairwise(X) if hasattr(fitted, "pairwise") else fitted.labels_


def check_bad_labels(cls: Class) -> None:
    X, _ = blobs()
    for mixed in ([1, "a", 2] * 10, np.array([1, "a", 2] * 10, dtype=object)):
        if cls.uses_labels or getattr(cls, "uses_constraints", False):  # none are given: they come from y
            with pytest.raises(ValueError, match=r"y\[[01]\] is .*; expected a class for each sample"):
                make(cls).fit(X, mixed)
        else:
            make(cls).fit(X, mixed)


def check_bad_parameters(cls: Class) -> None:
    X, _ = blobs()
    for name in inspect.signature(cls).parameters:
        estimator = make(cls).set_params(**{name: object()})
        with pytest.raises(ValueError, match=re.escape(name)):
            estimator.fit(X, np.zeros(len(X), dtype=int))


def checks_of(namespace: Mapping[str, Any]) -> dict[str, Check]:
    """The checks of this module, and those of a suite's own: its functions whose names begin with ``check_``."""
    return {name: value for name, value in {**globals(), **namespace}.items() if name.startswith("check_")}


def run(cls: Class, name: str, check: Callable[[], object]) -> None:
    """Run a check; where the class is excused it must fail, and in the way that the excuse says."""
    if name not in cls.contract_excuses:
        check()
        return
    _, expected = cls.contract_excuses[name]
    try:
        check()
    except BaseException as error:
        fits = expected in str(error) if isinstance(expected, str) else isinstance(error, expected)
        if not fits:
            raise AssertionError(
                f"{name}: {cls.__name__} is excused for {expected!r}; it fails by something else"
            ) from error
    else:
        raise AssertionError(f"{name}: {cls.__name__} is excused, and passes")


def scikit_learn_checks(cls: Class) -> dict[str, Callable[[], None]]:
    """scikit-learn's checks by name, but for those of other array libraries, which no class claims to support."""
    checks: dict[str, Callable[[], None]] = {}
    for estimator, check in estimator_checks_generator(make(cls)):
        name = ",".join([check.func.__name__, *(f"{key}={value}" for key, value in check.keywords.items())])
        if check.func.__name__ != "check_array_api_input":
            checks[name] = partial(check, estimator)
    return checks


def contract_pairs(classes: Mapping[str, Class], checks: Mapping[str, Check]) -> list[tuple[str, str]]:
    """Each class with each check; whether the order of the samples matters is a promise of the class."""
    return [
        (name, check)
        for name, cls in classes.items()
        for check in checks
        if cls.order_invariant or check != "check_row_permutation"
    ]


def excuses_name_checks_and_have_reasons(cls: Class, checks: Mapping[str, Check]) -> None:
    known = {*checks, *(check.split(",")[0] for check in scikit_learn_checks(cls))}
    assert set(cls.contract_excuses) <= known
    for reason, error in cls.contract_excuses.values():
        assert len(reason.split()) >= 3
        # `Exception` or an empty text would fit every error.
        assert error if isinstance(error, str) else error not in (Exception, BaseException)


def is_documented(cls: Class) -> None:
    documentation = inspect.getdoc(cls) or ""
    for name in inspect.signature(cls).parameters:
        assert f"{name} :" in documentation, f"{cls.__name__} does not document {name}"


def suite(classes: Mapping[str, Class], namespace: Mapping[str, Any]) -> tuple[Callable[..., None], ...]:
    """The tests of a kind of estimators: our checks, of which its own are in a namespace, and scikit-learn's."""
    checks = checks_of(namespace)
    foreign = [(name, check) for name, cls in classes.items() for check in scikit_learn_checks(cls)]

    @pytest.mark.parametrize(("name", "check"), contract_pairs(classes, checks))
    def test_contract(name: str, check: str) -> None:
        run(classes[name], check, lambda: checks[check](classes[name]))

    @pytest.mark.parametrize(("name", "check"), foreign)
    def test_scikit_learn(name: str, check: str) -> None:
        run(classes[name], check.split(",")[0], scikit_learn_checks(classes[name])[check])

    @pytest.mark.parametrize("name", classes)
    def test_excuses_name_checks_and_have_reasons(name: str) -> None:
        excuses_name_checks_and_have_reasons(classes[name], checks)

    @pytest.mark.parametrize("name", classes)
    def test_documented(name: str) -> None:
        is_documented(classes[name])

    return test_contract, test_scikit_learn, test_excuses_name_checks_and_have_reasons, test_documented
