#include "cladebench/tree_metric.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "cladebench/tree_cuts.hpp"
#include "cladebench/tree_lengths.hpp"
#include "cladebench/tree_search.hpp"

namespace cladebench {
namespace {

using tree_fit::Best;
using tree_fit::Cuts;
using tree_fit::Node;

/// Adds points `next`.. to each edge in turn.
void enumerate(std::span<const double> D, std::size_t k, std::size_t next, TreeParents& parent, Best& best) {
  if (next == k) {
    Cuts tree = tree_fit::cuts_of(D, k, parent);
    best.offer(tree);
    return;
  }
  const Node point = static_cast<Node>(next), inner = static_cast<Node>(k + next - 2);
  for (Node v = 1; v < inner; v = v + 1 == point ? static_cast<Node>(k) : v + 1) {
    const Node up = parent[v];
    parent[inner] = up;
    parent[v] = parent[point] = inner;
    enumerate(D, k, next + 1, parent, best);
    parent[v] = up;
  }
}

}  // namespace

std::vector<double> nonnegative_lengths(std::span<const double> distances, std::size_t k,
                                        const TreeParents& parents) {
  const Cuts tree = tree_fit::cuts_of(distances, k, tree_fit::checked_tree(k, parents).parent);
  std::vector<double> x;
  tree_fit::Lengths(distances, k).nonnegative(tree, x);
  return x;
}

TreeParents best_of_all_trees(std::span<const double> distances, std::size_t k) {
  if (k <= 2) return neighbor_joining(distances, k);
  TreeParents parent(2 * k - 2, -1);
  parent[1] = 0;
  Best best(distances, k);
  enumerate(distances, k, 2, parent, best);
  return best.parent();
}

TreeParents search_trees(std::span<const double> distances, std::size_t k, const TreeParents& start,
                         std::size_t radius) {
  tree_fit::checked_tree(k, start);
  if (k <= 3) return start;
  if (start.size() != 2 * k - 2) throw std::invalid_argument("the start is no binary tree");
  tree_fit::Search search(distances, k, start);
  do {
    while (search.exchange()) {
    }
  } while (search.move(radius));
  return rerooted(search.parent(), 0);
}

}  // namespace cladebench
