"""The checker of plain English: what it finds, what it leaves alone, and that docs and messages pass."""

import ast
import subprocess
import sys

import pytest

from cladebench import datasets
from cladebench.audit.verdict.verdict_types import ANSWERS, VERDICTS
from doc_examples import ROOT

FOLDER = ROOT / "tools" / "prose"


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(FOLDER))
    try:
        import prose
        import rules
        import texts
    finally:
        sys.path.remove(str(FOLDER))
    yield {"prose": prose, "rules": rules, "texts": texts}
    for name in ("prose", "rules", "texts"):
        del sys.modules[name]


@pytest.fixture
def found(tool, tmp_path):
    def check(text, name="page.md"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return [line.removeprefix(f"{path}:") for line in tool["prose"].check(path)[1]]

    return check


@pytest.mark.parametrize(
    "sentence",
    [
        "Nine tenths of the fall of the objective are done.",
        "It takes a dozen rounds to settle here.",
        "There are ten rows, of which two are empty.",
        "A median is used in the place of a mean.",
        "One row stands for the whole class here.",
        "The verdict hangs on the choice of features.",
        "HMMC is ahead, and so too is K-means.",
        "It is not shown, nor is it contradicted.",
        "The test is exact, for it counts all orders.",
        "It says nothing more, for random planes are searched as well.",
        "The reason is told in the last column.",
        "The claim is borne out by the run.",
        "The answer depends on what is said there.",
        "That HMMC is better is shown on two data sets.",
        "A data-blind rival earns as much as HMMC.",
        "a " * 25 + "word.",
    ],
)
def test_a_phrase_that_hides_is_found(found, sentence):
    (line,) = found(f"# A title\n\nThis sentence is plain.\n\n{sentence}\n")
    assert line.startswith("5: ")


@pytest.mark.parametrize(
    "text",
    [
        "word " * 24 + "word.",
        'The paper says that "' + "word " * 30 + '" holds, of all things.',
        "Call `" + "word " * 30 + "of which` and look at it.",
        "```\n" + "word " * 30 + "of which\n```",
        "    " + "word " * 15 + "of which",
        "A short one ends here. " * 10,
        "- " + "word " * 20 + "\n- " + "word " * 20,
        "| " + "word " * 20 + " | " + "word " * 20 + "; " + "word " * 20 + " |",
        "It has one table, for tests that are slow, and one figure, for the reader.",
        "Some metrics, for example ARI, are corrected for chance.",
        "This one has [a link](docs/of-which-nothing.md) to follow.",
    ],
)
def test_what_is_plain_or_is_no_prose_of_ours_passes(found, text):
    assert [line for line in found(text) if "columns" not in line] == []


def test_lines_are_as_wide_as_a_terminal(found):
    assert found("word " * 19 + "word\n\n" + "sixlet " * 15 + "\n") == ["3: wider than 100 columns"]
    assert found("| " + "sixlet " * 20 + "|\n# " + "x " * 60 + "\n```\n" + "x " * 60 + "\n```\n") == []


FINDINGS = """findings:
- headline: HMMC is ahead, of which more
  text: >-
    It is not shown,
    nor is it contradicted.
  id: a b c of which
"""
MODULE = '''def f(x):
    """Rows, of which some are empty."""
    raise ValueError(f"{x}: has rows, of which none {x!r}")
'''


def test_findings_are_read_by_their_keys(found):
    assert [line.split(":")[0] for line in found(FINDINGS, "findings.yaml")] == ["2", "3"]


REGISTER = """
- id: scale of which
  chosen: >-
    It is plain.
    It hangs on the data.
  alternatives: ["ten rows, of which two are empty", "a plain one"]
  effects: [{by: nothing, reason: it is told by nobody}]
"""
CLAIM = """
kind: of which nothing
not_testable: {sonar: &same "rows, of which none is left", usps: *same}
reading: "from 1 to 10, of which none"
"""


def test_claims_and_registers_are_read_by_their_keys(found):
    assert [line.split(":")[0] for line in found(REGISTER, "choices.yaml")] == ["3", "6", "7"]
    assert [line.split(":")[0] for line in found(CLAIM, "claims.yaml")] == ["3", "3", "4"]


def test_messages_are_those_of_errors_and_warnings(found):
    (line,) = found(MODULE, "module.py")
    assert line.startswith("3: 'of which'")
    (line,) = found(
        "warnings.warn('ten rows, of which none', UserWarning)\nprint('some, of which none')", "module.py"
    )
    assert line.startswith("1: 'of which'")
    (line,) = found("raise ValueError('" + "words, " * 17 + "words!')\n", "module.py")
    assert line.startswith("1: 125 characters: at most 120")


@pytest.mark.parametrize(
    "paragraph",
    [
        "Than the choice that was made.",
        "Or raise a ValueError that says why not.",
        "And how many leave them open.",
        "Of unit norm.",
        "By class. The last one is empty.",
        "With the spread over repetitions,\n    rounded as in tables.",
        "Also the weights of kernels. A table has them.",
        "In place.",
        "For all ``is`` and ``has``.",
    ],
)
def test_a_paragraph_that_ends_the_first_line_is_found(found, paragraph):
    for where in ("def f():", "class C:"):
        (line,) = found(
            f'{where}\n    """Count rows\n    and more.\n\n    Plain.\n\n    {paragraph}\n    """\n', "f.py"
        )
        assert line.startswith("7: no main clause")
    (line,) = found(f'"""Count rows.\n\n{paragraph}\n"""\n', "f.py")
    assert line.startswith("3: ")


@pytest.mark.parametrize(
    "paragraph",
    [
        "Their norm is 1.",
        "Without it the job runs again.",
        "Of equally near ones the first is taken.",
        "With k clusters centred data have k - 1 large eigenvalues.",
        "None where there is none.",
        "For example ``3.2``.",
        "Ordinary rows; Thanet and Andes, too.",
        "over all rows x, behind a formula.",
        "Parameters\n----------\nX : ndarray\n    Of rows.\n\nOf no interest here.",
        ">>> f()\n\nOf no interest here.",
        "Columns:\n\n    Of rows, indented.",
    ],
)
def test_paragraphs_with_a_main_clause_and_sections_pass(found, paragraph):
    assert found(f'"""Of first lines, nothing is asked.\n\n{paragraph}\n"""\n', "f.py") == []


def test_all_texts_of_modules_that_pages_show_are_read(found, tmp_path):
    text = '''"""Rows, of which some are empty."""
KNOWN = {"must-links": "pairs that are told to belong together"}
def f(x):
    """Ten, of which some are left."""
    return f"counts of {x}, of which few are read" + "of which"
'''
    for folder in ("report", "crosscheck"):
        (tmp_path / "cladebench" / folder).mkdir(parents=True)
        lines = found(text, f"cladebench/{folder}/texts.py")
        assert [line.split(":")[0] for line in lines] == ["2", "5"]
    assert found(text, "elsewhere.py") == []


PAGE = """{# a note, of which nothing is shown #}
{% block style %}<style>p { color: red; } /* of which none */</style>{% endblock %}
<p>A page about {{ paper.name }} and the
rest, of which little is read.</p><script>const rows = "ten, of which none";</script>
{% if few %}<p title="of which">It has few rows, {% else %}It has ten rows, of which two are empty.{% endif %}</p>
<ul><li>WORDS</li><li>WORDS</li></ul>
"""


def test_pages_are_read_as_a_reader_meets_them(found):
    lines = found(PAGE.replace("WORDS", "word " * 20), "page.html")
    assert [line.split(":")[0] for line in lines] == ["3", "5"]
    assert [line.split(":")[0] for line in found(PAGE.replace("WORDS", "word " * 26), "page.html")][2:] == [
        "6",
        "6",
    ]


def test_it_exits_with_1_where_it_finds_something(tmp_path):
    path = tmp_path / "page.md"
    for text, code in (("It is plain.\n", 0), ("There are ten, of which two are empty.\n", 1)):
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, FOLDER / "prose.py", path], capture_output=True, text=True)
        assert done.returncode == code
        assert (f"{path}:1: 'of which'" in done.stdout) == bool(code)


def test_all_that_a_user_meets_is_read(tool):
    read = [path for pattern in tool["prose"].READ for path in ROOT.glob(pattern)]
    assert {"README.md", "CHANGELOG.md", "verdicts.md", "findings.yaml", "captions.yaml"} <= {
        path.name for path in read
    }
    assert all(any(path.match(f"*{kind}") for path in read) for kind in (".py", ".yaml", ".md", ".html"))


def test_the_page_of_verdicts_begins_with_the_answers():
    """Its first table is what pages say: answer, why, the word of audit.csv and its meaning."""
    text = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    rows = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("| ")][1:]
    assert rows == [
        f"| {ANSWERS[answer].sign} **{answer}** | {v.why} | `{v.name}` | {v.meaning} |"
        for answer in ANSWERS
        for v in VERDICTS.values()
        if v.answer == answer
    ]


def test_first_lines_of_public_names_are_short():
    """At most 12 words, and no article first: a verb and its noun."""
    from cladebench import distances, estimators, hierarchy, methods, metrics, solvers
    from cladebench.distances.base import Distance
    from cladebench.methods.base import Clusterer

    public = [*methods.discover().values(), *methods.discover(Clusterer).values()]
    public += [*distances.discover(Distance).values(), hierarchy.Hierarchy]
    for module in (metrics, solvers):
        public += [getattr(module, name) for name in module.__all__]
    public += [estimators.as_distance, estimators.as_hierarchy, estimators.as_labels, estimators.find]
    methods_of = [
        function
        for cls in public
        if isinstance(cls, type)
        for part in cls.__mro__
        if part.__module__.startswith("cladebench")
        for name, function in vars(part).items()
        if not name.startswith("_") and callable(function)
    ]
    long = {}
    for thing in [*public, *methods_of]:
        words = (thing.__doc__ or "").strip().split("\n\n")[0].split()
        if len(words) > 12 or (words and words[0] in ("A", "An", "The", "What", "Whether")):
            long[thing.__qualname__] = " ".join(words)
    assert long == {}


def test_quotes_of_a_page_count_as_one_word(found):
    words = "word " * 26
    assert found(f"<p>The paper says &#34;{words}&#34; in its text.</p>", "page.html") == []
    assert len(found(f"<p>The paper says {words} in its text.</p>", "page.html")) == 1


def test_notes_of_all_data_sets_are_plain(tool):
    notes = {name: datasets.info(name).notes for name in datasets.names()}
    assert sum(map(bool, notes.values())) > 50
    sentences, faults = tool["texts"].sentences, tool["rules"].faults
    assert {name: s for name, text in notes.items() for s in sentences(text) if faults(s)} == {}


def _first_lines(text):
    """Names and first paragraphs of the docstrings of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield getattr(node, "name", "module"), docstring.split("\n\n")[0].split()


def test_first_lines_of_all_docstrings_have_at_most_12_words():
    sources = ROOT / "src" / "cladebench"
    files = list(sources.rglob("*.py"))
    assert len(files) > 250
    long = {
        f"{path.relative_to(sources)}: {name}": " ".join(words)
        for path in files
        for name, words in _first_lines(path.read_text(encoding="utf-8"))
        if len(words) > 12
    }
    assert long == {}
    (found,) = _first_lines(f'def f():\n    """{"word " * 13}"""\n')
    assert found == ("f", ["word"] * 13)
