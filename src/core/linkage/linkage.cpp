#include "linkage/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <stdexcept>
#include <utility>

#include "common/equal_rows.hpp"
#include "common/parallel.hpp"
#include "common/roots.hpp"
#include "linkage/kept_distances.hpp"
#include "linkage/merged_clusters.hpp"
#include "linkage/mutual_nearest.hpp"
#include "linkage/spanning_tree.hpp"

namespace cladebench {
namespace {

using Id = std::int64_t;

/// Less by more than rounding can make it.
constexpr double kBelow = 1.0 - 0x1p-40;

std::size_t at(Id id) { return static_cast<std::size_t>(id); }

/// The clusters that there are, and the search among them.
class Clusters {
 public:
  Clusters(MergedClusters& merged, Search search)
      : merged_(merged), search_(merged.d(), merged.between(), search, merged.centres(), merged.weights()) {
    rebuild();
  }

  std::size_t n() const { return merged_.n(); }
  std::size_t n_alive() const { return merged_.n_alive(); }
  bool is_alive(Id id) const { return merged_.is_alive(id); }
  std::vector<Id> alive() const { return merged_.alive(); }
  ClusterSearch& search() { return search_; }
  double distance(Id a, Id b) const { return merged_.distance(a, b); }

  /// How far both are at least from all others, if a and b are at least so far from them, and nearer to each
  /// other. By the recurrence of Lance and Williams; Ward's own terms only add to it then.
  double least_after(Id a, Id b, double from_a, double from_b) const {
    const double p = merged_.share(a, b);
    return (p * from_a + (1.0 - p) * from_b) * kBelow;
  }

  /// The one with the lower row becomes both.
  void merge(Id kept, Id gone, double distance) {
    merged_.unite(kept, gone, distance);
    search_.merge(kept, gone);
  }

  /// Leaves out those that are gone, once they are many; whether it did.
  bool forget() {
    if (4 * (n_built_ - n_alive()) <= n_built_ || n_built_ <= ClusterTiles::kBlock) return false;
    rebuild();
    return true;
  }

 private:
  void rebuild() {
    search_.rebuild(alive());
    n_built_ = n_alive();
  }

  MergedClusters& merged_;
  std::size_t n_built_ = 0;
  ClusterSearch search_;
};

/// Merges all clusters that are each other's nearest, round after round.
///
/// No merge comes nearer to a cluster than both of its parts. So a cluster stays the nearest of another until
/// it merges; and then what is nearest is found among a few that were near, most often: all others are
/// farther.
class Rounds {
 public:
  explicit Rounds(Clusters& clusters)
      : clusters_(clusters),
        nearby_(clusters.n()),
        beyond_(clusters.n()),
        mutual_(clusters.n()),
        roots_(clusters.n()) {}

  void run() {
    ask_all();
    while (clusters_.n_alive() > 1) {
      find_nearest();
      if (n_searches_ > kSearchesARow * clusters_.n()) {
        follow();
        if (clusters_.n_alive() == 1) return;
        ask_all();  // rounding has closed a circle
        find_nearest();
      }
      const std::vector<std::pair<Id, Id>> pairs = mutual_.pairs();
      for (const auto& [kept, gone] : pairs) {
        inherit(kept, gone);
        merge(kept, gone, mutual_.nearest(kept).distance);
      }
      mutual_.merge(pairs);
      if (pairs.empty()) ask_all();
      forget();
    }
  }

 private:
  void merge(Id kept, Id gone, double distance) {
    clusters_.merge(kept, gone, distance);
    roots_.join(kept, gone);
    if (distances_) distances_->merge(kept, gone);
  }

  void forget() {
    if (clusters_.forget() && distances_) distances_->move();
  }

  void look(std::span<const Id> who, Nearby* nearby) {
    distances_ ? distances_->find(who, nearby) : clusters_.search().find(who, nearby);
  }

  void find_nearest() {
    const ClusterSearch& search = clusters_.search();
    const std::vector<Id>& asking = mutual_.asking();
    std::vector<std::uint8_t> known(asking.size());
    parallel_for((asking.size() + kFew - 1) / kFew, asking.size() > kFew, [&](std::size_t b) {
      for (std::size_t k = b * kFew; k < std::min(asking.size(), (b + 1) * kFew); ++k)
        known[k] = look_near(asking[k]);
    });
    std::vector<Id> unknown;
    for (std::size_t k = 0; k < asking.size(); ++k) {
      if (!known[k]) unknown.push_back(asking[k]);
    }
    n_searches_ += unknown.size();
    if (!distances_ && n_tied_ >= clusters_.n() && !search.is_by_tree() && KeptDistances::fit(search)) {
      distances_.emplace(search);
    }
    std::sort(unknown.begin(), unknown.end(), [&](Id a, Id b) { return search.place(a) < search.place(b); });
    const std::size_t batch = search.batch(), n_batches = (unknown.size() + batch - 1) / batch;
    parallel_for(n_batches, n_batches > 1, [&](std::size_t b) {
      const auto who = std::span(unknown).subspan(b * batch, std::min(batch, unknown.size() - b * batch));
      std::vector<Nearby> found;
      for (const Id id : who) found.push_back(nearby_[at(id)]);
      look(who, found.data());
      for (std::size_t q = 0; q < who.size(); ++q) {
        nearby_[at(who[q])] = found[q];
        beyond_[at(who[q])] = found[q].limit();
        mutual_.answer(who[q], found[q].found().front());
      }
    });
    for (const Id id : unknown) n_tied_ += mutual_.nearest(id).distance == beyond_[at(id)];
  }

  /// Brings those that were near up to date; whether the nearest is among them.
  bool look_near(Id id) {
    const Nearby before = nearby_[at(id)];
    Nearby& now = nearby_[at(id)] = Nearby();
    for (Neighbor one : before.found()) {
      const Id root = roots_.of(one.id);
      if (mutual_.has_merged(id, root)) one.distance = clusters_.distance(id, root);
      one.id = root;
      now.offer(one);
    }
    if (before.found().size() > now.found().size()) beyond_[at(id)] = std::min(beyond_[at(id)], now.limit());
    if (now.found().empty() || !(now.found().front().distance < beyond_[at(id)])) return false;
    mutual_.answer(id, now.found().front());
    return true;
  }

  /// What was near the parts is near both: all others are as far from both as they can be, being far from the
  /// parts.
  void inherit(Id kept, Id gone) {
    Nearby both(2 * Nearby::kRoom);
    for (const Id part : {kept, gone}) {
      for (const Neighbor& one : nearby_[at(part)].found()) {
        if (one.id != kept && one.id != gone) both.offer(one);
      }
    }
    beyond_[at(kept)] = clusters_.least_after(kept, gone, beyond_[at(kept)], beyond_[at(gone)]);
    nearby_[at(kept)] = both;
  }

  /// Goes along chains where rounds would need too many searches.
  void follow() {
    const auto nearest_of = [&](Id id) {
      if (clusters_.n_alive() < 2) return MutualNearest::kNobody;
      Nearby found(1);
      if (clusters_.is_alive(id)) {
        look({&id, 1}, &found);
      } else {  // rounding has closed a circle: what is gone has no place among the kept distances
        clusters_.search().find({&id, 1}, &found);
      }
      return found.found().front();
    };
    follow_chains(clusters_.alive(), nearest_of, [&](Id kept, Id gone, const Neighbor& nearest) {
      merge(kept, gone, nearest.distance);
      forget();
    });
    n_searches_ = 0;
  }

  /// At first, and after ties that a merge has broken otherwise: with all asked at once, the lowest of the
  /// nearest pairs is mutual.
  void ask_all() {
    mutual_.ask(clusters_.alive());
    for (const Id id : mutual_.asking()) nearby_[at(id)] = Nearby();
  }

  static constexpr std::size_t kFew = 256;
  static constexpr std::size_t kSearchesARow = 32;  ///< ten times as many as without ties
  std::size_t n_searches_ = 0;
  std::size_t n_tied_ = 0;  ///< of these, where all that were found are equally near
  Clusters& clusters_;
  std::vector<Nearby> nearby_;
  std::vector<double> beyond_;  ///< All clusters that are not nearby are at least so far.
  MutualNearest mutual_;
  Roots roots_;
  std::optional<KeptDistances> distances_;
};

/// Merges the two nearest clusters again and again, where a merge can come nearer to others than its parts.
///
/// Of a cluster whose nearest has merged, the old distance stays as a bound until it is the least of all.
class Ordered {
 public:
  explicit Ordered(Clusters& clusters)
      : clusters_(clusters), nearest_(clusters.n()), is_bound_(clusters.n(), false) {}

  void run() {
    const std::vector<Id> all = clusters_.alive();
    ask(all);
    for (const Id id : all) queue_.push({nearest_[at(id)].distance, id});
    while (clusters_.n_alive() > 1) {
      const auto [distance, id] = queue_.top();
      queue_.pop();
      if (!clusters_.is_alive(id) || distance != nearest_[at(id)].distance) continue;
      if (is_bound_[at(id)]) {
        ask({&id, 1});
        queue_.push({nearest_[at(id)].distance, id});
        continue;
      }
      const auto [kept, gone] = std::minmax({id, nearest_[at(id)].id});
      clusters_.merge(kept, gone, distance);
      clusters_.forget();
      if (clusters_.n_alive() > 1) tell(kept, gone);
    }
  }

 private:
  void ask(std::span<const Id> who) {
    const ClusterSearch& search = clusters_.search();
    const std::size_t batch = search.batch(), n_batches = (who.size() + batch - 1) / batch;
    parallel_for(n_batches, n_batches > 1, [&](std::size_t b) {
      const auto some = who.subspan(b * batch, std::min(batch, who.size() - b * batch));
      std::vector<Nearby> found(some.size(), Nearby(1));
      search.find(some, found.data());
      for (std::size_t q = 0; q < some.size(); ++q) nearest_[at(some[q])] = found[q].found().front();
    });
    for (const Id id : who) is_bound_[at(id)] = false;
  }

  /// All clusters hear of a merged one, and it of them.
  void tell(Id kept, Id gone) {
    const ClusterSearch& search = clusters_.search();
    Neighbor own;
    double distances[ClusterTiles::kBlock];
    const Cluster from = search.cluster(kept);
    for (std::size_t block = 0; block < search.tiles().n_blocks(); ++block) {
      search.tiles().distances(block, {&from, 1}, distances);
      for (std::size_t k = 0; k < ClusterTiles::kBlock; ++k) {
        const std::size_t place = block * ClusterTiles::kBlock + k;
        if (place >= search.tiles().size() || std::isnan(distances[k])) continue;
        const Id id = search.tiles().id(place);
        if (id == kept) continue;
        own = std::min(own, Neighbor{distances[k], id});
        Neighbor& nearest = nearest_[at(id)];
        if (Neighbor{distances[k], kept} < nearest) {
          nearest = {distances[k], kept};
          is_bound_[at(id)] = false;
          queue_.push({distances[k], id});
        } else if (nearest.id == kept || nearest.id == gone) {
          is_bound_[at(id)] = true;
        }
      }
    }
    nearest_[at(kept)] = own;
    is_bound_[at(kept)] = false;
    queue_.push({own.distance, kept});
  }

  using Entry = std::pair<double, Id>;
  Clusters& clusters_;
  std::vector<Neighbor> nearest_;
  std::vector<bool> is_bound_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue_;
};

std::vector<Merge> single(std::vector<double> X, std::size_t d, Search search) {
  const std::size_t n = X.size() / d;
  std::vector<Merge> merges;
  Roots roots(n);
  merges.reserve(n - 1);
  for (const Edge& edge : spanning_tree(std::move(X), d, search)) {
    const auto [first, second] = roots.join(edge.lower, edge.upper);
    merges.push_back({first, second, std::sqrt(edge.square)});
  }
  return merges;
}

}  // namespace

void merge_all(MergedClusters& merged, Linkage linkage, Search search) {
  if (merged.n_alive() < 2) return;
  Clusters clusters(merged, search);
  if (linkage == Linkage::kCentroid || linkage == Linkage::kMedian) return Ordered(clusters).run();
  Rounds(clusters).run();
  std::stable_sort(merged.merges().begin(), merged.merges().end(),
                   [](const Merge& a, const Merge& b) { return a.height < b.height; });
}

std::vector<Merge> link(std::vector<double> X, std::size_t d, Linkage linkage, Search search) {
  if (linkage == Linkage::kSingle) return single(std::move(X), d, search);
  MergedClusters clusters(std::move(X), d, linkage,
                          linkage == Linkage::kCentroid || linkage == Linkage::kMedian);
  // Equal rows are at distance 0, whatever the linkage.
  for (const auto& [first, other] : equal_rows(clusters.centres(), d)) clusters.unite(first, other, 0.0);
  merge_all(clusters, linkage, search);
  return std::move(clusters.merges());
}

std::vector<double> scipy_matrix(std::span<const Merge> merges) {
  const std::size_t n = merges.size() + 1;
  std::vector<double> Z(4 * merges.size()), number(n), size(n, 1.0);
  std::iota(number.begin(), number.end(), 0.0);
  for (std::size_t k = 0; k < merges.size(); ++k) {
    const std::size_t a = at(merges[k].first), b = at(merges[k].second);
    size[a] += size[b];
    Z[4 * k] = std::min(number[a], number[b]);
    Z[4 * k + 1] = std::max(number[a], number[b]);
    Z[4 * k + 2] = merges[k].height;
    Z[4 * k + 3] = size[a];
    number[a] = static_cast<double>(n + k);
  }
  return Z;
}

}  // namespace cladebench
