#include "trees/tree_cuts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/keep_on.hpp"

namespace cladebench::additive {

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

Cuts checked(std::size_t k, const TreeParents& parents) {
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

double sum_across(const Cuts& tree, std::size_t k, std::size_t place, const double* to_points) {
  const auto v = static_cast<std::size_t>(tree.order[place]);
  double across = 0.0;
  for (std::size_t j = 0; j < k; ++j) across += to_points[j];
  for (std::size_t q = place; q < place + static_cast<std::size_t>(tree.n_nodes[v]); ++q) {
    if (tree.order[q] < static_cast<Node>(k)) across -= to_points[tree.order[q]];
  }
  return across;
}

Cuts cuts_of(std::span<const double> D, std::size_t k, TreeParents parent) {
  Cuts tree;
  tree.parent = std::move(parent);
  lay_out(tree);
  const std::size_t n = tree.nodes();
  tree.size.assign(n, 0.0);
  tree.sum.assign(n, 0.0);
  std::fill_n(tree.size.begin(), k, 1.0);
  Values to_points(n * k, 0.0);  // sums of D from the points below each node to each point
  std::copy_n(D.begin(), k * k, to_points.begin());
  for (std::size_t place = n; place-- > 1;) {
    const Node v = tree.order[place], up = tree.parent[v];
    const double* mine = to_points.data() + static_cast<std::size_t>(v) * k;
    double* theirs = to_points.data() + static_cast<std::size_t>(up) * k;
    keep_on(k);
    tree.sum[v] = sum_across(tree, k, place, mine);
    tree.size[up] += tree.size[v];
    for (std::size_t j = 0; j < k; ++j) theirs[j] += mine[j];
  }
  return tree;
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

Values turned(const TreeParents& parents, Node root, Values values) {
  double below = 0.0;
  for (Node v = root; v != -1; v = parents[v]) std::swap(below, values[v]);
  return values;
}

void Paths::measure(const Cuts& tree, std::span<const double> lengths) {
  const std::size_t n = tree.nodes();
  place_.resize(n);
  apart_.resize(n * (n - 1) / 2);
  for (std::size_t place = 0; place < n; ++place) {
    place_[static_cast<std::size_t>(tree.order[place])] = place;
  }
  for (std::size_t place = 1; place < n; ++place) {
    const auto v = static_cast<std::size_t>(tree.order[place]);
    const std::size_t up = place_[static_cast<std::size_t>(tree.parent[v])];
    const double length = lengths[v];
    const double* theirs = row(up);
    double* mine = row(place);
    keep_on(place);
    for (std::size_t before = 0; before < up; ++before) mine[before] = theirs[before] + length;
    mine[up] = length;
    for (std::size_t before = up + 1; before < place; ++before) mine[before] = row(before)[up] + length;
  }
}

}  // namespace cladebench::additive
