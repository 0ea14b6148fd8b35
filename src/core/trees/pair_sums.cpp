#include "trees/pair_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

/// A subtree: at each of its levels the samples of each class, and what is still owed to deeper levels.
/// Levels are stored from the deepest up, so that a parent's is added at the end.
/// @tparam Owed unsigned, wide enough for n_samples x weight x value: half the memory where 64 bits will do.
template <typename Owed>
class Levels {
 public:
  explicit Levels(Index bottom = -1) : bottom_(bottom) {}

  Index bottom() const { return bottom_; }
  void add(std::size_t n_classes) {
    counts_.resize(counts_.size() + n_classes);
    owed_.resize(owed_.size() + n_classes);
  }
  Index* counts(Index depth, std::size_t n_classes) { return counts_.data() + (bottom_ - depth) * n_classes; }
  /// Each sample of class c that lies deeper than this level adds owed[c] to the sum of its own level.
  Owed* owed(Index depth, std::size_t n_classes) { return owed_.data() + (bottom_ - depth) * n_classes; }
  /// Makes it a leaf of no samples, in the memory that it has.
  void clear(Index depth, std::size_t n_classes) {
    bottom_ = depth;
    counts_.assign(n_classes, 0);
    owed_.assign(n_classes, 0);
  }

 private:
  Index bottom_;
  std::vector<Index> counts_;
  std::vector<Owed> owed_;
};

template <typename Owed>
class PairSums {
 public:
  PairSums(const Tree& tree, std::span<const std::int32_t> labels, std::size_t n_classes,
           std::span<const Index> weights, std::span<const Index> values)
      : tree_(tree),
        labels_(labels),
        n_(n_classes),
        weights_(weights),
        values_(values),
        levels_(tree.n_nodes()),
        bottoms_(tree.n_nodes(), -1),
        own_(n_classes, 0),
        above_(n_classes, 0),
        weighted_(n_classes, 0),
        owed_(n_classes, 0),
        light_owed_(n_classes, 0) {}

  std::vector<Wide> sums() {
    Index deepest = 0;
    for (const Index node : tree_.leaf_of) deepest = std::max(deepest, tree_.depths[node]);
    sums_.assign(deepest + 1, 0);
    for (Index k = tree_.n_nodes() - 1; k >= 0; --k) {
      const Index v = tree_.preorder[k];
      if (tree_.sizes[v] == 0) continue;
      bottoms_[v] = tree_.depths[v];
      for (const Index c : tree_.children(v)) bottoms_[v] = std::max(bottoms_[v], bottoms_[c]);
      if (!is_leaf(v) || v == tree_.root) build(v);
    }
    Levels<Owed>& all = levels_[tree_.root];
    for (Index depth = 0; depth <= all.bottom(); ++depth) {
      keep_on(n_);
      settle(all, depth, owed_);
    }
    return std::move(sums_);
  }

 private:
  bool is_leaf(Index v) const { return bottoms_[v] == tree_.depths[v]; }
  const Index* weights_of(std::size_t c) const { return weights_.data() + c * n_; }

  /// Adds to a level what is owed to it, and takes up what it owes to deeper ones.
  void settle(Levels<Owed>& levels, Index depth, std::vector<Owed>& owed) {
    const Index* counts = levels.counts(depth, n_);
    Owed* more = levels.owed(depth, n_);
    Wide sum = 0;
    for (std::size_t c = 0; c < n_; ++c) {
      sum += static_cast<Wide>(counts[c]) * owed[c];
      owed[c] += more[c];
      more[c] = 0;
    }
    sums_[depth] += sum;
  }

  /// Joins all below v. Leaves are not kept until then: most of them hold one sample.
  void build(Index v) {
    Index longest = -1;
    for (const Index c : tree_.children(v)) {
      if (bottoms_[c] > (longest == -1 ? tree_.depths[v] : bottoms_[longest])) longest = c;
    }
    keep_on(n_);
    Levels<Owed> levels(tree_.depths[v]);
    if (longest != -1 && is_leaf(longest)) {
      levels = Levels<Owed>(bottoms_[longest]);
      levels.add(n_);
      add_own(longest, levels);
    } else if (longest != -1) {
      levels = std::move(levels_[longest]);
    }
    levels.add(n_);
    add_own(v, levels);
    for (const Index c : tree_.children(v)) {
      if (c == longest || bottoms_[c] == -1) continue;
      if (is_leaf(c)) {
        leaf_.clear(bottoms_[c], n_);
        add_own(c, leaf_);
        join(v, levels, leaf_);
      } else {
        join(v, levels, levels_[c]);
        levels_[c] = Levels<Owed>();
      }
    }
    levels_[v] = std::move(levels);
  }

  /// Joins the samples that sit at v itself, among each other and with all that lies deeper.
  void add_own(Index v, Levels<Owed>& levels) {
    if (tree_.own_end(v) == tree_.first[v]) return;
    const Index depth = tree_.depths[v];
    for (Index k = tree_.first[v]; k < tree_.own_end(v); ++k) ++own_[labels_[tree_.sample_order[k]]];
    Wide sum = 0;
    for (std::size_t c = 0; c < n_; ++c) {
      if (own_[c] == 0) continue;
      keep_on(n_);
      const Wide count = static_cast<Wide>(own_[c]);
      sum += count * weighted_[c] + count * (count - 1) / 2 * static_cast<Wide>(weights_of(c)[c]);
      for (std::size_t d = 0; d < n_; ++d) weighted_[d] += own_[c] * weights_of(c)[d];
    }
    sums_[depth] += static_cast<Wide>(values_[v]) * sum;
    Index* counts = levels.counts(depth, n_);
    Owed* owed = levels.owed(depth, n_);
    const Owed factor =
        depth < levels.bottom() ? static_cast<Owed>(values_[v]) : 0;  // else nothing lies deeper
    for (std::size_t c = 0; c < n_; ++c) {
      counts[c] = std::exchange(own_[c], 0);
      owed[c] = factor * static_cast<Owed>(std::exchange(weighted_[c], 0));
    }
  }

  /// Joins a child's subtree, of no more levels than what has been joined at v already.
  void join(Index v, Levels<Owed>& levels, Levels<Owed>& light) {
    const Wide value = static_cast<Wide>(values_[v]);
    for (Index depth = tree_.depths[v]; depth <= light.bottom(); ++depth) {
      settle(levels, depth, owed_);
      keep_on(n_);
      Index* counts = levels.counts(depth, n_);
      Wide sum = 0;
      for (std::size_t c = 0; c < n_; ++c) {
        sum +=
            static_cast<Wide>(counts[c]) * static_cast<Wide>(weighted_[c]);  // with shallower ones of `light`
        above_[c] += counts[c];
      }
      if (depth > tree_.depths[v]) {
        if (tree_.depths[v] + 1 < light.bottom()) settle(light, depth, light_owed_);  // a leaf owes nothing
        const Index* joined = light.counts(depth, n_);
        for (std::size_t c = 0; c < n_; ++c) {
          if (joined[c] == 0) continue;
          keep_on(n_);
          const Index* row = weights_of(c);
          Index with_above = 0;
          for (std::size_t d = 0; d < n_; ++d) {
            with_above += above_[d] * row[d];
            weighted_[d] += joined[c] * row[d];
          }
          sum += static_cast<Wide>(joined[c]) * static_cast<Wide>(with_above);
          counts[c] += joined[c];
        }
      }
      sums_[depth] += value * sum;
    }
    Owed* owed = levels.owed(light.bottom(), n_);
    const Owed factor = static_cast<Owed>(values_[v]);
    for (std::size_t c = 0; c < n_; ++c) {
      owed[c] = std::exchange(owed_[c], 0) + factor * static_cast<Owed>(std::exchange(weighted_[c], 0));
      above_[c] = 0;
      light_owed_[c] = 0;  // nothing of `light` lies deeper
    }
  }

  const Tree& tree_;
  std::span<const std::int32_t> labels_;
  std::size_t n_;
  std::span<const Index> weights_, values_;
  std::vector<Levels<Owed>> levels_;
  Levels<Owed> leaf_;
  std::vector<Index> bottoms_;  // depth of the deepest sample below each node, -1 where there is none
  std::vector<Wide> sums_;
  // All zero between two nodes: counts of a node's own samples; counts down to a level; weights of the
  // samples met so far with those of each class; what is owed on the way down.
  std::vector<Index> own_, above_, weighted_;
  std::vector<Owed> owed_, light_owed_;
};

Index largest(std::span<const Index> values, const char* name) {
  Index found = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] < 0) {
      throw std::invalid_argument(std::string(name) + ": entry " + std::to_string(k) + " is " +
                                  std::to_string(values[k]) + "; expected none below 0");
    }
    found = std::max(found, values[k]);
  }
  return found;
}

}  // namespace

std::vector<Wide> pair_sums(const Tree& tree, std::span<const std::int32_t> labels, std::int32_t n_classes,
                            std::span<const Index> weights, std::span<const Index> values) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= n_classes) {
      throw std::invalid_argument("labels[" + std::to_string(i) + "] is " + std::to_string(labels[i]) +
                                  "; expected a class 0.." + std::to_string(n_classes - 1));
    }
  }
  const double n = static_cast<double>(tree.n_samples());
  const double of_a_row = n * static_cast<double>(largest(weights, "weights"));
  const double owed = of_a_row * static_cast<double>(largest(values, "values"));
  if (of_a_row >= 0x1p63 || n * owed >= 0x1p127) {
    throw std::invalid_argument("weights and values are too large: sums over pairs could exceed 128 bits");
  }
  const std::size_t n_columns = static_cast<std::size_t>(n_classes);
  if (owed < 0x1p63) return PairSums<std::uint64_t>(tree, labels, n_columns, weights, values).sums();
  return PairSums<Wide>(tree, labels, n_columns, weights, values).sums();
}

}  // namespace cladebench
