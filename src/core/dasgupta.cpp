#include <algorithm>

#include "cladebench/measures.hpp"

namespace cladebench {
namespace {

/// Rows that one task takes. Fixed, so that the sums do not depend on the number of threads.
constexpr Index kRowsPerChunk = 64;

/// Dot product in eight interleaved sums: enough for the compiler to use vector registers, in an order that
/// is ours.
template <typename T>
double dot(const double* a, const T* b, Index n) {
  constexpr Index lanes = 8;
  double sums[lanes] = {};
  Index k = 0;
  for (; k + lanes <= n; k += lanes) {
    for (Index lane = 0; lane < lanes; ++lane) sums[lane] += a[k + lane] * static_cast<double>(b[k + lane]);
  }
  for (Index lane = 0; k < n; ++k, ++lane) sums[lane] += a[k] * static_cast<double>(b[k]);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// Adds up task(begin, end) over fixed chunks of 0..n-1, in parallel; the order of addition is that of the
/// chunks.
template <typename Task>
double sum_over_chunks(Index n, const Task& task) {
  const Index n_chunks = (n + kRowsPerChunk - 1) / kRowsPerChunk;
  std::vector<double> parts(n_chunks);
#pragma omp parallel for schedule(dynamic, 1)
  for (Index chunk = 0; chunk < n_chunks; ++chunk) {
    parts[chunk] = task(chunk * kRowsPerChunk, std::min(n, (chunk + 1) * kRowsPerChunk));
  }
  Sum total;
  for (const double part : parts) total.add(part);
  return total.value();
}

/// Sizes of the lowest common ancestors of one sample with all others, kept up to date while that sample
/// moves through the tree's order.
class AncestorSizes {
 public:
  explicit AncestorSizes(const Tree& tree)
      : tree_(tree), order_(tree.sample_order.begin(), tree.sample_order.end()), sizes_(tree.n_samples()) {}

  /// Moves to the sample at `position`. From position - 1, only what lies below the lowest common ancestor of
  /// the two changes; otherwise (`fresh`) everything.
  void move_to(Index position, bool fresh) {
    Index v = tree_.leaf_of[order_[position]];
    if (!fresh && v == tree_.leaf_of[order_[position - 1]]) return;
    Index begin = position, end = position;
    while (true) {
      // What v has and the part already written has not.
      fill(tree_.first[v], begin, v);
      fill(end, tree_.last[v], v);
      begin = tree_.first[v];
      end = tree_.last[v];
      if (v == tree_.root || (!fresh && begin < position)) break;
      v = tree_.parents[v];
    }
  }

  /// Indexed by sample; the entry of the sample itself is meaningless.
  const std::int32_t* data() const { return sizes_.data(); }

 private:
  void fill(Index begin, Index end, Index v) {
    const std::int32_t size = static_cast<std::int32_t>(tree_.sizes[v]);
    for (Index k = begin; k < end; ++k) sizes_[order_[k]] = size;
  }

  const Tree& tree_;
  // 32 bits keep both near the processor, and suffice: a dense matrix of 2^31 rows cannot be stored.
  std::vector<std::int32_t> order_, sizes_;
};

}  // namespace

double dasgupta_cost_dense(const Tree& tree, std::span<const double> similarity) {
  const Index n = tree.n_samples();
  const double both = sum_over_chunks(n, [&](Index begin, Index end) {
    AncestorSizes ancestors(tree);
    Sum part;
    for (Index position = begin; position < end; ++position) {
      ancestors.move_to(position, position == begin);
      const Index i = tree.sample_order[position];
      const double* row = similarity.data() + i * n;
      // Two pieces, so that not even a NaN on the diagonal counts.
      part.add(dot(row, ancestors.data(), i));
      part.add(dot(row + i + 1, ancestors.data() + i + 1, n - i - 1));
    }
    return part.value();
  });
  return both / 2.0;
}

double dasgupta_cost_sparse(const Tree& tree, std::span<const std::int64_t> row_ptr,
                            std::span<const std::int32_t> column, std::span<const double> value) {
  const double both = sum_over_chunks(tree.n_samples(), [&](Index begin, Index end) {
    Sum part;
    for (Index position = begin; position < end; ++position) {  // tree order: neighbours share ancestors
      const Index i = tree.sample_order[position];
      for (Index k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        const Index j = column[k];
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
    cost.add(static_cast<double>(tree.sizes[v]) * dot(joined, other, d));
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
