"""Measure hierarchies and partitions exactly, with chance and similarities.

``__init__.pyi`` names the measures; each is imported when it is asked for.
"""

from cladebench.discovery import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
__all__ = __dir__()
