"""Reading and validating the project's YAML and JSON files, with errors that a user can act upon."""

from __future__ import annotations

import difflib
import functools
import json
import math
from collections.abc import Hashable, Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import yaml


class InputFileError(ValueError):
    """A file that a user writes is wrong; the message names file, key, value and what was expected."""


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice, where YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":  # <<: *anchor, whose keys may be given anew
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path | str, name: str | None = None) -> Any:
    """Read a YAML file.

    Raises
    ------
    InputFileError
        If the file cannot be read or is not YAML; names the file, line and column.
    """
    name = name or str(path)
    try:
        return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_StrictLoader)
    except OSError as error:
        raise InputFileError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputFileError(f"{name}: not UTF-8 text: {error.reason} at byte {error.start}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        context = f" ({error.context})" if error.context else ""
        raise InputFileError(f"{name}{where}: broken YAML: {error.problem}{context}") from None
    except yaml.YAMLError as error:
        raise InputFileError(f"{name}: broken YAML: {error}") from None


def _is_number(_: Any, value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@functools.cache
def validator(schema: str) -> Any:
    """The validator of ``schemas/<schema>.schema.json``; infinity is no number for it, and 2.0 no whole one."""
    import jsonschema

    draft = jsonschema.Draft202012Validator
    kinds = draft.TYPE_CHECKER.redefine_many({"number": _is_number, "integer": _is_integer})
    text = resources.files("cladebench.schemas").joinpath(f"{schema}.schema.json").read_text(encoding="utf-8")
    return jsonschema.validators.extend(draft, type_checker=kinds)(json.loads(text))


def key_path(parts: Iterable[str | int]) -> str:
    """Write a path of keys as ``scopes.quick.overrides[0].method``."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "(top level)"


def one_of(value: Any, allowed: Iterable[Any]) -> str:
    """Say what is allowed, with the nearest spelling first."""
    names = [str(a) for a in allowed]
    near = difflib.get_close_matches(str(value), names, n=1)
    return (f"did you mean {near[0]!r}? " if near else "") + "allowed: " + (", ".join(names) or "(none)")


_KINDS = {
    "object": "keys with values",
    "array": "a list, as in [a, b]",
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "nothing",
}
_BOUNDS = {
    "minimum": "at least {:g}",
    "exclusiveMinimum": "more than {:g}",
    "maximum": "at most {:g}",
    "exclusiveMaximum": "less than {:g}",
    "minLength": "not empty",
    "minItems": "with at least {}",
    "maxItems": "with at most {}",
    "minProperties": "with at least {}",
    "maxProperties": "with at most {}",
    "pattern": "that matches {}",
}


def _expected(schema: Mapping[str, Any]) -> str:
    """Put in words what a schema allows: its own description, or its type and bounds."""
    if "description" in schema:
        return str(schema["description"])
    kinds = schema.get("type", [])
    words = " or ".join(_KINDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)) or "a value"
    if kinds == "object" and "properties" in schema:
        words += f": {', '.join(schema['properties'])}"
    bounds = [text.format(schema[key]) for key, text in _BOUNDS.items() if key in schema]
    return ", ".join([words, *bounds])


def _explain(error: Any) -> str:
    """One line for one schema violation: key, value and what was expected."""
    where, value, schema = key_path(error.absolute_path), error.instance, error.schema
    shown = "nothing" if value is None else repr(value)
    if len(shown) > 80:
        shown = shown[:77] + "..."
    if error.validator == "additionalProperties" and isinstance(value, Mapping):
        known = schema.get("properties", {})
        unknown = next(key for key in value if key not in known)
        return (
            f"{key_path([*error.absolute_path, unknown])}: unknown key {unknown!r}; {one_of(unknown, known)}"
        )
    if "propertyNames" in error.absolute_schema_path:
        return f"{where}: the key {shown} is not allowed; expected {_expected(schema)}"
    if error.validator == "required" and isinstance(value, Mapping):
        missing = [key for key in error.validator_value if key not in value]
        return f"{where}: missing key {', '.join(map(repr, missing))}"
    if error.validator == "enum":
        return f"{where}: {shown} is not allowed; {one_of(value, error.validator_value)}"
    if error.validator == "uniqueItems":
        return f"{where}: {shown} has an entry twice"
    if error.validator in ("anyOf", "oneOf") and "description" not in schema:
        if not error.context:  # of oneOf
            return f"{where}: {shown} has several of the allowed forms at once"
        options = "; or ".join(sorted({_explain(sub).split(": ", 1)[1] for sub in error.context}))
        return f"{where}: {options}"
    if error.validator in ("const", "not", "if", "contains"):
        return f"{where}: {error.message}"
    return f"{where}: {shown} is not allowed; expected {_expected(schema)}"


def validate(document: Any, schema: str, name: str) -> None:
    """Check a document against ``schemas/<schema>.schema.json``.

    Parameters
    ----------
    document : object
        As read from YAML or JSON.
    schema : str
        Name of the schema.
    name : str
        The file, for the message.

    Raises
    ------
    InputFileError
        With one line for each violation: file, key path, value and what was expected.
    """
    errors = sorted(validator(schema).iter_errors(document), key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        raise InputFileError("\n".join(f"{name}: {_explain(error)}" for error in errors))


def read_validated(path: Path | str, schema: str) -> Any:
    """Read a YAML file and check it against a schema; see `read_yaml` and `validate`."""
    document = read_yaml(path)
    validate(document, schema, str(path))
    return document


def read_json(path: Path, schema: str, command: str) -> Any:
    """Read a JSON file that a command has written, and check it against a schema.

    Parameters
    ----------
    path : Path
    schema : str
        Name of the schema.
    command : str
        The ``cladebench`` command that writes the file, for the message.

    Raises
    ------
    InputFileError
        In one line with the file and that command: if the file is missing, no JSON, or not as the schema says.
    """
    maker = f"run cladebench {command}, which makes it"
    if not path.is_file():
        raise InputFileError(f"{path}: no such file; {maker}")
    try:
        document = json.loads(path.read_bytes())
        error = next(validator(schema).iter_errors(document), None)
    except (OSError, ValueError, RecursionError) as reason:  # wrong encodings and broken JSON are ValueErrors
        text = " ".join(str(reason).split()) or type(reason).__name__
        raise InputFileError(f"{path}: cannot be read as JSON: {text}; {maker}") from None
    if error is not None:
        raise InputFileError(f"{path}: {_explain(error)}; {maker}")
    return document
