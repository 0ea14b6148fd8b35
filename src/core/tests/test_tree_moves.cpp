#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "trees/tree_cuts.hpp"
#include "trees/tree_lengths.hpp"
#include "trees/tree_metric.hpp"
#include "trees/tree_moves.hpp"

using cladebench::TreeParents;
using namespace cladebench::additive;

namespace {

using Random = std::mt19937_64;
using Neighbors = std::vector<std::vector<Node>>;

enum class Kind { kApart, kTies, kNearlyEqual };

/// Numbers between 0 and 1; few numbers, many of them equal; numbers that differ by
/// 1e-6 or 1e-5, around where squares are known by their rounding alone.
Values random_distances(Random& random, std::size_t k, Kind kind) {
  Values D(k * k, 0.0);
  const double spread = random() % 2 ? 1e-6 : 1e-5;
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double x = static_cast<double>(random() >> 11) * 0x1.0p-53;
      if (kind == Kind::kTies) x = std::floor(4.0 * x);
      if (kind == Kind::kNearlyEqual) x = 1.0 + spread * x;
      D[i * k + j] = D[j * k + i] = x;
    }
  }
  return D;
}

/// Points in turn hang on an edge drawn at random, the root's if `is_comb`.
TreeParents random_binary(Random& random, std::size_t k, bool is_comb = false) {
  TreeParents parents(k, -1), nodes{1};
  parents[1] = 0;
  for (std::size_t point = 2; point < k; ++point) {
    const Node inner = static_cast<Node>(parents.size());
    const Node below = is_comb ? nodes.back() : nodes[random() % nodes.size()];
    parents.push_back(parents[below]);
    parents[below] = parents[point] = inner;
    nodes.insert(nodes.end(), {static_cast<Node>(point), inner});
  }
  return parents;
}

bool is_or_is_below(const TreeParents& parents, Node w, Node v) {
  while (w != -1 && w != v) w = parents[w];
  return w == v;
}

/// All sums that a moved tree is scored by are those that another object adds up from nothing.
void check_equal(Parts& parts, Parts& fresh, std::size_t k) {
  const Cuts &tree = parts.tree(), &other = fresh.tree();
  CHECK(tree.parent == other.parent && tree.order == other.order);
  CHECK(tree.size == other.size && tree.sum == other.sum);
  Values beyond, other_beyond;
  for (Node v = 1; v < static_cast<Node>(tree.nodes()); ++v) {
    const double *between = parts.between(v), *other_between = fresh.between(v);
    CHECK(std::equal(between, between + tree.nodes(), other_between));
    CHECK(parts.to_all(v) == fresh.to_all(v));
    parts.beyond(v, beyond);
    fresh.beyond(v, other_beyond);
    CHECK(beyond == other_beyond);
    for (Node w = 0; w < static_cast<Node>(k); ++w) {
      if (is_or_is_below(tree.parent, w, v))
        CHECK(std::abs(beyond[w] + between[w] - parts.to_all(w)) < 1e-12);
    }
  }
}

double squares_of(const Values& D, std::size_t k, const TreeParents& parents) {
  const Values fitted =
      cladebench::path_distances(k, parents, cladebench::nonnegative_lengths(D, k, parents));
  double sum = 0.0;
  for (std::size_t i = 0; i < k * k; ++i) sum += (D[i] - fitted[i]) * (D[i] - fitted[i]) / 2.0;
  return sum;
}

double squares_of_all(const Values& D) {
  double sum = 0.0;
  for (const double x : D) sum += x * x / 2.0;
  return sum;
}

TreeParents rooted_at_0(const Neighbors& neighbors) {
  TreeParents parents(neighbors.size(), -1), waiting{0};
  while (!waiting.empty()) {
    const Node v = waiting.back();
    waiting.pop_back();
    for (const Node w : neighbors[v]) {
      if (w == parents[v]) continue;
      parents[w] = v;
      waiting.push_back(w);
    }
  }
  return parents;
}

void exchange(std::vector<Node>& among, Node old, Node now) {
  *std::find(among.begin(), among.end(), old) = now;
}

/// Hangs `from`, with its branch, between two nodes; where it was, its two neighbours are joined.
TreeParents moved(Neighbors neighbors, Node from, std::array<Node, 2> old, std::array<Node, 2> now) {
  exchange(neighbors[old[0]], from, old[1]);
  exchange(neighbors[old[1]], from, old[0]);
  exchange(neighbors[now[0]], now[1], from);
  exchange(neighbors[now[1]], now[0], from);
  exchange(neighbors[from], old[0], now[0]);
  exchange(neighbors[from], old[1], now[1]);
  return rooted_at_0(neighbors);
}

Neighbors neighbors_of(const TreeParents& parents) {
  Neighbors neighbors(parents.size());
  for (std::size_t v = 1; v < parents.size(); ++v) {
    neighbors[v].push_back(parents[v]);
    neighbors[parents[v]].push_back(static_cast<Node>(v));
  }
  return neighbors;
}

/// The least squares of all trees that moves of one branch make, by trying every one.
double least_of_branch(const Values& D, std::size_t k, const Neighbors& neighbors, Node from, Node branch,
                       std::size_t radius) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<Node> old;
  std::copy_if(neighbors[from].begin(), neighbors[from].end(), std::back_inserter(old),
               [&](Node w) { return w != branch; });
  std::vector<std::array<Node, 2>> edges{{from, old[0]}, {from, old[1]}};  // the second end is farther off
  for (std::size_t steps = 0; steps < radius; ++steps) {
    std::vector<std::array<Node, 2>> further;
    for (const auto& [near, node] : edges) {
      for (const Node next : neighbors[node]) {
        if (next == near) continue;
        further.push_back({node, next});
        const TreeParents tree = moved(neighbors, from, {old[0], old[1]}, {node, next});
        least = std::min(least, squares_of(D, k, tree));
      }
    }
    edges = further;
  }
  return least;
}

/// The least squares of the tree and of all that one move makes. No branch gains more than `moves` says,
/// which are none where the tree was perfect.
double least_of_all_moves(const Values& D, std::size_t k, const TreeParents& parents, std::size_t radius,
                          const Moves* moves) {
  const Neighbors neighbors = neighbors_of(parents);
  const double given = squares_of(D, k, parents);
  double least = given;
  for (Node from = static_cast<Node>(k); from < static_cast<Node>(parents.size()); ++from) {
    for (const Node branch : neighbors[from]) {
      const double found = least_of_branch(D, k, neighbors, from, branch, radius);
      CHECK(!moves || moves->most_gained(from, branch) >= given - found - 1e-12 * squares_of_all(D));
      least = std::min(least, found);
    }
  }
  return least;
}

}  // namespace

TEST(parts_of_the_next_tree_are_those_of_a_fresh_sum) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    const std::size_t k = 4 + random() % 20;
    const Values D = random_distances(random, k, Kind::kApart);
    TreeParents parents = random_binary(random, k, round % 4 == 0);
    Parts parts(D, k);
    for (int step = 0; step < 8; ++step) {
      if (step == 5) parents = random_binary(random, k);  // nearly all is new
      parts.take(parents);
      Parts fresh(D, k);
      fresh.take(parents);
      check_equal(parts, fresh, k);
      // Two points change places: what is above them is new, and the rest is not.
      std::swap(parents[1 + random() % (k - 1)], parents[1 + random() % (k - 1)]);
    }
  }
}

TEST(parts_by_hand) {
  // Points 1 and 2 below node 4, 4 and 3 below node 5, which hangs on point 0.
  const Values D{0, 1, 2, 4, 1, 0, 8, 16, 2, 8, 0, 32, 4, 16, 32, 0};
  Parts parts(D, 4);
  parts.take({-1, 4, 4, 5, 5, 0});
  CHECK(parts.between(4)[3] == 48.0 && parts.between(3)[4] == 48.0 && parts.between(1)[2] == 8.0);
  CHECK(parts.to_all(5) == 119.0 && parts.between(5)[5] == 112.0 && parts.between(5)[4] == 64.0);
  Values beyond;
  parts.beyond(5, beyond);
  CHECK(beyond == Values({0, 1, 2, 4}));
  parts.beyond(4, beyond);
  CHECK(beyond[1] == 17.0 && beyond[2] == 34.0);
  CHECK(parts.tree().sum == Values({0, 25, 42, 52, 51, 7}));
}

TEST(a_round_makes_the_best_of_all_moves) {
  Random random(2);
  constexpr std::array kinds{Kind::kApart, Kind::kTies, Kind::kNearlyEqual};
  for (int round = 0; round < 400; ++round) {
    const std::size_t k = 4 + random() % 8, radius = 1 + random() % 6;
    const Values D = random_distances(random, k, kinds[round % 3]);
    TreeParents start = random_binary(random, k, round % 4 == 0);
    if (round % 2 == 0) start = cladebench::neighbor_joining(D, k);
    Best best(D, k);
    Cuts tree = cuts_of(D, k, start);
    best.offer(tree);
    Moves moves(D, k, best);
    for (int step = 0; step < 6; ++step) {
      const TreeParents before = cladebench::rerooted(best.parent(), 0);
      const bool is_perfect = best.is_perfect(), improved = moves.offer_all(radius);
      const double least = least_of_all_moves(D, k, before, radius, is_perfect ? nullptr : &moves);
      const double found = squares_of(D, k, cladebench::rerooted(best.parent(), 0));
      const double given = squares_of(D, k, before);
      CHECK(found <= least * (1.0 + 1e-8) + 1e-20);
      CHECK(improved ? found < given : best.parent() == before || found == given);
      if (!improved) break;
    }
  }
}

TEST(no_branch_gains_more_than_is_known_from_earlier_rounds) {
  Random random(3);
  for (int round = 0; round < 3; ++round) {
    const std::size_t k = 16;
    const Values D = random_distances(random, k, round % 3 ? Kind::kApart : Kind::kTies);
    Best best(D, k);
    Cuts tree = cuts_of(D, k, random_binary(random, k, round % 4 == 0));
    best.offer(tree);
    Moves moves(D, k, best);
    for (int step = 0; step < 8; ++step) {
      const std::size_t radius = step % 4 == 3 ? 3 : 1;
      const TreeParents before = cladebench::rerooted(best.parent(), 0);
      const bool is_perfect = best.is_perfect();
      moves.offer_all(radius);
      const double least = least_of_all_moves(D, k, before, radius, is_perfect ? nullptr : &moves);
      CHECK(squares_of(D, k, cladebench::rerooted(best.parent(), 0)) <= least * (1.0 + 1e-8));
    }
  }
}

TEST(what_is_known_from_earlier_rounds_changes_no_choice) {
  Random random(4);
  constexpr std::array kinds{Kind::kApart, Kind::kTies, Kind::kNearlyEqual};
  for (int round = 0; round < 12; ++round) {
    const std::size_t k = 20 + random() % 40, far = 2 + random() % 9;
    const Values D = random_distances(random, k, kinds[round % 3]);
    Best best(D, k);
    Cuts tree = cuts_of(D, k, random_binary(random, k, round % 4 == 0));
    best.offer(tree);
    Moves moves(D, k, best);
    for (int step = 0; step < 16; ++step) {
      const std::size_t radius = random() % 3 ? 1 : far;
      Best alone = best;
      const bool improved = moves.offer_all(radius);
      CHECK(Moves(D, k, alone).offer_all(radius) == improved);
      CHECK(alone.parent() == best.parent());
    }
  }
}
