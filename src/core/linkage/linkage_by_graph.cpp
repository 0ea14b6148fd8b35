#include "linkage/linkage_by_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "common/keep_on.hpp"
#include "common/roots.hpp"
#include "common/steps_done.hpp"
#include "linkage/graph_edges.hpp"
#include "linkage/merged_clusters.hpp"
#include "linkage/spanning_tree.hpp"

namespace cladebench {
namespace {

using Id = std::int64_t;

std::size_t at(Id id) { return static_cast<std::size_t>(id); }

/// How far a cluster A is at least from each cluster C that it is not linked to.
///
/// A row p of A is not linked to any row of C: it is at least r_p from all, r_p^2 its number in the graph. So
/// the mean square R of r_p is no more than the mean squared distance between A and C: that bounds kAverage,
/// and kWeighted with its own weights. Of that mean, v_A + v_C is spread about both centres. So their squared
/// distance is at least R - v_A - v_C.
///
/// For kWard v_C is not known, but how C was made: by at most n - 1 merges for its n rows, each of which
/// added its distance to n v_C, at most H. So n v_C <= (n - 1) H, and with s rows in A the distance is at
/// least
///
///     s n / (s + n) (R - v_A - (n - 1) H / n) = s / (s + n) (n (R - v_A - H) + H).
///
/// That rises or falls with n all the way: its least is at n = 1 or beyond all bounds.
class Beyond {
 public:
  Beyond(Linkage linkage, std::span<const double> squares)
      : is_ward_(linkage == Linkage::kWard),
        squares_(squares.begin(), squares.end()),
        sums_(is_ward_ ? squares.size() : 0, 0.0) {}

  bool is_known() const { return !squares_.empty(); }

  double least(const MergedClusters& clusters, Id id) const {
    if (!is_ward_) return squares_[at(id)] * kBelowRounding;
    const double s = clusters.size(id), apart = squares_[at(id)] - sums_[at(id)] / s;
    return std::max(0.0, s * std::min(apart / (s + 1.0), apart - highest_)) * kBelowRounding;
  }

  /// Before both become one.
  void merge(const MergedClusters& clusters, Id kept, Id gone, double distance) {
    if (!is_known()) return;
    const double p = clusters.share(kept, gone);
    squares_[at(kept)] = p * squares_[at(kept)] + (1.0 - p) * squares_[at(gone)];
    if (is_ward_) sums_[at(kept)] += sums_[at(gone)] + distance;
    highest_ = std::max(highest_, distance);
  }

 private:
  bool is_ward_;
  std::vector<double> squares_, sums_;  ///< R, and the size times v
  double highest_ = 0.0;                ///< H
};

/// Of a cluster whose nearest has merged, the old distance stays as a bound until it is the least of all.
class AlongEdges {
 public:
  AlongEdges(MergedClusters& clusters, Linkage linkage, const Graph& graph)
      : clusters_(clusters),
        beyond_(linkage, graph.squares),
        is_ward_(linkage == Linkage::kWard),
        roots_(clusters.n()),
        linked_(clusters.n()),
        seen_(clusters.n(), 0),
        nearest_(clusters.n()),
        is_bound_(clusters.n(), false) {
    merge_equal_rows(clusters.centres(), clusters.d(), graph, roots_,
                     [&](Id kept, Id gone) { merge(kept, gone, 0.0); });
    link(graph);
  }

  void run() {
    std::vector<Entry> first;
    for (const Id id : clusters_.alive()) {
      nearest_[at(id)] = look(id, [](Id, double) {});
      if (nearest_[at(id)] != Neighbor{}) first.emplace_back(nearest_[at(id)].distance, id);
    }
    queue_ = Queue(std::greater<Entry>(), std::move(first));
    while (!queue_.empty()) {
      const auto [distance, id] = queue_.top();
      queue_.pop();
      if (!clusters_.is_alive(id) || distance != nearest_[at(id)].distance) continue;
      if (is_bound_[at(id)]) {
        settle(id, look(id, [](Id, double) {}));
      } else {
        const auto [kept, gone] = std::minmax({id, nearest_[at(id)].id});
        merge(kept, gone, distance);
        settle(kept, look(kept, [&, kept = kept, gone = gone](Id other, double far) {
                 hear(other, kept, gone, far);
               }));
      }
    }
  }

  std::vector<double>& bounds() { return bounds_; }

 private:
  using Entry = std::pair<double, Id>;
  using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>>;

  void link(const Graph& graph) {
    std::vector<std::size_t> begin(clusters_.n() + 1, 0);
    for_edges(graph, [&](Id a, Id b) { ++begin[at(roots_.find(a)) + 1], ++begin[at(roots_.find(b)) + 1]; });
    for (std::size_t id = 0; id < clusters_.n(); ++id) begin[id + 1] += begin[id];
    std::vector<std::uint32_t> all(begin.back());
    std::vector<std::size_t> next = begin;
    for_edges(graph, [&](Id a, Id b) {
      a = roots_.find(a), b = roots_.find(b);
      all[next[at(a)]++] = static_cast<std::uint32_t>(b);
      all[next[at(b)]++] = static_cast<std::uint32_t>(a);
    });
    for (std::size_t id = 0; id < clusters_.n(); ++id) {
      const auto some = std::span(all).subspan(begin[id], begin[id + 1] - begin[id]);
      keep_on(16 * some.size());
      std::sort(some.begin(), some.end());
      linked_[id].assign(some.begin(), std::unique(some.begin(), some.end()));
    }
  }

  /// Brings those that are linked to a cluster up to date, and finds the nearest; tells how far they are.
  template <class Tell>
  Neighbor look(Id id, const Tell& tell) {
    std::vector<std::uint32_t>& linked = linked_[at(id)];
    Neighbor nearest;
    std::size_t left = 0;
    ++n_looks_;
    keep_on(linked.size() * (clusters_.d() + 8));
    for (const std::uint32_t end : linked) {
      const Id root = roots_.find(end);
      if (root == id || std::exchange(seen_[at(root)], n_looks_) == n_looks_) continue;
      linked[left++] = static_cast<std::uint32_t>(root);
      const double distance = clusters_.distance(id, root);
      nearest = std::min(nearest, {distance, root});
      tell(root, distance);
    }
    linked.resize(left);
    return nearest;
  }

  void settle(Id id, const Neighbor& nearest) {
    nearest_[at(id)] = nearest;
    is_bound_[at(id)] = false;
    if (nearest != Neighbor{}) queue_.push({nearest.distance, id});
  }

  /// A cluster hears that two it was linked to, or one of both, are so far from now on.
  void hear(Id id, Id kept, Id gone, double distance) {
    Neighbor& nearest = nearest_[at(id)];
    if (Neighbor{distance, kept} < nearest) {
      settle(id, {distance, kept});
    } else if (nearest.id == kept || nearest.id == gone) {
      is_bound_[at(id)] = true;
    }
  }

  void merge(Id kept, Id gone, double distance) {
    note_bound(kept, gone, distance);
    beyond_.merge(clusters_, kept, gone, distance);
    clusters_.unite(kept, gone, distance);
    roots_.join(kept, gone);
    std::vector<std::uint32_t>&more = linked_[at(kept)], &fewer = linked_[at(gone)];
    if (more.size() < fewer.size()) std::swap(more, fewer);
    more.insert(more.end(), fewer.begin(), fewer.end());
    fewer = {};
  }

  /// All linked clusters are as far as the merged two, being farther than the nearest.
  void note_bound(Id kept, Id gone, double distance) {
    if (!beyond_.is_known()) return;
    const double least = std::min(beyond_.least(clusters_, kept), beyond_.least(clusters_, gone));
    const double share = share_of(least, distance);
    bounds_.push_back(is_ward_ ? std::sqrt(share) : share);  // as heights are
  }

  MergedClusters& clusters_;
  Beyond beyond_;
  bool is_ward_;
  Roots roots_;
  std::vector<std::vector<std::uint32_t>> linked_;  ///< some by parts that have merged, some twice
  std::vector<std::uint64_t> seen_;                 ///< in which look
  std::uint64_t n_looks_ = 0;
  std::vector<Neighbor> nearest_;
  std::vector<bool> is_bound_;
  Queue queue_;
  std::vector<double> bounds_;
};

/// Shortest edges join first, and then what all rows miss.
///
/// Rows of a cluster are at least as far as the least of its r_p from all that they are not linked to.
GraphMerges single(std::span<const double> X, std::size_t d, const Graph& graph) {
  const auto row = [&](Id id) { return Cluster{X.data() + at(id) * d, 0.0, id}; };
  std::vector<Edge> edges;
  edges.reserve(graph.ends.size());
  for_edges(graph, [&](Id a, Id b) {
    const auto [lower, upper] = std::minmax({a, b});
    keep_on(d);
    if (a != b)
      edges.push_back({distance_between(Between::kCentres, row(lower), row(upper), d), lower, upper});
  });
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    keep_on(16);
    return a < b;
  });
  GraphMerges found;
  Roots roots(X.size() / d);
  std::vector<double> squares(graph.squares.begin(), graph.squares.end());
  for (const Edge& edge : edges) {
    if (roots.find(edge.lower) == roots.find(edge.upper)) continue;
    const auto [kept, gone] = roots.join(edge.lower, edge.upper);
    found.merges.push_back({kept, gone, std::sqrt(edge.square)});
    one_done();
    if (squares.empty()) continue;
    squares[at(kept)] = std::min(squares[at(kept)], squares[at(gone)]);
    found.bounds.push_back(std::sqrt(share_of(squares[at(kept)] * kBelowRounding, edge.square)));
  }
  if (found.merges.size() + 1 < roots.size()) {
    for (const Edge& edge : spanning_tree({X.begin(), X.end()}, d, roots)) {
      const auto [kept, gone] = roots.join(edge.lower, edge.upper);
      found.merges.push_back({kept, gone, std::sqrt(edge.square)});
    }
  }
  if (!squares.empty()) found.bounds.resize(found.merges.size(), 1.0);
  return found;
}

}  // namespace

GraphMerges link_by_graph(std::span<const double> X, std::size_t d, Linkage linkage, const Graph& graph) {
  if (linkage == Linkage::kSingle) return single(X, d, graph);
  MergedClusters clusters({X.begin(), X.end()}, d, linkage, true);
  const bool may_fall = linkage == Linkage::kCentroid || linkage == Linkage::kMedian;
  const bool has_bounds = !may_fall && !graph.squares.empty();
  GraphMerges found;
  {
    AlongEdges along(clusters, linkage,
                     {graph.begin, graph.ends, has_bounds ? graph.squares : std::span<const double>()});
    along.run();
    found.bounds = std::move(along.bounds());
  }
  const std::vector<Id> rows = clusters.alive();
  MergedClusters left(clusters, may_fall);
  found.merges = std::move(clusters.merges());
  merge_all(left, linkage, Search::kChosen);
  for (const Merge& merge : left.merges()) {
    found.merges.push_back({rows[at(merge.first)], rows[at(merge.second)], merge.height});
  }
  if (has_bounds) found.bounds.resize(found.merges.size(), 1.0);
  return found;
}

}  // namespace cladebench
