"""Distances between samples, learned or given, one file each.

``__init__.pyi`` names them; each is imported when it is asked for.
"""

from cladebench.discovery import attach

__getattr__, __dir__, discover = attach(__name__, __file__)
__all__ = __dir__()
