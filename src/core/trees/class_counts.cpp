#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/keep_on.hpp"
#include "trees/tree.hpp"

namespace cladebench {

template <class Count>
void class_counts(const Tree& tree, std::span<const std::int32_t> labels, std::size_t n_classes,
                  Count* counts) {
  std::vector<std::int32_t> ordered(labels.size());  // a node's samples are one range
  keep_on(8 * ordered.size());
  for (std::size_t k = 0; k < ordered.size(); ++k) ordered[k] = labels[tree.sample_order[k]];
  // To count so few samples takes less than to add a row of counts, which memory has to bring.
  const Index few = static_cast<Index>(n_classes);
  const auto row_of = [&](Index v) { return counts + static_cast<std::size_t>(v) * n_classes; };
  for (std::size_t at = tree.preorder.size(); at-- > 0;) {
    const Index v = tree.preorder[at];
    Count* row = row_of(v);
    keep_on(n_classes);
    std::fill_n(row, n_classes, Count{0});
    const auto count = [&](Index first, Index last) {
      keep_on(static_cast<std::size_t>(last - first));
      for (Index k = first; k < last; ++k) ++row[ordered[k]];
    };
    if (tree.sizes[v] <= few) {
      count(tree.first[v], tree.last[v]);
      continue;
    }
    count(tree.first[v], tree.own_end(v));
    for (const Index child : tree.children(v)) {
      if (tree.sizes[child] <= few) {
        count(tree.first[child], tree.last[child]);
        continue;
      }
      keep_on(n_classes);
      const Count* below = row_of(child);
      for (std::size_t c = 0; c < n_classes; ++c) row[c] += below[c];
    }
  }
}

template void class_counts(const Tree&, std::span<const std::int32_t>, std::size_t, std::int32_t*);
template void class_counts(const Tree&, std::span<const std::int32_t>, std::size_t, std::int64_t*);

}  // namespace cladebench
