"""Text stands for itself in Markdown, whatever it is made of."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cladebench.report import templating
from cladebench.report.templating import escape


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
