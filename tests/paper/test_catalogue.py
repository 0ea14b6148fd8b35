"""Finding a paper: where its folder lies, and what is said of one that is broken."""

import importlib
import sys
from dataclasses import replace

import pytest

from cladebench.bench.plan.plan import PlanError
from cladebench.input_files import InputFileError
from cladebench.paper import catalogue


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package of the user's own out of the texts of its files."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(**texts):
        (tmp_path / "own_paper").mkdir()
        for name, text in {"__init__": "", **texts}.items():
            (tmp_path / "own_paper" / f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        return "own_paper"

    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] == "own_paper"]:
        del sys.modules[name]


def plan_of(package):
    return replace(catalogue.load_plan("ghc"), package=package)


def test_built_in_papers_are_listed_by_name(monkeypatch, tmp_path):
    assert catalogue.built_in_papers() == ["exemplar", "ghc", "hfd", "hmmc", "taxonomy"]
    for name in ("b", "c", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plan.yaml").touch()
    (tmp_path / "no_plan").mkdir()
    monkeypatch.setattr(importlib.import_module(catalogue.BUILT_IN), "__path__", [str(tmp_path)])
    assert catalogue.built_in_papers() == ["a", "b", "c"]


@pytest.mark.parametrize("paper", ["no_such_paper", "no_such.paper", "json.decoder", "", ".relative"])
def test_what_is_no_paper_and_no_package_is_refused(paper):
    with pytest.raises(PlanError, match=r"no paper .* and no importable package of that name.*ghc.*hmmc"):
        catalogue.resolve_package(paper)


def test_a_package_without_a_plan_is_told_where_it_belongs(package, tmp_path):
    with pytest.raises(InputFileError, match=r"own_paper/plan\.yaml"):
        catalogue.load_plan(package())


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        (None, r"paper: no module own_paper\.protocol"),
        ("1 / 0", r"own_paper\.protocol: cannot be imported: ZeroDivisionError: division by zero"),
        ("", r"own_paper\.protocol: PROTOCOL: None; expected an instance of a subclass of .*Protocol"),
        ("PROTOCOL = 'text'", r"own_paper\.protocol: PROTOCOL: 'text'; expected"),
    ],
)
def test_a_broken_protocol_is_named(package, protocol, said):
    texts = {} if protocol is None else {"protocol": protocol}
    with pytest.raises(PlanError, match=said):
        catalogue.validate_protocol(plan_of(package(**texts)))


REFUSING = """
from cladebench.bench.plan.plan import PlanError
from cladebench.paper.protocol import Protocol

class Own(Protocol):
    def measure(self, cell):
        pass

    def validate(self, plan):
        raise {error}

PROTOCOL = Own()
"""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("PlanError('the plan is wrong')", "^the plan is wrong$"),
        ("KeyError('alpha')", r"plan\.yaml: own_paper\.protocol: KeyError: 'alpha'$"),
    ],
)
def test_what_a_protocol_says_of_the_plan_is_passed_on(package, error, said):
    with pytest.raises(PlanError, match=said):
        catalogue.validate_protocol(plan_of(package(protocol=REFUSING.format(error=error))))


def test_a_protocol_that_accepts_the_plan_is_accepted(package):
    name = package(protocol=REFUSING.replace("raise {error}", "self.met = plan"))
    catalogue.validate_protocol(plan := plan_of(name))
    assert sys.modules["own_paper.protocol"].PROTOCOL.met is plan


@pytest.mark.parametrize(
    ("artifacts", "said"),
    [
        (None, r"own_paper\.artifacts: no such module; expected ARTIFACTS, a tuple"),
        (
            "import no_such_module",
            r"own_paper\.artifacts: cannot be imported: ModuleNotFoundError: .*no_such_module",
        ),
        ("1 +", r"own_paper\.artifacts: cannot be imported: SyntaxError"),
        ("raise ValueError('a kind')", r"own_paper\.artifacts: cannot be imported: ValueError: a kind"),
        ("open('/no/such.rst')", r"/no/such\.rst: no such file; own_paper\.artifacts reads it"),
        ("", r"own_paper\.artifacts: ARTIFACTS: None; expected ARTIFACTS"),
        ("ARTIFACTS = {}", r"own_paper\.artifacts: ARTIFACTS: \{\}; expected"),
    ],
)
def test_broken_artifacts_are_named(package, artifacts, said):
    texts = {} if artifacts is None else {"artifacts": artifacts}
    with pytest.raises(InputFileError, match=said):
        catalogue.load_artifacts(package(**texts))


def test_artifacts_may_be_a_tuple_or_a_list(package):
    assert catalogue.load_artifacts(package(artifacts="ARTIFACTS = [1, 2]")) == (1, 2)
