"""What a browser would see of a page: ids, links, resources, headings, text."""

import re
from collections import Counter
from html.parser import HTMLParser


class Page(HTMLParser):
    """Reads a page, each of whose elements must be closed in its place."""

    VOID = frozenset(("meta", "img", "br", "input", "link", "hr"))

    def __init__(self, html):
        super().__init__()
        self.html = html
        self.ids, self.links, self.resources, self.tags = [], [], [], Counter()
        self.headings, self.attributes, self.text = [], [], []
        self._open = []
        self.feed(html)
        assert not self._open, f"left open: {self._open}"

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags[tag] += 1
        self.attributes.append((tag, found))
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        self.resources += [v for k, v in found.items() if k in ("src", "srcset", "data", "poster")]
        if tag == "link":
            self.resources.append(found.get("href"))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open and self._open[-1] == tag, f"</{tag}> closes {self._open[-3:]}"
        self._open.pop()

    def handle_data(self, data):
        if not self._open or self._open[-1] not in ("script", "style"):
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())

    def part(self, start, end):
        """The source from a text, which must be there, to the next end."""
        return self.html[self.html.index(start) :].partition(end)[0]

    def row(self, fragment):
        return self.part(f'<tr id="{fragment}"', "</tr>")

    def files(self):
        """Files that the page leads to or shows, without the places in them."""
        named = [*self.links, *self.resources]
        return {name.partition("#")[0] for name in named if not name.startswith(("#", "data:"))}

    def lost(self):
        """Links to places of the page that are not there."""
        return [link for link in self.links if link.startswith("#") and link[1:] not in self.ids]


def read_page(path):
    return Page(path.read_text(encoding="utf-8"))
