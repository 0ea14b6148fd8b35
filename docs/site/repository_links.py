"""The rule for links to files of the repository that are no pages: the label stays, with the file's path as code.

In cells of tables the label stays alone.
"""

import posixpath
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).resolve().parents[2]


def _is_in_table(node):
    """Whether there is no room for the path."""
    while node is not None and not isinstance(node, nodes.entry):
        node = node.parent
    return node is not None


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
                link.replace_self(self._text(link, path, _is_in_table(link)))

    @staticmethod
    def _text(link, path, in_table):
        label, code = link.astext(), nodes.literal(path, path)
        if label in (path, posixpath.basename(path)):
            return code
        text = link.children[0].deepcopy().children
        return text if in_table else [*text, nodes.Text(" ("), code, nodes.Text(")")]


def setup(app):
    """Register with Sphinx."""
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True}
