// What a step of router_steps.hpp is made of: where parameters lie, and the loops over points and nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/elementary.hpp"
#include "common/simd.hpp"
#include "margin/router_steps.hpp"

namespace cladebench::routing {

/// Where the parameters of all nodes lie while steps are taken: those of one feature side by side, so that
/// margins of a point are found for all nodes at once. Row f < d belongs to feature f, row d to the biases.
/// Linear: two rows for each, of the left and of the right children, with a column for each inner node.
/// Neural: one row for each, an inner node having 2 h columns, the left child's first; then the output
/// weights in a row of the same columns, then the output biases, two rows with a column for each inner node.
struct Layout {
  Layout(const RouterShape& router, std::size_t n_leaves)
      : shape(router),
        n_inner(n_leaves - 1),
        nodes(padded_width(n_leaves - 1)),
        hidden(router.kind == RouterKind::linear ? 0 : padded_width(2 * router.hidden_size)),
        width(router.kind == RouterKind::linear ? nodes : n_inner * hidden) {}

  bool linear() const { return shape.kind == RouterKind::linear; }
  std::size_t outputs() const { return (shape.n_features + 1) * width; }
  std::size_t output_biases() const { return outputs() + width; }
  std::size_t size() const {
    return linear() ? 2 * (shape.n_features + 1) * width : output_biases() + 2 * nodes;
  }

  /// Place of parameter p of a node's child.
  std::size_t place(std::size_t node, std::size_t side, std::size_t p) const {
    if (linear()) return (2 * p + side) * width + node;
    const std::size_t h = shape.hidden_size, first = node * hidden + side * h;
    const std::size_t row = p / h;  // a feature, the hidden bias, the output weights
    if (row < shape.n_features + 2) return row * width + first + p % h;
    return output_biases() + side * nodes + node;
  }

  RouterShape shape;
  std::size_t n_inner, nodes, hidden, width;
};

/// tanh by one exponential: near zero it is right to the unit's last place, not to its own.
struct Tanh {
  template <class V>
  CLADEBENCH_INLINE static void run(double* z, std::size_t n) {
    using Vec = typename V::Vec;
    for (std::size_t k = 0; k < n; k += V::kWidth) {
      const Vec x = at<V>(z + k);
      Vec e;
      exp_of_negative<V>(x > 0.0 ? -2.0 * x : 2.0 * x, e);
      const Vec size = (1.0 - e) / (1.0 + e);
      at<V>(z + k) = x > 0.0 ? size : -size;
    }
  }
};

struct Relu {
  template <class V>
  CLADEBENCH_INLINE static void run(double* z, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) z[k] = z[k] > 0.0 ? z[k] : 0.0;
  }
};

/// margins[x, v] = bias[v] + sum of the hidden units of v's children times their output weights, those of the
/// right child being negative.
struct Heads {
  template <class V>
  CLADEBENCH_INLINE static void run(const Layout& at, const double* units, const double* output,
                                    const double* bias, std::size_t n_points, double* margins) {
    for (std::size_t x = 0; x < n_points; ++x) {
      for (std::size_t v = 0; v < at.n_inner; ++v) {
        const double* unit = units + x * at.width + v * at.hidden;
        const double* weight = output + v * at.hidden;
        double lanes[kLanes] = {};
        for (std::size_t c = 0; c < at.hidden; c += kLanes) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += unit[c + lane] * weight[c + lane];
        }
        margins[x * at.nodes + v] = bias[v] + fold(lanes);
      }
    }
  }
};

/// From the derivatives by margins to those by the output weights (added) and by the units' inputs (in the
/// units' place).
struct BackThroughHeads {
  template <class V>
  CLADEBENCH_INLINE static void run(const Layout& at, const double* margins, const double* output,
                                    std::size_t n_points, double* units, double* output_gradient) {
    const double squared = at.shape.kind == RouterKind::tanh ? 1.0 : 0.0;
    for (std::size_t x = 0; x < n_points; ++x) {
      for (std::size_t v = 0; v < at.n_inner; ++v) {
        const double slope = margins[x * at.nodes + v];
        double* unit = units + x * at.width + v * at.hidden;
        const double* weight = output + v * at.hidden;
        double* gradient = output_gradient + v * at.hidden;
        for (std::size_t c = 0; c < at.hidden; ++c) {
          const double u = unit[c], through = squared != 0.0 ? 1.0 - u * u : (u > 0.0 ? 1.0 : 0.0);
          gradient[c] += slope * u;
          unit[c] = slope * weight[c] * through;
        }
      }
    }
  }
};

/// sums[c] += the sum of column c.
struct AddColumns {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* rows, std::size_t n_rows, std::size_t width, double* sums) {
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t c = 0; c < width; ++c) sums[c] += rows[r * width + c];
    }
  }
};

/// sigma(margin) and sigma(-margin), neither by subtraction from one.
struct Sigmoids {
  template <class V>
  CLADEBENCH_INLINE static void run(const double* margins, std::size_t n, double* left, double* right) {
    using Vec = typename V::Vec;
    for (std::size_t k = 0; k < n; k += V::kWidth) {
      const Vec x = at<V>(margins + k);
      Vec e;
      exp_of_negative<V>(x > 0.0 ? -x : x, e);
      const Vec likely = 1.0 / (1.0 + e), unlikely = e * likely;
      at<V>(left + k) = x > 0.0 ? likely : unlikely;
      at<V>(right + k) = x > 0.0 ? unlikely : likely;
    }
  }
};

/// Probabilities of a point, or derivatives by them: of inner nodes, of their left and of their right
/// children.
struct Paths {
  double *node, *left, *right;
  Paths of(std::size_t point, std::size_t width) const {
    return {node + point * width, left + point * width, right + point * width};
  }
};

/// The cost of one pair, Sim sum_v Pr[v = lca] (fraction of the second sample at v), and the entropy of its
/// lca, added up by nodes; their derivatives, added to those of the points.
struct PairKernel {
  template <class V>
  CLADEBENCH_INLINE static void run(const Layout& at, const StepOptions& options, const Paths& paths,
                                    const Paths& slopes, const std::int32_t* i, const std::int32_t* j,
                                    const std::int32_t* others, const double* similarity, std::size_t n_pairs,
                                    std::size_t n_second, double* buffer, double* cost) {
    const std::size_t w = at.nodes, n = at.n_inner, leaf = n / 2;
    const double per_pair = 1.0 / static_cast<double>(n_pairs);
    const double per_second = 1.0 / static_cast<double>(n_second);
    const double penalty = options.entropy_penalty * per_pair;
    double *at_node = buffer, *at_left = buffer + w, *at_right = buffer + 2 * w;
    double *inner = buffer + 3 * w, *both_left = buffer + 4 * w, *both_right = buffer + 5 * w;
    double *by_inner = buffer + 6 * w, *by_left = buffer + 7 * w, *by_right = buffer + 8 * w;
    for (std::size_t b = 0; b < n_pairs; ++b) {
      const Paths p = paths.of(i[b], w), q = paths.of(j[b], w);
      const Paths dp = slopes.of(i[b], w), dq = slopes.of(j[b], w);
      const double sim = similarity[b] * per_pair;
      std::fill_n(buffer, 3 * w, 0.0);
      for (std::size_t s = 0; s < n_second; ++s) {
        const Paths other = paths.of(others[b * n_second + s], w);
#pragma GCC ivdep
        for (std::size_t v = 0; v < n; ++v) at_node[v] += other.node[v];
        if (!options.leaf_term) continue;
#pragma GCC ivdep
        for (std::size_t v = leaf; v < n; ++v) {
          at_left[v] += other.left[v];
          at_right[v] += other.right[v];
        }
      }
#pragma GCC ivdep
      for (std::size_t v = 0; v < n; ++v) {
        inner[v] = p.left[v] * q.right[v] + p.right[v] * q.left[v];
        by_inner[v] = sim * (per_second * at_node[v]);
        cost[v] += inner[v] * by_inner[v];
      }
#pragma GCC ivdep
      for (std::size_t v = leaf; v < n; ++v) {
        both_left[v] = p.left[v] * q.left[v];
        both_right[v] = p.right[v] * q.right[v];
        by_left[v] = sim * (per_second * at_left[v]);
        by_right[v] = sim * (per_second * at_right[v]);
        cost[v] += both_left[v] * by_left[v] + both_right[v] * by_right[v];
      }
      const double share = sim * per_second;
      for (std::size_t s = 0; s < n_second; ++s) {
        const Paths other = slopes.of(others[b * n_second + s], w);
#pragma GCC ivdep
        for (std::size_t v = 0; v < n; ++v) other.node[v] += share * inner[v];
        if (!options.leaf_term) continue;
#pragma GCC ivdep
        for (std::size_t v = leaf; v < n; ++v) {
          other.left[v] += share * both_left[v];
          other.right[v] += share * both_right[v];
        }
      }
      if (penalty > 0.0) {
        add_entropy<V>(penalty, inner, w, cost, by_inner);
        add_entropy<V>(penalty, both_left, w, cost, by_left);
        add_entropy<V>(penalty, both_right, w, cost, by_right);
      }
#pragma GCC ivdep
      for (std::size_t v = 0; v < n; ++v) {
        dp.left[v] += by_inner[v] * q.right[v];
        dp.right[v] += by_inner[v] * q.left[v];
        dq.left[v] += by_inner[v] * p.right[v];
        dq.right[v] += by_inner[v] * p.left[v];
      }
#pragma GCC ivdep
      for (std::size_t v = leaf; v < n; ++v) {
        dp.left[v] += by_left[v] * q.left[v];
        dp.right[v] += by_right[v] * q.right[v];
        dq.left[v] += by_left[v] * p.left[v];
        dq.right[v] += by_right[v] * p.right[v];
      }
    }
  }

  /// -weight times the terms q log q, and their derivatives. Where q is too small for a logarithm the
  /// derivative stays finite: it meets a factor as small.
  template <class V>
  CLADEBENCH_INLINE static void add_entropy(double weight, const double* q, std::size_t n, double* cost,
                                            double* by_q) {
    for (std::size_t v = 0; v < n; v += V::kWidth) {
      const typename V::Vec here = at<V>(q + v);
      typename V::Vec log_q;
      log_of_positive<V>(here, log_q);
      at<V>(cost + v) -= weight * (here * log_q);
      at<V>(by_q + v) -= weight * (log_q + 1.0);
    }
  }
};

/// Plain steps down the gradient.
struct Descend {
  template <class V>
  CLADEBENCH_INLINE static void run(double rate, const double* gradient, std::size_t n, double* params) {
    for (std::size_t k = 0; k < n; ++k) params[k] -= rate * gradient[k];
  }
};

/// Adam with the constants of its paper.
struct Adam {
  template <class V>
  CLADEBENCH_INLINE static void run(double rate, double correction, const double* gradient, std::size_t n,
                                    double* params, double* first, double* second) {
    for (std::size_t k = 0; k < n; ++k) {
      const double g = gradient[k];
      first[k] = 0.9 * first[k] + (1.0 - 0.9) * g;
      second[k] = 0.999 * second[k] + (1.0 - 0.999) * g * g;
      params[k] -= rate * first[k] / (std::sqrt(second[k] / correction) + 1e-8);
    }
  }
};

}  // namespace cladebench::routing
