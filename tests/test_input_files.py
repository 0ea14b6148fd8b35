"""The one reader of YAML: what it takes, and what it refuses in one line. Schemas speak plain words."""

import time

import pytest

from cladebench import input_files as schemas
from cladebench.input_files import InputFileError, one_of, read_yaml, validate, validator
from cladebench.yaml_values import MAX_BYTES, MAX_DEPTH, MAX_VALUES


@pytest.fixture
def read(tmp_path):
    """Write a text, or bytes, to ``f.yaml`` and read it."""

    def go(text):
        path = tmp_path / "f.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_yaml(path, "f.yaml")

    return go


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing\n", None),
        ("~", None),
        ("[null, Null, '', ]", [None, None, ""]),
        ("[true, FALSE, 'true', y, n]", [True, False, "true", "y", "n"]),
        ("[0, -3, +4, 9223372036854775807]", [0, -3, 4, 2**63 - 1]),
        ("[1.5, 1., .5, -2.5e-3, 1e-3, 1.0e6, 1E3]", [1.5, 1.0, 0.5, -0.0025, 0.001, 1e6, 1000.0]),
        ("[1.2.3, 2026-01, v1, '010', '.nan', \"yes\"]", ["1.2.3", "2026-01", "v1", "010", ".nan", "yes"]),
        ("a: |\n  one\n  two\nb: >-\n  one\n  two", {"a": "one\ntwo\n", "b": "one two"}),
        ("\ufeffa: ±", {"a": "±"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("a: &x {k: 1, l: 2}\nb: {l: 3, <<: *x}", {"a": {"k": 1, "l": 2}, "b": {"k": 1, "l": 3}}),
        (
            "a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}",
            {"a": {"k": 1}, "b": {"k": 2, "l": 2}, "c": {"k": 1, "l": 2}},
        ),
        # A merged mapping that merges itself, deeper than where it is used.
        (
            "a: &x {k: 1}\nd: {e: {f: &y {<<: *x, k: 2}}}\nc: {<<: *y}",
            {"a": {"k": 1}, "d": {"e": {"f": {"k": 2}}}, "c": {"k": 2}},
        ),
        ("'<<': 1", {"<<": 1}),
    ],
)
def test_values_mean_what_they_say(read, text, value):
    found = read(text)
    assert found == value
    assert repr(found) == repr(value)  # 1 is not true, nor 1.0


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}\n" for i in range(1, 60))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n  b: .nan", "line 2, column 6: '.nan' is not allowed; expected a finite number"),
        ("-.INF", "'-.INF' is not allowed; expected a finite number"),
        ("1e999", "'1e999' is not allowed; expected a finite number"),
        (
            "[1, 9223372036854775808]",
            "line 1, column 5: '9223372036854775808' is too large; expected a whole number up to",
        ),
        ("9" * 5000, "is too large"),
        *(
            (word, f"versions of YAML disagree about '{word}'; expected true, false,")
            for word in (
                "yes",
                "No",
                "OFF",
                "on",
                "010",
                "0x1F",
                "0b1",
                "0o7",
                "1_000",
                "1:30",
                "2026-01-31",
                "2026-01-31 10:00:00",
                "2026-01-31T10:00:00Z",
            )
        ),
        ("!!binary aGVsbG8=", "the tag 'tag:yaml.org,2002:binary' is not allowed"),
        ("!!python/name:os.system ''", "is not allowed; expected a plain value"),
        ("!!set {a, b}", "the tag 'tag:yaml.org,2002:set' is not allowed"),
        ("! a", "the tag '!' is not allowed"),
        ("a: 1\na: 2", "line 2, column 1: the key 'a' is given twice"),
        ("x: &x {a: 1}\nb: {<<: *x, c: 1, c: 2}", "the key 'c' is given twice"),
        ("x: &x {a: 1}\nb: {<<: *x, <<: *x}", "the key '<<' is given twice"),
        ("x: &x [a]\nb: {<<: *x}", "<<: 'a' is not allowed; expected an alias of keys with values"),
        ("1: a", "line 1, column 1: the key 1 is not text; put quotes around it"),
        ("true: a", "the key True is not text"),
        ("~: a", "the key nothing is not text"),
        ("? [a]\n: b", "the key ['a'] is not text"),
        ('"a\\nb": 1', "expected one line of at most 200 characters"),
        ("x" * 201 + ": 1", "expected one line of at most 200 characters"),
        ("*x", "no anchor &x stands before the alias *x"),
        ("&x [*x]", "the alias *x stands within its own anchor"),
        ("a: &x {b: *x}", "the alias *x stands within its own anchor"),
        ("[&x a, &x b]", "the anchor &x is given twice"),
        ("a: 1\n---\nb: 2", "line 2, column 1: a second document begins here; expected one"),
        ('["a\\0b"]', "line 1, column 2: 'a\\x00b' has a character that cannot be printed"),
        ('"\\ud800"', "has a character that cannot be printed"),
        ("a: \u202eb", "has a character that cannot be printed"),
        ("a\nb\n\x07", "line 3: the character with code 0x7 cannot be printed"),
        ("a: [1", "broken YAML: expected ',' or ']'"),
        (
            "a:\n\t- b",
            "line 2, column 1: broken YAML: found character '\\t' that cannot start any token: expected spaces",
        ),
        (
            "a:\n    b: 1\n   c: 2",
            "line 3, column 4: broken YAML: does not fit the lines above; expected the indent",
        ),
        (
            "a:\n  - b: 1\n  -c: 2",
            "line 3, column 3: broken YAML: does not fit the lines above; expected the indent",
        ),
        ("  a: 1\nb: 2", "line 2, column 1: broken YAML: does not fit the lines above"),
        ("a: Ward's: good", "line 1, column 10: broken YAML: a ':' within a value; expected quotes"),
        ("a: 'Ward's way'", "line 1, column 10: broken YAML: follows the end of a value; expected"),
        ("a: 1\nb\nc: 2", "line 3, column 1: broken YAML: no ':' after the key before this"),
        ("a: 'b\nc: 2", "line 2, column 5: broken YAML: a quotation mark is missing before this"),
        (b"a: \xff", "not UTF-8: invalid start byte at byte 3; expected UTF-8 text"),
        ("[" * 1000 + "]" * 1000, f"column {MAX_DEPTH + 2}: expected at most {MAX_DEPTH} levels"),
        ("[" * 200_000, f"expected at most {MAX_DEPTH} levels"),
        ("- " * 200_000, f"expected at most {MAX_DEPTH} levels"),
        ("\n".join(" " * i + "a:" for i in range(1000)), f"expected at most {MAX_DEPTH} levels"),
        (BOMB, f"expected at most {MAX_VALUES:,} values, aliases written out"),
        (MERGES, f"expected at most {MAX_VALUES:,} values, aliases written out"),
        ("[" + "1, " * 2 * MAX_VALUES + "]", f"expected at most {MAX_VALUES:,} values"),
        ("# " + "x" * MAX_BYTES, f"more than {MAX_BYTES:,} bytes"),
    ],
)
def test_what_is_not_plain_or_out_of_bounds_is_refused_in_one_line(read, text, said):
    start = time.monotonic()
    with pytest.raises(InputFileError) as caught:
        read(text)
    message = str(caught.value)
    assert message.startswith("f.yaml") and said in message, message
    assert "\n" not in message and len(message) < 300
    assert time.monotonic() - start < 20  # seconds; without the bounds, days or a stack overflow


def test_aliases_within_aliases_do_not_hide_depth(read):
    names = [f"a{i}: &a{i} " + "[" * 30 + (f"*a{i - 1}" if i else "x") + "]" * 30 for i in range(2)]
    read(names[0])
    with pytest.raises(InputFileError, match=f"line 2, .*expected at most {MAX_DEPTH} levels"):
        read("\n".join(names))
    ten = "[" * 10 + "x" + "]" * 10
    read(f"a: &a {ten}\nb: &b [*a]\nc: [*a, *b]")
    inner = "[" * (MAX_DEPTH - 11)
    read(f"a: &a {ten}\nb: {inner}*a{inner.replace('[', ']')}")
    with pytest.raises(InputFileError, match="levels"):
        read(f"a: &a {ten}\nb: [{inner}*a{inner.replace('[', ']')}]")


def test_what_is_no_file_is_named(tmp_path):
    with pytest.raises(
        InputFileError,
        match=r"nothing\.yaml: cannot be read: No such file or directory; expected a YAML file",
    ):
        read_yaml(tmp_path / "nothing.yaml")
    with pytest.raises(InputFileError, match="cannot be read: Is a directory"):
        read_yaml(tmp_path)


def test_the_nearest_name_stands_first_and_the_list_is_bounded():
    assert one_of("glas", ["wine", "glass"]) == "did you mean 'glass'? allowed: wine, glass"
    assert one_of("glas", []) == "allowed: (none)"
    many = one_of("name-77", [f"name-{i}" for i in range(100)])
    assert many.startswith("did you mean 'name-77'? allowed: name-0, ")
    assert many.endswith("name-9, and 90 more")  # 80 characters of names
    assert one_of("x", ["a" * 40, "b" * 38]) == f"allowed: {'a' * 40}, {'b' * 38}"
    assert one_of("x", ["a" * 40, "b" * 39]) == f"allowed: {'a' * 40}, and 1 more"
    assert one_of("x", ["a" * 200, "b"]) == f"allowed: {'a' * 200}, and 1 more"
    start = time.monotonic()
    one_of("ab" * 50_000, ["ba" * 50_000])
    assert time.monotonic() - start < 20


def test_the_schemas_own_words():
    """The end of a pattern is the end of the text; big numbers are none; 1 and 1.0 are one entry."""
    names = validator("plan").evolve(schema=validator("plan").schema["$defs"]["name"])
    assert names.is_valid("a-b") and not names.is_valid("a-b\n")
    numbers = validator("plan").evolve(schema={"type": "number"})
    assert numbers.is_valid(2**63 - 1) and not numbers.is_valid(2**63) and not numbers.is_valid(10**400)
    lists = validator("plan").evolve(schema={"uniqueItems": True})
    assert lists.is_valid([1, True, "1", [1], {"a": 1}]) and not lists.is_valid([1, 1.0])
    assert not lists.is_valid([{"a": 1, "b": 2}, {"b": 2, "a": 1}])


def test_at_most_twenty_violations_are_told(toy):
    toy({"items": {"type": "string"}})
    with pytest.raises(InputFileError) as caught:
        validate(list(range(30)), "toy", "f.yaml")
    lines = str(caught.value).split("\n")
    assert len(lines) == 21 and lines[-1] == "f.yaml: and 10 more errors"


def test_an_entry_with_an_id_is_called_by_it(toy):
    toy(
        {
            "properties": {
                "claims": {"items": {"properties": {"x": {"items": {"type": "string"}}}, "required": ["k"]}}
            }
        }
    )
    with pytest.raises(InputFileError) as caught:
        validate({"claims": [{"id": "a", "x": ["b", 3], "k": 1}, {"id": "c"}, {"id": 4}]}, "toy", "f.yaml")
    assert str(caught.value).split("\n") == [
        "f.yaml: claim 'a': x[1]: 3 is not allowed; expected text",
        "f.yaml: claim 'c': missing key 'k'",
        "f.yaml: claims[2]: missing key 'k'",
    ]


@pytest.fixture
def toy(monkeypatch):
    """Put a schema of the test's own in the place of those of the project."""

    def install(schema):
        import jsonschema

        monkeypatch.setattr(schemas, "validator", lambda name: jsonschema.Draft202012Validator(schema))

    return install


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": ["string", "null"]}, 3, "3 is not allowed; expected text or nothing"),
        (
            {"type": "array", "maxItems": 1},
            [1, 2],
            "[1, 2] is not allowed; expected a list, as in [a, b], with",
        ),
        ({"type": "string", "minLength": 1}, "", "'' is not allowed; expected text, not empty"),
        ({"type": "string", "pattern": "^a"}, "b", "'b' is not allowed; expected text, that matches ^a"),
        ({"type": "number", "exclusiveMaximum": 1}, 2, "2 is not allowed; expected a number, less than 1"),
        ({"description": "a day", "type": "string"}, 3, "3 is not allowed; expected a day"),
        (
            {"anyOf": [{"type": "null"}, {"type": "boolean"}]},
            3,
            "3 is not allowed; expected nothing; or 3 is not",
        ),
        (
            {"oneOf": [{"type": "string"}, {"minLength": 1}]},
            "x",
            "'x' has several of the allowed forms at once",
        ),
        (
            {"propertyNames": {"description": "a name", "pattern": "^a"}},
            {"b": 1},
            "the key 'b' is not allowed",
        ),
        ({"type": "string"}, ["x" * 100], f"['{'x' * 75}... is not allowed; expected text"),
    ],
)
def test_a_violation_in_plain_words(toy, schema, value, message):
    toy(schema)
    with pytest.raises(InputFileError) as caught:
        validate(value, "toy", "f.yaml")
    place = "b" if "propertyNames" in schema else "(top level)"
    assert str(caught.value).startswith(f"f.yaml: {place}: {message}")


def test_keys_that_are_missing_together_are_one_line():
    with pytest.raises(InputFileError) as caught:
        validate([{}], "choices", "c.yaml")
    (line,) = (line for line in str(caught.value).splitlines() if "missing key" in line)
    assert "'id'" in line and "'place'" in line
