#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "check.hpp"
#include "trees/perch.hpp"

using cladebench::Box;
using cladebench::perch;
using cladebench::PerchResult;
using cladebench::PerchTree;
using cladebench::Rotations;

namespace {

using Node = PerchTree::Node;

constexpr Rotations kAllRotations[] = {Rotations::kNone, Rotations::kMasking, Rotations::kMaskingAndBalance};

std::size_t at(Node v) { return static_cast<std::size_t>(v); }

/// Whole coordinates 0..levels-1: many ties and duplicates, and exact distances.
std::vector<double> grid(std::mt19937_64& random, std::size_t n, std::size_t d, std::uint64_t levels) {
  std::vector<double> points(n * d);
  for (double& x : points) x = static_cast<double>(random() % levels);
  return points;
}

double squared_distance(const double* a, const double* b, std::size_t d) {
  double sum = 0.0;
  for (std::size_t k = 0; k < d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/// Every node is reached once from the root; its links, count and box agree with the points that it holds.
void check_structure(PerchTree& tree, const std::vector<double>& points, std::size_t d) {
  const Node n = tree.n_inserted();
  std::vector<std::vector<Node>> held(at(2 * tree.n_points() - 1));
  for (Node t = 0; t < n; ++t) held[at(tree.leaf_of(t))].push_back(t);
  std::vector<Node> order{tree.root()};
  CHECK(tree.parent(tree.root()) == PerchTree::kNone);
  std::size_t n_leaves = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node v = order[k];
    CHECK(tree.is_alive(v));
    if (tree.is_leaf(v)) {
      ++n_leaves;
      CHECK(!held[at(v)].empty());
      continue;
    }
    CHECK(held[at(v)].empty());
    const auto [first, second] = tree.children(v);
    CHECK(first != second && tree.parent(first) == v && tree.parent(second) == v);
    order.insert(order.end(), {first, second});
  }
  CHECK((std::set<Node>(order.begin(), order.end()).size() == order.size()));
  CHECK(n_leaves == tree.n_leaves() && order.size() == 2 * n_leaves - 1);
  for (std::size_t k = order.size(); k-- > 0;) {
    const Node v = order[k];
    if (!tree.is_leaf(v)) {
      for (const Node child : {tree.children(v).first, tree.children(v).second}) {
        held[at(v)].insert(held[at(v)].end(), held[at(child)].begin(), held[at(child)].end());
      }
    }
    CHECK(tree.count(v) == static_cast<Node>(held[at(v)].size()));
    const Box box = tree.box(v);
    for (std::size_t j = 0; j < d; ++j) {
      double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
      for (const Node t : held[at(v)]) {
        lowest = std::min(lowest, points[at(t) * d + j]);
        highest = std::max(highest, points[at(t) * d + j]);
      }
      CHECK(box.lower[j] == lowest && box.upper[j] == highest);
    }
  }
}

}  // namespace

TEST(box_distances_by_hand) {
  const double a_lower[8] = {0.0, 0.0}, a_upper[8] = {1.0, 2.0};
  const double b_lower[8] = {4.0, 1.0}, b_upper[8] = {6.0, 3.0};
  const Box a{a_lower, a_upper}, b{b_lower, b_upper};
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(cladebench::nearest_distance(a, b, 8) == 9.0 && cladebench::nearest_distance(b, a, 8) == 9.0);
  CHECK(cladebench::farthest_distance(a, b, 8) == 45.0 && cladebench::farthest_distance(b, a, 8) == 45.0);
  CHECK(cladebench::nearest_distance(a, a, 8) == 0.0 && cladebench::farthest_distance(a, a, 8) == 5.0);
  CHECK(cladebench::point_box_distance(b_upper, a, 8, infinity) == 26.0);
  CHECK(cladebench::point_distance(a_lower, b_lower, 8, infinity) == 17.0);
}

TEST(box_never_farther_than_the_points_in_it) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t width = cladebench::padded_width(1 + random() % 70);
    std::vector<double> rows[3];
    for (auto& row : rows) {
      for (std::size_t k = 0; k < width; ++k) {
        row.push_back(1e-3 * static_cast<double>(random() % 100000) / 7.0 - 5.0);
      }
    }
    std::vector<double> lower(width), upper(width);
    for (std::size_t k = 0; k < width; ++k) {
      lower[k] = std::min(rows[0][k], rows[1][k]);
      upper[k] = std::max(rows[0][k], rows[1][k]);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    const double whole = cladebench::point_distance(rows[2].data(), rows[0].data(), width, infinity);
    const Box box{lower.data(), upper.data()};
    CHECK(cladebench::point_box_distance(rows[2].data(), box, width, infinity) <= whole);
    CHECK(cladebench::point_distance(rows[2].data(), rows[0].data(), width, whole) == whole);
    const double limit = 0.3 * whole;
    CHECK(cladebench::point_distance(rows[2].data(), rows[0].data(), width, limit) > limit);
  }
}

TEST(perch_structure_holds_after_every_insertion) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 1 + random() % 60, d = 1 + random() % 20;
    const std::vector<double> points = grid(random, n, d, 1 + random() % 6);
    for (const Rotations rotations : kAllRotations) {
      for (const std::size_t max_leaves : {0, 1, 2, 5, 30}) {
        PerchTree tree(points, d, rotations, max_leaves);
        while (tree.n_inserted() < tree.n_points()) {
          tree.insert_next();
          CHECK(max_leaves == 0 || tree.n_leaves() <= max_leaves);
          check_structure(tree, points, d);
        }
        const std::size_t expected = max_leaves == 0 ? n : std::min(n, max_leaves);
        CHECK(tree.n_leaves() == expected);
      }
    }
  }
}

TEST(perch_without_rotations_splits_the_nearest_earlier_point) {
  // Enough points for the search to give up on boxes, in few and in many dimensions.
  std::mt19937_64 random(2);
  for (const std::size_t d : {2, 40}) {
    const std::size_t n = 1500;
    const std::vector<double> points = grid(random, n, d, 50);
    PerchTree tree(points, d, Rotations::kNone, 0);
    tree.insert_next();
    for (Node t = 1; t < tree.n_points(); ++t) {
      Node nearest = 0;
      const double* x = points.data() + at(t) * d;
      for (Node s = 1; s < t; ++s) {
        if (squared_distance(x, points.data() + at(s) * d, d) <
            squared_distance(x, points.data() + at(nearest) * d, d)) {
          nearest = s;
        }
      }
      tree.insert_next();
      CHECK(tree.parent(nearest) == tree.parent(t));
    }
  }
}

TEST(perch_rotates_a_masked_node) {
  // 3, 0 and 4 make ((3, 4), 0); 20 is nearest to 4 and makes ((3, (4, 20)), 0). Now 4 is nearer to its aunt,
  // the leaf 3, than to its sibling: 3 and 20 change places.
  const std::vector<double> points{3.0, 0.0, 4.0, 20.0};
  PerchTree plain(points, 1, Rotations::kNone, 0), masking(points, 1, Rotations::kMasking, 0);
  for (int k = 0; k < 4; ++k) {
    plain.insert_next();
    masking.insert_next();
  }
  CHECK(plain.parent(3) == plain.parent(2));
  CHECK(masking.parent(0) == masking.parent(2));
  CHECK(masking.parent(3) != masking.parent(2));
}

TEST(perch_balance_rotations_flatten_a_chain) {
  // Ever closer to 0: without rotations each point hangs below the one before.
  std::vector<double> points;
  for (int k = 0; k < 200; ++k) points.push_back(200.0 - k);
  std::size_t depth[3] = {};
  for (const Rotations rotations : kAllRotations) {
    const PerchResult tree = perch(points, 1, rotations, 0);
    for (Node t = 0; t < 200; ++t) {
      std::size_t steps = 0;
      for (Node v = tree.leaf_of[at(t)]; tree.parents[at(v)] != -1; v = tree.parents[at(v)]) ++steps;
      depth[static_cast<int>(rotations)] = std::max(depth[static_cast<int>(rotations)], steps);
    }
  }
  CHECK(depth[0] == 199);
  CHECK(depth[2] < 20);
}

TEST(perch_duplicates) {
  // All points equal: nothing rotates (all distances tie), each point splits the first leaf.
  const std::vector<double> points(3 * 50, 7.0);
  for (const Rotations rotations : kAllRotations) {
    const PerchResult tree = perch(points, 3, rotations, 0);
    CHECK(tree.parents.size() == 99 && tree.parents[0] == tree.parents[49]);
    for (Node t = 1; t < 49; ++t) CHECK(tree.parents[at(t)] == 49 + t && tree.parents[at(50 + t)] == 49 + t);
    for (const double height : tree.heights) CHECK(height == 0.0);
  }
}

TEST(perch_collapse_bounds_the_leaves) {
  // Three tight pairs, far apart: with three leaves each pair becomes one.
  const std::vector<double> points{0.0, 100.0, 201.0, 1.0, 101.5, 203.0};
  const PerchResult tree = perch(points, 1, Rotations::kMaskingAndBalance, 3);
  CHECK(tree.parents.size() == 5);
  for (int t = 0; t < 3; ++t) CHECK(tree.leaf_of[at(t)] == tree.leaf_of[at(t + 3)]);
  CHECK(tree.leaf_of[0] != tree.leaf_of[1] && tree.leaf_of[1] != tree.leaf_of[2]);
  CHECK(*std::min_element(tree.heights.begin(), tree.heights.end()) == 1.0);
  const PerchResult one = perch(points, 1, Rotations::kMasking, 1);
  CHECK(one.parents == std::vector<std::int64_t>{-1} && one.heights == std::vector<double>{203.0});
}

TEST(perch_with_room_for_all_leaves_collapses_none) {
  std::mt19937_64 random(6);
  const std::vector<double> points = grid(random, 60, 2, 9);
  for (const Rotations rotations : kAllRotations) {
    const PerchResult free = perch(points, 2, rotations, 0);
    for (const std::size_t max_leaves : {std::size_t{60}, std::numeric_limits<std::size_t>::max()}) {
      const PerchResult held = perch(points, 2, rotations, max_leaves);
      CHECK(held.parents == free.parents && held.leaf_of == free.leaf_of && held.heights == free.heights);
    }
  }
}

TEST(perch_rejects_bad_input) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS(perch(std::vector<double>{}, 1, Rotations::kNone, 0), "at least one point");
  CHECK_THROWS(perch(std::vector<double>{1.0, nan}, 1, Rotations::kNone, 0), "finite");
  CHECK_THROWS(perch(std::vector<double>{-1e308, 1e308}, 1, Rotations::kNone, 0), "overflow");
  CHECK(perch(std::vector<double>{1e308}, 1, Rotations::kNone, 0).parents.size() == 1);
}
