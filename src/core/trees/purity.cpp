#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/keep_on.hpp"
#include "common/sum.hpp"
#include "trees/measures.hpp"

namespace cladebench {
namespace {

/// Climbs the tree's heavy paths. `below_` counts the classes of what has been joined so far under the
/// current node; `pairs_` counts, for each class, the pairs whose lowest common ancestor is that node. Counts
/// of pairs stay below n^2 / 2, so 64 bits serve up to 4e9 samples; their conversion to double is exact up to
/// 1e8 samples.
class PurityClimb {
 public:
  PurityClimb(const Tree& tree, std::span<const std::int32_t> labels, std::int32_t n_classes)
      : tree_(tree),
        ordered_(labels.size()),
        below_(n_classes, 0),
        pairs_(n_classes, 0),
        light_(n_classes, 0) {
    for (std::size_t k = 0; k < ordered_.size(); ++k) ordered_[k] = labels[tree.sample_order[k]];
  }

  /// Adds sum over the path's nodes of pairs x share to `total`, and the number of pairs to `n_pairs`.
  void climb(Index head, Sum& total, std::int64_t& n_pairs) {
    Index v = head;
    while (tree_.heavy[v] != -1) v = tree_.heavy[v];
    for (;; v = tree_.parents[v]) {
      keep_on(1);
      for (Index k = tree_.first[v]; k < tree_.own_end(v); ++k) join(ordered_[k], 1);
      for (const Index c : tree_.children(v)) {
        if (c != tree_.heavy[v]) join_child(c);
      }
      for (const std::int32_t c : joined_) {
        if (pairs_[c] == 0) continue;
        const double share = static_cast<double>(below_[c]) / static_cast<double>(tree_.sizes[v]);
        total.add(static_cast<double>(pairs_[c]) * share);
        n_pairs += pairs_[c];
        pairs_[c] = 0;
      }
      joined_.clear();
      if (v == head) break;
    }
    for (Index k = tree_.first[head]; k < tree_.last[head]; ++k) below_[ordered_[k]] = 0;
  }

 private:
  /// Joins `count` samples of one class that have no pairs of their own at this node.
  void join(std::int32_t c, std::int64_t count) {
    pairs_[c] += count * below_[c];
    below_[c] += count;
    joined_.push_back(c);
  }

  /// Joins all samples below a light child, counted first, for their pairs belong to nodes further down.
  void join_child(Index child) {
    const Index begin = tree_.first[child], end = tree_.last[child];
    keep_on(static_cast<std::size_t>(end - begin));
    for (Index k = begin; k < end; ++k) ++light_[ordered_[k]];
    for (Index k = begin; k < end; ++k) {
      const std::int32_t c = ordered_[k];
      if (light_[c] == 0) continue;
      join(c, light_[c]);
      light_[c] = 0;
    }
  }

  const Tree& tree_;
  std::vector<std::int32_t> ordered_;  // labels in the tree's order of samples
  std::vector<std::int64_t> below_, pairs_, light_;
  std::vector<std::int32_t> joined_;  // classes joined at the current node, maybe repeated
};

}  // namespace

double dendrogram_purity(const Tree& tree, std::span<const std::int32_t> labels, std::int32_t n_classes) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= n_classes) {
      throw std::invalid_argument("labels[" + std::to_string(i) + "] is " + std::to_string(labels[i]) +
                                  "; expected a class 0.." + std::to_string(n_classes - 1));
    }
  }
  PurityClimb purity(tree, labels, n_classes);
  Sum total;
  std::int64_t n_pairs = 0;
  for (const Index v : tree.preorder) {
    if (tree.head[v] == v && tree.sizes[v] > 1) purity.climb(v, total, n_pairs);
  }
  if (n_pairs == 0) {
    throw std::invalid_argument("no two samples share a class: dendrogram purity is a mean over such pairs");
  }
  return total.value() / static_cast<double>(n_pairs);
}

}  // namespace cladebench
