"""What a schema refuses is said in plain words, whatever the schema."""

import pytest

from cladebench import input_files as schemas
from cladebench.input_files import InputFileError, validate


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
    assert str(caught.value).startswith(f"f.yaml: (top level): {message}")
