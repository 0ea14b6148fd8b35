"""Read and validate the project's YAML and JSON files.

Errors are such that a user can act upon them.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from cladebench.yaml_values import MAX_BYTES, MAX_DEPTH, MAX_INTEGER, YamlError, plain_value, shown

__all__ = [
    "InputFileError",
    "key_path",
    "one_of",
    "place_in",
    "plain_value",
    "read_validated",
    "read_yaml",
    "shown",
    "validate",
    "validator",
]


#: Levels of a file that a run leaves; what a plan may nest in `MAX_DEPTH` stands in records, in a few more.
MAX_JSON_DEPTH = 2 * MAX_DEPTH
_TOO_DEEP = f"more than {MAX_JSON_DEPTH} levels of lists and keys within each other"


class InputFileError(ValueError):
    """A file that a user writes is wrong.

    The message names file, key, value and what was expected.
    """


def read_yaml(path: Path | str, name: str | None = None) -> Any:
    """Read a YAML file.

    Lists, keys that are text, texts, finite numbers, true, false and null.

    Plain texts mean what YAML 1.2 says, so that ``1e-3`` is a number. What YAML 1.1 reads otherwise, such as ``yes``
    or a date, is refused, as are tags, keys given twice, characters that cannot be printed, whole numbers beyond
    `MAX_INTEGER`, and files beyond `MAX_BYTES`, `MAX_VALUES` (aliases written out) or `MAX_DEPTH`.

    Parameters
    ----------
    path : path
    name : str, optional
        What messages call the file. Default: its path.

    Returns
    -------
    object
        None for an empty file.

    Raises
    ------
    InputFileError
        If the file cannot be read or is not allowed; one line that names the file, line and column.
    """
    from cladebench import yaml_reader  # brings PyYAML

    name = name or str(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise InputFileError(f"{name}: more than {MAX_BYTES:,} bytes, expected at most as many")
        return yaml_reader.parse(data.decode("utf-8-sig"))
    except OSError as error:
        raise InputFileError(f"{name}: cannot be read: {error.strerror}; expected a YAML file") from None
    except UnicodeDecodeError as error:
        raise InputFileError(
            f"{name}: not UTF-8: {error.reason} at byte {error.start}; expected UTF-8 text"
        ) from None
    except YamlError as error:
        raise InputFileError(f"{name}, {error}") from None


def _is_number(_: Any, value: Any) -> bool:
    return _is_integer(_, value) or (isinstance(value, float) and math.isfinite(value))


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_INTEGER


def _matches(_: Any, pattern: str, value: Any, schema: Any) -> Iterator[Any]:
    """``pattern`` as JSON Schema means it.

    ``$`` is the very end, not the place before a last line break.
    """
    import jsonschema

    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), value):
        yield jsonschema.ValidationError(f"{shown(value)} does not match {pattern}")


def _differ(_: Any, wanted: bool, value: Any, schema: Any) -> Iterator[Any]:
    """``uniqueItems`` in one pass, whatever is in the list.

    1 and 1.0 are one entry.
    """
    import jsonschema

    if wanted and isinstance(value, list):
        texts = [json.dumps(_whole(entry), sort_keys=True, default=str) for entry in value]
        if len(set(texts)) < len(texts):
            yield jsonschema.ValidationError(f"{shown(value)} has an entry twice")


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def read_schema(name: str) -> dict[str, Any]:
    """Return ``schemas/<name>.schema.json``."""
    text = resources.files("cladebench.schemas").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@functools.cache
def validator(schema: str) -> Any:
    """Return the validator of ``schemas/<schema>.schema.json``."""
    return validator_of(read_schema(schema))


def validator_of(schema: Mapping[str, Any]) -> Any:
    """Return the validator of a schema.

    It takes 2.0 and infinity for no whole numbers.
    """
    import jsonschema

    draft = jsonschema.Draft202012Validator
    kinds = draft.TYPE_CHECKER.redefine_many({"number": _is_number, "integer": _is_integer})
    words = {"pattern": _matches, "uniqueItems": _differ}
    return jsonschema.validators.extend(draft, words, type_checker=kinds)(schema)


def key_path(parts: Iterable[str | int]) -> str:
    """Write a path of keys as ``scopes.quick.overrides[0].method``."""
    text = ""
    for part in parts:
        key = str(part) if str(part).isprintable() and len(str(part)) <= 80 else shown(part)
        text += f"[{part}]" if isinstance(part, int) else f".{key}" if text else key
    return text or "(top level)"


#: Characters of names that a message lists: it is to be read, not searched.
_LISTED = 80


def one_of(value: Any, allowed: Iterable[Any]) -> str:
    """Say what is allowed, the nearest spelling first, in about a line."""
    names = [str(a) for a in allowed]
    # Comparing long texts takes minutes.
    near = difflib.get_close_matches(
        shown(value).strip("'"), [name for name in names if len(name) <= 80], n=1
    )
    ends = itertools.accumulate(len(name) + 2 for name in names)
    fit = max(1, sum(end <= _LISTED + 2 for end in ends))
    more = [f"and {len(names) - fit:,} more"] * (len(names) > fit)
    told = ", ".join([*names[:fit], *more]) or "(none)"
    return (f"did you mean {near[0]!r}? " if near else "") + f"allowed: {told}"


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
    """Describe what a schema allows: its own description, or type and bounds."""
    if "description" in schema:
        return str(schema["description"])
    kinds = schema.get("type", [])
    words = " or ".join(_KINDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)) or "a value"
    if kinds == "object" and "properties" in schema:
        words += f": {', '.join(schema['properties'])}"
    bounds = [text.format(schema[key]) for key, text in _BOUNDS.items() if key in schema]
    return ", ".join([words, *bounds])


def place_in(path: Iterable[str | int], document: Any, *, alone: bool = False) -> str:
    """Write where a value stands.

    An entry with an ``id`` is called by it: ``claim 'ward-wins': expects.left``; where it is to be so `alone`, unless
    another entry has it too.
    """
    parts, entry = list(path), document
    for i, part in enumerate(parts):
        entries, entry = entry, entry[part]
        if isinstance(part, int) and isinstance(entry, Mapping) and isinstance(entry.get("id"), str):
            if alone and sum(isinstance(e, Mapping) and e.get("id") == entry["id"] for e in entries) > 1:
                break
            kind = str(parts[i - 1]).removesuffix("s") if i else "entry"
            rest = parts[i + 1 :]
            return f"{kind} {shown(entry['id'])}" + (f": {key_path(rest)}" if rest else "")
    return key_path(parts)


def _reason(error: Any) -> str:
    """What is wrong with a value, and what was expected."""
    value, schema = error.instance, error.schema
    unknown = shown(value)
    if error.validator == "additionalProperties" and isinstance(value, Mapping):
        known = schema.get("properties", {})
        return f"unknown key {shown(_unknown(error))}; {one_of(_unknown(error), known)}"
    if "propertyNames" in error.absolute_schema_path:
        return f"the key {unknown} is not allowed; expected {_expected(schema)}"
    if error.validator == "required" and isinstance(value, Mapping):
        missing = [key for key in error.validator_value if key not in value]
        return f"missing key {', '.join(map(repr, missing))}"
    if error.validator == "enum":
        return f"{unknown} is not allowed; {one_of(value, error.validator_value)}"
    if error.validator == "uniqueItems":
        return f"{unknown} has an entry twice"
    if error.validator in ("anyOf", "oneOf") and "description" not in schema:
        if not error.context:  # of oneOf
            return f"{unknown} has several of the allowed forms at once"
        return "; or ".join(sorted({_reason(sub) for sub in error.context}))
    if error.validator in ("minItems", "maxItems") and any(isinstance(entry, Mapping) for entry in value):
        return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}; expected {_expected(schema)}"
    if error.validator == "not":
        return f"expected {error.validator_value['description']}"
    return f"{unknown} is not allowed; expected {_expected(schema)}"


def _unknown(error: Any) -> str:
    """The first key that a schema does not know."""
    return next(key for key in error.instance if key not in error.schema.get("properties", {}))


def _explain(error: Any, document: Any) -> str:
    """One line for one schema violation: key, value and what was expected."""
    path = list(error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        path.append(_unknown(error))
    elif "propertyNames" in error.absolute_schema_path:
        path.append(error.instance)
    return f"{place_in(path, document, alone=True)}: {_reason(error)}"


def validate(document: Any, schema: Any, name: str) -> None:
    """Check a document against ``schemas/<schema>.schema.json``.

    Parameters
    ----------
    document : object
        As read from YAML or JSON.
    schema : str or validator
        Name of the schema, or what `validator_of` gives.
    name : str
        The file, for the message.

    Raises
    ------
    InputFileError
        With one line for each violation, at most 20: file, key path, value and what was expected.
    """
    checked_by = validator(schema) if isinstance(schema, str) else schema
    errors = sorted(checked_by.iter_errors(document), key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        # Keys that are missing together are one error each, in the same words.
        lines = dict.fromkeys(f"{name}: {_explain(error, document)}" for error in errors)
        raise InputFileError(told(list(lines), name))


def short_name(path: Path) -> str:
    """Name a file of a paper with its folder, as ``ghc/choices.yaml``."""
    return f"{path.parent.name}/{path.name}"


def told(errors: Sequence[str], name: Path | str) -> str:
    """Errors of a file as one message.

    A line each, at most 20, and how many more there are.
    """
    more = [f"{name}: and {len(errors) - 20:,} more errors"] * (len(errors) > 20)
    return "\n".join([*errors[:20], *more])


def read_validated(path: Path | str, schema: str) -> Any:
    """Read a YAML file and check it against a schema."""
    document = read_yaml(path)
    validate(document, schema, str(path))
    return document


def parse_json(text: str | bytes) -> Any:
    """Parse JSON as the project writes it.

    Raises
    ------
    ValueError
        If it is broken, nested more than `MAX_JSON_DEPTH` levels, or has a number that is not finite, a whole number
        beyond 64 bits or text that UTF-8 cannot express: each would fail later, without the file's name.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _check_json(value, MAX_JSON_DEPTH)
    return value


def _check_json(value: Any, levels: int) -> None:
    if levels < 0:
        raise ValueError(_TOO_DEEP)
    if isinstance(value, dict):
        for key, entry in value.items():
            _check_json(key, levels)
            _check_json(entry, levels - 1)
    elif isinstance(value, list):
        for entry in value:
            _check_json(entry, levels - 1)
    elif isinstance(value, str):
        value.encode()  # UnicodeEncodeError is a ValueError
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no finite number")
    elif isinstance(value, int) and not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
        raise ValueError("a whole number beyond 64 bits")


def read_json(path: Path, schema: str, command: str) -> Any:
    """Read a command's JSON file and check it against a schema.

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
        document = parse_json(path.read_bytes())
        error = next(validator(schema).iter_errors(document), None)
    except (OSError, ValueError) as reason:  # wrong encodings and broken JSON are ValueErrors
        text = " ".join(str(reason).split()) or type(reason).__name__
        raise InputFileError(f"{path}: cannot be read as JSON: {text}; {maker}") from None
    if error is not None:
        raise InputFileError(f"{path}: {_explain(error, document)}; {maker}")
    return document
