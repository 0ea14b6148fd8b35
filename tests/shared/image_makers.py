"""Grey images with a planted structure."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter


def noise(side=97, seed=0, smooth=1.0, shape=None):
    """Grey noise, smoothed, between 0 and 255."""
    values = gaussian_filter(np.random.default_rng(seed).normal(size=shape or (side, side)), smooth)
    values -= values.min()
    return np.round(255 * values / values.max()).astype(np.uint8)


def stripes(side=97, angle=0.0, period=8.0, shape=None):
    """A grating whose grey values change along a direction, in degrees against the clock from the right."""
    height, width = shape or (side, side)
    right, down = np.meshgrid(np.arange(width), np.arange(height))
    along = right * np.cos(np.radians(angle)) - down * np.sin(np.radians(angle))
    return np.round(127.5 + 100 * np.sin(2 * np.pi * along / period)).astype(np.uint8)


def blob(side=96, at=(47, 40), widths=(5.0, 5.0), angle=0.0, height=120):
    """A light blob at (column, row), with its widths along a direction (in image coordinates, down) and across."""
    right, down = np.meshgrid(np.arange(side) - at[0], np.arange(side) - at[1])
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    along, across = right * cos + down * sin, down * cos - right * sin
    bell = np.exp(-(along**2) / (2 * widths[0] ** 2) - across**2 / (2 * widths[1] ** 2))
    return np.round(60 + height * bell).astype(np.uint8)
