"""Gradient-based hierarchical clustering (GHC).

`GHC` is the estimator. The parts it is made of import JAX, so they are modules to be imported by name:
`routers` (the `Router` protocol, linear and neural routers), `objective` (the continuous cost J', exact and
sampled), `start` (the greedy start), `training` (full-tree, block-wise and exact training).
"""

from cladebench.methods.ghc.estimator import GHC

__all__ = ["GHC"]
