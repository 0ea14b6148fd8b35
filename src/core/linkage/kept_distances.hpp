// Distances that clusters have asked for, kept until one of both merges.
//
// Where many are equally near, the same clusters ask for the same distances round after round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linkage/cluster_search.hpp"

namespace cladebench {

/// Of the clusters that `search` has taken in.
class KeptDistances {
 public:
  using Id = std::int64_t;

  explicit KeptDistances(const ClusterSearch& search);

  /// Whether the distances take 200 MB at most.
  static bool fit(const ClusterSearch& search) { return search.tiles().size() <= 5'000; }

  /// After `search` has merged both.
  void merge(Id kept, Id gone);

  /// After `search` has been rebuilt.
  void move();

  /// As `search.find` does. Threads may ask about different clusters.
  void find(std::span<const Id> who, Nearby* nearby);

 private:
  struct Change {
    std::size_t place;
    Id id;  ///< -1: it is gone
  };

  bool catch_up(std::size_t at, Id who);
  void fill(std::span<const Id> who);
  void offer(Id who, Nearby& nearby) const;

  const ClusterSearch& search_;
  std::vector<Id> ids_;                    ///< by place
  std::vector<std::vector<double>> rows_;  ///< by place; empty where nothing is kept
  std::vector<Change> changes_;
  std::vector<std::size_t> last_;     ///< of each place its last change
  std::vector<std::size_t> n_known_;  ///< of each row, how many changes it has taken in
};

}  // namespace cladebench
