import subprocess
from importlib import metadata

import pytest

from cladebench.bench.provenance import provenance


def git(folder, *arguments):
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def test_git_state_of_a_repository_and_of_none(tmp_path):
    package = tmp_path / "src" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    assert provenance.git_state(package) == (None, None)
    git(tmp_path, "init", "-q")
    # Inside a repository that does not track it, as in a virtual environment.
    assert provenance.git_state(package) == (None, None)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    commit, dirty = provenance.git_state(package)
    assert commit is not None and len(commit) == 40 and dirty is False
    (tmp_path / "results.csv").write_text("what a run rewrites does not make the code dirty")
    assert provenance.git_state(package) == (commit, False)
    (package / "new.py").write_text("")
    assert provenance.git_state(package) == (commit, True)


def test_an_installed_package_knows_what_it_was_built_from(tmp_path):
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "suite").mkdir()
    assert provenance.git_state(tmp_path) == (None, None)
    built = '{"commit": "a1", "day": "2025-03-01", "changed": false}'
    (tmp_path / "suite/built-from.json").write_text(built)
    assert provenance.git_state(tmp_path) == ("a1", False)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "__init__.py")
    git(tmp_path, "commit", "-q", "-m", "first")
    assert provenance.git_state(tmp_path)[0] != "a1"


def test_a_checkout_of_which_git_cannot_say_the_status_is_not_called_clean(tmp_path):
    (tmp_path / "__init__.py").write_text("")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    git(tmp_path, "config", "status.showUntrackedFiles", "nonsense")  # `git status` alone reads it
    commit, dirty = provenance.git_state(tmp_path)
    assert commit is not None and dirty is None


def test_a_repository_that_git_does_not_open_gives_no_state(tmp_path, monkeypatch):
    (tmp_path / "__init__.py").write_text("")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    assert provenance.git_state(tmp_path)[0] is not None
    with monkeypatch.context() as patch:
        patch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own way to try safe.directory
        assert provenance.git_state(tmp_path) == (None, None)
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    assert provenance.git_state(tmp_path) == (None, None)


def test_collect_has_what_the_schema_asks_for():
    found = provenance.collect("c")
    assert set(found) == {"git_commit", "git_dirty", "core_build", "code_digest", "versions", "machine"}
    assert found["versions"]["numpy"] and found["machine"]["cores"] >= 1 and found["machine"]["memory_gb"] > 0
    assert provenance.collect("c") == found


def test_a_package_that_is_not_installed_is_said(monkeypatch):
    monkeypatch.setattr(provenance, "PACKAGES", ("no-such-package",))
    assert provenance.package_versions()["no-such-package"] == "absent"


def test_the_version_of_a_library_s_estimator_is_recorded_and_in_the_key():
    from types import SimpleNamespace

    from cladebench.bench.run.run_cell import cell_key

    found = provenance.collect("c", ["pytest", "no-such-package"])
    assert found["versions"]["pytest"] == metadata.version("pytest")
    assert found["versions"]["no-such-package"] == "absent"
    assert "pytest" not in provenance.collect("c")["versions"]
    spec = SimpleNamespace(identity=dict)
    method = SimpleNamespace(estimator="pytest.Found", params={})

    def key(**versions):
        return cell_key(spec, method, found | {"versions": found["versions"] | versions}, None)

    assert key() == key(cladebench="0")
    assert len({key(), key(pytest="0"), key(numpy="0"), key(jaxlib="0"), key(pandas="0")}) == 5


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (b"processor\t: 0\nmodel name\t: A: 3000 \xff\nmodel name\t: B\n", "A: 3000 \ufffd"),
        (b"processor : 0\n", "from platform"),
        (None, "from platform"),
    ],
)
def test_the_name_of_the_processor_is_the_first_that_the_system_tells(tmp_path, monkeypatch, lines, name):
    path = tmp_path / "cpuinfo"
    if lines is not None:
        path.write_bytes(lines)
    monkeypatch.setattr(provenance, "open", lambda _, **how: path.open(**how), raising=False)
    monkeypatch.setattr(provenance.platform, "processor", lambda: "")
    monkeypatch.setattr(provenance.platform, "machine", lambda: "from platform")
    assert provenance.machine_fingerprint()["cpu"] == name


@pytest.mark.parametrize(("told", "cores"), [(7, 7), (None, 1)])
def test_the_number_of_cores_is_what_the_system_tells(monkeypatch, told, cores):
    monkeypatch.setattr(provenance.os, "cpu_count", lambda: told)
    assert provenance.machine_fingerprint()["cores"] == cores


def test_a_machine_is_told_by_its_system_and_its_memory(monkeypatch):
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("Memory", (), {"total": int(1.26 * 2**30)}))
    for name in ("system", "release", "machine"):
        monkeypatch.setattr(provenance.platform, name, lambda name=name: f"its {name}")
    found = provenance.machine_fingerprint()
    assert found["memory_gb"] == 1.3
    assert (found["system"], found["architecture"]) == ("its system its release", "its machine")


def test_the_name_of_the_processor_may_be_what_python_tells(monkeypatch):
    def missing(*_, **how):
        raise FileNotFoundError

    monkeypatch.setattr(provenance, "open", missing, raising=False)
    monkeypatch.setattr(provenance.platform, "processor", lambda: "fast")
    assert provenance.machine_fingerprint()["cpu"] == "fast"
