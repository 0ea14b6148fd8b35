"""Reproducible benchmarks and audits of papers on max-margin and hierarchical clustering.

``__init__.pyi`` names what is exported; each is imported when it is asked for.
"""

from cladebench.discovery import lazily

#: The only place that has it: pyproject.toml reads it here.
__version__ = "0.2.0"
__getattr__, __dir__ = lazily(__name__, __file__)
__all__ = [*__dir__(), "__version__"]
