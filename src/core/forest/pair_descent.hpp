// How pairs of rows go down the trees of a pair forest (see pair_forest.hpp): all pairs of two blocks of rows
// together.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forest/pair_forest.hpp"

namespace cladebench {

/// @throws std::invalid_argument if the nodes do not make trees over 2 d features.
void check_pair_forest(const PairForestView& forest, std::size_t d);

/// A tree as pairs go down it.
struct ReadyPairTree {
  /// An inner node. A child c >= 0 is the inner node c, a child c < 0 is a leaf with value ~c.
  struct Node {
    std::uint32_t feature;
    float threshold;
    std::int32_t left, right;
  };

  std::vector<Node> nodes;
  std::vector<double> values;
  std::int32_t root = 0;
  std::vector<std::int32_t> name;  ///< for work

  void read(const PairForestView& forest, std::size_t t);
};

/// Rows by their features.
struct PairColumns {
  PairColumns(const PairRows& rows, std::size_t d) : n(rows.n), values(rows.n * d) {
    for (std::size_t f = 0; f < d; ++f) {
      for (std::size_t i = 0; i < n; ++i) values[f * n + i] = rows.data[i * d + f];
    }
  }

  std::size_t n;
  std::vector<float> values;
};

/// All pairs of a block of A and a block of B go down a tree together.
template <unsigned kShift>
class PairDescent {
 public:
  /// The row of the first in the upper bits, that of the second in the lower kShift ones. The more pairs
  /// share a node, the less it matters what a node costs; with twice as many, what they are added to no
  /// longer stays in the second cache.
  using Pair = std::uint16_t;
  static constexpr std::size_t kPairs = 1 << 16;
  static constexpr std::size_t kRowsOfB = std::size_t{1} << kShift, kRowsOfA = kPairs / kRowsOfB;

  /// @param a, b  At least one row each, at most kRowsOfA and kRowsOfB; they must outlive this.
  PairDescent(const PairColumns& a, const PairColumns& b, std::size_t d)
      : d_(d), a_(a), b_(b), sums_(((a.n - 1) << kShift) + b.n) {
    pairs_.reserve(a.n * b.n);
    for (std::size_t i = 0; i < a.n; ++i) {
      for (std::size_t j = 0; j < b.n; ++j) pairs_.push_back(pair_of(i, j));
    }
    for (auto& buffer : buffers_) buffer.resize(pairs_.size());
  }

  static Pair pair_of(std::size_t i, std::size_t j) { return static_cast<Pair>(i << kShift | j); }
  static std::size_t row_of_a(Pair pair) { return pair >> kShift; }
  static std::size_t row_of_b(Pair pair) { return pair & (kRowsOfB - 1); }

  std::size_t n_rows_of_b() const { return b_.n; }
  double sum(Pair pair) const { return sums_[pair]; }

  /// The pairs that go down trees; at first all.
  const std::vector<Pair>& pairs() const { return pairs_; }
  void set_pairs(std::vector<Pair> pairs) { pairs_ = std::move(pairs); }

  /// Adds the value of the leaf that a pair reaches to its sum.
  void add(const ReadyPairTree& tree) {
    stack_.clear();
    hand_on(tree, {tree.root, 0, pairs_.size(), -1});
    while (!stack_.empty()) {
      const Part part = stack_.back();
      stack_.pop_back();
      const ReadyPairTree::Node& node = tree.nodes[static_cast<std::size_t>(part.node)];
      if (node.feature < d_) {
        visit(tree, part, node, node.feature, difference_is_at_most);
      } else {
        visit(tree, part, node, node.feature - d_, mean_is_at_most);
      }
    }
  }

 private:
  struct Part {
    std::int32_t node;
    std::size_t begin, end;
    int buffer;  ///< -1: pairs_
  };

  static constexpr auto difference_is_at_most = [](float a, float b, float t) {
    return std::abs(a - b) <= t;
  };
  static constexpr auto mean_is_at_most = [](float a, float b, float t) { return 0.5f * (a + b) <= t; };

  const Pair* pairs_of(const Part& part) const {
    return (part.buffer < 0 ? pairs_ : buffers_[part.buffer]).data() + part.begin;
  }

  template <class Test>
  void visit(const ReadyPairTree& tree, const Part& part, const ReadyPairTree::Node& node, std::size_t f,
             const Test& is_at_most) {
    const float* a = a_.values.data() + f * a_.n;
    const float* b = b_.values.data() + f * b_.n;
    const float threshold = node.threshold;
    const auto goes_left = [=](Pair pair) {
      return is_at_most(a[row_of_a(pair)], b[row_of_b(pair)], threshold);
    };
    const Pair* pairs = pairs_of(part);
    const std::size_t count = part.end - part.begin;
    if (node.left < 0 && node.right < 0) {
      const double values[2] = {tree.values[static_cast<std::size_t>(~node.right)],
                                tree.values[static_cast<std::size_t>(~node.left)]};
      double* sums = sums_.data();
      for (std::size_t k = 0; k < count; ++k) sums[pairs[k]] += values[goes_left(pairs[k])];
      return;
    }
    const int other = part.buffer == 0 ? 1 : 0;
    Pair* out = buffers_[other].data() + part.begin;
    // Those that go left fill up from the front, the others from the back; each is written to both ends.
    std::size_t front = 0;
    Pair* gap = out + count;  // front places before the next free one from the back
    for (std::size_t k = 0; k < count; ++k) {
      const Pair pair = pairs[k];
      out[front] = pair;
      (--gap)[front] = pair;
      front += goes_left(pair);
    }
    const std::size_t middle = part.begin + front;
    hand_on(tree, {node.right, middle, part.end, other});
    hand_on(tree, {node.left, part.begin, middle, other});
  }

  void hand_on(const ReadyPairTree& tree, const Part& part) {
    if (part.begin == part.end) return;
    if (part.node >= 0) {
      stack_.push_back(part);
      return;
    }
    const double value = tree.values[static_cast<std::size_t>(~part.node)];
    if (value == 0.0) return;
    const Pair* pairs = pairs_of(part);
    double* sums = sums_.data();
    for (std::size_t k = 0; k < part.end - part.begin; ++k) sums[pairs[k]] += value;
  }

  std::size_t d_;
  const PairColumns &a_, &b_;
  std::vector<double> sums_;
  std::vector<Pair> pairs_, buffers_[2];
  std::vector<Part> stack_;
};

}  // namespace cladebench
