// Distances that clusters have asked for, kept until one of both merges.
//
// Where many are equally near, the same clusters ask for the same distances round after round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linkage/cluster_search.hpp"

namespace cladebench {

/// Of the clusters that `search` has taken in, until it is rebuilt.
class KeptDistances {
 public:
  using Id = std::int64_t;

  explicit KeptDistances(const ClusterSearch& search);

  /// Whether the distances take 200 MB at most.
  static bool fit(const ClusterSearch& search) { return search.tiles().size() <= 5'000; }

  /// After `search` has merged both.
  void merge(Id kept, Id gone);

  /// As `search.find` does. Threads may ask about different clusters.
  void find(Id who, Nearby& nearby);

 private:
  struct Change {
    std::size_t place;
    Id id;  ///< -1: it is gone
  };

  void bring_up_to_date(Id who);
  std::vector<double>& row(Id who) { return rows_[search_.place(who)]; }

  const ClusterSearch& search_;
  std::vector<std::vector<double>> rows_;  ///< by place; empty where nothing is kept
  std::vector<Change> changes_;
  std::vector<std::size_t> n_known_;  ///< of each row, how many changes it has taken in
};

}  // namespace cladebench
