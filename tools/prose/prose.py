"""Plain English where a user reads: names sentences that are long, and phrases that hide what is meant.

``python tools/prose/prose.py FILE...`` reads Markdown, texts of claims,
registers, plans, captions and findings (.yaml), pages (.html), and messages of errors (.py). Of modules that write what
pages show, and of solver checks, it reads all texts. Paragraphs of docstrings must have a main clause.
It exits with 1 where it finds something. Without files it reads all that a user meets. ``--count`` sums up each file.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rules import LONGEST_ERROR, WIDEST_LINE, faults, is_fragment
from texts import all_texts, docstring_paragraphs, paragraphs, sentences, wide_lines

ROOT = Path(__file__).resolve().parents[2]
READ = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "src/cladebench/papers/*/*.yaml",
    "src/cladebench/**/templates/*.html",
    "src/cladebench/**/*.py",
)


def check(path: Path) -> tuple[list[int], list[str]]:
    """Words of each sentence of a file, and its faults as lines."""
    lengths, found = [], []
    for line, text in paragraphs(path):
        if path.suffix == ".py" and not all_texts(path) and len(text) > LONGEST_ERROR:
            found.append(f"{path}:{line}: {len(text)} characters: at most {LONGEST_ERROR}\n    {text[:200]}")
        for sentence in sentences(text):
            lengths.append(len(sentence.split()))
            if why := faults(sentence):
                found.append(f"{path}:{line}: {'; '.join(why)}\n    {sentence[:200]}")
    if path.suffix == ".py":
        for line, text in docstring_paragraphs(path.read_text(encoding="utf-8")):
            if is_fragment(text):
                found.append(
                    f"{path}:{line}: no main clause: write a sentence, or one first line\n    {text[:200]}"
                )
    if path.suffix == ".md" and path.name != "README.md":
        wide = wide_lines(path.read_text(encoding="utf-8"), WIDEST_LINE)
        found += [f"{path}:{line}: wider than {WIDEST_LINE} columns" for line in wide]
    return lengths, found


def main(arguments: list[str] | None = None) -> int:
    """Check files, and say what to mend."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--count", action="store_true", help="sentences, mean words and faults of each file")
    options = parser.parse_args(arguments)
    files = options.files or [path for pattern in READ for path in sorted(ROOT.glob(pattern))]
    every = []
    for path in files:
        lengths, found = check(path)
        every += found
        if options.count and lengths:
            mean = sum(lengths) / len(lengths)
            print(f"{path}: {len(lengths)} sentences, {mean:.0f} words each, {len(found)} to mend")
    if every and not options.count:
        print("\n".join(every))
    if every:
        print(f"{len(every)} places to mend", file=sys.stderr)
    return int(bool(every))


if __name__ == "__main__":
    sys.exit(main())
