"""Check the built pages: local links lead somewhere, and nothing is loaded from another host.

Links to other hosts are not followed: pages are built and checked without a network.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes that make a browser load something, by element; a link (a) loads nothing.
LOADS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
_REMOTE = re.compile(r"@import[^;]*//|url\(\s*['\"]?(?:https?:)?//")


class _Page(HTMLParser):
    """Ids, links and loaded files of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {value for name in ("id", "name") if (value := values.get(name))}
        if tag == "a" and (href := values.get("href")):
            self.links.append(href)
        elif tag in LOADS and (address := values.get(LOADS[tag])):
            self.loads.append(address)


def _is_remote(address: str) -> bool:
    return address.startswith("//") or urlsplit(address).scheme in ("http", "https")


def faults(html: Path) -> list[str]:
    """List what is wrong with a built site.

    Parameters
    ----------
    html : Path
        Its folder.

    Returns
    -------
    list of str
        A line a fault: page, then link or address.
    """
    themes = html / "_static"  # has templates of the theme, too
    pages = {path.resolve(): _Page(path) for path in html.rglob("*.html") if themes not in path.parents}
    found = []
    for path, page in pages.items():
        name = path.relative_to(html.resolve()).as_posix()
        found += [f"{name}: loads {address}" for address in page.loads if _is_remote(address)]
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].ids if target in pages else set()
            if not target.exists():
                found.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in anchors:
                found.append(f"{name}: {link} has no such place")
    for style in html.rglob("*.css"):
        if _REMOTE.search(style.read_text(encoding="utf-8")):
            found.append(f"{style.relative_to(html)}: loads from another host")
    return sorted(set(found))
