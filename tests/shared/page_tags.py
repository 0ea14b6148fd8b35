"""What a page leads to: the addresses of its links and pictures, and its own places."""

from html.parser import HTMLParser


class Tags(HTMLParser):
    """Gathers ids, links and sources of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.sources = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids.add(found.get("id"))
        self.links += [found["href"]] if "href" in found else []
        self.sources += [found["src"]] if "src" in found else []

    def files(self):
        """Files that the page leads to or shows, without the places in them."""
        named = [*self.links, *self.sources]
        return {name.partition("#")[0] for name in named if not name.startswith(("#", "data:"))}

    def lost(self):
        """Links to places of the page that are not there."""
        return [link for link in self.links if link.startswith("#") and link[1:] not in self.ids]
