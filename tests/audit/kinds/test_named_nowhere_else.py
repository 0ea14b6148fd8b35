"""No file of the package but a kind's own names the kind: neither by import nor by its word."""

import ast
import re
from pathlib import Path

import pytest

import cladebench
from cladebench.audit.kinds import KINDS

ROOT = Path(cladebench.__file__).parent
HERE = ROOT / "audit/kinds"
MODULES = {path.stem for path in HERE.glob("*.py")} - {"__init__", "base"}
PACKAGE = "cladebench.audit.kinds"


def imported(node: ast.AST) -> bool:
    """Whether an import brings the module of a kind, or something of it."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    else:
        return False
    return any(name.removeprefix(f"{PACKAGE}.").split(".")[0] in MODULES for name in names if PACKAGE in name)


def speaks_of_kinds(node: ast.AST) -> bool:
    """Whether an expression asks for a kind: by a variable, an attribute or a key of that name."""
    words = {ast.Name: "id", ast.Attribute: "attr", ast.Constant: "value", ast.keyword: "arg"}
    found = (getattr(part, words[type(part)]) for part in ast.walk(node) if type(part) in words)
    return any(re.fullmatch(r".*kinds?", word, re.IGNORECASE) for word in found if isinstance(word, str))


def judging(node: ast.AST) -> list[ast.AST]:
    """The parts of a node among which a kind and its word can stand: comparisons, look-ups, arguments, entries."""
    if isinstance(node, ast.Compare | ast.Match | ast.keyword):
        return [node]
    if isinstance(node, ast.Subscript) and not calls(node.value):  # {"word": 1}[kind], KINDS["word"]
        return [ast.List([node.value, node.slice])]
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and not calls(node.func):
        return [ast.List([node.func.value, *node.args])]
    if isinstance(node, ast.Dict):
        return [ast.List([key, value]) for key, value in zip(node.keys, node.values, strict=True) if key]
    return []


def calls(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def is_word(part: ast.AST) -> bool:
    return isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value in KINDS


def in_code(text: str) -> list[int]:
    """Lines of Python that name a kind."""
    nodes = list(ast.walk(ast.parse(text)))
    constants = {  # what stands for a word: KIND = "value", KINDS = ("value", "order")
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and any(map(is_word, ast.walk(node.value)))
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.isupper()
    }
    lines = {node.lineno for node in nodes if imported(node)}
    for node in nodes:
        for part in filter(speaks_of_kinds, judging(node)):
            if any(is_word(word) or getattr(word, "id", "") in constants for word in ast.walk(part)):
                lines.add(node.lineno)
    return sorted(lines)


def in_template(text: str) -> list[int]:
    """Lines of a template with an expression or a statement that names a kind."""
    word = rf"""["']({"|".join(KINDS)})["']"""
    blocks = re.finditer(r"\{[{%].*?[%}]\}", text, re.DOTALL)
    return [
        text.count("\n", 0, block.start()) + 1
        for block in blocks
        if re.search(r"kinds?\b", block[0]) and re.search(word, block[0])
    ]


READERS = {".py": in_code, ".html": in_template, ".md": in_template}


def test_no_file_outside_the_folder_names_a_kind():
    files = [path for path in ROOT.rglob("*") if path.suffix in READERS and HERE not in path.parents]
    assert {path.suffix for path in files} == set(READERS) and len(files) > 300
    named = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in files
        for line in READERS[path.suffix](path.read_text(encoding="utf-8"))
    }
    assert not named


@pytest.mark.parametrize(
    "planted",
    [
        'claim.kind == "value"',
        '"value" != claim["kind"]',
        'c.get("kind") in ("sentence", "value")',
        'WORD = "order"\nif row.kind != WORD:\n    pass',
        'WORDS = ("order", "ratio")\nlast = row.kind in WORDS',
        'KINDS["value"]',
        'KINDS.get("value")',
        '{"sentence": 0}.get(self.kind, 1)',
        '{"sentence": 0}[self.kind]',
        'Claim(kind="ranking")',
        'dict({"kind": "ratio"})',
        'match claim.kind:\n    case "trend":\n        pass',
        "from cladebench.audit.kinds.order import Order",
        "from cladebench.audit.kinds import order",
        "import cladebench.audit.kinds.possible",
    ],
)
def test_what_is_planted_in_code_is_found(planted):
    assert in_code(planted)


@pytest.mark.parametrize(
    "innocent",
    [
        'frame["value"]',
        '"value" in operand',
        'kind_of(claim).form["value"]',
        'columns = [*keys, "value"]',
        'rows.sort_values(["value", "cell"], kind="stable").iloc[0]',
        "from cladebench.audit.kinds import KINDS, kind_of",
        "from cladebench.audit.kinds.base import Grounds",
        'entry.kind == "table"',
    ],
)
def test_what_names_no_kind_is_left_alone(innocent):
    assert not in_code(innocent)


def test_what_is_planted_in_a_template_is_found():
    assert in_template('a\n{% if row.kind != "arithmetic" %}n{% endif %}') == [2]
    assert in_template("{{ rows | selectattr('kind', 'equalto', 'value') }}") == [1]
    assert not in_template('{% if artifact.kind == "table" %}{{ row["value"] }}{% endif %}')
