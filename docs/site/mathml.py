"""Formulas as MathML, which browsers show by themselves: no script is loaded for them."""

import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def _mathml(formula, **options):
    """Braces keep their size: without ``left`` TeX does not stretch them, and browsers would."""
    return re.sub(r"<mo>([{}])</mo>", r'<mo stretchy="false">\1</mo>', tex2mathml(formula, **options))


def _inline(self, node):
    self.body.append(f'<span class="formula">{_mathml(node.astext())}</span>')
    raise nodes.SkipNode


def _block(self, node):
    self.body.append(f'<div class="formula">{_mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app):
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}
