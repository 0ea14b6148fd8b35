#include "trees/perch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A search that has looked at more nodes than this share of the leaves gives up on boxes, which rule out
/// little in many dimensions, and the leaves are compared one by one. The nearest leaf is the same.
constexpr std::size_t kSearchShare = 8;
constexpr std::size_t kFreeLooks = 64;

/// Points that are compared with all earlier ones in one pass, so that a row is read from memory once for all
/// of them.
constexpr std::int64_t kBatch = 16;

}  // namespace

PerchTree::PerchTree(std::span<const double> points, std::size_t d, Rotations rotations,
                     std::size_t max_leaves)
    : width_(padded_width(d)), rotations_(rotations), max_leaves_(max_leaves) {
  if (d == 0 || points.empty() || points.size() % d != 0) {
    throw std::invalid_argument("perch: expected at least one point and one coordinate");
  }
  const std::size_t n = points.size() / d;
  n_points_ = static_cast<Node>(n);
  points_.assign(n * width_, 0.0);
  std::vector<double> lower(width_, 0.0), upper(width_, 0.0);
  for (std::size_t k = 0; k < d; ++k) lower[k] = upper[k] = points[k];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) {
      const double x = points[i * d + k];
      if (!std::isfinite(x)) throw std::invalid_argument("perch: expected finite coordinates");
      points_[i * width_ + k] = x;
      lower[k] = std::min(lower[k], x);
      upper[k] = std::max(upper[k], x);
    }
  }
  const Box all{lower.data(), upper.data()};
  if (!std::isfinite(farthest_distance(all, all, width_))) {
    throw std::invalid_argument(
        "perch: the points lie so far apart that their squared distances overflow; rescale them");
  }
  const std::size_t n_nodes = 2 * n - 1;
  // Room is only reserved: collapsed mode keeps at most max_leaves - 1 inner nodes and as many boxes of
  // leaves, and for a moment one more.
  const std::size_t n_boxes =
      max_leaves == 0 || max_leaves >= n ? n - 1 : std::min(n - 1, 2 * max_leaves + 1);
  boxes_.reserve(2 * width_ * n_boxes);
  parent_.assign(n_nodes, kNone);
  count_.assign(n_nodes, 1);
  children_.assign(n - 1, {kNone, kNone});
  slot_.assign(n - 1, 0);
  leaf_place_.assign(n_nodes, 0);
  merged_into_.resize(n_nodes);
  for (std::size_t v = 0; v < n_nodes; ++v) merged_into_[v] = static_cast<Node>(v);
}

PerchTree::Node PerchTree::sibling(Node v) const {
  const auto [first, second] = children_[inner(parent(v))];
  return first == v ? second : first;
}

PerchTree::Node PerchTree::aunt(Node v) const {
  const Node mother = parent(v);
  return mother == kNone || parent(mother) == kNone ? kNone : sibling(mother);
}

void PerchTree::insert_next() {
  const Node t = inserted_++;
  if (t == 0) {
    root_ = t;
    leaves_.push_back(t);
    return;
  }
  split(nearest_leaf(t).node, t);
  if (rotations_ != Rotations::kNone) rotate_while_masked(sibling(t));
  if (rotations_ == Rotations::kMaskingAndBalance) rotate_for_balance(sibling(t));
  if (max_leaves_ != 0 && leaves_.size() > max_leaves_) collapse_cheapest();
}

/// A* search. From each node taken off the queue it goes straight down to a leaf along the nearer children,
/// so that there is a bound from the start and the queue holds only what may still lead to the nearest leaf.
PerchTree::Candidate PerchTree::nearest_leaf(Node t) {
  Candidate best{kInfinity, root_};
  if (is_leaf(root_)) return best;
  if (t < batch_begin_ + static_cast<Node>(batch_.size())) return scan(t, best);
  const double* x = point(t);
  const std::size_t budget = leaves_.size() / kSearchShare + kFreeLooks;
  std::size_t looks = 0;
  frontier_.clear();
  Node v = root_;
  while (true) {
    while (v != kNone) {
      Candidate next{kInfinity, kNone};
      const auto [first, second] = children_[inner(v)];
      for (const Node child : {first, second}) {
        const Candidate found{distance(x, child, best.distance), child};
        if (found.distance > best.distance) continue;
        if (is_leaf(child)) {
          best = std::max(best, found);
        } else if (next.node == kNone) {
          next = found;
        } else {
          frontier_.push_back(std::min(next, found));
          std::push_heap(frontier_.begin(), frontier_.end());
          next = std::max(next, found);
        }
      }
      looks += 2;
      v = next.distance <= best.distance ? next.node : kNone;
    }
    const bool found = frontier_.empty() || frontier_.front().distance > best.distance;
    if (looks > budget || found) {
      keep_on(looks * width_);
      return looks > budget ? scan(t, best) : best;
    }
    std::pop_heap(frontier_.begin(), frontier_.end());
    v = frontier_.back().node;
    frontier_.pop_back();
  }
}

PerchTree::Candidate PerchTree::scan(Node t, Candidate best) {
  const auto compare = [&](Candidate& nearest, Node point_index, Node leaf) {
    nearest = std::max(nearest, {distance(point(point_index), leaf, nearest.distance), leaf});
  };
  if (max_leaves_ != 0) {  // leaves come and go: nothing can be said ahead
    keep_on(leaves_.size());
    for (const Node leaf : leaves_) compare(best, t, leaf);
    return best;
  }
  if (t >= batch_begin_ + static_cast<Node>(batch_.size())) {
    batch_begin_ = t;
    batch_.assign(at(std::min(kBatch, n_points_ - t)), {kInfinity, kNone});
    for (Node leaf = 0; leaf < t; ++leaf) {
      if (leaf % 64 == 0) keep_on(64 * batch_.size());
      for (std::size_t k = 0; k < batch_.size(); ++k) compare(batch_[k], t + static_cast<Node>(k), leaf);
    }
  }
  best = std::max(best, batch_[at(t - batch_begin_)]);
  for (Node leaf = batch_begin_; leaf < t; ++leaf) compare(best, t, leaf);
  return best;
}

void PerchTree::split(Node leaf, Node t) {
  const Node made = n_points_ + t - 1, above = parent(leaf);
  if (free_slots_.empty()) {
    slot_[inner(made)] = boxes_.size() / (2 * width_);
    boxes_.resize(boxes_.size() + 2 * width_);
  } else {
    slot_[inner(made)] = free_slots_.back();
    free_slots_.pop_back();
  }
  adopt(made, leaf, t);
  parent_[at(made)] = above;
  if (above == kNone) {
    root_ = made;
  } else {
    auto& [first, second] = children_[inner(above)];
    (first == leaf ? first : second) = made;
  }
  leaf_place_[at(t)] = leaves_.size();
  leaves_.push_back(t);
  note_cherry(made);
  const double* x = point(t);
  bool grows = true;
  std::size_t depth = 0;
  for (Node v = above; v != kNone; v = parent(v)) {
    ++depth;
    ++count_[at(v)];
    if (!grows) continue;
    // Boxes are nested: if this one holds the point, so do those above it.
    double* lower = boxes_.data() + 2 * width_ * slot_[inner(v)];
    double* upper = lower + width_;
    grows = false;
    for (std::size_t k = 0; k < width_; ++k) {
      grows |= (x[k] < lower[k]) | (x[k] > upper[k]);
      lower[k] = std::min(lower[k], x[k]);
      upper[k] = std::max(upper[k], x[k]);
    }
  }
  keep_on(4 * depth);  // rotations climb as high
}

void PerchTree::adopt(Node mother, Node first, Node second) {
  children_[inner(mother)] = {first, second};
  parent_[at(first)] = parent_[at(second)] = mother;
  count_[at(mother)] = count(first) + count(second);
  const Box a = box(first), b = box(second);
  double* lower = boxes_.data() + 2 * width_ * slot_[inner(mother)];
  for (std::size_t k = 0; k < width_; ++k) {
    lower[k] = std::min(a.lower[k], b.lower[k]);
    lower[width_ + k] = std::max(a.upper[k], b.upper[k]);
  }
}

/// Swaps v's sibling with its aunt; v's parent now holds the aunt and v.
void PerchTree::rotate(Node v) {
  const Node mother = parent(v), raised = sibling(v), lowered = aunt(v), grandmother = parent(mother);
  children_[inner(grandmother)] = {mother, raised};
  parent_[at(raised)] = grandmother;
  adopt(mother, lowered, v);
  note_cherry(mother);
}

/// Each point of v is nearer to every point of its aunt than to any point of its sibling: so say the boxes.
bool PerchTree::is_masked(Node v) const {
  const Node a = aunt(v);
  return a != kNone && farthest(v, a) < nearest(v, sibling(v));
}

void PerchTree::rotate_while_masked(Node v) {
  while (parent(v) != kNone) {
    if (is_masked(v)) {
      rotate(v);
    } else if (!is_leaf(v)) {
      return;
    }
    v = parent(v);
  }
}

/// The rotation makes the two sides of the grandparent nearer in size, and the boxes leave it possible that a
/// point of v is nearer to a point of the aunt than to one of the sibling.
bool PerchTree::may_rotate_for_balance(Node v) const {
  const Node a = aunt(v);
  if (a == kNone) return false;
  const Node difference = count(parent(v)) - count(a);
  return std::abs(difference - 2 * count(v)) < std::abs(difference) &&
         nearest(v, a) < farthest(v, sibling(v));
}

void PerchTree::rotate_for_balance(Node v) {
  while (parent(v) != kNone) {
    const Node mother = parent(v), other = sibling(v);
    const auto [smaller, larger] = count(other) < count(v) ? std::pair{other, v} : std::pair{v, other};
    if (may_rotate_for_balance(smaller)) {
      rotate(smaller);
    } else if (may_rotate_for_balance(larger)) {
      rotate(larger);
    }
    v = mother;
  }
}

/// Enters v among the nodes that can be collapsed, if its children are leaves.
void PerchTree::note_cherry(Node v) {
  if (max_leaves_ == 0) return;
  const auto [first, second] = children(v);
  if (!is_leaf(first) || !is_leaf(second)) return;
  cherries_.push_back({farthest(first, second), v});
  std::push_heap(cherries_.begin(), cherries_.end());
}

void PerchTree::collapse_cheapest() {
  // A binary tree with more than one leaf has a parent of two leaves, and each was entered when it became
  // one.
  Candidate cheapest;
  std::pair<Node, Node> gone;
  bool current = false;
  while (!current) {
    std::pop_heap(cherries_.begin(), cherries_.end());
    cheapest = cherries_.back();
    cherries_.pop_back();
    gone = children(cheapest.node);
    current = gone.first != kNone && is_leaf(gone.first) && is_leaf(gone.second) &&
              farthest(gone.first, gone.second) == cheapest.distance;
  }
  children_[inner(cheapest.node)] = {kNone, kNone};
  for (const Node leaf : {gone.first, gone.second}) {
    const std::size_t place = leaf_place_[at(leaf)];
    leaves_[place] = leaves_.back();
    leaf_place_[at(leaves_[place])] = place;
    leaves_.pop_back();
    merged_into_[at(leaf)] = cheapest.node;
    if (!is_point(leaf)) free_slots_.push_back(slot_[inner(leaf)]);
  }
  leaf_place_[at(cheapest.node)] = leaves_.size();
  leaves_.push_back(cheapest.node);
  if (parent(cheapest.node) != kNone) note_cherry(parent(cheapest.node));
}

PerchResult perch(std::span<const double> points, std::size_t d, Rotations rotations,
                  std::size_t max_leaves) {
  PerchTree tree(points, d, rotations, max_leaves);
  while (tree.n_inserted() < tree.n_points()) tree.insert_next();
  const PerchTree::Node n = tree.n_points(), n_made = 2 * n - 1;
  std::vector<PerchTree::Node> place(static_cast<std::size_t>(n_made), PerchTree::kNone), alive;
  for (PerchTree::Node v = 0; v < n_made; ++v) {
    if (!tree.is_alive(v)) continue;
    place[static_cast<std::size_t>(v)] = static_cast<PerchTree::Node>(alive.size());
    alive.push_back(v);
  }
  PerchResult result;
  for (const PerchTree::Node v : alive) {
    const PerchTree::Node mother = tree.parent(v);
    result.parents.push_back(mother == PerchTree::kNone ? -1 : place[static_cast<std::size_t>(mother)]);
    result.heights.push_back(std::sqrt(farthest_distance(tree.box(v), tree.box(v), tree.width())));
  }
  for (PerchTree::Node t = 0; t < n; ++t) {
    result.leaf_of.push_back(place[static_cast<std::size_t>(tree.leaf_of(t))]);
  }
  return result;
}

}  // namespace cladebench
