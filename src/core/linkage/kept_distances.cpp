#include "linkage/kept_distances.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// The tiles give so many distances in the time of a single one.
constexpr std::size_t kAsFast = 16;

}  // namespace

KeptDistances::KeptDistances(const ClusterSearch& search)
    : search_(search),
      ids_(search.tiles().ids().begin(), search.tiles().ids().end()),
      rows_(search.tiles().size()),
      last_(search.tiles().size(), 0),
      n_known_(search.tiles().size(), 0) {}

void KeptDistances::merge(Id kept, Id gone) {
  for (const Id id : {kept, gone}) {
    rows_[search_.place(id)] = {};
    last_[search_.place(id)] = changes_.size();
    changes_.push_back({search_.place(id), id == kept ? id : -1});
  }
}

/// Brings what is kept at a place up to date; false where it is best found anew.
bool KeptDistances::catch_up(std::size_t at, Id who) {
  std::vector<double>& own = rows_[at];
  if (own.empty()) return false;
  const Cluster from = search_.cluster(who);
  const std::size_t d = search_.tiles().d();
  const auto is_last = [&](std::size_t k) { return last_[changes_[k].place] == k; };
  std::size_t n_asked = 0;
  for (std::size_t k = n_known_[at]; k < changes_.size(); ++k) {
    n_asked += changes_[k].id >= 0 && is_last(k);
    if (kAsFast * n_asked > ids_.size()) return false;
  }
  for (std::size_t k = n_known_[at]; k < changes_.size(); ++k) {
    const auto& [place, id] = changes_[k];
    if (!is_last(k)) continue;
    keep_on(d);
    own[place] = id < 0 ? kNone : distance_between(search_.tiles().between(), from, search_.cluster(id), d);
  }
  n_known_[at] = changes_.size();
  return true;
}

void KeptDistances::move() {
  std::vector<std::size_t> before(static_cast<std::size_t>(*std::ranges::max_element(ids_)) + 1);
  for (std::size_t at = 0; at < ids_.size(); ++at) before[static_cast<std::size_t>(ids_[at])] = at;
  const std::span<const Id> ids = search_.tiles().ids();
  std::vector<std::size_t> from;
  for (const Id id : ids) from.push_back(before[static_cast<std::size_t>(id)]);
  std::vector<std::vector<double>> rows(ids.size());
  for (std::size_t at = 0; at < ids.size(); ++at) {
    if (catch_up(from[at], ids[at])) {
      keep_on(ids.size());
      rows[at].assign(search_.tiles().n_blocks() * ClusterTiles::kBlock, kNone);
      for (std::size_t k = 0; k < ids.size(); ++k) rows[at][k] = rows_[from[at]][from[k]];
    }
    rows_[from[at]] = {};
  }
  rows_ = std::move(rows);
  ids_.assign(ids.begin(), ids.end());
  last_.assign(ids.size(), 0);
  n_known_.assign(ids.size(), 0);
  changes_.clear();
}

/// Finds all distances of up to ClusterTiles::kTogether clusters.
void KeptDistances::fill(std::span<const Id> who) {
  constexpr std::size_t kBlock = ClusterTiles::kBlock, kTogether = ClusterTiles::kTogether;
  const ClusterTiles& tiles = search_.tiles();
  Cluster from[kTogether];
  for (std::size_t q = 0; q < who.size(); ++q) {
    from[q] = search_.cluster(who[q]);
    rows_[search_.place(who[q])].resize(tiles.n_blocks() * kBlock);
    n_known_[search_.place(who[q])] = changes_.size();
  }
  for (std::size_t block = 0; block < tiles.n_blocks(); ++block) {
    double distances[kTogether * kBlock];
    std::fill_n(distances, kTogether * kBlock, kNone);
    tiles.distances(block, {from, who.size()}, distances);
    for (std::size_t q = 0; q < who.size(); ++q) {
      std::copy_n(distances + q * kBlock, kBlock, rows_[search_.place(who[q])].data() + block * kBlock);
    }
  }
}

void KeptDistances::find(std::span<const Id> who, Nearby* nearby) {
  std::vector<Id> anew;
  for (const Id id : who) {
    if (!catch_up(search_.place(id), id)) anew.push_back(id);
  }
  constexpr std::size_t kTogether = ClusterTiles::kTogether;
  for (std::size_t q = 0; q < anew.size(); q += kTogether) {
    fill(std::span(anew).subspan(q, std::min(kTogether, anew.size() - q)));
  }
  for (std::size_t q = 0; q < who.size(); ++q) offer(who[q], nearby[q]);
}

void KeptDistances::offer(Id who, Nearby& nearby) const {
  const std::vector<double>& own = rows_[search_.place(who)];
  keep_on(own.size());
  for (std::size_t tile = 0; tile < own.size(); tile += kLanes) {
    const double limit = nearby.limit();
    int n_near = 0;  // most tiles have none: eight are compared at a time
    for (std::size_t k = tile; k < tile + kLanes; ++k) n_near += own[k] <= limit;
    for (std::size_t k = tile; n_near > 0 && k < tile + kLanes; ++k) {
      if (own[k] <= nearby.limit() && ids_[k] != who) nearby.offer({own[k], ids_[k]});
    }
  }
}

}  // namespace cladebench
