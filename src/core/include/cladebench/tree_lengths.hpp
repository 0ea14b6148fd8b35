// Least squares on one tree after another.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "cladebench/tree_cuts.hpp"

namespace cladebench::tree_fit {

/// What the edges at a vertex say of S, the sum of the distances of all points from it; see `Lengths::solve`.
struct Vertex {
  double known = 0.0, weight = 1.0, total = std::numeric_limits<double>::quiet_NaN();

  void settle() {
    if (std::isnan(total)) total = known / weight;
  }
};

/// Lengths of a tree, with what decides those of the trees near it.
struct Solution {
  Values x;
  std::vector<char> kept;      ///< whether the edge above a node has a length; others are contracted
  std::vector<Vertex> around;  ///< of the vertex that each node belongs to; the same from any root
  double left = 0.0;           ///< squares
};

/// Keeps what it needs from one tree to the next.
class Lengths {
 public:
  Lengths(std::span<const double> distances, std::size_t k);

  double squares() const { return squares_; }
  double n_points() const { return points_; }
  /// Relative to the largest sum across an edge, gradients below are rounding.
  double flat(const Cuts& tree) const;

  /// A lower bound on the squares that non-negative lengths leave: what lengths of any sign leave. Looks at
  /// no order of the nodes.
  double bound(const Cuts& tree);

  /// Non-negative lengths.
  void nonnegative(const Cuts& tree, Values& x);

  /// The best lengths of any sign, or of at least 0.
  Solution free_solution(const Cuts& tree);
  Solution nonnegative_solution(const Cuts& tree);

  /// Squares of D less what a solution of the normal equations explains.
  double left_over(const Cuts& tree, const Values& x) const;

  /// Squares of D less the paths, added up one by one. O(k^2).
  double errors(const Cuts& tree, const Values& x) const;

  /// The edge parts so many points beyond it from the vertex.
  void add_edge(Vertex& vertex, double sum, double beyond) const {
    const double share = share_[static_cast<std::size_t>(beyond)];
    if (share == 0.0) {
      vertex.total = sum / beyond;
    } else {
      vertex.known += sum * share;
      vertex.weight += beyond * share;
    }
  }

  /// Of an edge between settled vertices, with so many points below it.
  double length(double below, const Vertex& lower, const Vertex& upper) const {
    const double share = share_[static_cast<std::size_t>(below)];
    if (share != 0.0) return (lower.total - upper.total) * share;
    const double branch = upper.total * upper.weight - upper.known;
    return (branch - (lower.total * (1.0 - lower.weight) + lower.known)) / below;
  }

  /// The sum of the distances of the points beyond an edge from a settled vertex at it.
  double branch(double sum, double beyond, const Vertex& vertex) const {
    const double share = share_[static_cast<std::size_t>(beyond)];
    return share == 0.0 ? vertex.total * vertex.weight - vertex.known : (sum - beyond * vertex.total) * share;
  }

 private:
  void restricted(const Cuts& tree, const Values& sum, Values& x);
  void solve(const Cuts& tree, const Values& sum, Values& x);
  void gradient(const Cuts& tree, const Values& x);
  bool drop_negative(const Values& x);
  bool retreat(Values& x);
  std::vector<Vertex> vertices(std::size_t n) const;

  std::span<const double> D_;
  std::size_t k_;
  double points_, squares_ = 0.0, largest_ = 0.0;
  Values share_;  // 1 / (k - 2 n) for n points, 0 for half of all
  std::vector<char> kept_;
  TreeParents vertex_;
  Values known_, weight_, total_, slope_, trial_, free_;
};

}  // namespace cladebench::tree_fit
