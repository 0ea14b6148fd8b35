// The points of a node in single precision, by tiles of sixteen, and their two products.
//
// Within a tile the points' values of one feature follow each other: a product with weights adds up sixteen
// scores at a time and folds nothing, and a sum of weighted points folds sixteen lanes once in many tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/float_lanes.hpp"
#include "splits/node_problem.hpp"

namespace cladebench {

class PointTiles {
 public:
  /// The node's rows in the given order of their places; their drawn features and a constant 1 behind them.
  PointTiles(const NodeProblem& problem, std::span<const std::uint32_t> order);

  std::size_t n() const { return n_; }
  std::size_t width() const { return width_; }  ///< d + 1
  /// Room that scores and coefficients of the first `count` points need.
  static std::size_t room(std::size_t count) { return padded_floats(count); }

  /// scores[i] = weights . point i for the first `count` points, and 0 up to room(count).
  void scores(const double* weights, std::size_t count, float* scores) const;

  /// sum[j] = sum of coefficients[i] point_i[j] over the first `count` points; coefficients is room(count)
  /// long, with zeros from `count` on.
  void combine(const float* coefficients, std::size_t count, double* sum) const;

  /// Value of feature j of point i.
  float at(std::size_t i, std::size_t j) const {
    return tiles_[i / kFloatLanes * width_ * kFloatLanes + j * kFloatLanes + i % kFloatLanes];
  }

 private:
  std::size_t n_, width_;
  Floats tiles_;
  mutable Floats weights_, lanes_;
};

}  // namespace cladebench
