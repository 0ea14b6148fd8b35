"""Measure a drawing, so that its page keeps place, and read notes.

The notes are what the drawing says of itself.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}


def svg_size(path: Path) -> tuple[int, int] | None:
    """Read width and height in pixels, None if the file has none.

    Parameters
    ----------
    path : Path
        An SVG file.
    """
    root = re.search(r"<svg\b[^>]*>", path.read_text(encoding="utf-8")[:5000])
    sides = [_side(root[0], name) for name in ("width", "height")] if root else []
    return (sides[0], sides[1]) if len(sides) == 2 and all(sides) else None


def svg_notes(path: Path) -> str:
    """Read what a drawing rests on, as `save_figure` writes it.

    The text is empty where it says nothing.
    """
    head = path.read_text(encoding="utf-8").partition("</metadata>")[0]
    match = re.search(r"<dc:description>(.*?)</dc:description>", head, re.DOTALL)
    return " ".join(html.unescape(match[1]).split()) if match else ""


def _side(tag: str, name: str) -> int:
    match = re.search(rf"""\s{name}=["']\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*["']""", tag)
    return round(float(match[1]) * _PIXELS[match[2]]) if match and match[2] in _PIXELS else 0
