"""Templates of HTML, which have one look.

Jinja escapes all that is printed, but for style and scripts: our own files.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cladebench.notation import commas, duration

#: Its templates can be extended and imported by all.
LOOK = "cladebench.report"


def html_environment(package: str) -> Environment:
    """Make the templates of a package, and those of the reports."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(LOOK)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = resources.files(LOOK) / "templates"
    environment.globals.update(
        asset=lambda name: Markup((folder / name).read_text(encoding="utf-8")),
        script_json=lambda value: Markup(script_json(value)),
        meanings={},
    )
    environment.filters.update(commas=commas, duration=duration)
    return environment


def script_json(value: Any) -> str:
    """Write JSON that is safe inside a script element.

    No ``<``, ``>`` or ``&`` and no line separator is left as it is.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
