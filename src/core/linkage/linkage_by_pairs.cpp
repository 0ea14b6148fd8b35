#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "common/equal_rows.hpp"
#include "common/joined_sets.hpp"
#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/steps_done.hpp"
#include "linkage/cluster_balls.hpp"
#include "linkage/cluster_pairs.hpp"
#include "linkage/linkage.hpp"
#include "linkage/mutual_nearest.hpp"

namespace cladebench {
namespace {

using Id = MutualNearest::Id;

/// Less by more than rounding can make it.
constexpr double kBelow = 1.0 - 0x1p-36;

std::size_t at(Id id) { return static_cast<std::size_t>(id); }

/// What a cluster knows of another: of all pairs of their points, or of those of a part.
struct Known {
  double value;                           ///< greatest square, or sum, or less
  double squares;                         ///< sum, for ClusterBalls
  std::uint32_t number;                   ///< of the other, or of a part of it
  std::uint32_t size : 31, is_bound : 1;  ///< of the other then; whether the value can be too small
};

/// Clusters, what each knows of those within a limit, and their merges up to it.
///
/// Of what a cluster does not know the distance is above the limit.
class Stage {
 public:
  Stage(const Points& points, const Grouping& clusters, Over over, std::size_t room)
      : points_(points),
        clusters_(clusters),
        over_(over),
        sizes_(clusters.sizes),
        known_(clusters.size()),
        second_(clusters.size()),
        looked_at_(clusters.size(), 0),
        merged_at_(clusters.size(), 0),
        balls_(over == Over::kMean ? ClusterBalls(points, clusters) : ClusterBalls()),
        mutual_(clusters.size()),
        joined_(clusters.size()),
        most_looked_(points.size() * points.size() / kShare) {
    fill(near_pairs(points, clusters, over, room));
  }

  /// Merges two clusters as long as two are as near as the limit, and as that takes no longer than to look at
  /// all pairs anew; tells of each merge.
  template <class Tell>
  void run(const Tell& tell) {
    mutual_.ask(alive());
    std::size_t asked = 0;
    for (std::size_t left = clusters_.size(); left > 1;) {
      asked += mutual_.asking().size();
      if (asked > kAsksARow * clusters_.size()) {
        if (follow(tell)) return;
        asked = 0;  // rounding has closed a circle
        mutual_.ask(alive());
        left = mutual_.asking().size();
      }
      find_nearest();
      MutualNearest::Pairs pairs = mutual_.pairs();
      if (pairs.empty()) pairs = mutual_.closest(alive());
      if (pairs.empty()) return;
      for (const auto& [kept, gone] : pairs) {
        tell(kept, gone, mutual_.nearest(kept).id == gone ? mutual_.nearest(kept) : mutual_.nearest(gone));
        merge(kept, gone);
      }
      mutual_.merge(pairs);
      left -= pairs.size();
      if (looked_ > most_looked_) return;
    }
  }

  /// The clusters that are left, each called by its lowest.
  std::vector<Id> alive() const {
    std::vector<Id> ids;
    for (std::size_t k = 0; k < clusters_.size(); ++k) {
      if (joined_.of(k) == k) ids.push_back(static_cast<Id>(k));
    }
    return ids;
  }

  std::vector<Id> points_of(Id id) const {
    std::vector<Id> all;
    for (const std::uint32_t part : joined_.members(at(id))) {
      const auto some = clusters_.of(part);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  double size_of(Id id) const { return sizes_[at(id)]; }

 private:
  /// What a merged cluster has of its second part, whose own size that was.
  struct Second {
    std::size_t begin;
    double first_size, second_size;
  };

  /// Room of one thread.
  struct Desk {
    Desk(std::size_t n, std::size_t d) : place(n), tiles(d, Between::kCentres) {}
    std::vector<std::uint32_t> place;  ///< of each cluster in what is known, where that has it
    std::vector<double> pairs;         ///< of rows, that are known; kAll where nothing has changed
    std::vector<Neighbor> bounds;
    ClusterTiles tiles;
    std::size_t looked = 0;  ///< pairs of points
  };

  void fill(NearPairs found) {
    limit_ = found.limit;
    std::vector<std::size_t> counts(known_.size(), 0);
    for (const auto& chunk : found.chunks) {
      keep_on(2 * chunk.size());
      for (const ClusterPair& pair : chunk) ++counts[pair.first], ++counts[pair.second];
    }
    std::size_t n_pairs = 0;
    for (std::size_t k = 0; k < known_.size(); ++k) {
      known_[k].reserve(counts[k]);
      n_pairs += counts[k];
    }
    const bool need_squares = over_ == Over::kMean && n_pairs < known_.size() * (known_.size() - 1);
    for (auto& chunk : found.chunks) {
      keep_on(8 * chunk.size());
      for (const auto& [value, a, b] : chunk) {
        const double squares = need_squares ? squares_of(a, b, value) : 0.0;
        known_[a].push_back({value, squares, b, static_cast<std::uint32_t>(sizes_[b]), 0});
        known_[b].push_back({value, squares, a, static_cast<std::uint32_t>(sizes_[a]), 0});
      }
      chunk = {};
    }
    for (std::size_t k = 0; k < known_.size(); ++k) note_parts(k, known_[k].size(), sizes_[k], 0.0);
  }

  /// Sum of the squares of the distances between the parts of two clusters. Of two points the value says it,
  /// within rounding that ClusterBalls allows for.
  double squares_of(std::uint32_t a, std::uint32_t b, double value) const {
    const double pairs = sizes_[a] * sizes_[b];
    if (clusters_.size() == points_.size()) return value * (value / pairs);
    return balls_.mean_square(a, b) * sizes_[a] * sizes_[b];
  }

  void note_parts(std::size_t k, std::size_t begin, double first_size, double second_size) {
    second_[k] = {begin, first_size, second_size};
  }

  /// Goes along chains where rounds would ask too often.
  template <class Tell>
  bool follow(const Tell& tell) {
    Desk desk = take_desk();
    const auto nearest_of = [&](Id id) {
      look(id, desk);
      return mutual_.nearest(id);
    };
    const bool is_done = follow_chains(alive(), nearest_of, [&](Id kept, Id gone, const Neighbor& nearest) {
      tell(kept, gone, nearest);
      merge(kept, gone);
    });
    put_back(std::move(desk));
    return is_done;
  }

  void find_nearest() {
    const std::vector<Id>& asking = mutual_.asking();
    std::size_t work = 0;
    for (const Id id : asking) work += known_[at(id)].size();
    const std::size_t n_chunks = (asking.size() + kFew - 1) / kFew;
    parallel_for(n_chunks, work > kWorthWhile, [&](std::size_t c) {
      Desk desk = take_desk();
      for (std::size_t k = c * kFew; k < std::min(asking.size(), (c + 1) * kFew); ++k) look(asking[k], desk);
      put_back(std::move(desk));
    });
  }

  Desk take_desk() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (desks_.empty()) return Desk(known_.size(), points_.d);
    Desk desk = std::move(desks_.back());
    desks_.pop_back();
    return desk;
  }

  void put_back(Desk desk) {
    const std::lock_guard<std::mutex> lock(mutex_);
    looked_ += std::exchange(desk.looked, 0);
    desks_.push_back(std::move(desk));
  }

  /// Brings what a cluster knows up to date, and finds its nearest.
  void look(Id id, Desk& desk) {
    const std::size_t own = at(id);
    collect(own, desk);
    const double size = sizes_[own];
    std::vector<Known>& known = known_[own];
    Neighbor nearest = MutualNearest::kNobody;
    std::size_t left = 0;
    desk.bounds.clear();
    for (std::size_t k = 0; k < known.size(); ++k) {
      Known& one = known[k];
      const double pairs = size * sizes_[one.number];
      if (desk.pairs[k] != kAll) {
        if (const double missing = pairs - desk.pairs[k]; missing > 0.0) {
          if (over_ == Over::kGreatest) continue;  // beyond the limit
          one.value += missing * limit_;
          one.squares += missing * limit_ * limit_;
          one.is_bound = 1;
        }
        one.size = static_cast<std::uint32_t>(sizes_[one.number]);
      }
      const double distance = distance_of(over_, one.value, pairs);
      if (one.is_bound) {
        desk.bounds.push_back({distance * kBelow, static_cast<Id>(left)});
      } else if (distance <= limit_) {
        nearest = std::min(nearest, {distance, static_cast<Id>(one.number)});
      }
      if (left < k) known[left] = one;
      ++left;
    }
    known.resize(left);
    settle(own, nearest, desk);
    note_parts(own, left, size, 0.0);
    looked_at_[own] = n_merges_;
    mutual_.answer(id, nearest);
  }

  /// Looks at the rows of those that may be nearer than what is the nearest so far.
  void settle(std::size_t own, Neighbor& nearest, Desk& desk) {
    auto& bounds = desk.bounds;
    std::erase_if(bounds, [&](const Neighbor& bound) { return bound.distance > nearest.distance; });
    if (bounds.empty()) return;
    keep_on(bounds.size() * points_.d);
    for (Neighbor& bound : bounds) {
      const Known& one = known_[own][at(bound.id)];
      const double pairs = sizes_[own] * sizes_[one.number];
      bound.distance =
          balls_.least_mean(own, one.number, one.value / pairs, one.squares / pairs, limit_) * kBelow;
    }
    std::erase_if(bounds,
                  [&](const Neighbor& bound) { return bound.distance > std::min(limit_, nearest.distance); });
    std::sort(bounds.begin(), bounds.end());
    for (const Neighbor& bound : bounds) {
      if (bound.distance > nearest.distance) break;
      Known& one = known_[own][at(bound.id)];
      const double pairs = sizes_[own] * sizes_[one.number];
      one.value = sum(static_cast<Id>(own), static_cast<Id>(one.number), desk);
      one.squares = balls_.mean_square(own, one.number) * pairs;
      one.is_bound = 0;
      const double distance = one.value / pairs;
      if (distance <= limit_) nearest = std::min(nearest, {distance, static_cast<Id>(one.number)});
    }
  }

  /// Adds up what is known of the same cluster; in desk.pairs of how many pairs of rows that is.
  void collect(std::size_t own, Desk& desk) {
    std::vector<Known>& known = known_[own];
    const auto [begin, first_size, second_size] = second_[own];
    const std::size_t since = merged_at_[own] > looked_at_[own] ? 0 : looked_at_[own];
    keep_on(4 * known.size());
    desk.pairs.resize(known.size());
    std::size_t left = 0;
    for (std::size_t k = 0; k < known.size(); ++k) {
      if (merged_at_[known[k].number] <= since && since > 0) {  // no other can be the same by now
        desk.pairs[left] = kAll;
        if (left < k) known[left] = known[k];
        ++left;
        continue;
      }
      const std::uint32_t root = joined_.of(known[k].number);
      if (root == own) continue;
      const double pairs = (k < begin ? first_size : second_size) * known[k].size;
      const std::uint32_t place = desk.place[root];
      if (place < left && known[place].number == root) {
        Known& one = known[place];
        one.value =
            over_ == Over::kGreatest ? std::max(one.value, known[k].value) : one.value + known[k].value;
        one.squares += known[k].squares;
        one.is_bound |= known[k].is_bound;
        desk.pairs[place] += pairs;
      } else {
        desk.place[root] = static_cast<std::uint32_t>(left);
        known[left] = known[k];
        known[left].number = root;
        desk.pairs[left++] = pairs;
      }
    }
    known.resize(left);
  }

  /// Sum of the distances between the rows of two clusters.
  double sum(Id a, Id b, Desk& desk) const {
    const std::vector<Id> lower = points_of(std::min(a, b)), upper = points_of(std::max(a, b));
    desk.looked += lower.size() * upper.size();
    desk.tiles.assign(lower, points_.x.data(), points_.weights.data());
    double sum = 0.0, values[ClusterTiles::kBlock];
    for (std::size_t first = 0; first < lower.size(); first += ClusterTiles::kBlock) {
      compare(points_, upper, over_, desk.tiles, first / ClusterTiles::kBlock, values);
      for (std::size_t k = first; k < std::min(lower.size(), first + ClusterTiles::kBlock); ++k) {
        sum += points_.weight(lower[k]) * values[k - first];
      }
    }
    return sum;
  }

  void merge(Id kept, Id gone) {
    auto &first = known_[at(kept)], &second = known_[at(gone)];
    note_parts(at(kept), first.size(), sizes_[at(kept)], sizes_[at(gone)]);
    first.insert(first.end(), second.begin(), second.end());
    second = {};
    if (over_ == Over::kMean) {
      balls_.merge(at(kept), at(gone), sizes_[at(kept)] / (sizes_[at(kept)] + sizes_[at(gone)]));
    }
    sizes_[at(kept)] += sizes_[at(gone)];
    joined_.join(at(kept), at(gone));
    merged_at_[at(kept)] = merged_at_[at(gone)] = ++n_merges_;
  }

  static constexpr std::size_t kFew = 64, kWorthWhile = 40'000, kShare = 32;
  static constexpr double kAll = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kAsksARow = 32;  ///< ten times as many as without ties
  const Points& points_;
  const Grouping& clusters_;
  Over over_;
  double limit_ = 0.0;
  std::vector<double> sizes_;  ///< in rows
  std::vector<std::vector<Known>> known_;
  std::vector<Second> second_;
  std::size_t n_merges_ = 1;
  std::vector<std::size_t> looked_at_, merged_at_;  ///< of each cluster, after how many merges
  ClusterBalls balls_;                              ///< for means
  MutualNearest mutual_;
  JoinedSets joined_;
  std::mutex mutex_;
  std::vector<Desk> desks_;
  std::size_t looked_ = 0, most_looked_;  ///< pairs of points, one by one
};

/// Rows that differ, and the merges of those that are equal.
struct Start {
  Points points;
  std::vector<Id> rows;  ///< the first row of each point
  std::vector<Merge> merges;

  Start(std::vector<double> X, std::size_t d) : points{d, std::move(X), {}} {
    std::vector<double>& x = points.x;
    for (double& number : x) number += 0.0;  // there is no -0
    std::vector<double> weights(x.size() / d, 1.0);
    for (const auto& [first, other] : equal_rows(x, d)) {
      merges.push_back({first, other, 0.0});
      one_done();
      weights[at(first)] += 1.0;
      weights[at(other)] = 0.0;
    }
    for (std::size_t row = 0; row < weights.size(); ++row) {
      if (weights[row] == 0.0) continue;
      std::copy_n(x.data() + row * d, d, x.data() + rows.size() * d);
      points.weights.push_back(weights[row]);
      rows.push_back(static_cast<Id>(row));
    }
    x.resize(rows.size() * d);
  }
};

}  // namespace

std::vector<Merge> link_by_pairs(std::vector<double> X, std::size_t d, PairLinkage linkage,
                                 std::size_t room) {
  if (X.size() / d >= std::size_t{1} << 31)
    throw std::invalid_argument("X: too many rows; expected below 2^31");
  Start start(std::move(X), d);
  const Over over = linkage == PairLinkage::kComplete ? Over::kGreatest : Over::kMean;
  const std::size_t n = start.rows.size();
  if (room == 0) room = std::clamp<std::size_t>(n * n / 80, std::size_t{1} << 19, std::size_t{3} << 20);
  Grouping clusters{{}, {}, start.points.weights};
  for (std::size_t point = 0; point <= n; ++point) {
    if (point < n) clusters.points.push_back(static_cast<Id>(point));
    clusters.begin.push_back(point);
  }
  std::vector<double> heights(n, 0.0);
  std::vector<Id> rows = start.rows;
  while (clusters.size() > 1) {
    Stage stage(start.points, clusters, over, room);
    stage.run([&](Id kept, Id gone, const Neighbor& nearest) {
      const double height = over == Over::kGreatest ? std::sqrt(nearest.distance) : nearest.distance;
      heights[at(kept)] =
          std::max({height, heights[at(kept)], heights[at(gone)]});  // rounding lets none fall
      start.merges.push_back({rows[at(kept)], rows[at(gone)], heights[at(kept)]});
      one_done();
    });
    Grouping left;
    for (const Id id : stage.alive()) {
      const std::vector<Id> points = stage.points_of(id);
      rows[left.size()] = rows[at(id)];
      heights[left.size()] = heights[at(id)];
      left.begin.push_back(left.points.size());
      left.points.insert(left.points.end(), points.begin(), points.end());
      left.sizes.push_back(stage.size_of(id));
    }
    left.begin.push_back(left.points.size());
    if (8 * left.size() > 7 * clusters.size()) room *= 2;  // else many stages would follow
    clusters = std::move(left);
  }
  std::stable_sort(start.merges.begin(), start.merges.end(),
                   [](const Merge& a, const Merge& b) { return a.height < b.height; });
  return std::move(start.merges);
}

}  // namespace cladebench
