"""The rule for links to files of the repository that are no pages: the label stays, with the file's path as code."""

import posixpath
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).resolve().parents[2]


class RepositoryLinks(SphinxTransform):
    """Turn each such link to text; links that lead nowhere are left, for Sphinx to warn of."""

    default_priority = 300

    def apply(self, **_):
        """Look at all links of a page."""
        folder = posixpath.dirname(self.env.docname)
        for link in list(self.document.findall(addnodes.pending_xref)) + list(
            self.document.findall(addnodes.download_reference)
        ):
            if link.get("reftype") != "myst" or link.get("refdomain"):
                continue
            target = link["reftarget"].partition("#")[0]
            path = posixpath.normpath(posixpath.join(folder, target))
            if target and not path.startswith("..") and (ROOT / path).exists():
                link.replace_self(self._text(link, path))

    @staticmethod
    def _text(link, path):
        label, code = link.astext(), nodes.literal(path, path)
        if label in (path, posixpath.basename(path)):
            return code
        return [*link.children[0].deepcopy().children, nodes.Text(" ("), code, nodes.Text(")")]


def setup(app):
    """Register with Sphinx."""
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True}
