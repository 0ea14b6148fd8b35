#include "cladebench/pair_forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "cladebench/parallel.hpp"

namespace cladebench {
namespace {

/// A pair of a block of A x B: the row of the first in the upper bits, that of the second in the lower kShift
/// ones. The more pairs share a node, the less it matters what a node costs; with twice as many, what they
/// are added to no longer stays in the second cache.
using Pair = std::uint16_t;
constexpr std::size_t kPairs = 1 << 16;

/// An inner node. A child c >= 0 is the inner node c, a child c < 0 is a leaf with value ~c.
struct Node {
  std::uint32_t feature;
  float threshold;
  std::int32_t left, right;
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<double> values;
  std::int32_t root = 0;
};

/// The largest float that is no larger: a float is at most x if and only if it is at most this.
float floor_to_float(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) <= x ? nearest
                                           : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

void make_ready(const PairForestView& forest, std::size_t t, std::vector<std::int32_t>& name, Tree& tree) {
  const auto first = static_cast<std::size_t>(forest.first_node[t]);
  const auto n = static_cast<std::size_t>(forest.first_node[t + 1]) - first;
  tree.nodes.clear();
  tree.values.clear();
  name.resize(n);
  // Children stand behind their parents: from the last node on, their names are known.
  for (std::size_t k = n; k-- > 0;) {
    const std::size_t v = first + k;
    if (forest.feature[v] < 0) {
      name[k] = ~static_cast<std::int32_t>(tree.values.size());
      tree.values.push_back(forest.value[v]);
    } else {
      name[k] = static_cast<std::int32_t>(tree.nodes.size());
      tree.nodes.push_back(
          {static_cast<std::uint32_t>(forest.feature[v]), floor_to_float(forest.threshold[v]),
           name[static_cast<std::size_t>(forest.left[v])], name[static_cast<std::size_t>(forest.right[v])]});
    }
  }
  tree.root = name[0];
}

void check(const PairForestView& forest, std::size_t d) {
  const auto fail = [](const std::string& what) { throw std::invalid_argument("pair forest: " + what); };
  const std::size_t n_nodes = forest.feature.size();
  const auto& first = forest.first_node;
  if (forest.threshold.size() != n_nodes || forest.left.size() != n_nodes || forest.right.size() != n_nodes ||
      forest.value.size() != n_nodes) {
    fail("expected one feature, threshold, left, right and value for each node");
  }
  if (first.size() < 2 || first.front() != 0 || first.back() != static_cast<std::int64_t>(n_nodes)) {
    fail("expected trees that begin at 0 and end at n_nodes=" + std::to_string(n_nodes));
  }
  for (std::size_t t = 0; t + 1 < first.size(); ++t) {
    const std::int64_t n = first[t + 1] - first[t];
    if (n < 1 || first[t + 1] > first.back()) fail("tree " + std::to_string(t) + " has no nodes");
    for (std::int64_t k = 0; k < n; ++k) {
      const auto v = static_cast<std::size_t>(first[t] + k);
      if (forest.feature[v] < 0) continue;
      const bool known = static_cast<std::size_t>(forest.feature[v]) < 2 * d;
      const bool behind =
          forest.left[v] > k && forest.left[v] < n && forest.right[v] > k && forest.right[v] < n;
      if (!known || !behind || std::isnan(forest.threshold[v])) {
        fail("node " + std::to_string(k) + " of tree " + std::to_string(t) +
             " has a feature, threshold or child that makes no sense");
      }
    }
  }
}

/// All pairs of a block of A and a block of B go down a tree together.
template <unsigned kShift>
class Descent {
 public:
  static constexpr std::size_t kRowsOfB = std::size_t{1} << kShift, kRowsOfA = kPairs / kRowsOfB;

  Descent(const PairRows& A, const PairRows& B, std::size_t d)
      : d_(d),
        n_a_(A.n),
        n_b_(B.n),
        columns_of_a_(by_columns(A, d)),
        columns_of_b_(by_columns(B, d)),
        sums_(((A.n - 1) << kShift) + B.n) {
    all_.reserve(n_a_ * n_b_);
    for (std::size_t i = 0; i < n_a_; ++i) {
      for (std::size_t j = 0; j < n_b_; ++j) all_.push_back(static_cast<Pair>(i << kShift | j));
    }
    for (auto& buffer : buffers_) buffer.resize(all_.size());
  }

  double sum(std::size_t i, std::size_t j) const { return sums_[i << kShift | j]; }

  /// Adds the value of the leaf that a pair reaches to its sum.
  void add(const Tree& tree) {
    stack_.clear();
    hand_on(tree, {tree.root, 0, all_.size(), -1});
    while (!stack_.empty()) {
      const Part part = stack_.back();
      stack_.pop_back();
      const Node& node = tree.nodes[static_cast<std::size_t>(part.node)];
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
    int buffer;  ///< -1: all pairs
  };

  static constexpr auto difference_is_at_most = [](float a, float b, float t) {
    return std::abs(a - b) <= t;
  };
  static constexpr auto mean_is_at_most = [](float a, float b, float t) { return 0.5f * (a + b) <= t; };

  static std::vector<float> by_columns(const PairRows& rows, std::size_t d) {
    std::vector<float> columns(rows.n * d);
    for (std::size_t f = 0; f < d; ++f) {
      for (std::size_t i = 0; i < rows.n; ++i) columns[f * rows.n + i] = rows.data[i * d + f];
    }
    return columns;
  }

  const Pair* pairs_of(const Part& part) const {
    return (part.buffer < 0 ? all_ : buffers_[part.buffer]).data() + part.begin;
  }

  template <class Test>
  void visit(const Tree& tree, const Part& part, const Node& node, std::size_t f, const Test& is_at_most) {
    const float* a = columns_of_a_.data() + f * n_a_;
    const float* b = columns_of_b_.data() + f * n_b_;
    const float threshold = node.threshold;
    const auto goes_left = [=](Pair pair) {
      return is_at_most(a[pair >> kShift], b[pair & (kRowsOfB - 1)], threshold);
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

  void hand_on(const Tree& tree, const Part& part) {
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

  std::size_t d_, n_a_, n_b_;
  std::vector<float> columns_of_a_, columns_of_b_;
  std::vector<double> sums_;
  std::vector<Pair> all_, buffers_[2];
  std::vector<Part> stack_;
};

/// result[i * step_a + j * step_b] is that of the pair (A_i, B_j).
template <unsigned kShift>
void write_means(const PairForestView& forest, std::size_t d, const PairRows& A, const PairRows& B,
                 std::size_t step_a, std::size_t step_b, double* result) {
  constexpr std::size_t rows_of_a = Descent<kShift>::kRowsOfA, rows_of_b = Descent<kShift>::kRowsOfB;
  const std::size_t n_trees = forest.first_node.size() - 1;
  const std::size_t blocks_of_a = (A.n + rows_of_a - 1) / rows_of_a;
  const std::size_t blocks_of_b = (B.n + rows_of_b - 1) / rows_of_b;
  const bool worth_while = A.n * B.n * n_trees > 100'000;
  parallel_for(blocks_of_a * blocks_of_b, worth_while, [&](std::size_t task) {
    const std::size_t i = task / blocks_of_b * rows_of_a, n_a = std::min(A.n - i, rows_of_a);
    const std::size_t j = task % blocks_of_b * rows_of_b, n_b = std::min(B.n - j, rows_of_b);
    Descent<kShift> descent({A.data + i * d, n_a}, {B.data + j * d, n_b}, d);
    Tree tree;
    std::vector<std::int32_t> name;
    for (std::size_t t = 0; t < n_trees; ++t) {
      make_ready(forest, t, name, tree);
      descent.add(tree);
    }
    for (std::size_t k = 0; k < n_a; ++k) {
      for (std::size_t l = 0; l < n_b; ++l) {
        result[(i + k) * step_a + (j + l) * step_b] = descent.sum(k, l) / static_cast<double>(n_trees);
      }
    }
  });
}

}  // namespace

void pair_forest_means(const PairForestView& forest, std::size_t d, const PairRows& A, const PairRows& B,
                       double* result) {
  check(forest, d);
  // Blocks are full where there is one row against many, too. Neither feature cares which row is the first.
  const bool turn = B.n < A.n;
  const PairRows &few = turn ? B : A, &many = turn ? A : B;
  const std::size_t step_few = turn ? 1 : B.n, step_many = turn ? B.n : 1;
  const auto write = few.n == 1     ? write_means<16>
                     : few.n <= 16  ? write_means<12>
                     : few.n <= 32  ? write_means<11>
                     : few.n <= 64  ? write_means<10>
                     : few.n <= 128 ? write_means<9>
                                    : write_means<8>;
  write(forest, d, few, many, step_few, step_many, result);
}

}  // namespace cladebench
