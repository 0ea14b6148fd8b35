"""Solvers of the optimisation problems that the methods pose.

``__init__.pyi`` names them; each is imported when it is asked for.
"""

from cladebench.discovery import lazily

__getattr__, __dir__ = lazily(__name__, __file__)
__all__ = __dir__()
