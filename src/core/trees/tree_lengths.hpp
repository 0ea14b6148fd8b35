// Least squares on one tree after another: lengths, what they leave, and lower bounds of it.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "trees/tree_cuts.hpp"

namespace cladebench::additive {

// One tree is better than another if its squares are fewer by this share.
inline constexpr double kBetter = 1e-9;
// Relative to the squares of D: how exact `squares - product` is, and below what a fit is perfect.
inline constexpr double kDifferenceRounding = 1e-12, kPerfect = 1e-28;
// Below, relative to the squares of D, the rounding of lengths decides between trees: all are fitted alike.
inline constexpr double kNearlyPerfect = 1e-6;

/// What the edges at a vertex say of S, the sum of the distances of all points from it; see `Lengths::solve`.
struct Vertex {
  double known = 0.0, weight = 1.0;
  double total = std::numeric_limits<double>::quiet_NaN();  ///< S
  double pull = 0.0;  ///< of `known` on S: 0 where an edge that parts all points in halves gives S

  void settle() {
    if (!std::isnan(total)) return;
    pull = 1.0 / weight;
    total = known * pull;
  }
};

/// A tree that moves start from; see `Lengths::look_around`.
struct Around {
  Values sum;         ///< across each edge, raised by its multiplier
  Values multiplier;  ///< of each edge
  Values lengths;     ///< of any sign, for these sums
  std::vector<Vertex> vertex;
  double left = 0.0;
};

/// Least squares on one tree after another; what it needs for it is kept.
class Lengths {
 public:
  Lengths(std::span<const double> distances, std::size_t k);

  /// Of D.
  double squares() const { return squares_; }

  /// A lower bound on the squares that non-negative lengths leave: what lengths of any sign leave. Looks at
  /// no order of the nodes.
  double bound(const Cuts& tree);

  /// Prepares bounds of trees that are a move away. Multipliers of the constraints that lengths are not
  /// negative, whatever they are, make what lengths of any sign leave a lower bound, if they are added to the
  /// sums across edges. Those of this tree, whose lengths are x, make it tight here; edges that a move
  /// changes have none. Sums that differ from those that `around` has by rounding alone stay as they are.
  void look_around(const Cuts& tree, const Values& x, Around& around);

  /// 1 / (k - 2 n) of n points, 0 of half of all.
  double share(double points) const { return share_[static_cast<std::size_t>(points)]; }

  /// The edge parts so many points beyond it, of this share, from the vertex.
  static void add_edge(Vertex& vertex, double sum, double beyond, double share) {
    if (share == 0.0) {
      vertex.total = sum / beyond;
    } else {
      vertex.known += sum * share;
      vertex.weight += beyond * share;
    }
  }

  /// Of the edge between two vertices, of which so many points, of this share, are on the side of the lower.
  static double length(double below, double share, const Vertex& lower, const Vertex& upper) {
    if (share != 0.0) return (lower.total - upper.total) * share;
    const double branch = upper.total * upper.weight - upper.known;
    return (branch - (lower.total * (1.0 - lower.weight) + lower.known)) / below;
  }

  /// Begins with the edges kept at lengths above 0, of which the solution is not to depend but for rounding;
  /// with all where none are given.
  void nonnegative(const Cuts& tree, Values& x, const std::vector<char>* kept = nullptr);

  /// Squares that a solution of the normal equations leaves: those of D less what it explains. Off by
  /// rounding.
  double left_over(const Cuts& tree, const Values& x) const;

  /// The same, recomputed pair by pair; only a number above `enough`, where it is above. The tree is laid
  /// out.
  double errors(const Cuts& tree, const Values& x, double enough);

 private:
  void all_edges(const Cuts& tree);
  void restricted(const Cuts& tree, const Values& sum, Values& x);
  void solve(const Cuts& tree, const Values& sum, Values& x);
  void gradient(const Cuts& tree, const Values& x);
  bool drop_negative(const Values& x);
  bool retreat(Values& x);

  std::span<const double> D_;
  std::size_t k_;
  double points_, squares_ = 0.0, largest_ = 0.0;
  Values share_;
  std::vector<char> kept_;
  TreeParents vertex_;
  Values known_, weight_, total_, slope_, trial_, free_;
  Paths paths_;
};

/// The best tree of those that are offered. Its squares are known as far as they had to be: an interval is
/// wide enough for most offers.
class Best {
 public:
  Best(std::span<const double> D, std::size_t k) : lengths_(D, k) {}

  /// Takes the tree if it is better; `order` is laid out only where it has to be. A lower bound of what it
  /// leaves, up to rounding.
  /// Edges kept make it quicker: those that may be expected to be above 0.
  double offer(Cuts& tree, const std::vector<char>* kept = nullptr);

  /// The best tree with point 0 as its root, and its lengths.
  TreeParents seen_from_0(Values& x) const;

  Lengths& lengths() { return lengths_; }
  const TreeParents& parent() const { return tree_.parent; }

  /// Whether a tree with this lower bound need be offered; with room for another order of summation.
  bool may_be_better(double bound) const {
    return !(bound - 2.0 * kDifferenceRounding * lengths_.squares() > enough(high_));
  }

  /// Whether no tree can be better.
  bool is_perfect();

  /// Whether a better one has been found since the last call.
  bool improved() { return std::exchange(improved_, false); }

 private:
  /// A better tree than one with so many squares leaves less.
  double enough(double squares) const { return squares * (1.0 - kBetter) - kPerfect * lengths_.squares(); }
  void settle();

  Lengths lengths_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = low_;
  Cuts tree_;
  Values best_x_, x_;
  bool improved_ = false;
};

}  // namespace cladebench::additive
