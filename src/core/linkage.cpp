#include "cladebench/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include "cladebench/equal_rows.hpp"
#include "cladebench/mutual_nearest.hpp"
#include "cladebench/parallel.hpp"
#include "cladebench/roots.hpp"
#include "cladebench/spanning_tree.hpp"

namespace cladebench {
namespace {

using Id = std::int64_t;

/// Less by more than rounding can make it.
constexpr double kBelow = 1.0 - 0x1p-40;

std::size_t at(Id id) { return static_cast<std::size_t>(id); }

Between between_of(Linkage linkage) {
  if (linkage == Linkage::kWard) return Between::kSizes;
  if (linkage == Linkage::kAverage || linkage == Linkage::kWeighted) return Between::kSpreads;
  return Between::kCentres;
}

/// The clusters that there are, and their merges so far.
class Clusters {
 public:
  Clusters(std::span<const double> X, std::size_t d, Linkage linkage, Search search)
      : n_(X.size() / d),
        d_(d),
        linkage_(linkage),
        centres_(X.begin(), X.end()),
        sizes_(n_, 1.0),
        spreads_(linkage == Linkage::kWard ? 0 : n_, 0.0),
        heights_(n_, 0.0),
        alive_(n_, true),
        n_alive_(n_),
        search_(d, between_of(linkage), search, centres_, linkage == Linkage::kWard ? sizes_ : spreads_) {
    for (double& x : centres_) x += 0.0;  // there is no -0
    merges_.reserve(n_ - 1);
    merge_equal_rows();
    rebuild();
  }

  std::size_t n() const { return n_; }
  std::size_t n_alive() const { return n_alive_; }
  bool is_alive(Id id) const { return alive_[at(id)]; }
  ClusterSearch& search() { return search_; }
  std::vector<Merge>& merges() { return merges_; }

  std::vector<Id> alive() const {
    std::vector<Id> ids;
    for (std::size_t id = 0; id < n_; ++id) {
      if (alive_[id]) ids.push_back(static_cast<Id>(id));
    }
    return ids;
  }

  double distance(Id a, Id b) const {
    return distance_between(between_of(linkage_), search_.cluster(a), search_.cluster(b), d_);
  }

  /// How far both are at least from all others, if a and b are at least so far from them, and nearer to each
  /// other. By the recurrence of Lance and Williams; Ward's own terms only add to it then.
  double least_after(Id a, Id b, double from_a, double from_b) const {
    const double p = share(a, b);
    return (p * from_a + (1.0 - p) * from_b) * kBelow;
  }

  /// The one with the lower row becomes both.
  void merge(Id kept, Id gone, double distance) {
    unite(kept, gone, distance);
    search_.merge(kept, gone);
  }

  /// Leaves out those that are gone, once they are many.
  void forget() {
    if (4 * (n_built_ - n_alive_) > n_built_ && n_built_ > ClusterTiles::kBlock) rebuild();
  }

 private:
  void rebuild() {
    search_.rebuild(alive());
    n_built_ = n_alive_;
  }

  /// Equal rows are at distance 0, whatever the linkage.
  void merge_equal_rows() {
    for (const auto& [first, other] : equal_rows(centres_, d_)) unite(first, other, 0.0);
  }

  void unite(Id kept, Id gone, double distance) {
    double* a = centres_.data() + at(kept) * d_;
    const double* b = centres_.data() + at(gone) * d_;
    const double p = share(kept, gone), q = share(gone, kept);
    double square = 0.0;
    for (std::size_t j = 0; j < d_; ++j) {
      const double difference = a[j] - b[j];
      square += difference * difference;
      if (difference != 0.0) a[j] = p * a[j] + q * b[j];
    }
    if (!spreads_.empty())
      spreads_[at(kept)] = p * spreads_[at(kept)] + q * spreads_[at(gone)] + p * q * square;
    sizes_[at(kept)] += sizes_[at(gone)];
    alive_[at(gone)] = false;
    --n_alive_;
    double height = distance;
    if (linkage_ == Linkage::kWard) height = std::sqrt(2.0 * distance);
    if (may_fall()) {
      height = std::sqrt(distance);
    } else {  // what rounding would let fall
      height = std::max(height, std::max(heights_[at(kept)], heights_[at(gone)]));
    }
    heights_[at(kept)] = height;
    merges_.push_back({kept, gone, height});
  }

  /// The weight of a's centre in that of a and b.
  double share(Id a, Id b) const {
    if (linkage_ == Linkage::kWeighted || linkage_ == Linkage::kMedian) return 0.5;
    return sizes_[at(a)] / (sizes_[at(a)] + sizes_[at(b)]);
  }

  bool may_fall() const { return linkage_ == Linkage::kCentroid || linkage_ == Linkage::kMedian; }

  std::size_t n_, d_;
  Linkage linkage_;
  std::vector<double> centres_, sizes_, spreads_, heights_;
  std::vector<bool> alive_;
  std::size_t n_alive_, n_built_ = 0;
  std::vector<Merge> merges_;
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
        clusters_.merge(kept, gone, mutual_.nearest(kept).distance);
        roots_.join(kept, gone);
      }
      mutual_.merge(pairs);
      if (pairs.empty()) ask_all();
      clusters_.forget();
    }
  }

 private:
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
    std::sort(unknown.begin(), unknown.end(), [&](Id a, Id b) { return search.place(a) < search.place(b); });
    const std::size_t batch = search.batch(), n_batches = (unknown.size() + batch - 1) / batch;
    parallel_for(n_batches, n_batches > 1, [&](std::size_t b) {
      const auto who = std::span(unknown).subspan(b * batch, std::min(batch, unknown.size() - b * batch));
      std::vector<Nearby> found;
      for (const Id id : who) found.push_back(nearby_[at(id)]);
      search.find(who, found.data());
      for (std::size_t q = 0; q < who.size(); ++q) {
        nearby_[at(who[q])] = found[q];
        beyond_[at(who[q])] = found[q].limit();
        mutual_.answer(who[q], found[q].found().front());
      }
    });
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
      clusters_.search().find({&id, 1}, &found);
      return found.found().front();
    };
    follow_chains(clusters_.alive(), nearest_of, [&](Id kept, Id gone, const Neighbor& nearest) {
      clusters_.merge(kept, gone, nearest.distance);
      roots_.join(kept, gone);
      clusters_.forget();
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
  Clusters& clusters_;
  std::vector<Nearby> nearby_;
  std::vector<double> beyond_;  ///< All clusters that are not nearby are at least so far.
  MutualNearest mutual_;
  Roots roots_;
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
    if (all.size() < 2) return;  // all rows are equal
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

std::vector<Merge> single(std::span<const double> X, std::size_t d, Search search) {
  std::vector<Merge> merges;
  Roots roots(X.size() / d);
  merges.reserve(X.size() / d - 1);
  for (const Edge& edge : spanning_tree(X, d, search)) {
    const auto [first, second] = roots.join(edge.lower, edge.upper);
    merges.push_back({first, second, std::sqrt(edge.square)});
  }
  return merges;
}

}  // namespace

std::vector<Merge> link(std::span<const double> X, std::size_t d, Linkage linkage, Search search) {
  if (linkage == Linkage::kSingle) return single(X, d, search);
  Clusters clusters(X, d, linkage, search);
  if (linkage == Linkage::kCentroid || linkage == Linkage::kMedian) {
    Ordered(clusters).run();
    return std::move(clusters.merges());
  }
  Rounds(clusters).run();
  std::stable_sort(clusters.merges().begin(), clusters.merges().end(),
                   [](const Merge& a, const Merge& b) { return a.height < b.height; });
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
