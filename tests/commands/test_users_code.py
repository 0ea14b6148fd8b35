"""Whatever a user's paper raises when it is imported is one line that names file and line, from every command."""

import importlib
import os
import sys

import pytest

from cladebench.input_files import InputFileError
from cladebench.workflow.workplan import Workplan
from doc_examples import write_example_paper

FAULTS = {
    "1/0": "ZeroDivisionError: division by zero",
    "{}['x']": "KeyError: 'x'",
    "import sys; sys.exit('bye')": "SystemExit: bye",
    "import no_such_module": "ModuleNotFoundError: No module named 'no_such_module'",
    "def f(:": "SyntaxError: ",
    "import numpy; numpy.zeros(-1)": "ValueError: negative dimensions are not allowed",
    "class E(Exception):\n    def __str__(self): 1/0\nraise E": "E",
}
#: Where the fault stands, and the commands that meet it there.
PLACES = {
    "../__init__.py": ("run", "collect", "audit", "artifacts", "report", "gate", "readme"),
    "__init__.py": ("run", "artifacts"),
    "protocol.py": ("run",),
    "helper.py": ("run", "artifacts"),
    "study.py": ("run",),
    "artifacts.py": ("artifacts", "report"),
}


@pytest.fixture
def broken(copied, tmp_path, monkeypatch):
    """Gives a function that writes the finished run's paper anew, with a fault in a file; gives the file and line."""
    name, _, paper = copied.paper.partition(".")

    def write(place, fault):
        package = tmp_path / f"package{len(os.listdir(tmp_path))}"
        write_example_paper(package)
        (package / "mypackage").rename(package / name)
        folder = package / name / paper
        for module in ("protocol.py", "artifacts.py"):
            path = folder / module
            path.write_text(f"import {name}.{paper}.helper\n{path.read_text()}")
        (folder / "helper.py").write_text("")
        (folder / "study.py").write_text("def study(cell): pass\n")
        plan = folder / "plan.yaml"
        text = plan.read_text()
        assert "methods:\n" in text
        plan.write_text(
            text.replace(
                "methods:\n", f"methods:\n  odd: {{estimator: {name}.{paper}.study.study, role: study}}\n", 1
            )
        )
        file = (folder / place).resolve()
        file.write_text(f"{file.read_text()}\n{fault}\n")
        for module in [m for m in sys.modules if m.split(".")[0] == name]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.syspath_prepend(str(package))
        importlib.invalidate_caches()
        return file

    return write


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("place", PLACES)
def test_it_is_one_line_from_every_command(copied, broken, capsys, place, fault):
    for command in PLACES[place]:
        file = broken(place, fault)
        more = ["--list"] if command == "run" else []
        assert copied.main(command, *more) == 2
        error = capsys.readouterr().err
        line = len(file.read_text().splitlines())
        assert error.count("\n") == 1 and "Traceback" not in error, error
        assert f"{file}, line {line}: " in error and FAULTS[fault] in error


@pytest.mark.parametrize("place", PLACES)
def test_the_workflow_refuses_it_in_the_same_words(copied, broken, place):
    file = broken(place, "import sys; sys.exit(3)")
    with pytest.raises(InputFileError) as caught:
        Workplan({"scope": "smoke", "papers": [copied.paper]})
    assert f"{file}, line " in str(caught.value) and "SystemExit: 3" in str(caught.value)


def test_a_table_that_cannot_be_built_names_the_line(copied, broken, capsys):
    fault = (
        "import dataclasses\nARTIFACTS = [dataclasses.replace(a, build=lambda c: 1 / 0) for a in ARTIFACTS]"
    )
    file = broken("artifacts.py", fault)
    assert copied.main("artifacts") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"{file}, line " in error and "ZeroDivisionError" in error
