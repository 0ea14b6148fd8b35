"""Small changes to a YAML file, such as a hand makes by mistake or in bad faith."""

import random
import re
from collections.abc import Iterator

import yaml

#: Values that no file of the project has.
STRANGE = (
    "null",
    "''",
    "[]",
    "{}",
    "true",
    "-1",
    "0",
    "1.5",
    "1.0e+308",
    "1e999",
    "99999999999999999999",
    "9" * 5000,
    "1000000000",
    ".nan",
    "-.inf",
    "2026-01-31",
    "2026-01-31 10:00:00",
    "!!binary aGVsbG8=",
    "!!set {a, b}",
    "!!python/name:os.system",
    "yes",
    "1_000",
    "*nowhere",
    "&own [*own]",
    "<<",
    "[" * 60 + "]" * 60,
    "{a: " * 1000 + "1" + "}" * 1000,
    "[[1], {a: [b]}, text, 2.5, null]",
    "{method: {method: x}}",
    '"a\\nb"',
    '"a\\0b"',
    '"\\ud800"',
    '"' + "x" * 5000 + '"',
    "~nobody-of-this-name/x",
    "../../etc",
)
CHARACTERS = "\x00\x07\x7f\u0085\u2028\u202e\ufeff\ufffe\t{}[]:#&*!|>'\"%@`,-"


class Mutator:
    """Makes mutants of one text; the same seed makes the same ones."""

    def __init__(self, text: str) -> None:
        self.text = text
        #: (start, end, node, in a flow, start of the entry), of each value; of each key: the last is None
        self.values: list[tuple[int, int, yaml.Node, bool, int | None]] = []
        self._walk(yaml.compose(text, Loader=yaml.SafeLoader), None, False, set())
        self.scalars = [place for place in self.values if isinstance(place[2], yaml.ScalarNode)]

    def _walk(self, node: yaml.Node, entry: int | None, flow: bool, seen: set[int]) -> None:
        if id(node) in seen:  # an alias
            return
        seen.add(id(node))
        end = node.end_mark.index
        end -= len(self.text[node.start_mark.index : end]) - len(
            self.text[node.start_mark.index : end].rstrip()
        )
        self.values.append((node.start_mark.index, end, node, flow, entry))
        inside = bool(getattr(node, "flow_style", False))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                self._walk(key, None, inside, seen)
                self._walk(value, key.start_mark.index, inside, seen)
        elif isinstance(node, yaml.SequenceNode):
            for value in node.value:
                start = value.start_mark.index
                self._walk(value, start if inside else self.text.rfind("-", 0, start), inside, seen)

    def mutants(self, n: int, seed: int) -> Iterator[tuple[str, str]]:
        """Yield the name of the change and the changed text, `n` times."""
        choose = random.Random(seed)
        changes = [
            self.delete,
            self.duplicate,
            self.retype,
            self.strange,
            self.misspell,
            self.swap,
            self.character,
        ]
        for _ in range(n):
            change = choose.choice(changes)
            yield change.__name__, change(choose)

    def _replace(self, start: int, end: int, new: str) -> str:
        return self.text[:start] + new + self.text[end:]

    def _entry(self, choose: random.Random) -> tuple[int, int, bool]:
        end, flow, entry = 0, False, None
        while entry is None:
            _, end, _, flow, entry = choose.choice(self.values)
        return entry, end, flow

    def delete(self, choose: random.Random) -> str:
        start, end, flow = self._entry(choose)
        if flow:
            comma = re.compile(r"\s*,\s*").match(self.text, end)
            end = comma.end() if comma else end
        return self._replace(start, end, "")

    def duplicate(self, choose: random.Random) -> str:
        start, end, flow = self._entry(choose)
        indent = start - self.text.rfind("\n", 0, start) - 1
        between = ", " if flow else "\n" + " " * indent
        return self._replace(start, start, self.text[start:end] + between)

    def retype(self, choose: random.Random) -> str:
        start, end, node, _, _ = choose.choice(self.values)
        text = self.text[start:end]
        if isinstance(node, yaml.ScalarNode):
            return self._replace(
                start, end, choose.choice([f"[{text}]", f"{{{text}: 1}}", f'"{node.value[:9]}"'])
            )
        inner = [self.text[a:b] for a, b, *_ in self.scalars if start <= a < end]
        return self._replace(start, end, choose.choice([*inner, "{}"]))

    def strange(self, choose: random.Random) -> str:
        start, end, *_ = choose.choice(self.values)
        return self._replace(start, end, choose.choice(STRANGE))

    def misspell(self, choose: random.Random) -> str:
        start, end, *_ = choose.choice(self.scalars)
        at = choose.randrange(start, end) if end > start else start
        letter = self.text[at : at + 1]
        return self._replace(at, at + 1, choose.choice(["", letter * 2, "x", letter.swapcase()]))

    def swap(self, choose: random.Random) -> str:
        (a, b, *_), (c, d, *_) = sorted(choose.sample(self.values, 2), key=lambda place: place[0])
        if c < b:  # one within the other
            return self._replace(a, b, self.text[c:d])
        return self.text[:a] + self.text[c:d] + self.text[b:c] + self.text[a:b] + self.text[d:]

    def character(self, choose: random.Random) -> str:
        at = choose.randrange(len(self.text))
        return self._replace(at, at, choose.choice(CHARACTERS))
