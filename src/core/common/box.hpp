// Squared Euclidean distances between points and axis-aligned boxes.
//
// Coordinates are rows of `width` doubles, width a multiple of kLanes; the padding holds the same number
// (zero) in every row. All distances are summed over the same lanes in the same order, and rounding keeps the
// order of numbers: hence the computed distance from a point to a box never exceeds that to a point within
// the box.
#pragma once

#include <cstddef>

namespace cladebench {

inline constexpr std::size_t kLanes = 8;

/// The number of doubles in a padded row of d coordinates.
constexpr std::size_t padded_width(std::size_t d) { return (d + kLanes - 1) / kLanes * kLanes; }

struct Box {
  const double* lower;
  const double* upper;
};

/// Distance between two points; once it is known to exceed `limit`, any number above the limit.
double point_distance(const double* a, const double* b, std::size_t width, double limit);

/// Distance from a point to the nearest point of a box; once it is known to exceed `limit`, any number above
/// the limit.
double point_box_distance(const double* point, const Box& box, std::size_t width, double limit);

/// Least distance between a point of one box and a point of the other.
double nearest_distance(const Box& a, const Box& b, std::size_t width);

/// Greatest distance between a point of one box and a point of the other.
double farthest_distance(const Box& a, const Box& b, std::size_t width);

}  // namespace cladebench
