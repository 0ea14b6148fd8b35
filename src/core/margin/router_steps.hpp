// Steps of stochastic gradient descent on the sampled cost of a tree of routers (GHC).
//
// A complete binary tree with L leaves; the router of a node scores points, and a point goes left with
// probability sigma(left score - right score). Linear: w.x + b. Neural: v.a(W'x + c) + b.
//
// A step routes each of the m points that it draws once, though a point may be drawn several times. A linear
// router then needs 2 m d L multiplications and additions for margins and as many for the gradient, since
// only differences of siblings count; a neural one with h hidden units 4 m d h L for each, and 2 m h L
// exponentials. All else is O(m L).
//
// Prediction, at 3 GHz, eight lanes, no fused operations (16 operations a cycle) and L = 16: glass (m = 170,
// d = 9, linear) 0.1 million operations, 2 us, so that what is O(m L) decides; digits (m = 160, d = 64, h =
// 8) 10 million, 0.2 ms, and 41,000 exponentials, 0.1 ms; spambase (m = 480, d = 57, h = 8) 28 million, 0.6
// ms, and 0.2 ms. Measured: 36 us, 0.51 ms and 1.6 ms; the steps that JAX traces, whose products are fused,
// take 11, 1.7 and 1.4 times as long there, 3 times with hidden units on glass and 8 times without on digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "margin/margin.hpp"  // MatrixView

namespace cladebench {

enum class RouterKind { linear, tanh, relu };

struct RouterShape {
  RouterKind kind;
  std::size_t n_features;
  std::size_t hidden_size;  ///< 0 if linear

  /// Parameters of one node: weights, bias; or hidden weights (features x hidden), hidden bias, output
  /// weights, output bias.
  std::size_t n_params() const {
    return kind == RouterKind::linear ? n_features + 1 : (n_features + 2) * hidden_size + 1;
  }
};

/// What each step draws: pairs of points, their similarities, and for each pair a second sample. Step t's
/// pairs are those from t * stride on; a pair's second sample has n_second points, its neighbours follow it.
struct Samples {
  const std::int32_t *first, *second, *others;
  const double* similarity;
  std::size_t n_steps, batch_size, n_second, stride;
};

struct StepOptions {
  bool adam;
  bool leaf_term;
  double entropy_penalty;
  double learning_rate;
  std::int64_t steps_before;
};

/// A complete tree below one root, which has no router itself.
class RouterSteps {
 public:
  /// X is read as long as this lives.
  RouterSteps(const MatrixView& X, const RouterShape& shape, std::size_t n_leaves);
  ~RouterSteps();

  /// Takes the steps; returns the mean of their sampled costs, each before its step.
  /// @param params (2 L - 2) x n_params, nodes 1, 2, ... of the heap
  /// @param first_moment, second_moment Adam's, of the same shape
  /// @throws std::invalid_argument if a sample is no point of X.
  double take(const Samples& samples, const StepOptions& options, double* params, double* first_moment,
              double* second_moment);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cladebench
