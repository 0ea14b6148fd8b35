"""Rules of plain English: how long a sentence may be, and phrases with what to write instead."""

from __future__ import annotations

import re

#: Words of a sentence, columns of a line of Markdown, characters of the fixed text of an error.
LONGEST_SENTENCE, WIDEST_LINE, LONGEST_ERROR = 25, 100, 120

_PHRASES = {
    r"of which": "a second sentence",
    r"in the place of": "'instead of'",
    r"(stand|stands|stood) for(?! (election|themselves))": "'means' or 'represents'",
    r"hangs? on": "'depends on'",
    r"so too": "'also'",
    r"nor (is|are|was|were|do|does|has|have)": "a second sentence with 'not'",
    r"told": "'said', 'reported' or 'distinguished'",
    r"borne out": "'confirmed'",
    r"what (is|are|was|were) (asked|found|learned|meant|measured|said|tried)": "the noun",
    r"that of (that|those|one|all)": "the noun again",
    r"(thereof|therein|whereof|whereby|thereby)": "plain words",
    r"must needs": "'must'",
    r"(and|or) the like": "the names",
    r"(two|three|four|six|seven|eight|nine) tenths|a (hundredth|twentieth)|a dozen|dozens": "digits or percent",
    r"data-blind( rivals?)?": "'random method'",
    r"universes?": "'other choice'",
    r"oracle": "'chosen with test labels'",
    r"analogues?(?! (holds|undecided|fails))": "'stand-in data'",
}
_PATTERNS = {
    re.compile(rf"(?<![\w-])({phrase})(?![\w-])", re.IGNORECASE): instead
    for phrase, instead in _PHRASES.items()
} | {
    re.compile(
        r", for ((it|they|that|these|those|there|such|no)\b(?! (example|instance))"
        r"|((?!that|which|who|where)[\w-]+ ){1,5}(is|are|was|were|has|have|does|do|can|cannot)\b)"
    ): "'because'",
    re.compile(r"^That \w+ .{0,60}?\b(is|are|was|were|has|have|holds|fails)\b"): "the main clause first",
    re.compile(
        r"^(Of|With how|Which) \w+ .{0,60}?\b(is|are|was|were|holds|fails|has)\b.*\.$"
    ): "the main clause first",
}
#: First words of a paragraph that goes on with the sentence before: some always, some unless a verb follows.
_CUT = re.compile(
    r"(?:And|Nor|Or|Than)\b"
    r"|(?:After|Against|Along|Also|Among|As|At|Before|Between|By|Except|For(?! example)|From|In|Into|Of|On|Over|Per"
    r"|Through|To|Under|Until|Up|With|Within|Without)\b(?!.*\b(?:is|are|was|were|has|have|does|do|can|cannot|may|must"
    r"|comes?|counts?|gets?|gives?|goes?|meets?|reads?|returns?|runs?|says?|stands?|stays?|takes?)\b)"
)


def is_fragment(paragraph: str) -> bool:
    """Say whether a paragraph begins with the rest of the sentence before."""
    text = re.sub(r"``[^`]*``", "CODE", " ".join(paragraph.split()))
    return _CUT.match(re.split(r"(?<=[.!?]) (?=[A-Z])", text)[0]) is not None


def faults(sentence: str) -> list[str]:
    """Name what a busy reader would trip over in a sentence."""
    words = len(sentence.split())
    found = [f"{words} words: at most {LONGEST_SENTENCE}"] if words > LONGEST_SENTENCE else []
    for pattern, instead in _PATTERNS.items():
        if match := pattern.search(sentence):
            found.append(f"{match[0].strip(', ')[:40]!r}: write {instead}")
    return found
