#include "linkage/linkage_by_edges.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "common/keep_on.hpp"
#include "common/roots.hpp"
#include "common/steps_done.hpp"
#include "linkage/cluster_reach.hpp"
#include "linkage/graph_edges.hpp"
#include "linkage/link_table.hpp"
#include "linkage/merged_clusters.hpp"
#include "linkage/spanning_tree.hpp"

namespace cladebench {
namespace {

using Id = std::int64_t;
using Place = Link::Place;
using Index = LinkTable::Index;

std::size_t at(Id id) { return static_cast<std::size_t>(id); }

void sort(std::vector<Edge>& edges) {
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    keep_on(16);
    return a < b;
  });
}

/// All edges between groups of equal rows, each once, the shortest first; and those that join what is apart.
std::vector<Edge> edges_between(std::span<const double> X, std::size_t d, const Graph& graph, Roots& groups) {
  const auto row = [&](Id id) { return Cluster{X.data() + at(id) * d, 0.0, id}; };
  std::vector<Edge> edges;
  edges.reserve(graph.ends.size());
  for_edges(graph, [&](Id a, Id b) {
    const auto [lower, upper] = std::minmax({groups.find(a), groups.find(b)});
    keep_on(d);
    if (lower != upper)
      edges.push_back({distance_between(Between::kCentres, row(lower), row(upper), d), lower, upper});
  });
  sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Roots parts = groups;
  for (const Edge& edge : edges) parts.join(edge.lower, edge.upper);
  std::size_t n_parts = 0;
  for (std::size_t id = 0; id < parts.size(); ++id)
    n_parts += parts.find(static_cast<Id>(id)) == static_cast<Id>(id);
  if (n_parts == 1) return edges;
  std::size_t uncounted = 0;  // its steps are no merges
  const CountingSteps counting(uncounted);
  for (const Edge& edge : spanning_tree({X.begin(), X.end()}, d, std::move(parts))) {
    const auto [lower, upper] = std::minmax({groups.find(edge.lower), groups.find(edge.upper)});
    edges.push_back({edge.square, lower, upper});
  }
  sort(edges);
  return edges;
}

/// Merges along links, each the distance of two clusters; the shortest first.
///
/// Of two clusters that merge, the one with fewer links hands them to the other. So a link is handed on at
/// most as often as its cluster's number of links can double.
///
/// Heights never fall: what stands for two links is no less than the lesser of both, and no link was less
/// than the one along which two clusters merged.
class AlongLinks {
 public:
  AlongLinks(MergedClusters& clusters, EdgeLinkage linkage, std::vector<Edge> edges,
             std::span<const double> squares)
      : clusters_(clusters),
        linkage_(linkage),
        reach_(clusters, linkage, squares),
        links_(links(std::move(edges))),
        has_changed_(links_.size(), false),
        lists_(clusters.n()),
        rows_(clusters.n()),
        table_(links_) {
    std::vector<std::uint32_t> counts(clusters_.n(), 0);
    for (const Link& link : links_) ++counts[link.first], ++counts[link.second];
    for (std::size_t place = 0; place < lists_.size(); ++place) {
      lists_[place].reserve(counts[place]);
      rows_[place] = static_cast<Id>(place);
    }
    for (Index k = 0; k < links_.size(); ++k) {
      const Link& link = links_[k];
      lists_[link.first].push_back(k), lists_[link.second].push_back(k);
      reach_.hear(link.first, link.second, height_of(link.value));
    }
  }

  void run() {
    std::vector<Index> tied;
    while (clusters_.n_alive() > 1) {
      const double value = least();
      tied.clear();
      do tied.push_back(take());
      while (least() == value);
      if (tied.size() == 1) {
        merge(tied.front());
      } else {
        merge_tied(tied, value);
      }
    }
  }

  std::vector<double>& bounds() { return bounds_; }

 private:
  using Entry = std::pair<double, Index>;

  std::vector<Link> links(std::vector<Edge> edges) const {
    if (edges.size() >= LinkTable::kNone) throw std::invalid_argument("ends: too many; expected below 2^32");
    std::vector<Link> links;
    links.reserve(edges.size());
    for (const Edge& edge : edges) {
      links.push_back({linkage_ == EdgeLinkage::kComplete ? edge.square : std::sqrt(edge.square),
                       clusters_.size(edge.lower) * clusters_.size(edge.upper),
                       static_cast<Place>(edge.lower), static_cast<Place>(edge.upper)});
    }
    return links;
  }

  double height_of(double value) const {
    return linkage_ == EdgeLinkage::kComplete ? std::sqrt(value) : value;
  }

  /// The least value of all links; kNone if there is none. Those that are as they were at first are in order;
  /// the others are queued.
  double least() {
    while (next_ < links_.size() && (links_[next_].is_gone() || has_changed_[next_])) ++next_;
    while (!queue_.empty() && !is_so(queue_.top())) queue_.pop();
    if (next_ == links_.size()) return queue_.empty() ? kNone : queue_.top().first;
    return queue_.empty() ? links_[next_].value : std::min(links_[next_].value, queue_.top().first);
  }

  bool is_so(const Entry& entry) const {
    const Link& link = links_[entry.second];
    return !link.is_gone() && link.value == entry.first;
  }

  /// After `least`: a link of that value, once.
  Index take() {
    if (next_ < links_.size() && (queue_.empty() || links_[next_].value <= queue_.top().first))
      return static_cast<Index>(next_++);
    const Index link = queue_.top().second;
    queue_.pop();
    return link;
  }

  std::tuple<Id, Id, Index> in_rows(Index link) const {
    const auto [lower, upper] = std::minmax({rows_[links_[link].first], rows_[links_[link].second]});
    return {lower, upper, link};
  }

  /// Those with the lowest rows first. What has merged keeps the lowest row of all that are tied, until it is
  /// tied to none.
  void merge_tied(const std::vector<Index>& tied, double value) {
    std::priority_queue<std::tuple<Id, Id, Index>, std::vector<std::tuple<Id, Id, Index>>, std::greater<>>
        first;
    for (const Index link : tied) first.push(in_rows(link));
    std::vector<Index> handed;
    while (!first.empty()) {
      const auto known = first.top();
      const Index link = std::get<2>(known);
      first.pop();
      if (!is_so({value, link}) || in_rows(link) != known) continue;
      const Id upper = std::get<1>(known);
      const Place gone = rows_[links_[link].first] == upper ? links_[link].first : links_[link].second;
      keep_on(8 * lists_[gone].size());
      handed.clear();
      for (const Index other : lists_[gone]) {
        if (is_so({value, other})) handed.push_back(other);
      }
      merge(link);
      for (const Index other : handed) {
        if (is_so({value, other})) first.push(in_rows(other));
      }
      while (least() == value) first.push(in_rows(take()));  // rounding can make some
    }
  }

  void merge(Index along) {
    const Link link = links_[along];
    Place a = link.first, b = link.second;
    if (lists_[a].size() < lists_[b].size()) std::swap(a, b);
    keep_on(16 * lists_[b].size() + clusters_.d());
    const auto [kept, gone] = std::minmax({rows_[a], rows_[b]});
    const double height = height_of(link.value);
    if (reach_.is_known()) note_bound(link, height);
    links_[along].end();
    const double p = clusters_.share(rows_[a], rows_[b]), q = clusters_.share(rows_[b], rows_[a]);
    for (const Index other : lists_[b]) {
      if (!links_[other].is_gone()) hand(other, a, links_[other].other(b), p, q);
    }
    lists_[b] = {};
    clusters_.unite(kept, gone, height);
    rows_[a] = kept;
  }

  /// A link of another cluster to c becomes one of a, with which that cluster merges; with these weights.
  void hand(Index handed, Place a, Place c, double p, double q) {
    Link& link = links_[handed];
    Index& slot = table_.slot(a, c);
    if (slot == LinkTable::kNone) {
      link.first = std::min(a, c), link.second = std::max(a, c);
      table_.put(slot, handed);
      lists_[a].push_back(handed);
      return;
    }
    Link& known = links_[slot];
    known.pairs += link.pairs;
    link.end();
    const double value = joined(known.value, link.value, p, q);
    if (value == known.value) return;
    known.value = value;
    has_changed_[slot] = true;
    queue_.emplace(value, slot);
  }

  /// Between both, whatever rounding does.
  double joined(double one, double other, double p, double q) const {
    const auto [least, most] = std::minmax({one, other});
    return linkage_ == EdgeLinkage::kComplete ? most : std::clamp(p * one + q * other, least, most);
  }

  /// Whether all rows of both are linked: then the value is their distance.
  bool is_full(const Link& link) const {
    return link.pairs == clusters_.size(rows_[link.first]) * clusters_.size(rows_[link.second]);
  }

  /// Before both become one. Of complete linkage the true distance of two linked clusters is no less than the
  /// value of their link, and so than the height.
  void note_bound(const Link& link, double height) {
    const auto [kept, gone] = std::minmax({rows_[link.first], rows_[link.second]});
    const double most = is_full(link) ? height : reach_.most(kept, gone, height);
    double from_first, from_second;
    if (linkage_ == EdgeLinkage::kComplete) {
      from_first = std::min(height, reach_.beyond(kept)), from_second = std::min(height, reach_.beyond(gone));
    } else {
      from_first = least_from(link.first, link.second), from_second = least_from(link.second, link.first);
      if (rows_[link.first] != kept) std::swap(from_first, from_second);
    }
    bounds_.push_back(share_of(std::min(from_first, from_second), most));
    reach_.merge(kept, gone, from_first, from_second);
  }

  /// How far a cluster is at least from all but the one that it merges with.
  double least_from(Place a, Place b) const {
    const double floor = reach_.floor(rows_[a]);
    if (lists_[a].size() > kFew) return floor;
    double least = reach_.beyond(rows_[a]);
    for (const Index k : lists_[a]) {
      const Link& link = links_[k];
      const Place c = link.other(a);
      if (link.is_gone() || c == b) continue;
      least = std::min(least, is_full(link) ? link.value : std::max(floor, reach_.floor(rows_[c])));
    }
    return std::max(least, floor);
  }

  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  ///< as far as no other number
  static constexpr std::size_t kFew = 256;  ///< So many links are looked at for a bound, in little time.
  MergedClusters& clusters_;
  EdgeLinkage linkage_;
  ClusterReach reach_;
  std::vector<Link> links_;
  std::vector<bool> has_changed_;
  std::vector<std::vector<Index>> lists_;  ///< of each place, some that are gone
  std::vector<Id> rows_;                   ///< the lowest of each place
  LinkTable table_;
  std::size_t next_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue_;
  std::vector<double> bounds_;
};

}  // namespace

GraphMerges link_by_edges(std::span<const double> X, std::size_t d, EdgeLinkage linkage, const Graph& graph) {
  MergedClusters clusters({X.begin(), X.end()}, d,
                          linkage == EdgeLinkage::kWeighted ? Linkage::kWeighted : Linkage::kAverage, true);
  Roots groups(clusters.n());
  merge_equal_rows(X, d, graph, groups, [&](Id kept, Id gone) {
    clusters.unite(kept, gone, 0.0);
    groups.join(kept, gone);
  });
  const std::size_t n_equal = clusters.merges().size();
  AlongLinks along(clusters, linkage, edges_between(X, d, graph, groups), graph.squares);
  along.run();
  GraphMerges found{std::move(clusters.merges()), std::move(along.bounds())};
  if (!graph.squares.empty()) found.bounds.insert(found.bounds.begin(), n_equal, 1.0);
  return found;
}

}  // namespace cladebench
