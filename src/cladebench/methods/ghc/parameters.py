"""Which parameters of the GHC estimator make sense."""

from __future__ import annotations

from typing import Any

from cladebench.validation import check_choice, check_flag, check_int, check_real

CHOICES = {
    "optimizer": ("adam", "sgd"),
    "activation": ("relu", "tanh"),
    "start_from": ("data", "node"),
}
COUNTS = (
    *("block_depth", "hidden_size", "n_init", "start_steps", "batch_size", "n_second"),
    *("entropy_pairs", "n_checkpoints"),
)


def check_parameters(ghc: Any) -> None:
    """Refuse parameters of a GHC that make no sense."""
    check_int("n_leaves", ghc.n_leaves, minimum=2)
    if ghc.n_leaves & (ghc.n_leaves - 1):
        raise ValueError(f"n_leaves={ghc.n_leaves}: expected a power of two")
    if ghc.n_leaves > ghc.MAX_LEAVES:
        raise ValueError(f"n_leaves={ghc.n_leaves}: expected at most {ghc.MAX_LEAVES}")
    check_choice("training", ghc.training, ghc.DEFAULT_N_ITER)
    for name, choices in CHOICES.items():
        check_choice(name, getattr(ghc, name), choices)
    for name in COUNTS:
        check_int(name, getattr(ghc, name), minimum=1)
    if ghc.n_iter is not None:
        check_int("n_iter", ghc.n_iter, minimum=1)
    for name in ("learning_rate", "init_scale"):
        check_real(name, getattr(ghc, name), 0.0, open_minimum=True)
    for name in ("entropy_penalty", "tol"):
        check_real(name, getattr(ghc, name), 0.0)
    if ghc.tol >= 1.0:
        raise ValueError(f"tol={ghc.tol!r}: expected less than 1, a fraction of the cost")
    for name in ("leaf_term", "scale_inputs"):
        check_flag(name, getattr(ghc, name))
