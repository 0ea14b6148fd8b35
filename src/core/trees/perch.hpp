// PERCH: incremental hierarchical clustering (Kobren, Monath, Krishnamurthy and McCallum, KDD 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/box.hpp"

namespace cladebench {

/// What follows each insertion.
enum class Rotations { kNone, kMasking, kMaskingAndBalance };

/// The binary tree that grows by one point at a time.
///
/// Point t is leaf t; the inner node that its insertion makes is n_points + t - 1. The point goes beside the
/// leaf whose box is nearest to it, the lowest-numbered one among equals; points are exact boxes, so this is
/// the nearest point unless leaves have been collapsed. Then follow the rotations and, if there are more than
/// max_leaves leaves, the collapse of the pair of sibling leaves with the least upper bound on their distance
/// (the lowest-numbered parent among equals) into one leaf, of which only the box and the count are kept.
class PerchTree {
 public:
  using Node = std::int64_t;
  static constexpr Node kNone = -1;

  /// @param points row-major n x d, read here and not kept.
  /// @param max_leaves bound on the number of leaves, 0 for none.
  /// @throws std::invalid_argument if there is no point or no coordinate, if a coordinate is not finite, or
  /// if the
  ///   squared diagonal of the points' bounding box overflows.
  PerchTree(std::span<const double> points, std::size_t d, Rotations rotations, std::size_t max_leaves);

  Node n_points() const { return n_points_; }
  Node n_inserted() const { return inserted_; }
  std::size_t n_leaves() const { return leaves_.size(); }

  /// Inserts the next point; requires n_inserted() < n_points().
  void insert_next();

  Node root() const { return root_; }
  Node parent(Node v) const { return parent_[at(v)]; }
  bool is_leaf(Node v) const { return is_point(v) || children_[inner(v)].first == kNone; }
  std::pair<Node, Node> children(Node v) const {
    return is_point(v) ? std::pair{kNone, kNone} : children_[inner(v)];
  }
  /// Points below a node.
  Node count(Node v) const { return count_[at(v)]; }
  /// The smallest box around the points below a node; rows of width() coordinates, padded with zeros.
  Box box(Node v) const {
    if (is_point(v)) return {point(v), point(v)};
    const double* corners = boxes_.data() + 2 * width_ * slot_[inner(v)];
    return {corners, corners + width_};
  }
  std::size_t width() const { return width_; }
  /// The leaf that holds an inserted point.
  Node leaf_of(Node t) {
    while (merged_into_[at(t)] != t) t = merged_into_[at(t)] = merged_into_[at(merged_into_[at(t)])];
    return t;
  }
  /// Whether a node that was made is still there, and not merged into a collapsed leaf.
  bool is_alive(Node v) const { return merged_into_[at(v)] == v; }

 private:
  struct Candidate {
    double distance;
    Node node;
    /// The top of a heap is its nearest candidate.
    bool operator<(const Candidate& other) const {
      return distance != other.distance ? distance > other.distance : node > other.node;
    }
  };

  static std::size_t at(Node v) { return static_cast<std::size_t>(v); }
  bool is_point(Node v) const { return v < n_points_; }
  std::size_t inner(Node v) const { return at(v - n_points_); }
  const double* point(Node t) const { return points_.data() + width_ * at(t); }
  Node sibling(Node v) const;
  Node aunt(Node v) const;
  double distance(const double* x, Node v, double limit) const {
    return is_point(v) ? point_distance(x, point(v), width_, limit)
                       : point_box_distance(x, box(v), width_, limit);
  }
  double nearest(Node a, Node b) const { return nearest_distance(box(a), box(b), width_); }
  double farthest(Node a, Node b) const { return farthest_distance(box(a), box(b), width_); }

  Candidate nearest_leaf(Node t);
  Candidate scan(Node t, Candidate best);
  void split(Node leaf, Node t);
  void adopt(Node parent, Node first, Node second);
  void rotate(Node v);
  bool is_masked(Node v) const;
  bool may_rotate_for_balance(Node v) const;
  void rotate_while_masked(Node v);
  void rotate_for_balance(Node v);
  void note_cherry(Node v);
  void collapse_cheapest();

  Node n_points_, inserted_ = 0, root_ = kNone;
  std::size_t width_;
  Rotations rotations_;
  std::size_t max_leaves_;
  std::vector<double> points_;                  ///< padded rows
  std::vector<double> boxes_;                   ///< lower and upper corner for each slot
  std::vector<std::size_t> slot_, free_slots_;  ///< place of each inner node's box; places to use again
  std::vector<Node> parent_, count_;
  std::vector<std::pair<Node, Node>> children_;  ///< of the inner nodes
  std::vector<Node> leaves_;                     ///< in no order once leaves have been collapsed
  std::vector<std::size_t> leaf_place_;          ///< place of each leaf in leaves_
  std::vector<Candidate> frontier_;              ///< queue of the search, kept to save allocations
  /// Of the points batch_begin_, batch_begin_ + 1, ...: the nearest point before batch_begin_.
  std::vector<Candidate> batch_;
  Node batch_begin_ = 0;
  std::vector<Candidate> cherries_;  ///< heap of parents of two leaves; may hold outdated entries
  std::vector<Node> merged_into_;    ///< the node that a collapsed leaf went into, else the node itself
};

/// A finished tree as arrays; nodes in the order of their numbers, without those that were collapsed.
struct PerchResult {
  std::vector<std::int64_t> parents;  ///< -1 at the root
  std::vector<std::int64_t> leaf_of;  ///< of each point
  std::vector<double> heights;        ///< length of the diagonal of each node's box
};

/// Inserts all points in order.
PerchResult perch(std::span<const double> points, std::size_t d, Rotations rotations, std::size_t max_leaves);

}  // namespace cladebench
