"""Fast paths checked against exact solvers; leaves certificates.

A module of this folder that defines ``TOPICS`` and ``certificates(scope, seed)`` is found by itself and run by
``cladebench crosscheck``. What a certificate says is recomputed from the point that a fast path or a solver returned.

Other public functions of such a module check one pair of a fast path and its twin on an instance that they are given.
``certificates`` runs them on the instances of a scope, property-based tests on those that they draw.
"""
