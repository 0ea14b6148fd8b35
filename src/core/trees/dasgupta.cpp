#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/keep_on.hpp"
#include "common/sum.hpp"
#include "trees/chunks.hpp"
#include "trees/measures.hpp"

namespace cladebench {
namespace {

/// Sum of term(0), ..., term(n - 1) in eight interleaved sums: enough for the compiler to use vector
/// registers, in an order that is ours.
/// @param next n numbers to bring near meanwhile, or null. Rows are taken in the tree's order, which the
///   processor cannot foresee: waiting for them took as long as adding them up.
template <typename Term>
double interleaved_sum(Index n, const Term& term, const double* next = nullptr) {
  constexpr Index lanes = 8;
  double sums[lanes] = {};
  Index k = 0;
  for (; k + lanes <= n; k += lanes) {
    if (next) __builtin_prefetch(next + k);
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += term(k + lane);
  }
  for (Index lane = 0; k < n; ++k, ++lane) sums[lane] += term(k);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// Order of samples in which a heavy child's come first, then a node's own, then those of its light children:
/// heavy paths are climbed from their lowest node up. The samples below v are one range, from first[v] on.
struct HeavyFirstOrder {
  explicit HeavyFirstOrder(const Tree& tree) : samples(tree.n_samples()), first(tree.n_nodes()) {
    first[tree.root] = 0;
    for (const Index v : tree.preorder) {
      std::int32_t next = first[v];
      const auto place = [&](Index child) {
        first[child] = next;
        next += static_cast<std::int32_t>(tree.sizes[child]);
      };
      if (tree.heavy[v] != -1) place(tree.heavy[v]);
      for (Index k = tree.first[v]; k < tree.own_end(v); ++k) {
        samples[next++] = static_cast<std::int32_t>(tree.sample_order[k]);
      }
      for (const Index c : tree.children(v)) {
        if (c != tree.heavy[v]) place(c);
      }
    }
  }

  // 32 bits keep both near the processor, and suffice: a dense matrix of 2^31 rows cannot be stored.
  std::vector<std::int32_t> samples, first;
};

/// Sizes of the lowest common ancestors of one sample with all others, while that sample moves through the
/// order.
///
/// The size for sample j is max(sizes_[j], floor_). On the way up a heavy path, a sample that hangs there
/// alone changes nothing but the floor: what hangs higher has its final size, what lies below counts as the
/// floor.
class AncestorSizes {
 public:
  AncestorSizes(const Tree& tree, const HeavyFirstOrder& order)
      : tree_(tree), order_(order), sizes_(tree.n_samples()) {}

  /// Moves to the sample at `position`, from that at position - 1 or (`fresh`) from nowhere.
  void move_to(Index position, bool fresh) {
    Index v = tree_.leaf_of[order_.samples[position]];
    while (tree_.sizes[v] == 1 && v != tree_.root) v = tree_.parents[v];
    floor_ = static_cast<double>(tree_.sizes[v]);
    if (!fresh && order_.first[v] < position) return;
    // Write rings of samples around the new one, up to the first node that the last sample lies below as
    // well.
    Index begin = position, end = position;
    while (true) {
      const Index outer_begin = order_.first[v], outer_end = outer_begin + tree_.sizes[v];
      fill(outer_begin, begin, v);
      fill(end, outer_end, v);
      begin = outer_begin;
      end = outer_end;
      if (v == tree_.root || (!fresh && begin < position)) break;
      v = tree_.parents[v];
    }
  }

  /// Sum of row[j] x size over samples begin <= j < end; `next` is the row that comes next.
  double weighted_sum(const double* row, Index begin, Index end, const double* next) const {
    const std::int32_t* sizes = sizes_.data();
    const double floor = floor_;
    return interleaved_sum(
        end - begin,
        [=](Index k) {
          const double size = static_cast<double>(sizes[begin + k]);
          return row[begin + k] * (size > floor ? size : floor);
        },
        next + begin);
  }

 private:
  void fill(Index begin, Index end, Index v) {
    const std::int32_t size = static_cast<std::int32_t>(tree_.sizes[v]);
    for (Index k = begin; k < end; ++k) sizes_[order_.samples[k]] = size;
  }

  const Tree& tree_;
  const HeavyFirstOrder& order_;
  std::vector<std::int32_t> sizes_;
  double floor_ = 0.0;
};

/// Throws unless each row of a CSR matrix is a range of what is stored.
void check_rows(std::span<const std::int64_t> row_ptr, Index n, std::int64_t n_stored) {
  bool holds = static_cast<Index>(row_ptr.size()) == n + 1 && row_ptr[0] >= 0 && row_ptr[n] <= n_stored;
  for (Index i = 0; holds && i < n; ++i) holds = row_ptr[i] <= row_ptr[i + 1];
  if (!holds) {
    throw std::invalid_argument(
        "similarity: expected row pointers that ascend from 0 to the number of entries, " +
        std::to_string(n_stored));
  }
}

}  // namespace

double dasgupta_cost_dense(const Tree& tree, std::span<const double> similarity) {
  const Index n = tree.n_samples();
  const HeavyFirstOrder order(tree);
  const double both = sum_over_chunks(n, [&](Index begin, Index end) {
    AncestorSizes ancestors(tree, order);
    Sum part;
    for (Index position = begin; position < end; ++position) {
      keep_on(static_cast<std::size_t>(n) / 2);
      ancestors.move_to(position, position == begin);
      const Index i = order.samples[position];
      const double* row = similarity.data() + i * n;
      // Two pieces, so that not even a NaN on the diagonal counts.
      const double* next = similarity.data() + order.samples[std::min(position + 1, end - 1)] * n;
      part.add(ancestors.weighted_sum(row, 0, i, next));
      part.add(ancestors.weighted_sum(row, i + 1, n, next));
    }
    return part.value();
  });
  return both / 2.0;
}

double dasgupta_cost_sparse(const Tree& tree, std::span<const std::int64_t> row_ptr,
                            std::span<const std::int32_t> column, std::span<const double> value) {
  const Index n = tree.n_samples();
  check_rows(row_ptr, n, static_cast<std::int64_t>(std::min(column.size(), value.size())));
  const double both = sum_over_chunks(n, [&](Index begin, Index end) {
    Sum part;
    for (Index position = begin; position < end; ++position) {  // tree order: neighbours share ancestors
      const Index i = tree.sample_order[position];
      keep_on(static_cast<std::size_t>(row_ptr[i + 1] - row_ptr[i]));
      for (Index k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        const Index j = column[k];
        if (j < 0 || j >= n) {
          throw std::invalid_argument("similarity has the column " + std::to_string(j) +
                                      " among the indices of row " + std::to_string(i) + "; expected 0.." +
                                      std::to_string(n - 1));
        }
        if (i == j) continue;
        part.add(value[k] * static_cast<double>(tree.sizes[tree.lca(tree.leaf_of[i], tree.leaf_of[j])]));
      }
    }
    return part.value();
  });
  return both / 2.0;
}

double dasgupta_cost_linear(const Tree& tree, std::span<const double> X, Index d) {
  // The pairs that meet at v are summed as (sum of what is joined so far) . (what joins), never as a
  // difference of squares. Heavy paths are climbed from their lowest node up; a light child on the way is a
  // path of its own, climbed first. So no more than log2(n) + 1 paths are open at a time, each with one
  // vector at the end of `sums`.
  struct Path {
    Index head, node,
        next;  // next: place in child_index of the next child of node, -1 before its own samples
  };
  std::vector<Path> open;
  std::vector<double> sums;
  Sum cost;
  const auto begin_path = [&](Index head) {
    Index v = head;
    while (tree.heavy[v] != -1) v = tree.heavy[v];
    open.push_back({head, v, -1});
    sums.resize(sums.size() + d, 0.0);
  };
  const auto join = [&](Index v, double* joined, const double* other) {
    keep_on(static_cast<std::size_t>(d));
    cost.add(static_cast<double>(tree.sizes[v]) *
             interleaved_sum(d, [=](Index k) { return joined[k] * other[k]; }));
    for (Index k = 0; k < d; ++k) joined[k] += other[k];
  };
  const auto row = [&](Index position) { return X.data() + tree.sample_order[position] * d; };

  begin_path(tree.root);
  while (true) {
    Path& path = open.back();
    const Index v = path.node;
    double* joined = sums.data() + (open.size() - 1) * d;
    if (path.next == -1) {
      for (Index k = tree.first[v]; k < tree.own_end(v); ++k) join(v, joined, row(k));
      path.next = tree.child_ptr[v];
    }
    Index light = -1;
    while (light == -1 && path.next < tree.child_ptr[v + 1]) {
      const Index c = tree.child_index[path.next++];
      if (c == tree.heavy[v]) continue;
      if (tree.sizes[c] == 1) join(v, joined, row(tree.first[c]));
      if (tree.sizes[c] > 1) light = c;
    }
    if (light != -1) {
      begin_path(light);
    } else if (v != path.head) {
      path.node = tree.parents[v];
      path.next = -1;
    } else {
      open.pop_back();
      if (open.empty()) return cost.value();
      join(open.back().node, joined - d, joined);
      sums.resize(sums.size() - d);
    }
  }
}

}  // namespace cladebench
