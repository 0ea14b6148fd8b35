"""Gradient-based hierarchical clustering (GHC).

`GHC` is the estimator. The parts it is made of import JAX, so they are modules to be imported by name:
`routers` (the `Router` protocol, linear and neural routers), `objective` (the continuous cost J', exact and
sampled), `start` (the greedy start), `training` (full-tree and block-wise), `exact` (full-batch training), `restarts`
(the best of several starts).
"""

from cladebench.methods.ghc.estimator import GHC

__all__ = ["GHC"]
