"""Formulas as MathML, which browsers show by themselves: no script is loaded for them."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def _inline(self, node):
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(self, node):
    self.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app):
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}
