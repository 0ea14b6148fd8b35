"""Hierarchical Maximum-Margin Clustering (Zhou, Hwang, Schmidt, Sigal, Mori)."""
