// Which clusters are each other's nearest, while they merge.
//
// A cluster stays the nearest of another until it merges: so those alone ask anew whose nearest has merged,
// and what has merged (Murtagh 1983).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cladebench/cluster_tiles.hpp"

namespace cladebench {

class MutualNearest {
 public:
  using Id = std::int64_t;
  using Pairs = std::vector<std::pair<Id, Id>>;  ///< the lower id first

  /// For ids below n.
  explicit MutualNearest(std::size_t n);

  /// Forgets all that was answered, and has these ask.
  void ask(std::vector<Id> ids);
  const std::vector<Id>& asking() const { return asking_; }

  /// Tells a cluster that asks of its nearest; kNobody if there is none. Threads may answer different ones.
  void answer(Id id, const Neighbor& nearest) { nearest_[at(id)] = nearest; }
  const Neighbor& nearest(Id id) const { return nearest_[at(id)]; }
  static constexpr Neighbor kNobody{};

  /// Those that are each other's nearest, once all that asked have their answers.
  Pairs pairs();

  /// Those of `ids` that both see no pair nearer than theirs, though one may see another first: where
  /// rounding leaves no mutual pair.
  Pairs closest(std::span<const Id> ids) const;

  /// The pairs are one by the first id from now on, and ask with all whose nearest was one of them.
  void merge(const Pairs& pairs);

  /// Whether one of both has merged since id asked before.
  bool has_merged(Id id, Id other) const {
    return merged_[at(id)] >= asked_[at(id)] || merged_[at(other)] >= asked_[at(id)];
  }

 private:
  static std::size_t at(Id id) { return static_cast<std::size_t>(id); }

  std::vector<Neighbor> nearest_;
  std::vector<std::vector<Id>> followers_;            ///< of each cluster those whose nearest it is, or was
  std::vector<std::size_t> asked_, merged_, queued_;  ///< in which round
  std::vector<Id> asking_;
  std::size_t round_ = 1;
};

}  // namespace cladebench
