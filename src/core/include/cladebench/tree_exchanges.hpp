// Exchanges of nearest neighbours: what each gains, kept from one tree to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cladebench/tree_local_fit.hpp"

namespace cladebench::tree_fit {

/// What is not below v comes to hang on the edge above `target`, a child of a child of v.
struct Exchange {
  Node target;
  LocalFit::Gain gain;
};

class Exchanges {
 public:
  explicit Exchanges(std::size_t k) : k_(k) {}

  /// All exchanges of the tree. Only those near nodes that are not as they were at the last call are looked
  /// at.
  const std::vector<Exchange>& update(const Cuts& tree, const Lengths& lengths, const Solution& solution,
                                      double largest);

 private:
  /// What gains depend on of a node.
  struct Seen {
    std::uint64_t below = 0;  ///< names the points below it
    Node parent = -1;
    bool kept = false;
    double length = 0.0, total = 0.0;
  };
  void compare(const Cuts& tree, const Solution& solution, double largest);
  void score(Node child, const Cuts& tree, LocalFit& fit);
  double across(const Cuts& tree, Node one, Node other) const;

  std::size_t k_;
  std::vector<Seen> seen_;
  std::vector<std::uint64_t> below_;
  std::vector<char> changed_;         ///< nodes
  std::vector<std::size_t> place_;    ///< of nodes in the tree's order
  std::vector<TreeParents> depends_;  ///< of the exchanges at the edge above a node; empty: there are none
  std::vector<Exchange> gains_, current_;  ///< two for each node
};

}  // namespace cladebench::tree_fit
