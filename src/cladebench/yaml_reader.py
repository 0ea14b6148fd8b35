"""Plain values out of YAML text, within bounds.

What a file that a user writes may hold, and how much.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import yaml

from cladebench.yaml_values import MAX_DEPTH, MAX_KEY, MAX_VALUES, YamlError, plain_value, shown

# libyaml's events are the same, in a tenth of the time; a build of PyYAML may be without it.
_FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Control characters, and those that are invisible or turn the text's direction.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)

#: What PyYAML says of slips that writers make -> what to do about them.
_SLIPS = (
    (
        re.compile("expected <block end>, but found '(<scalar>|[]}])'"),
        "follows the end of a value; expected a new line at the indent of the keys, and '' for ' within quotes",
    ),
    (
        re.compile("expected (<block end>|'<document start>'), but found"),
        "does not fit the lines above; expected the indent of the list or the keys there, and a space after each '-'",
    ),
    (
        re.compile("mapping values are not allowed here"),
        "a ':' within a value; expected quotes around the value, or the indent of the keys above",
    ),
    (re.compile("could not find expected ':'"), "no ':' after the key before this; expected 'key: value'"),
    (
        re.compile("that cannot start any token"),
        "expected spaces, not tabs, and quotes around text that begins so",
    ),
    (
        re.compile("unexpected end of stream|unexpected document separator"),
        "a quotation mark is missing before this",
    ),
)


class _Reader:
    """Makes plain values of one YAML document, event by event.

    Bounds hold before anything is built.

    Aliases count as what they stand for, so that a few lines cannot unfold to millions of values.
    """

    def __init__(self, text: str, loader: Any) -> None:
        self.events: Iterator[Any] = yaml.parse(text, Loader=loader)
        self.anchors: dict[
            str, tuple[Any, int, int] | None
        ] = {}  # value, number of values in it, their depth
        self.count = 0
        self.deepest = 0

    def document(self) -> Any:
        """Read the only document; None if there is none."""
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None
        value = self.node(next(self.events), 0)
        next(self.events)
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise _wrong("a second document begins here; expected one", after)
        return value

    def node(self, event: Any, depth: int) -> Any:
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, depth)
        if event.tag is not None:
            raise _wrong(f"the tag {shown(event.tag)} is not allowed; expected a plain value", event)
        before, deepest = self.count, self.deepest
        self.deepest = 0
        self.counted(1, depth, event)
        if event.anchor is not None:
            if event.anchor in self.anchors:
                raise _wrong(f"the anchor &{event.anchor} is given twice", event)
            self.anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            value = self.scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = [self.node(entry, depth + 1) for entry in self.until(yaml.SequenceEndEvent)]
        else:
            value = self.mapping(depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = value, self.count - before, self.deepest - depth
        self.deepest = max(self.deepest, deepest)
        return value

    def alias(self, event: Any, depth: int) -> Any:
        if event.anchor not in self.anchors:
            raise _wrong(f"no anchor &{event.anchor} stands before the alias *{event.anchor}", event)
        known = self.anchors[event.anchor]
        if known is None:
            raise _wrong(f"the alias *{event.anchor} stands within its own anchor", event)
        value, count, height = known
        self.counted(count, depth + height, event)
        return value

    def scalar(self, event: Any) -> Any:
        if _UNPRINTABLE.search(event.value):
            raise _wrong(f"{shown(event.value)} has a character that cannot be printed", event)
        if event.style:  # in quotes, or a block of text
            return event.value
        try:
            return plain_value(event.value)
        except ValueError as error:
            raise _wrong(str(error), event) from None

    def mapping(self, depth: int) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for event in self.until(yaml.MappingEndEvent):
            key = self.node(event, depth + 1)
            if not isinstance(key, str):
                raise _wrong(f"the key {shown(key)} is not text; put quotes around it if it is meant", event)
            if not key.isprintable() or len(key) > MAX_KEY:
                raise _wrong(
                    f"the key {shown(key)} is not allowed; expected one line of at most {MAX_KEY} characters",
                    event,
                )
            is_merge = key == "<<" and isinstance(event, yaml.ScalarEvent) and not event.style
            if key in entries or (is_merge and merged):
                raise _wrong(f"the key {shown(key)} is given twice", event)
            start = next(self.events)
            value = self.node(start, depth + 1)
            if not is_merge:
                entries[key] = value
                continue
            for base in reversed(value if isinstance(value, list) else [value]):
                if not isinstance(base, dict):
                    raise _wrong(
                        f"<<: {shown(base)} is not allowed; expected an alias of keys with values", start
                    )
                merged |= base
        return merged | entries

    def until(self, end: type) -> Iterator[Any]:
        """Yield the events up to the end of a list or mapping."""
        while not isinstance(event := next(self.events), end):
            yield event

    def counted(self, count: int, depth: int, event: Any) -> None:
        self.count += count
        self.deepest = max(self.deepest, depth)
        if depth > MAX_DEPTH:
            raise _wrong(f"expected at most {MAX_DEPTH} levels of lists and keys within each other", event)
        if self.count > MAX_VALUES:
            raise _wrong(f"expected at most {MAX_VALUES:,} values, aliases written out", event)


def _wrong(message: str, event: Any) -> YamlError:
    mark = event.start_mark
    return YamlError(f"line {mark.line + 1}, column {mark.column + 1}: {message}")


def key_lines(text: str) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Yield the keys of a document and their lines.

    Entries of lists are among them. Each comes as the path of keys and indices that leads to it. What an alias or
    ``<<`` brings in stands elsewhere, and is left out.

    Raises
    ------
    ValueError
        If the text is broken YAML.
    """
    try:
        root = yaml.compose(text, Loader=_FAST)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    seen = set()
    todo: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    while todo:  # in the order of the file, in which an anchor stands before its aliases
        path, node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if path and isinstance(path[-1], int):
            yield path, node.start_mark.line + 1
        inside: list[tuple[tuple[str | int, ...], Any]] = []
        if isinstance(node, yaml.MappingNode):
            pairs = [(key, value) for key, value in node.value if key.value != "<<"]
            yield from (((*path, str(key.value)), key.start_mark.line + 1) for key, _ in pairs)
            inside = [((*path, str(key.value)), value) for key, value in pairs]
        elif isinstance(node, yaml.SequenceNode):
            inside = [((*path, index), entry) for index, entry in enumerate(node.value)]
        todo += reversed(inside)


def parse(text: str) -> Any:
    """Return the value of a YAML document; None for an empty one.

    Raises
    ------
    YamlError
        If it is broken or not allowed; see `cladebench.input_files.read_yaml`.
    """
    with contextlib.suppress(
        yaml.YAMLError, UnicodeError
    ):  # which the slower reader tells of in plainer words
        return _Reader(text, _FAST).document()
    try:
        return _Reader(text, yaml.SafeLoader).document()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(
            f"line {line}: the character with code {error.character:#x} cannot be printed"
        ) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise YamlError(f"{where}broken YAML: {_in_plain_words(error)}") from None


def _in_plain_words(error: yaml.MarkedYAMLError) -> str:
    """Say what the writer did, where PyYAML speaks of its tokens."""
    problem = str(error.problem)
    for slip, advice in _SLIPS:
        if slip.search(problem):
            return f"{problem}: {advice}" if problem.startswith("found character") else advice
    return f"{problem} ({error.context})" if error.context else problem
