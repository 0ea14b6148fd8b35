// What one move gains with lengths of at least 0.
#pragma once

#include <cstddef>
#include <vector>

#include "cladebench/tree_shifts.hpp"

namespace cladebench::tree_fit {

/// What a move gains with lengths of at least 0. Only the vertices around its edges get other lengths, and
/// those beyond an edge that is contracted or that is so no longer.
class LocalFit {
 public:
  struct Gain {
    double value;  ///< of the squares, up to rounding
    enum Kind {
      kFound,
      kNone,    ///< the tree with its edges of length 0 contracted stays the same
      kUnknown  ///< too much changes
    } kind;
  };

  LocalFit(const Lengths& lengths, const Cuts& tree, const Solution& solution, double flat)
      : lengths_(lengths), tree_(tree), solution_(solution), flat_(flat) {}

  Gain gain(const Shift& shift);

  /// The nodes on which the last gain depends.
  const TreeParents& seen() const { return seen_; }

 private:
  /// A node whose edges may get other lengths, and the edge to the one it was reached from.
  struct Inner {
    std::size_t from;
    double beyond, sum;  ///< of the edge: points on this side of it
    double before;       ///< its length before the move
    bool kept;           ///< whether it has a length
    std::size_t at = 0;  ///< the inner node whose vertex it belongs to
    Vertex vertex = {};  ///< of the node itself, if it is that one
    double length = 0.0, branch = 0.0;
  };
  /// An edge from an inner node to one that is none.
  struct Outer {
    std::size_t from;
    Step step;
    double beyond;
    double length = 0.0;
  };

  void start(const Shift& shift);
  void attach(std::size_t from, Step step);
  void grow(std::size_t from, Step step, double before);
  void solve();
  bool exchange(std::size_t round);
  bool widen();
  double explained(const Shift& shift) const;

  const Lengths& lengths_;
  const Cuts& tree_;
  const Solution& solution_;
  double flat_;
  std::vector<Inner> inner_;
  std::vector<Outer> outer_;
  TreeParents seen_;
};

}  // namespace cladebench::tree_fit
