"""Exact measures of hierarchies and partitions.

Also what chance gives, and the similarities that one of them needs. ``__init__.pyi`` names them; each is imported when
it is asked for.
"""

from cladebench.discovery import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
__all__ = __dir__()
