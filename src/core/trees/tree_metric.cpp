#include "trees/tree_metric.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/keep_on.hpp"
#include "trees/tree_cuts.hpp"
#include "trees/tree_lengths.hpp"
#include "trees/tree_moves.hpp"

namespace cladebench {
namespace {

using additive::Best, additive::Cuts, additive::Node, additive::Values;

/// Adds points `next`.. to each edge in turn.
void enumerate(std::span<const double> D, std::size_t k, std::size_t next, TreeParents& parent, Best& best) {
  if (next == k) {
    Cuts tree = additive::cuts_of(D, k, parent);
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

TreeParents rerooted(TreeParents parent, Node root) {
  Node below = -1;
  for (Node v = root; v != -1;) {
    const Node up = parent[v];
    parent[v] = below;
    below = v;
    v = up;
  }
  return parent;
}

std::vector<double> nonnegative_lengths(std::span<const double> distances, std::size_t k,
                                        const TreeParents& parents) {
  const Cuts tree = additive::cuts_of(distances, k, additive::checked(k, parents).parent);
  Values x;
  additive::Lengths(distances, k).nonnegative(tree, x);
  return x;
}

std::vector<double> path_distances(std::size_t k, const TreeParents& parents,
                                   std::span<const double> lengths) {
  additive::Paths paths;
  paths.measure(additive::checked(k, parents), lengths);
  Values between_points(k * k);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) between_points[i * k + j] = paths.between(i, j);
  }
  return between_points;
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
  additive::checked(k, start);
  if (k <= 3) return start;
  if (start.size() != 2 * k - 2) throw std::invalid_argument("the start is no binary tree");
  Best best(distances, k);
  Cuts tree = additive::cuts_of(distances, k, start);
  best.offer(tree);
  additive::Moves moves(distances, k, best);
  do {
    while (moves.offer_all(1)) {
    }
  } while (moves.offer_all(radius));
  return rerooted(best.parent(), 0);
}

double four_point_excess(std::span<const double> D, std::size_t k) {
  double worst = 0.0;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      keep_on(k);
      for (std::size_t c = 0; c < k; ++c) {
        worst = std::max(worst, D[a * k + b] - (D[a * k + c] + D[c * k + b]));
      }
      for (std::size_t c = b + 1; c < k; ++c) {
        keep_on(k - c);
        for (std::size_t d = c + 1; d < k; ++d) {
          // Of the three sums the largest less the second.
          double one = D[a * k + b] + D[c * k + d], two = D[a * k + c] + D[b * k + d];
          const double three = D[a * k + d] + D[b * k + c];
          if (one < two) std::swap(one, two);
          worst = std::max(worst, three > one ? three - one : one - std::max(two, three));
        }
      }
    }
  }
  return worst;
}

}  // namespace cladebench
