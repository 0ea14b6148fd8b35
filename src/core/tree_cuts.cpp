#include "cladebench/tree_cuts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "cladebench/keep_on.hpp"

namespace cladebench::tree_fit {

bool lay_out(Cuts& tree) {
  const std::size_t n = tree.nodes();
  tree.child.assign(n, -1);
  tree.sibling.assign(n, -1);
  tree.order.clear();
  tree.waiting.clear();
  for (std::size_t v = n; v-- > 0;) {
    const Node up = tree.parent[v];
    if (up < 0) {
      tree.waiting.push_back(static_cast<Node>(v));
    } else {
      tree.sibling[v] = std::exchange(tree.child[up], static_cast<Node>(v));
    }
  }
  if (tree.waiting.size() != 1) return false;
  while (!tree.waiting.empty()) {
    const Node v = tree.waiting.back();
    tree.waiting.pop_back();
    tree.order.push_back(v);
    for (Node c = tree.child[v]; c != -1; c = tree.sibling[c]) tree.waiting.push_back(c);
  }
  if (tree.order.size() != n) return false;
  tree.n_nodes.assign(n, 1);
  for (std::size_t place = n; place-- > 1;) {
    const Node v = tree.order[place];
    tree.n_nodes[tree.parent[v]] += tree.n_nodes[v];
  }
  return true;
}

Cuts checked_tree(std::size_t k, const TreeParents& parents) {
  Cuts tree;
  tree.parent = parents;
  if (!lay_out(tree) || parents[0] != -1) {
    throw std::invalid_argument("parents are no tree with point 0 as its root");
  }
  TreeParents degree(parents.size(), 0);
  for (std::size_t v = 1; v < parents.size(); ++v) {
    ++degree[v];
    ++degree[parents[v]];
  }
  for (std::size_t v = 0; v < parents.size(); ++v) {
    if (v < k ? degree[v] != (k > 1) : degree[v] < 3) {
      throw std::invalid_argument("node " + std::to_string(v) + " of the parents has the degree " +
                                  std::to_string(degree[v]) + "; expected 1 of points, 3 or more of others");
    }
  }
  return tree;
}

namespace {

/// What lies below the node at this place, from what lies below its children.
void cut(std::span<const double> D, std::size_t k, Cuts& tree, std::size_t place) {
  const Node v = tree.order[place];
  keep_on(k);
  double* mine = tree.to_points.data() + static_cast<std::size_t>(v) * k;
  const bool is_point = v < static_cast<Node>(k);
  tree.size[v] = is_point ? 1.0 : 0.0;
  if (is_point) {
    std::copy_n(D.begin() + v * static_cast<Node>(k), k, mine);
  } else {
    std::fill_n(mine, k, 0.0);
  }
  for (Node c = tree.child[v]; c != -1; c = tree.sibling[c]) {
    tree.size[v] += tree.size[c];
    const double* theirs = tree.to_points.data() + static_cast<std::size_t>(c) * k;
    for (std::size_t j = 0; j < k; ++j) mine[j] += theirs[j];
  }
  if (place == 0) return;
  double across = 0.0;
  for (std::size_t j = 0; j < k; ++j) across += mine[j];
  for (std::size_t q = place; q < place + static_cast<std::size_t>(tree.n_nodes[v]); ++q) {
    if (tree.order[q] < static_cast<Node>(k)) across -= mine[tree.order[q]];
  }
  tree.sum[v] = across;
}

}  // namespace

Cuts cuts_of(std::span<const double> D, std::size_t k, TreeParents parent) {
  Cuts tree;
  const std::size_t n = parent.size();
  tree.parent = std::move(parent);
  lay_out(tree);
  tree.size.assign(n, 0.0);
  tree.sum.assign(n, 0.0);
  tree.to_points.assign(n * k, 0.0);
  for (std::size_t place = n; place-- > 0;) cut(D, k, tree, place);
  return tree;
}

void change(std::span<const double> D, std::size_t k, Cuts& tree, TreeParents parent) {
  const TreeParents child = tree.child, sibling = tree.sibling;
  tree.parent = std::move(parent);
  lay_out(tree);
  std::vector<char> other(tree.nodes(), 0);  // below which not all is as it was
  for (std::size_t place = tree.nodes(); place-- > 0;) {
    const Node v = tree.order[place];
    Node before = child[v], now = tree.child[v];
    for (; before == now && now != -1; before = sibling[before], now = tree.sibling[now]) {
      if (other[now]) other[v] = 1;
    }
    if (before != now) other[v] = 1;
    if (other[v]) cut(D, k, tree, place);
  }
}

Cuts seen_from(const Cuts& tree, std::size_t k, Node root) {
  Cuts seen;
  seen.parent = rerooted(tree.parent, root);
  lay_out(seen);
  seen.size = tree.size;
  seen.sum = tree.sum;
  for (Node v = root; tree.parent[v] != -1; v = tree.parent[v]) {
    seen.size[tree.parent[v]] = static_cast<double>(k) - tree.size[v];
    seen.sum[tree.parent[v]] = tree.sum[v];
  }
  seen.size[root] = static_cast<double>(k);
  seen.sum[root] = 0.0;
  return seen;
}

namespace {

/// Sums from the points that are not below v, from the same of its parent.
void outside_of(std::span<const double> D, std::size_t k, const Cuts& tree, Node v, const double* of_parent,
                double* mine) {
  const Node up = tree.parent[v];
  keep_on(k);
  const bool at_root = tree.parent[up] == -1;  // which is a point
  std::copy_n(at_root ? D.data() + static_cast<std::size_t>(up) * k : of_parent, k, mine);
  if (at_root) return;
  for (Node c = tree.child[up]; c != -1; c = tree.sibling[c]) {
    if (c == v) continue;
    const double* theirs = tree.to_points.data() + static_cast<std::size_t>(c) * k;
    for (std::size_t j = 0; j < k; ++j) mine[j] += theirs[j];
  }
}

}  // namespace

Values outside(std::span<const double> D, std::size_t k, const Cuts& tree) {
  Values sums(tree.nodes() * k, 0.0);
  for (std::size_t place = 1; place < tree.nodes(); ++place) {
    const Node v = tree.order[place], up = tree.parent[v];
    outside_of(D, k, tree, v, sums.data() + static_cast<std::size_t>(up) * k,
               sums.data() + static_cast<std::size_t>(v) * k);
  }
  return sums;
}

Values outside(std::span<const double> D, std::size_t k, const Cuts& tree, Node v) {
  TreeParents way;  // from v up to the root's child
  for (Node w = v; tree.parent[w] != -1; w = tree.parent[w]) way.push_back(w);
  Values of_parent(k), mine(k);
  while (!way.empty()) {
    of_parent.swap(mine);
    outside_of(D, k, tree, way.back(), of_parent.data(), mine.data());
    way.pop_back();
  }
  return mine;
}

Values paths(std::size_t k, const Cuts& tree, std::span<const double> lengths) {
  const std::size_t n = tree.nodes();
  Values apart(n * n, 0.0);  // of any two nodes
  for (std::size_t place = 1; place < n; ++place) {
    const std::size_t v = static_cast<std::size_t>(tree.order[place]);
    const std::size_t up = static_cast<std::size_t>(tree.parent[v]);
    keep_on(place);
    for (std::size_t before = 0; before < place; ++before) {
      const std::size_t u = static_cast<std::size_t>(tree.order[before]);
      apart[u * n + v] = apart[v * n + u] = apart[up * n + u] + lengths[v];
    }
  }
  Values between_points(k * k);
  for (std::size_t i = 0; i < k; ++i) std::copy_n(apart.begin() + i * n, k, between_points.begin() + i * k);
  return between_points;
}

}  // namespace cladebench::tree_fit

namespace cladebench {

TreeParents rerooted(TreeParents parent, std::int64_t root) {
  std::int64_t below = -1;
  for (std::int64_t v = root; v != -1;) {
    const std::int64_t up = parent[v];
    parent[v] = below;
    below = v;
    v = up;
  }
  return parent;
}

std::vector<double> path_distances(std::size_t k, const TreeParents& parents,
                                   std::span<const double> lengths) {
  return tree_fit::paths(k, tree_fit::checked_tree(k, parents), lengths);
}

}  // namespace cladebench
