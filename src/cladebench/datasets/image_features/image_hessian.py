"""Find points of interest with scale and affine shape.

They are maxima of the determinant of the Hessian over place and scale.

References
----------
K. Mikolajczyk, C. Schmid (2004). Scale and affine invariant interest point detectors. IJCV 60.
T. Lindeberg, J. Garding (1997). Shape-adapted smoothing in estimation of 3-D shape cues from affine deformations of
local 2-D brightness structure. Image and Vision Computing 15.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cladebench.datasets.image_features.opencv import opencv

Image = NDArray[np.uint8]

#: Scales of the points (1.6 to 6.1 pixels), each next to one that is finer and one that is coarser.
FINEST, RATIO, N_SCALES = 1.6, 1.4, 5
#: Of grey values in 0..1: the least determinant, that of a round blob with 3% contrast at its own scale; and how many
#: of the strongest points are kept, which bounds the time.
THRESHOLD, MOST_POINTS = 5e-5, 200
#: Steps of the adaptation to the local shape, and the ratio of its axes above which a point is an edge and left out.
ADAPTATIONS, LARGEST_RATIO = 2, 6.0
#: Side of the patches that shape and direction are read from, in which a scale is a pixel, and the standard deviation
#: of the weights on them.
SIDE, WINDOW = 19, 3.0
N_DIRECTIONS = 36

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


class Points(NamedTuple):
    """Points of an image, the strongest first.

    Attributes
    ----------
    centres : ndarray of shape (n, 2)
        Column and row.
    levels : ndarray of shape (n,)
        Number of the scale, 1..5.
    frames : ndarray of shape (n, 2, 2)
        What takes a vector in units of the scale, in which the surroundings look round, to pixels (right, down).
    """

    centres: Doubles
    levels: NDArray[np.intp]
    frames: Doubles


def scale_space(image: Image) -> list[Floats]:
    """Blur grey values in 0..1 to each scale, and one beyond.

    The levels include one finer and one coarser than the scales.
    """
    cv2 = opencv()
    levels, before = [image.astype(np.float32) / np.float32(255)], 0.5
    for sigma in scales():
        levels.append(cv2.GaussianBlur(levels[-1], (0, 0), float(np.sqrt(sigma**2 - before**2))))
        before = sigma
    return levels[1:]


def scales() -> Doubles:
    """Standard deviations of the levels.

    An image as it is counts as smoothed by 0.5 pixels.
    """
    return FINEST * RATIO ** np.arange(-1.0, N_SCALES + 1)


def strongest_points(levels: list[Floats], most_points: int = MOST_POINTS) -> Points:
    """Maxima of the scale-normalised determinant among their 26 neighbours, with round frames.

    Ties are broken by scale, row and column.
    """
    cv2 = opencv()
    responses = []
    for level, sigma in zip(levels, scales(), strict=True):
        xx = cv2.Sobel(level, cv2.CV_32F, 2, 0, ksize=1)
        yy = cv2.Sobel(level, cv2.CV_32F, 0, 2, ksize=1)
        xy = cv2.Sobel(level, cv2.CV_32F, 1, 1, ksize=1, scale=0.25)
        responses.append((xx * yy - xy * xy) * np.float32(sigma**4))
    largest = [cv2.dilate(response, np.ones((3, 3), np.uint8)) for response in responses]
    in_levels, strengths = [], []
    for k in range(1, N_SCALES + 1):
        strength = responses[k]
        peak = (
            (strength > THRESHOLD)
            & (strength == largest[k])
            & (strength > largest[k - 1])
            & (strength > largest[k + 1])
        )
        peak[[0, -1]] = peak[:, [0, -1]] = False
        at = np.flatnonzero(peak)
        in_levels.append(np.column_stack([np.full(len(at), k), *np.divmod(at, peak.shape[1])]))
        strengths.append(strength.ravel()[at])
    places = np.concatenate(in_levels)[np.argsort(-np.concatenate(strengths), kind="stable")[:most_points]]
    sigmas = scales()[places[:, 0]]
    return Points(places[:, :0:-1].astype(np.float64), places[:, 0], sigmas[:, None, None] * np.eye(2))


def patches(levels: list[Floats], points: Points, side: int = SIDE, per_scale: float = 1.0) -> Floats:
    """Sample the surroundings of points in frames, at their scale's level.

    Parameters
    ----------
    levels : list of ndarray
    points : Points
    side : int, default=19
        Odd: the point is the central pixel.
    per_scale : float, default=1.0
        Pixels of the patch to a scale.

    Returns
    -------
    ndarray of shape (n, side, side)
        Beyond the border the image is mirrored.
    """
    cv2 = opencv()
    cut = np.empty((len(points.levels), side, side), dtype=np.float32)
    along = (np.arange(side) - (side - 1) / 2) / per_scale
    offsets = np.stack(np.meshgrid(along, along)).reshape(2, -1)
    for k in np.unique(points.levels):
        in_level = points.levels == k
        # One product of all frames: a small one for each takes longer than all that follows. Its sums have two terms.
        turned = (points.frames[in_level].transpose(1, 0, 2).reshape(-1, 2) @ offsets).reshape(
            2, -1, side * side
        )
        places = np.empty(turned.shape, dtype=np.float32)
        np.add(turned, points.centres[in_level].T[:, :, None], out=places, casting="same_kind")
        columns, rows = places.reshape(2, -1, side)
        sampled = cv2.remap(levels[k], columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
        cut[in_level] = sampled.reshape(-1, side, side)
    return cut


def gradients(patches: Floats) -> tuple[Floats, Floats, Floats]:
    """Give patches' gradients to the right and down, and pixels' weights.

    All are without the border.
    """
    right = patches[:, 1:-1, 2:] - patches[:, 1:-1, :-2]
    down = patches[:, 2:, 1:-1] - patches[:, :-2, 1:-1]
    along = np.arange(SIDE - 2) - (SIDE - 3) / 2
    weights = np.exp(-(along**2) / (2 * WINDOW**2))
    return right, down, np.outer(weights, weights).astype(np.float32)


def adapted(levels: list[Floats], points: Points) -> Points:
    """Stretch the frames until surroundings look round, in two steps.

    Points that are edges are left out.

    A step multiplies a frame by the inverse root of the second-moment matrix of the gradients, scaled to keep the area.
    """
    for _ in range(ADAPTATIONS):
        right, down, weights = gradients(patches(levels, points))
        products = [right * right, right * down, down * down]
        moments = np.stack([np.tensordot(p, weights, axes=2) for p in products], axis=1)
        moments = moments[:, [0, 1, 1, 2]].reshape(-1, 2, 2)
        values, vectors = np.linalg.eigh(moments.astype(np.float64))
        sound = values[:, 0] > 0
        points, values, vectors = _chosen(points, sound), values[sound], vectors[sound]
        stretch = (values.prod(axis=1, keepdims=True) ** 0.25) / np.sqrt(values)
        frames = points.frames @ (vectors * stretch[:, None]) @ vectors.transpose(0, 2, 1)
        axes = np.linalg.svd(frames, compute_uv=False)
        kept = axes[:, 0] <= LARGEST_RATIO * axes[:, 1]
        points = _chosen(points._replace(frames=frames), kept)
    return points


def _chosen(points: Points, chosen: NDArray[np.bool_]) -> Points:
    return Points(points.centres[chosen], points.levels[chosen], points.frames[chosen])


def upright(levels: list[Floats], points: Points) -> Points:
    """Turn each frame so that its commonest gradient points right.

    Directions are counted in 36 bins, weighted by length and nearness; the peak is that of a parabola through the
    largest bin and its neighbours. Further peaks make no further points.
    """
    right, down, weights = gradients(patches(levels, points))
    n = len(right)
    directions = np.arctan2(down, right) * np.float32(N_DIRECTIONS / (2 * np.pi))
    bins = np.rint(directions).astype(np.intp)
    bins[bins < 0] += N_DIRECTIONS
    bins += N_DIRECTIONS * np.arange(n)[:, None, None]
    lengths = (np.hypot(right, down) * weights).ravel()
    counts = np.bincount(bins.ravel(), lengths, minlength=n * N_DIRECTIONS).reshape(n, N_DIRECTIONS)
    smooth = (np.roll(counts, 1, axis=1) + counts + np.roll(counts, -1, axis=1)) / 3
    peaks, each = smooth.argmax(axis=1), np.arange(n)
    before, at, after = (smooth[each, (peaks + step) % N_DIRECTIONS] for step in (-1, 0, 1))
    bend = before - 2 * at + after
    offsets = np.divide(before - after, 2 * bend, out=np.zeros(n), where=bend < 0)
    angles = (peaks + offsets) * 2 * np.pi / N_DIRECTIONS
    cos, sin = np.cos(angles), np.sin(angles)
    turns = np.stack([cos, -sin, sin, cos], axis=1).reshape(-1, 2, 2)
    return points._replace(frames=points.frames @ turns)
