#include "forest/hierarchy_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "common/elementary.hpp"
#include "common/keep_on.hpp"
#include "common/random.hpp"

namespace cladebench {

namespace {

/// Puts the rows of a negative or zero score before the others, each in their order; how many there are.
std::size_t partition(std::span<std::uint32_t> rows, std::span<const double> scores) {
  std::vector<std::uint32_t> right;
  std::size_t n_left = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (scores[i] <= 0.0) {
      rows[n_left++] = rows[i];
    } else {
      right.push_back(rows[i]);
    }
  }
  std::copy(right.begin(), right.end(), rows.begin() + static_cast<std::ptrdiff_t>(n_left));
  return n_left;
}

/// Grows one tree.
class Growth {
 public:
  Growth(const Rows& rows, const GrowthSettings& settings, const Splitter& splitter, std::uint64_t seed)
      : rows_(rows), settings_(settings), splitter_(splitter), seed_(seed) {
    order_.resize(rows.n);
    std::iota(order_.begin(), order_.end(), 0u);
    right_side_.resize(rows.n);
  }

  HierarchyTree run(std::span<const Pair> must, std::span<const Pair> cannot) {
    // Not recursive: a hierarchy may be a chain of all rows.
    std::vector<Open> stack;
    stack.push_back({0, rows_.n, -1, {must.begin(), must.end()}, {cannot.begin(), cannot.end()}});
    while (!stack.empty()) {
      Open node = std::move(stack.back());
      stack.pop_back();
      const std::size_t number = tree_.right.size();
      if (node.parent >= 0)
        tree_.right[static_cast<std::size_t>(node.parent)] = static_cast<std::int32_t>(number);
      tree_.right.push_back(0);
      tree_.size.push_back(static_cast<std::int32_t>(node.end - node.begin));
      if (!may_split(node.end - node.begin) || !split(node, seed_of(seed_, number))) continue;
      const std::span<std::uint32_t> members(order_.data() + node.begin, node.end - node.begin);
      for (std::size_t i = 0; i < members.size(); ++i) right_side_[members[i]] = scores_[i] > 0.0;
      const std::size_t middle = node.begin + partition(members, scores_);
      Open left{node.begin, middle, -1, {}, {}};
      Open right{middle, node.end, static_cast<std::int64_t>(number), {}, {}};
      pass_down(node.must, left.must, right.must);
      pass_down(node.cannot, left.cannot, right.cannot);
      stack.push_back(std::move(right));
      stack.push_back(std::move(left));
    }
    return std::move(tree_);
  }

 private:
  struct Open {
    std::size_t begin, end;  ///< of order_
    std::int64_t parent;     ///< of which it is the right child; -1: it is a left one
    std::vector<Pair> must, cannot;
  };

  bool may_split(std::size_t size) const {
    return size > settings_.min_node_size && size / 2 >= settings_.min_leaf_size;
  }

  /// A constraint lives on where both its rows are (Sec. 2.2.1).
  void pass_down(const std::vector<Pair>& pairs, std::vector<Pair>& left, std::vector<Pair>& right) const {
    for (const Pair& pair : pairs) {
      if (right_side_[pair.first] != right_side_[pair.second]) continue;
      (right_side_[pair.first] ? right : left).push_back(pair);
    }
  }

  /// NodeProblem names rows by their places in the node.
  std::vector<Pair> by_place(const std::vector<Pair>& pairs) const {
    std::vector<Pair> result;
    result.reserve(pairs.size());
    for (const Pair& pair : pairs) result.push_back({place_[pair.first], place_[pair.second]});
    return result;
  }

  /// Adds a split of the node to the tree, scores_ being those of its rows; false if none is found or
  /// allowed.
  bool split(const Open& node, std::uint64_t seed) {
    const std::span<const std::uint32_t> members(order_.data() + node.begin, node.end - node.begin);
    place_.resize(rows_.n);
    for (std::size_t i = 0; i < members.size(); ++i) place_[members[i]] = static_cast<std::uint32_t>(i);
    const std::vector<Pair> must = by_place(node.must), cannot = by_place(node.cannot);
    const std::size_t d = settings_.n_split_features;
    for (int draw = 0; draw < kMaxDraws; ++draw) {
      const auto place = static_cast<std::uint64_t>(draw);
      const std::vector<std::uint32_t> features = Random(seed_of(seed, 2 * place)).choose(d, rows_.d);
      std::vector<double> weights =
          splitter_({rows_.X, rows_.d, members, features, must, cannot, seed_of(seed, 2 * place + 1)});
      if (weights.size() != d + 1) throw std::logic_error("a split has the wrong number of weights");
      if (!parts(members, features, weights) &&
          !(move_to_median(weights) && parts(members, features, weights)))
        continue;
      if (std::min(n_left_, members.size() - n_left_) < settings_.min_leaf_size) return false;
      tree_.features.insert(tree_.features.end(), features.begin(), features.end());
      tree_.weights.insert(tree_.weights.end(), weights.begin(), weights.end());
      return true;
    }
    return false;
  }

  /// Takes the scores; true if there are rows on both sides.
  bool parts(std::span<const std::uint32_t> members, const std::vector<std::uint32_t>& features,
             const std::vector<double>& weights) {
    keep_on(members.size() * features.size());
    scores_.resize(members.size());
    n_left_ = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      scores_[i] = score(rows_.row(members[i]), features.data(), weights.data(), features.size());
      if (!std::isfinite(scores_[i]))
        throw std::invalid_argument("the score of row " + std::to_string(members[i]) +
                                    " of X at a split is not finite; rescale X");
      n_left_ += scores_[i] <= 0.0;
    }
    return n_left_ > 0 && n_left_ < members.size();
  }

  /// Moves the constant so that the lower half of the rows, or those equal to the median too, goes left;
  /// false if all scores are equal.
  bool move_to_median(std::vector<double>& weights) const {
    std::vector<double> sorted(scores_);
    std::sort(sorted.begin(), sorted.end());
    if (sorted.front() == sorted.back()) return false;
    auto above = std::upper_bound(sorted.begin(), sorted.end(), sorted[(sorted.size() - 1) / 2]);
    if (above == sorted.end()) above = std::lower_bound(sorted.begin(), sorted.end(), sorted.back());
    weights.back() -= 0.5 * above[-1] + 0.5 * *above;
    return true;
  }

  const Rows& rows_;
  const GrowthSettings& settings_;
  const Splitter& splitter_;
  const std::uint64_t seed_;
  HierarchyTree tree_;
  std::vector<std::uint32_t> order_, place_;
  std::vector<char> right_side_;
  std::vector<double> scores_;
  std::size_t n_left_ = 0;  ///< rows whose score is negative or zero
};

/// Splits on the longest way down.
std::size_t depth_of(const TreeView& tree) {
  std::vector<std::uint32_t> level(tree.right.size(), 0);
  for (std::size_t v = 0; v < level.size(); ++v) {
    if (tree.right[v] != 0) level[v + 1] = level[static_cast<std::size_t>(tree.right[v])] = level[v] + 1;
  }
  return *std::max_element(level.begin(), level.end());
}

[[noreturn]] void refuse(std::size_t node, const std::string& what) {
  throw std::invalid_argument("node " + std::to_string(node) + " " + what);
}

void check_splits(const TreeView& tree, std::size_t n_features) {
  for (std::size_t s = 0; s < tree.n_splits; ++s) {
    for (std::size_t k = 0; k < tree.d; ++k) {
      const std::uint32_t feature = tree.features[s * tree.d + k];
      if (feature >= n_features || (k > 0 && feature <= tree.features[s * tree.d + k - 1]))
        throw std::invalid_argument("split " + std::to_string(s) + " has the feature " +
                                    std::to_string(feature) + " out of its order or of X");
    }
    for (std::size_t k = 0; k <= tree.d; ++k) {
      if (!std::isfinite(tree.weights[s * (tree.d + 1) + k]))
        throw std::invalid_argument("split " + std::to_string(s) + " has a weight that is not finite");
    }
  }
}

}  // namespace

double score(const double* row, const std::uint32_t* features, const double* weights, std::size_t d) {
  double sums[4] = {};
  std::size_t k = 0;
  for (; k + 4 <= d; k += 4) {
    for (std::size_t i = 0; i < 4; ++i) sums[i] += weights[k + i] * row[features[k + i]];
  }
  for (std::size_t i = 0; k + i < d; ++i) sums[i] += weights[k + i] * row[features[k + i]];
  return ((sums[0] + sums[2]) + (sums[1] + sums[3])) + weights[d];
}

float certainty(double alpha, double value) {
  const double z = alpha * value;
  const Lanes2::Vec exponent = {-std::abs(z), 0.0};
  Lanes2::Vec power;
  exp_of_negative<Lanes2>(exponent, power);
  return static_cast<float>((z > 0.0 ? power[0] : 1.0) / (1.0 + power[0]));
}

HierarchyTree grow_tree(const Rows& rows, std::span<const Pair> must_link, std::span<const Pair> cannot_link,
                        const GrowthSettings& settings, const Splitter& splitter, std::uint64_t seed) {
  return Growth(rows, settings, splitter, seed).run(must_link, cannot_link);
}

void check_tree(const TreeView& tree, std::size_t n, std::size_t n_features) {
  const std::size_t n_nodes = tree.right.size();
  if (n_nodes == 0 || tree.size.size() != n_nodes || 2 * tree.n_splits + 1 != n_nodes)
    throw std::invalid_argument("its numbers of nodes, sizes and splits do not fit together");
  if (tree.size[0] < 1 || static_cast<std::size_t>(tree.size[0]) != n)
    refuse(0, "has size " + std::to_string(tree.size[0]) + ", not the number of rows");
  std::vector<std::int32_t> waiting;  // right children whose left sisters are being read
  for (std::size_t v = 0; v < n_nodes; ++v) {
    const std::int32_t right = tree.right[v];
    if (right != 0) {
      if (right < static_cast<std::int32_t>(v) + 2 || static_cast<std::size_t>(right) >= n_nodes)
        refuse(v, "has the right child " + std::to_string(right));
      const std::int32_t left_size = tree.size[v + 1],
                         right_size = tree.size[static_cast<std::size_t>(right)];
      if (left_size < 1 || right_size < 1 || std::int64_t{left_size} + right_size != tree.size[v])
        refuse(v, "has a size that is not the sum of its children's");
      waiting.push_back(right);
    } else if (waiting.empty() ? v + 1 != n_nodes : waiting.back() != static_cast<std::int32_t>(v) + 1) {
      refuse(v, "is a leaf, and what follows is not the next node in preorder");
    } else if (!waiting.empty()) {
      waiting.pop_back();
    }
  }
  check_splits(tree, n_features);
}

constexpr std::size_t kAhead = 8;  ///< rows that are asked of memory before their turn

PlacedTree place_rows(const TreeView& tree, const Rows& rows, double alpha, Placed what) {
  const std::size_t n = rows.n, n_nodes = tree.right.size();
  PlacedTree placed;
  placed.nodes.resize(n_nodes);
  placed.row_at.resize(n);
  placed.leaf_of.resize(n);
  placed.keys.assign(n, 0);
  std::iota(placed.row_at.begin(), placed.row_at.end(), 0u);
  placed.nodes[0] = {0, static_cast<std::uint32_t>(n), -1, 0, 0, 0, 1.0f};
  // Certainties of a row stand together: of a subtree whose rows fit into the cache, these do, too.
  const std::size_t depth = depth_of(tree);
  std::vector<float> by_row(n * depth);
  std::vector<double> scores;
  std::size_t n_certainties = 0;
  std::uint32_t split = 0;
  for (std::size_t v = 0; v < n_nodes; ++v) {
    PlacedTree::Node& node = placed.nodes[v];
    const std::span<std::uint32_t> members(placed.row_at.data() + node.begin, node.end - node.begin);
    if (what == Placed::kTrainingRows && members.size() != static_cast<std::size_t>(tree.size[v]))
      refuse(v, "gets " + std::to_string(members.size()) + " of the training rows, its size says " +
                    std::to_string(tree.size[v]));
    node.scale = static_cast<float>(static_cast<double>(members.size()) / static_cast<double>(n));
    node.split = split;
    if (tree.right[v] == 0) {
      for (const std::uint32_t row : members) placed.leaf_of[row] = static_cast<std::uint32_t>(v);
      continue;
    }
    node.base = n_certainties - node.begin;
    ++split;
    n_certainties += members.size();
    keep_on(members.size() * tree.d);
    scores.resize(members.size());
    const std::uint32_t* features = tree.features + node.split * tree.d;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint32_t row = members[i];
      if (i + kAhead < members.size() && tree.d > 0) {
        const double* coming = rows.row(members[i + kAhead]);
        __builtin_prefetch(coming + features[0]);
        __builtin_prefetch(coming + features[tree.d - 1]);
        __builtin_prefetch(by_row.data() + members[i + kAhead] * depth + node.level, 1);
      }
      scores[i] = score(rows.row(row), features, tree.weights + node.split * (tree.d + 1), tree.d);
      if (!std::isfinite(scores[i])) refuse(v, "has a score that is not finite; rescale X");
      by_row[row * depth + node.level] = certainty(alpha, scores[i]);
      if (scores[i] > 0.0 && node.level < kKeyLevels)
        placed.keys[row] |= std::uint64_t{1} << (63 - node.level);
    }
    const auto middle = node.begin + static_cast<std::uint32_t>(partition(members, scores));
    const auto parent = static_cast<std::int32_t>(v);
    placed.nodes[v + 1] = {node.begin, middle, parent, node.level + 1, 0, 0, 0.0f};
    placed.nodes[static_cast<std::size_t>(tree.right[v])] = {middle, node.end, parent, node.level + 1,
                                                             0,      0,        0.0f};
  }
  placed.certainties.resize(n_certainties);
  std::vector<std::size_t> bases(depth);  // of the splits on the way to a leaf
  for (std::size_t v = 0; v < n_nodes; ++v) {
    const PlacedTree::Node& node = placed.nodes[v];
    if (tree.right[v] != 0) {
      bases[node.level] = node.base;
      continue;
    }
    keep_on((node.end - node.begin) * node.level);
    for (std::size_t p = node.begin; p < node.end; ++p) {
      const float* own = by_row.data() + placed.row_at[p] * depth;
      if (p + kAhead < n) __builtin_prefetch(by_row.data() + placed.row_at[p + kAhead] * depth);
      for (std::size_t level = 0; level < node.level; ++level)
        placed.certainties[bases[level] + p] = own[level];
    }
  }
  for (std::size_t p = 0; p < n; ++p) placed.keys[placed.row_at[p]] |= p;
  return placed;
}

}  // namespace cladebench
