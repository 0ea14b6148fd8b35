"""Text stands for itself in Markdown, whatever it is made of."""

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cladebench.html_templates import script_json
from cladebench.report import templating
from cladebench.report.templating import digits, duration, escape, header_groups


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("<b>x</b> & y", "&lt;b&gt;x&lt;/b&gt; &amp; y"),
        ("a | b", r"a \| b"),
        ("`x` ``y``", r"\`x\` \`\`y\`\`"),
        ("[a](javascript:b) ![c](d)", r"\[a\](javascript:b) !\[c\](d)"),
        ("*a* _b_ __c__ snake_case ~~d~~", r"\*a\* \_b\_ \_\_c\_\_ snake_case \~\~d\~\~"),
        ("# no heading", r"\# no heading"),
        ("- no list", r"\- no list"),
        ("+", r"\+"),
        ("12. no list", r"12\. no list"),
        ("3) no list", r"3\) no list"),
        ("---", r"\---"),
        ("==", r"\=="),
        ("-0.5", "-0.5"),
        ("0.5", "0.5"),
        ("a\\|b", r"a\\\|b"),
        ("two\n\n  lines", "two lines"),
        (3, "3"),
    ],
)
def test_text_is_escaped(text, markdown):
    assert escape(text) == markdown


PAGE = """{% from "macros.md" import head %}
{{ head(columns) }}
{% for entries in rows %}
|{% for entry in entries %} {{ entry }} |{% endfor %}

{% endfor %}

- {{ note }}
"""


def rendered(markdown):
    """The pieces that a reader of Markdown finds: names of its marks, and the text of each entry and paragraph."""
    reader = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    marks, texts = [], []
    for token in reader.parse(markdown):
        marks.append(token.type)
        if token.type == "inline":
            marks += [child.type for child in token.children]
            texts.append("".join(child.content for child in token.children))
    return marks, texts


MARKS = {"text", "text_special", "inline"} | {
    f"{name}_{side}"
    for name in (
        "paragraph",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "bullet_list",
        "list_item",
    )
    for side in ("open", "close")
}
TEXTS = st.text("ab1 \n\\`*_[]()<>|&#~!-+=.'\";", max_size=12)


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), min_size=1, max_size=3), TEXTS)
@example([["__c__", "&lt;"], ["<b>", "a|b"]], "1. [x](y)")
def test_no_text_breaks_out_of_its_entry(rows, note):
    template = templating._markdown_environment().from_string(PAGE)
    marks, texts = rendered(template.render(columns=["a", "b|<i>"], rows=rows, note=note))
    assert set(marks) <= MARKS
    assert (marks.count("tr_open"), marks.count("list_item_open")) == (1 + len(rows), 1)
    expected = ["a", "b|<i>", *(text for row in rows for text in row), note]
    expected = [" ".join(text.split()) for text in expected]
    assert texts == expected[:-1] + [expected[-1]] * bool(expected[-1])


def test_numbers_and_durations_are_short():
    assert [duration(s) for s in (4.21, 200, 7500)] == ["4.2 s", "3 min 20 s", "2 h 5 min"]
    assert [digits(x) for x in (0.123456789, 151.0, math.nan, math.inf)] == ["0.1234568", "151", "", "inf"]


def test_columns_of_one_head_stand_together():
    assert header_groups(["m", "a: x", "a: y", "b: x"]) == [
        ("", [(0, "m")]),
        ("a", [(1, "x"), (2, "y")]),
        ("b", [(3, "x")]),
    ]


def test_data_of_a_script_do_not_end_it():
    assert json.loads(script_json("</script>&\u2028")) == "</script>&\u2028"
    assert not set("<>&\u2028") & set(script_json("</script>&\u2028"))
