// The search for the tree of the least squares: one move after another, each the best of its round.
//
// A round comes to the tree that it would come to if all moves were tried in turn and the best one so far
// kept, with squares added up anew for each. But it tries few: what the others leave is known up to rounding.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cladebench/tree_cuts.hpp"
#include "cladebench/tree_exchanges.hpp"
#include "cladebench/tree_lengths.hpp"
#include "cladebench/tree_moves.hpp"

namespace cladebench::tree_fit {

/// The best tree of those that are offered.
class Best {
 public:
  Best(std::span<const double> D, std::size_t k) : lengths_(D, k) {}

  /// Takes the tree if it is better; `order` is laid out only where it has to be.
  void offer(Cuts& tree);

  /// Whether a tree is not better that leaves at least so much, up to rounding.
  bool beats(double left) const;

  /// Whether no tree is better: rounding leaves as much.
  bool is_perfect();

  /// Whether the tree is so good that the order of summation decides what better means.
  bool is_nearly_perfect() const;

  /// Whether a better one has been found since the last call.
  bool improved() { return std::exchange(improved_, false); }

  /// By how much less squares the other tree is surely better, as often as that many others may stand
  /// between.
  bool surely_better(double left, double other, std::size_t n_between) const;

  const TreeParents& parent() const { return tree_.parent; }
  Lengths& lengths() { return lengths_; }

 private:
  /// A better tree leaves less.
  double enough(double squares) const;
  void settle();
  void take(const Cuts& tree, double at_least, double at_most);

  Lengths lengths_;
  double at_least_ = std::numeric_limits<double>::infinity(), at_most_ = at_least_;  ///< squares
  Cuts tree_;        ///< parents and order alone
  Values x_, best_;  ///< lengths of the tree offered, and of the best
  bool improved_ = false;
};

class Search {
 public:
  Search(std::span<const double> D, std::size_t k, const TreeParents& start);

  /// Makes the best exchange of nearest neighbours; false if none improves.
  bool exchange();

  /// Makes the best move of at most that radius; false if none improves.
  bool move(std::size_t radius);

  const TreeParents& parent() const { return best_.parent(); }

 private:
  /// A move of what is below v, or is not, onto the edge above the target. Numbers of nodes and edges are
  /// those of the tree whose root is a point beyond what moves.
  struct Trial {
    Node v;
    bool below;
    Node target;
    auto operator<=>(const Trial&) const = default;
  };
  /// A trial of which the squares that it leaves are known up to rounding; infinity less if they are not.
  struct Candidate {
    double left;
    Trial trial;
  };
  bool start();
  void add(const LocalFit::Gain& gain, std::initializer_list<Trial> trials);
  std::vector<Trial> chosen();
  void try_chosen();

  std::span<const double> D_;
  std::size_t k_;
  Best best_;
  double largest_ = 0.0;
  Cuts tree_, moved_;  ///< the best one, from the point 0; one that is offered
  Solution solution_;
  TreeParents point_;  ///< one below each node
  Exchanges exchanges_;
  std::vector<Candidate> candidates_;
  Move move_;
};

}  // namespace cladebench::tree_fit
