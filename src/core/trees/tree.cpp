#include "trees/tree.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

Index find_root(const std::vector<Index>& parents) {
  const Index n = static_cast<Index>(parents.size());
  Index root = -1;
  for (Index v = 0; v < n; ++v) {
    const Index p = parents[v];
    if (p < -1 || p >= n) {
      fail("parents[" + std::to_string(v) + "] is " + std::to_string(p) +
           "; expected -1 (the root) or a node 0.." + std::to_string(n - 1));
    }
    if (p == -1) {
      if (root != -1) {
        fail("parents has two roots (-1), at nodes " + std::to_string(root) + " and " + std::to_string(v) +
             "; expected exactly one");
      }
      root = v;
    }
  }
  if (root == -1) fail("parents has no root; expected exactly one -1");
  return root;
}

}  // namespace

Tree::Tree(std::vector<Index> parents_in, std::vector<Index> leaf_of_in)
    : parents(std::move(parents_in)), leaf_of(std::move(leaf_of_in)) {
  root = find_root(parents);
  if (n_samples() == 0) fail("leaf_of is empty; expected at least one sample");
  sort_children();
  walk();
  place_samples();
  find_heavy_paths();
}

/// By counting; scanning nodes upwards leaves children in index order.
void Tree::sort_children() {
  const Index n = n_nodes();
  child_ptr.assign(n + 1, 0);
  for (const Index p : parents) {
    if (p >= 0) ++child_ptr[p + 1];
  }
  for (Index v = 0; v < n; ++v) child_ptr[v + 1] += child_ptr[v];
  child_index.resize(n - 1);
  std::vector<Index> cursor(child_ptr.begin(), child_ptr.end() - 1);
  for (Index v = 0; v < n; ++v) {
    if (parents[v] >= 0) child_index[cursor[parents[v]]++] = v;
  }
}

/// Preorder from an explicit stack: the depth of the tree is bounded by memory alone.
void Tree::walk() {
  const Index n = n_nodes();
  keep_on(static_cast<std::size_t>(n));
  preorder.reserve(n);
  depths.assign(n, 0);
  std::vector<Index> stack{root};
  while (!stack.empty()) {
    const Index v = stack.back();
    stack.pop_back();
    preorder.push_back(v);
    for (Index k = child_ptr[v + 1] - 1; k >= child_ptr[v]; --k) {
      depths[child_index[k]] = depths[v] + 1;
      stack.push_back(child_index[k]);
    }
  }
  if (static_cast<Index>(preorder.size()) == n) return;
  std::vector<char> seen(n, 0);
  for (const Index v : preorder) seen[v] = 1;
  Index lost = 0;
  while (seen[lost]) ++lost;
  fail("parents has a cycle: node " + std::to_string(lost) + " does not descend from the root " +
       std::to_string(root));
}

void Tree::place_samples() {
  const Index n = n_nodes(), m = n_samples();
  keep_on(static_cast<std::size_t>(n + m));
  std::vector<Index> counts(n, 0), cursor(n);
  for (Index i = 0; i < m; ++i) {
    if (leaf_of[i] < 0 || leaf_of[i] >= n) {
      fail("leaf_of[" + std::to_string(i) + "] is " + std::to_string(leaf_of[i]) + "; expected a node 0.." +
           std::to_string(n - 1));
    }
    ++counts[leaf_of[i]];
  }
  sizes = counts;
  for (Index k = n - 1; k > 0; --k) sizes[parents[preorder[k]]] += sizes[preorder[k]];

  first.resize(n);
  last.resize(n);
  Index position = 0;
  for (const Index v : preorder) {
    first[v] = cursor[v] = position;
    last[v] = position + sizes[v];
    position += counts[v];
  }
  sample_order.resize(m);
  for (Index i = 0; i < m; ++i) sample_order[cursor[leaf_of[i]]++] = i;
}

void Tree::find_heavy_paths() {
  const Index n = n_nodes();
  keep_on(static_cast<std::size_t>(n + n_samples()));
  heavy.assign(n, -1);
  head.resize(n);
  for (const Index v : preorder) {
    for (const Index c : children(v)) {
      if (heavy[v] == -1 || sizes[c] > sizes[heavy[v]]) heavy[v] = c;
    }
    head[v] = v != root && heavy[parents[v]] == v ? head[parents[v]] : v;
  }
}

Index Tree::lca(Index u, Index v) const {
  while (head[u] != head[v]) {
    if (depths[head[u]] >= depths[head[v]]) {
      u = parents[head[u]];
    } else {
      v = parents[head[v]];
    }
  }
  return depths[u] <= depths[v] ? u : v;
}

}  // namespace cladebench
