"""Sentences of Markdown, pages, captions, texts of the papers' files and error messages, with their lines."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

#: Keys of YAML files whose values a reader meets as prose.
KEYS = {
    *("headline", "text", "why", "label", "title", "meaning"),  # findings, claims, plans
    *("reading", "not_testable", "inconsistent", "assumed"),  # claims
    *("paper", "chosen", "alternatives", "name", "reason"),  # registers
    "captions",
}

#: Modules whose texts pages show.
SHOWN = ("report/*.py", "crosscheck/*.py", "audit/evidence.py", "audit/verdict/verdict_types.py")

_OWNERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_SECTION = re.compile(r">>>|.+\n-+(\n|$)")
_ITEM = re.compile(r"^\s*([-*]|\d+\.) ")
_END = re.compile(r"(?<=[.!?])[*_)\"']*\s+(?=[A-Z0-9\"'(*_`])|(?<=[:;])\s+(?=[A-Z])")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|vs|Fig|Sec|et al|No|pp?|ed|vol)\.\s")


def sentences(text: str) -> Iterator[str]:
    """Split a paragraph; code and quotes count as one word, links as their text."""
    text = re.sub(r"<!--.*?-->|<[a-zA-Z/][^>]*>", " ", text, flags=re.DOTALL)
    text = re.sub(r"``[^`]+``|`[^`]*`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r'"[^"]{2,}"|“[^”]*”', "QUOTE", text)
    text = _ABBREVIATION.sub(r"\1 ", re.sub(r"\s+", " ", text))
    for sentence in _END.split(text):
        sentence = sentence.strip(" *_>#")
        if len(sentence.split()) > 3:
            yield sentence


def _cells(row: str) -> Iterator[str]:
    """Cells of a table's row; in a cell a semicolon ends a statement as a full stop does."""
    for cell in re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", "CODE", row.strip().strip("|"))):
        yield from cell.split("; ")


def _marked_up(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, items of lists and cells of tables; code and titles are left out."""
    block: list[str] = []
    start, fenced = 1, False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        fence = line.lstrip().startswith(("```", "~~~"))
        row = line.lstrip().startswith("|")
        indented = line.startswith("    ") and not block
        if block and (fence or row or not line.strip() or line.startswith("#") or _ITEM.match(line)):
            yield start, "\n".join(block)
            block = []
        fenced ^= fence
        if row and not fenced:
            yield from ((number, cell) for cell in _cells(line))
        elif line.strip() and not (fence or fenced or indented or line.startswith("#")):
            start = start if block else number
            block.append(_ITEM.sub("", line))


def _values(node: yaml.Node | None, prose: bool = False) -> Iterator[tuple[int, str]]:
    """Prose of a YAML document, wherever it stands: all texts below a key of `KEYS`."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _values(value, prose or key.value in KEYS)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _values(item, prose)
    elif prose and node is not None:
        yield node.start_mark.line + 1, node.value


def messages(text: str) -> Iterator[tuple[int, str]]:
    """Fixed text of raised errors and warnings; each value in them counts as one letter."""
    for node in ast.walk(ast.parse(text)):
        call = node.exc if isinstance(node, ast.Raise) else node
        if isinstance(call, ast.Call) and (call is not node or ast.unparse(call.func) == "warnings.warn"):
            for argument in call.args:
                if isinstance(argument, ast.JoinedStr):
                    parts = [p.value if isinstance(p, ast.Constant) else "…" for p in argument.values]
                    yield node.lineno, "".join(map(str, parts))
                elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield node.lineno, argument.value


def all_texts(path: Path) -> bool:
    """Whether pages show the texts of a module, not its messages alone."""
    return any(path.match(f"cladebench/{pattern}") for pattern in SHOWN)


def docstring_paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs of docstrings behind the first one, up to a section or an example."""
    for node in ast.walk(ast.parse(text)):
        docstring = ast.get_docstring(node) if isinstance(node, _OWNERS) else None
        if docstring is None:
            continue
        first, *further = docstring.split("\n\n")
        line = node.body[0].lineno + first.count("\n") + 2
        for part in further:
            if _SECTION.match(part):
                break
            if not part.startswith(" "):
                yield line, part
            line += part.count("\n") + 2


def _texts(text: str) -> Iterator[tuple[int, str]]:
    """All texts of a module but docstrings; each value in them counts as one letter."""
    tree = ast.parse(text)
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    inside |= {
        id(line.value)
        for node in ast.walk(tree)
        if isinstance(node, _OWNERS)
        for line in node.body[:1]
        if isinstance(line, ast.Expr)
    }
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


_HIDDEN = re.compile(
    r"<(script|style|pre)\b.*?</\1>|<!--.*?-->|\{#.*?#\}"
    r"|\{% block (?:style|colours|script) %\}.*?\{% endblock %\}",
    re.DOTALL,
)
#: What ends a paragraph of a page: a tag that starts a block, and the other branch of a template.
_BREAK = re.compile(
    r"</?(?:p|li|ul|ol|dl|dt|dd|h\d|t[rdh]|thead|tbody|table|caption|figcaption|figure|div|section|details|summary|nav"
    r"|small|option|label|br|title|header|footer|main|button)\b[^>]*>|\{%-?\s*(?:else|elif)\b.*?%\}"
)


def _of_page(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs of a template of pages; each value in them counts as one word."""

    def lines(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    text = re.sub(
        r"\{\{.*?\}\}", lambda found: "VALUE" + lines(found), _HIDDEN.sub(lines, text), flags=re.DOTALL
    )
    text = _BREAK.sub(lambda found: lines(found) + "\0", text)
    text = re.sub(r"\{%.*?%\}|<[a-zA-Z/!][^>]*>", lambda found: lines(found), text, flags=re.DOTALL)
    number = 1
    for part in text.split("\0"):
        start = number + len(part) - len(part.lstrip("\n"))
        if part.strip():
            yield start, html.unescape(part)
        number += part.count("\n")


def paragraphs(path: Path) -> Iterator[tuple[int, str]]:
    """Lines and texts of a file, by its kind."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from _texts(text) if all_texts(path) else messages(text)
    elif path.suffix == ".html":
        yield from _of_page(text)
    elif path.suffix in (".yaml", ".yml"):
        yield from _values(yaml.compose(text, Loader=yaml.SafeLoader))
    else:
        yield from _marked_up(text)


def wide_lines(text: str, widest: int) -> Iterator[int]:
    """Lines of Markdown that are too wide; tables, code and addresses may be."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.lstrip().startswith("```")
        if len(line) > widest and not (
            fenced or line.startswith(("|", "#", "    ", "```")) or "http" in line
        ):
            yield number
