#include "linkage/kept_distances.hpp"

#include <algorithm>
#include <limits>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// The tiles give so many distances in the time of a single one.
constexpr std::size_t kAsFast = 16;

}  // namespace

KeptDistances::KeptDistances(const ClusterSearch& search)
    : search_(search), rows_(search.tiles().size()), n_known_(search.tiles().size(), 0) {}

void KeptDistances::merge(Id kept, Id gone) {
  for (const Id id : {kept, gone}) row(id) = {};
  changes_.push_back({search_.place(kept), kept});
  changes_.push_back({search_.place(gone), -1});
}

void KeptDistances::bring_up_to_date(Id who) {
  constexpr std::size_t kBlock = ClusterTiles::kBlock;
  std::vector<double>& own = row(who);
  std::size_t& n_known = n_known_[search_.place(who)];
  const ClusterTiles& tiles = search_.tiles();
  const Cluster from = search_.cluster(who);
  if (own.empty() || kAsFast * (changes_.size() - n_known) > tiles.size()) {
    own.assign(tiles.n_blocks() * kBlock, kNone);
    for (std::size_t block = 0; block < tiles.n_blocks(); ++block) {
      tiles.distances(block, {&from, 1}, own.data() + block * kBlock);
    }
  } else {
    for (std::size_t k = n_known; k < changes_.size(); ++k) {
      const auto& [place, id] = changes_[k];
      keep_on(tiles.d());
      own[place] = id < 0 ? kNone : distance_between(tiles.between(), from, search_.cluster(id), tiles.d());
    }
  }
  n_known = changes_.size();
}

void KeptDistances::find(Id who, Nearby& nearby) {
  bring_up_to_date(who);
  const std::vector<double>& own = row(who);
  keep_on(own.size());
  for (std::size_t tile = 0; tile < own.size(); tile += kLanes) {
    const double limit = nearby.limit();
    int n_near = 0;  // most tiles have none: eight are compared at a time
    for (std::size_t k = tile; k < tile + kLanes; ++k) n_near += own[k] <= limit;
    for (std::size_t k = tile; n_near > 0 && k < tile + kLanes; ++k) {
      if (own[k] <= nearby.limit() && search_.tiles().id(k) != who) {
        nearby.offer({own[k], search_.tiles().id(k)});
      }
    }
  }
}

}  // namespace cladebench
