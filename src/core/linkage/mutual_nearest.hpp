// Which clusters are each other's nearest, while they merge.
//
// A cluster stays the nearest of another until it merges: so those alone ask anew whose nearest has merged,
// and what has merged (Murtagh 1983).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "linkage/cluster_tiles.hpp"

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

/// Merges pairs that are each other's nearest one by one: along chains, each link the nearest of the link
/// before. Where many are equally near, all ask for the same few round after round; a chain asks for what it
/// needs, three times a merge at most.
///
/// `alive` ascends. `nearest_of(id)` is MutualNearest::kNobody where there is none; `merge(kept, gone,
/// nearest)` makes both one, by the lower id. False where rounding closes a circle: then some are left.
template <class NearestOf, class Merge>
bool follow_chains(const std::vector<std::int64_t>& alive, NearestOf nearest_of, Merge merge) {
  std::vector<std::uint8_t> is_gone(alive.empty() ? 0 : static_cast<std::size_t>(alive.back()) + 1, 0);
  std::vector<std::int64_t> chain;
  for (const std::int64_t start : alive) {
    bool has_nearest = true;
    while (has_nearest && !is_gone[static_cast<std::size_t>(start)]) {
      if (chain.empty()) chain.push_back(start);
      const Neighbor nearest = nearest_of(chain.back());
      if (nearest == MutualNearest::kNobody) {
        has_nearest = chain.size() > 1;  // else a link before it has one, itself
        chain.pop_back();
        if (has_nearest) return false;
      } else if (chain.size() > 1 && nearest.id == chain[chain.size() - 2]) {
        const auto [kept, gone] = std::minmax({chain.back(), nearest.id});
        merge(kept, gone, nearest);
        is_gone[static_cast<std::size_t>(gone)] = 1;
        chain.resize(chain.size() - 2);
      } else if (chain.size() == alive.size()) {
        return false;
      } else {
        chain.push_back(nearest.id);
      }
    }
    chain.clear();
  }
  return true;
}

}  // namespace cladebench
