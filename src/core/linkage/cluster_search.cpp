#include "linkage/cluster_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"

namespace cladebench {
namespace {

/// A bound is a little less than the least distance that rounding can give.
constexpr double kBelow = 1.0 - 0x1p-46;
/// Levels of a tree whose nodes are split side by side before each thread goes on below one of them.
constexpr int kSharedLevels = 4;
constexpr std::size_t kWorthWhile = 20'000;  // numbers

}  // namespace

ClusterSearch::ClusterSearch(std::size_t d, Between between, Search search,
                             const std::vector<double>& centres, const std::vector<double>& weights)
    : d_(d),
      search_(search),
      centres_(centres),
      weights_(weights),
      tiles_(d, between),
      places_(weights.size()) {}

Cluster ClusterSearch::cluster(std::int64_t id) const {
  const std::size_t at = static_cast<std::size_t>(id);
  return {centres_.data() + at * d_, weights_[at], id};
}

void ClusterSearch::rebuild(std::vector<std::int64_t> ids) {
  const std::size_t n_nodes = std::max<std::size_t>(2 * blocks_of(ids.size()), 2) - 1;
  nodes_.resize(n_nodes);
  boxes_.resize(n_nodes * 2 * d_);
  std::vector<Keyed> room(ids.size());
  std::vector<Part> parts{{0, 0, ids, room}};
  const bool worth_while = ids.size() * d_ > kWorthWhile;
  for (int level = 0; level < kSharedLevels; ++level) {
    std::vector<std::vector<Part>> halves(parts.size());
    parallel_for(parts.size(), worth_while, [&](std::size_t k) { split(parts[k], halves[k]); });
    parts.clear();
    for (const std::vector<Part>& two : halves) parts.insert(parts.end(), two.begin(), two.end());
  }
  parallel_for(parts.size(), worth_while, [&](std::size_t k) { grow(parts[k]); });
  for (std::size_t place = 0; place < ids.size(); ++place) {
    places_[static_cast<std::size_t>(ids[place])] = place;
  }
  tiles_.assign(ids, centres_.data(), weights_.data());
  with_tree_ = search_ == Search::kTree || (search_ == Search::kChosen && is_tree_worth_while());
}

/// Looking at all blocks is some five times as fast a block.
bool ClusterSearch::is_tree_worth_while() const {
  constexpr std::size_t kTrials = 16, kShare = 5;
  const std::size_t n = tiles_.size();
  std::size_t looked = 0;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    Nearby nearby;
    looked += find_in_tree(cluster(tiles_.id(trial * n / kTrials)), nearby);
  }
  return kShare * looked < kTrials * tiles_.n_blocks();
}

/// Notes what is in a node; adds its halves to those that are to be split, in their order, if it has any.
void ClusterSearch::split(const Part& part, std::vector<Part>& halves) {
  const auto& [number, first_block, ids, room] = part;
  Node& node = nodes_[number];
  node = {first_block, blocks_of(ids.size()), 0, std::numeric_limits<double>::infinity()};
  double* lower = boxes_.data() + number * 2 * d_;
  double* upper = lower + d_;
  std::fill_n(lower, d_, std::numeric_limits<double>::infinity());
  std::fill_n(upper, d_, -std::numeric_limits<double>::infinity());
  keep_on(ids.size() * d_);
  double least_weight = node.least_weight;
  for (const std::int64_t id : ids) {
    const double* centre = centres_.data() + static_cast<std::size_t>(id) * d_;
    least_weight = std::min(least_weight, weights_[static_cast<std::size_t>(id)]);
    for (std::size_t j = 0; j < d_; ++j) {
      lower[j] = std::min(lower[j], centre[j]);
      upper[j] = std::max(upper[j], centre[j]);
    }
  }
  node.least_weight = least_weight;
  if (node.n_blocks < 2) return;
  std::size_t widest = 0;
  for (std::size_t j = 1; j < d_; ++j) {
    if (upper[j] - lower[j] > upper[widest] - lower[widest]) widest = j;
  }
  const std::size_t n_left = node.n_blocks / 2,
                    half = n_left * ClusterTiles::kBlock;  // all blocks but the last are full
  // Numbers beside their ids are compared where they are, not looked up each time.
  for (std::size_t k = 0; k < ids.size(); ++k) {
    room[k] = {centres_[static_cast<std::size_t>(ids[k]) * d_ + widest], ids[k]};
  }
  const auto begin = room.begin();
  std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(half),
                   begin + static_cast<std::ptrdiff_t>(ids.size()));
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = room[k].second;
  node.right = number + 2 * n_left;  // behind the nodes of the left half
  halves.push_back({number + 1, first_block, ids.first(half), room.first(half)});
  halves.push_back({node.right, first_block + n_left, ids.subspan(half), room.subspan(half)});
}

/// A node and all below.
void ClusterSearch::grow(const Part& part) {
  std::vector<Part> open{part};
  while (!open.empty()) {
    const Part next = open.back();
    open.pop_back();
    split(next, open);
  }
}

void ClusterSearch::widen(std::size_t node, const double* centre, double weight) {
  nodes_[node].least_weight = std::min(nodes_[node].least_weight, weight);
  double* lower = boxes_.data() + node * 2 * d_;
  double* upper = lower + d_;
  for (std::size_t j = 0; j < d_; ++j) {
    lower[j] = std::min(lower[j], centre[j]);
    upper[j] = std::max(upper[j], centre[j]);
  }
}

void ClusterSearch::merge(std::int64_t kept, std::int64_t gone) {
  const Cluster one = cluster(kept);
  const std::size_t at = place(kept);
  tiles_.remove(place(gone));
  tiles_.replace(at, one.centre, one.weight);
  const std::size_t block = at / ClusterTiles::kBlock;
  for (std::size_t node = 0;;) {
    widen(node, one.centre, one.weight);
    if (nodes_[node].n_blocks < 2) break;
    const std::size_t right = nodes_[node].right;
    node = block < nodes_[right].first_block ? node + 1 : right;
  }
}

double ClusterSearch::bound(std::size_t node, const Cluster& who) const {
  const double* lower = boxes_.data() + node * 2 * d_;
  const double* upper = lower + d_;
  double square = 0.0;
  for (std::size_t j = 0; j < d_; ++j) {
    const double outside = std::max(std::max(lower[j] - who.centre[j], who.centre[j] - upper[j]), 0.0);
    square += outside * outside;
  }
  return joined(tiles_.between(), square, who.weight, nodes_[node].least_weight) * kBelow;
}

template <class Limit, class Skip, class Look>
std::size_t ClusterSearch::walk(const Cluster& who, const Limit& limit, const Skip& skip,
                                const Look& look) const {
  struct Waiting {
    double bound;
    std::size_t node;
  };
  Waiting stack[64];  // of the far children on one way down: a tree has fewer levels
  std::size_t depth = 0, looked = 0;
  stack[depth++] = {0.0, 0};
  while (depth > 0) {
    auto [least, node] = stack[--depth];
    while (least <= limit() && !skip(nodes_[node])) {
      if (nodes_[node].n_blocks < 2) {
        look(nodes_[node].first_block);
        ++looked;
        break;
      }
      keep_on(2 * d_);
      std::size_t near = node + 1, far = nodes_[node].right;
      double near_bound = bound(near, who), far_bound = bound(far, who);
      if (far_bound < near_bound) {
        std::swap(near, far);
        std::swap(near_bound, far_bound);
      }
      if (far_bound <= limit()) stack[depth++] = {far_bound, far};
      node = near;
      least = near_bound;
    }
  }
  return looked;
}

std::size_t ClusterSearch::find_in_tree(const Cluster& who, Nearby& nearby) const {
  return walk(
      who, [&] { return nearby.limit(); }, [](const Node&) { return false; },
      [&](std::size_t block) { tiles_.look_at_block(block, {&who, 1}, &nearby); });
}

double ClusterSearch::bound(std::size_t a, std::size_t b) const {
  const double* one = boxes_.data() + a * 2 * d_;
  const double* other = boxes_.data() + b * 2 * d_;
  double square = 0.0;
  for (std::size_t j = 0; j < d_; ++j) {
    const double apart = std::max(std::max(other[j] - one[d_ + j], one[j] - other[d_ + j]), 0.0);
    square += apart * apart;
  }
  return joined(tiles_.between(), square, nodes_[a].least_weight, nodes_[b].least_weight) * kBelow;
}

std::size_t ClusterSearch::leaf_of(std::size_t block) const {
  std::size_t node = 0;
  while (nodes_[node].n_blocks > 1) {
    const std::size_t right = nodes_[node].right;
    node = block < nodes_[right].first_block ? node + 1 : right;
  }
  return node;
}

bool ClusterSearch::leaves_near(std::size_t leaf, double limit, std::vector<Near>& near) const {
  near.clear();
  std::size_t stack[64], depth = 0;  // as in `walk`
  stack[depth++] = 0;
  while (depth > 0) {
    const std::size_t node = stack[--depth];
    keep_on(d_);
    const double least = bound(node, leaf);
    if (least > limit || node == leaf) continue;
    if (nodes_[node].n_blocks > 1) {
      stack[depth++] = nodes_[node].right;
      stack[depth++] = node + 1;
    } else if (near.size() == kFewLeaves) {
      return false;
    } else {
      near.push_back({least, node});
    }
  }
  std::sort(near.begin(), near.end());
  return true;
}

void ClusterSearch::find_of_block(std::size_t block, std::span<Nearby> nearby) const {
  constexpr std::size_t kBlock = ClusterTiles::kBlock, kTogether = ClusterTiles::kTogether;
  Cluster who[kBlock];
  for (std::size_t q = 0; q < nearby.size(); ++q) who[q] = cluster(tiles_.id(block * kBlock + q));
  for (std::size_t q = 0; q < nearby.size(); q += kTogether) {
    tiles_.look_at_block(block, {who + q, std::min(kTogether, nearby.size() - q)}, nearby.data() + q);
  }
  double limit = 0.0;
  for (const Nearby& one : nearby) limit = std::max(limit, one.limit());
  std::vector<Near> near;
  const bool few = leaves_near(leaf_of(block), limit, near);
  for (std::size_t q = 0; q < nearby.size(); ++q) {
    if (!few) {
      find_in_tree(who[q], nearby[q]);
      continue;
    }
    for (const auto& [least, leaf] : near) {
      if (least > nearby[q].limit()) break;
      if (bound(leaf, who[q]) > nearby[q].limit()) continue;
      tiles_.look_at_block(nodes_[leaf].first_block, {who + q, 1}, nearby.data() + q);
    }
  }
}

void ClusterSearch::mark(const std::vector<std::int64_t>& groups) const {
  for (std::size_t k = nodes_.size(); k-- > 0;) {  // children come after their parents
    const Node& node = nodes_[k];
    if (node.n_blocks > 1) {
      const std::int64_t group = nodes_[k + 1].group;
      node.group = group == nodes_[node.right].group ? group : -1;
      continue;
    }
    const std::size_t first = node.first_block * ClusterTiles::kBlock;
    node.group = groups[first];
    keep_on(ClusterTiles::kBlock);
    for (std::size_t place = first; place < std::min(first + ClusterTiles::kBlock, tiles_.size()); ++place) {
      if (groups[place] != node.group) node.group = -1;
    }
  }
}

void ClusterSearch::find_outside(std::int64_t who, const std::vector<std::int64_t>& groups, double limit,
                                 Nearby& nearby) const {
  const Cluster from = cluster(who);
  const std::int64_t own = groups[place(who)];
  const auto most = [&] { return std::min(limit, nearby.limit()); };
  walk(
      from, most, [&](const Node& node) { return node.group == own; },
      [&](std::size_t block) {
        double distances[ClusterTiles::kBlock];
        if (!(tiles_.distances(block, {&from, 1}, distances) <= most())) return;
        const std::size_t first = block * ClusterTiles::kBlock;
        for (std::size_t k = 0; k < std::min(ClusterTiles::kBlock, tiles_.size() - first); ++k) {
          if (distances[k] <= most() && groups[first + k] != own) {
            nearby.offer({distances[k], tiles_.id(first + k)});
          }
        }
      });
}

/// A block of several groups may be large, so that its box says little.
double ClusterSearch::least_to_rows(std::size_t leaf, std::size_t block,
                                    const std::vector<std::int64_t>& groups) const {
  const std::size_t first = block * ClusterTiles::kBlock;
  double least = std::numeric_limits<double>::infinity();
  keep_on(ClusterTiles::kBlock * d_);
  for (std::size_t place = first; place < std::min(first + ClusterTiles::kBlock, tiles_.size()); ++place) {
    if (groups[place] != nodes_[leaf].group) least = std::min(least, bound(leaf, cluster(tiles_.id(place))));
  }
  return least;
}

double ClusterSearch::least_outside(std::size_t block, const std::vector<std::int64_t>& groups) const {
  const std::size_t leaf = leaf_of(block);
  const std::int64_t own = nodes_[leaf].group;
  if (own < 0) return 0.0;
  double least = std::numeric_limits<double>::infinity();
  std::pair<double, std::size_t> stack[64];  // as in `walk`
  std::size_t depth = 0;
  stack[depth++] = {0.0, 0};
  while (depth > 0) {
    const auto [from_here, node] = stack[--depth];
    if (from_here >= least || nodes_[node].group == own) continue;
    if (nodes_[node].n_blocks < 2) {
      if (nodes_[node].group < 0) {
        least = std::min(least, least_to_rows(leaf, nodes_[node].first_block, groups));
      } else {
        least = from_here;
      }
      continue;
    }
    keep_on(2 * d_);
    std::pair<double, std::size_t> near{bound(node + 1, leaf), node + 1};
    std::pair<double, std::size_t> far{bound(nodes_[node].right, leaf), nodes_[node].right};
    if (far < near) std::swap(near, far);
    stack[depth++] = far;
    stack[depth++] = near;
  }
  return least;
}

void ClusterSearch::find(std::span<const std::int64_t> who, Nearby* nearby) const {
  if (with_tree_) {
    for (std::size_t q = 0; q < who.size(); ++q) find_in_tree(cluster(who[q]), nearby[q]);
    return;
  }
  Cluster clusters[kBatch];
  for (std::size_t q = 0; q < who.size(); ++q) clusters[q] = cluster(who[q]);
  constexpr std::size_t kTogether = ClusterTiles::kTogether;
  for (std::size_t block = 0; block < tiles_.n_blocks(); ++block) {
    for (std::size_t q = 0; q < who.size(); q += kTogether) {
      const std::size_t few = std::min(kTogether, who.size() - q);
      tiles_.look_at_block(block, {clusters + q, few}, nearby + q);
    }
  }
}

void ClusterSearch::find(std::span<const std::int64_t> who, std::span<Nearest> nearest) const {
  constexpr std::size_t kTogether = ClusterTiles::kTogether, kBlock = ClusterTiles::kBlock;
  Cluster from[kTogether];
  for (std::size_t q = 0; q < who.size(); ++q) from[q] = cluster(who[q]);
  double distances[kTogether * kBlock];
  const auto offer = [&](std::size_t q, const double* far, std::size_t first) {
    const std::size_t n_here = std::min(kBlock, tiles_.size() - first);
    for (std::size_t tile = 0; tile < n_here; tile += kLanes) {
      const double limit = nearest[q].limit();
      int n_near = 0;  // most tiles have none: eight are compared at a time
      for (std::size_t k = tile; k < tile + kLanes; ++k) n_near += far[k] <= limit;
      for (std::size_t k = tile; n_near > 0 && k < std::min(n_here, tile + kLanes); ++k) {
        const std::int64_t id = tiles_.id(first + k);
        if (id != who[q]) nearest[q].offer(far[k], static_cast<std::uint32_t>(id));
      }
    }
  };
  if (with_tree_) {
    for (std::size_t q = 0; q < who.size(); ++q) {
      walk(
          from[q], [&] { return nearest[q].limit(); }, [](const Node&) { return false; },
          [&](std::size_t block) {
            const double least = tiles_.distances(block, {from + q, 1}, distances);
            if (least <= nearest[q].limit()) offer(q, distances, block * kBlock);
          });
    }
    return;
  }
  for (std::size_t block = 0; block < tiles_.n_blocks(); ++block) {
    tiles_.distances(block, {from, who.size()}, distances);
    for (std::size_t q = 0; q < who.size(); ++q) offer(q, distances + q * kBlock, block * kBlock);
  }
}

}  // namespace cladebench
