#include "linkage/spanning_tree.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "common/equal_rows.hpp"
#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "common/roots.hpp"
#include "common/simd.hpp"
#include "common/steps_done.hpp"
#include "linkage/cluster_search.hpp"

namespace cladebench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The rows outside the tree hear of a row that joined it; gives the least distance to the tree.
struct Hear {
  template <class V, int kTiles>
  CLADEBENCH_INLINE static void tiles(const double* x, std::size_t d, const double* joined, double row,
                                      double* squares, double* from, typename V::Vec& lowest) {
    using Vec = typename V::Vec;
    Vec sums[kTiles][kParts<V>] = {};
    for (std::size_t j = 0; j < d; ++j) {
      for (int t = 0; t < kTiles; ++t) {
        for (int part = 0; part < kParts<V>; ++part) {
          const Vec difference = at<V>(x + (t * d + j) * kLanes + part * V::kWidth) - joined[j];
          sums[t][part] += difference * difference;
        }
      }
    }
    for (int t = 0; t < kTiles; ++t) {
      for (int part = 0; part < kParts<V>; ++part) {
        const std::size_t place = static_cast<std::size_t>(t) * kLanes + part * V::kWidth;
        const Vec known = at<V>(squares + place), source = at<V>(from + place), sum = sums[t][part];
        const Vec least = sum < known ? sum : known;  // false for NaN: no row is there
        const Vec lower = row < source ? Vec{} + row : source;
        at<V>(squares + place) = least;
        at<V>(from + place) = sum < known ? Vec{} + row : sum == known ? lower : source;
        lowest = least < lowest ? least : lowest;
      }
    }
  }

  template <class V>
  CLADEBENCH_INLINE static double run(const double* x, std::size_t n_tiles, std::size_t d,
                                      const double* joined, double row, double* squares, double* from) {
    constexpr int kMany = kParts<V> > 1 ? 2 : 4;
    typename V::Vec lowest = typename V::Vec{} + kInfinity;
    std::size_t t = 0;
    for (; t + kMany <= n_tiles; t += kMany) {
      tiles<V, kMany>(x + t * d * kLanes, d, joined, row, squares + t * kLanes, from + t * kLanes, lowest);
    }
    for (; t < n_tiles; ++t) {
      tiles<V, 1>(x + t * d * kLanes, d, joined, row, squares + t * kLanes, from + t * kLanes, lowest);
    }
    double lanes[V::kWidth];
    at<V>(lanes) = lowest;
    return *std::min_element(lanes, lanes + V::kWidth);
  }
};

/// The rows that are not in the tree yet, in their order, by tiles of eight.
class Outside {
 public:
  Outside(std::span<const double> X, std::size_t d) : d_(d) {
    const std::size_t n = X.size() / d - 1;
    rows_.resize(n);
    std::iota(rows_.begin(), rows_.end(), std::int64_t{1});
    make_room(n);
    for (std::size_t place = 0; place < n; ++place) {
      for (std::size_t j = 0; j < d; ++j) at(x_, place, j) = X[(place + 1) * d + j];
      squares_[place] = kInfinity;
    }
    n_left_ = n;
  }

  /// The nearest row, and where it joins the tree, after `row` has joined it.
  Edge next(const double* joined, std::int64_t row) {
    const std::size_t n_tiles = squares_.size() / kLanes, n_chunks = (n_tiles + kChunk - 1) / kChunk;
    least_.resize(n_chunks);
    parallel_for(n_chunks, n_tiles * d_ > kWorthWhile, [&](std::size_t c) {
      const std::size_t first = c * kChunk, few = std::min(kChunk, n_tiles - first);
      keep_on(few * d_);
      least_[c] = run_kernel<Hear, const double*>(x_.data() + first * d_ * kLanes, few, d_, joined,
                                                  static_cast<double>(row), squares_.data() + first * kLanes,
                                                  from_.data() + first * kLanes);
    });
    const double least = *std::min_element(least_.begin(), least_.end());
    Edge edge{kInfinity, std::numeric_limits<std::int64_t>::max(), 0};
    std::size_t place = 0;
    for (std::size_t c = 0; c < n_chunks; ++c) {
      if (least_[c] != least) continue;
      for (std::size_t k = c * kChunk * kLanes; k < std::min(rows_.size(), (c + 1) * kChunk * kLanes); ++k) {
        if (squares_[k] != least) continue;
        const auto [lower, upper] = std::minmax({rows_[k], static_cast<std::int64_t>(from_[k])});
        if (const Edge other{least, lower, upper}; other < edge) {
          edge = other;
          place = k;
        }
      }
    }
    newest_ = rows_[place];
    for (std::size_t j = 0; j < d_; ++j) at(x_, place, j) = kNone;
    squares_[place] = kNone;
    if (--n_left_ < rows_.size() / 4 * 3) close_ranks();
    return edge;
  }

  std::int64_t newest() const { return newest_; }

 private:
  static constexpr std::size_t kChunk = 128;          // tiles
  static constexpr std::size_t kWorthWhile = 40'000;  // numbers by eight: about as many nanoseconds

  double& at(std::vector<double>& x, std::size_t place, std::size_t j) const {
    return x[(place / kLanes * d_ + j) * kLanes + place % kLanes];
  }

  void make_room(std::size_t n) {
    const std::size_t n_tiles = (n + kLanes - 1) / kLanes;
    x_.assign(n_tiles * d_ * kLanes, kNone);
    squares_.assign(n_tiles * kLanes, kNone);
    from_.assign(n_tiles * kLanes, 0.0);
  }

  /// Leaves no room for rows that are in the tree.
  void close_ranks() {
    Outside other(*this, n_left_);
    std::swap(*this, other);
  }

  Outside(Outside& old, std::size_t n) : d_(old.d_), n_left_(n), newest_(old.newest_) {
    make_room(n);
    for (std::size_t place = 0; place < old.rows_.size(); ++place) {
      if (old.squares_[place] != old.squares_[place]) continue;
      const std::size_t to = rows_.size();
      rows_.push_back(old.rows_[place]);
      for (std::size_t j = 0; j < d_; ++j) at(x_, to, j) = old.at(old.x_, place, j);
      squares_[to] = old.squares_[place];
      from_[to] = old.from_[place];
    }
  }

  std::size_t d_, n_left_ = 0;
  std::vector<double> x_, squares_, from_, least_;
  std::vector<std::int64_t> rows_;
  std::int64_t newest_ = 0;
};

std::vector<Edge> by_steps(std::span<const double> X, std::size_t d) {
  const std::size_t n = X.size() / d;
  std::vector<Edge> edges;
  if (n < 2) return edges;
  edges.reserve(n - 1);
  Outside outside(X, d);
  for (std::int64_t row = 0; edges.size() + 1 < n; row = outside.newest()) {
    edges.push_back(outside.next(X.data() + static_cast<std::size_t>(row) * d, row));
    one_done();
  }
  return edges;
}

/// Each component of the forest so far takes the shortest edge that leaves it, round after round.
///
/// A row knows a few that are nearest to it, and how far all others are at least: most rows need no search.
/// Rows go by their places in the search, where rows that are near each other are most often close together
/// in memory, too.
class Components {
 public:
  /// Rows that are together already are one component.
  Components(const ClusterSearch& search, const Roots& together)
      : search_(search),
        rows_(search.tiles().ids()),
        known_(rows_.size()),
        ahead_(rows_.size()),
        roots_(rows_.size()),
        root_(rows_.size()),
        best_(rows_.size()) {
    std::vector<std::int64_t> first(together.size(), -1);
    for (std::size_t place = 0; place < rows_.size(); ++place) {
      std::int64_t& one = first[at(together.of(rows_[place]))];
      if (one < 0) {
        one = static_cast<std::int64_t>(place);
        ++n_components_;
      } else {
        roots_.join(one, static_cast<std::int64_t>(place));
      }
    }
  }

  void run(std::vector<Edge>& edges) {
    std::vector<Place> all(rows_.size());
    std::iota(all.begin(), all.end(), Place{0});
    is_of_parts_ = kLarge * n_components_ < rows_.size();
    if (is_of_parts_) {  // what is near a row is in its own part
      for (const Place place : all) note(place, Nearby(), 0.0);
    } else {
      look_around();
    }
    for (std::size_t left = n_components_ - 1; left > 0;) {
      roots_.copy_to(root_);
      search_.mark(root_);
      find_best();
      for (const Place place : all) {
        const Way& way = best_[place];
        if (root_[place] != place || roots_.of(way.from) == roots_.of(way.to)) continue;
        roots_.join(way.from, way.to);
        edges.push_back(way.edge);
        one_done();
        --left;
      }
    }
  }

 private:
  using Place = std::uint32_t;

  /// The nearest rows, in the order of distances and then of rows.
  struct Known {
    std::array<double, Nearby::kRoom> distances;
    std::array<Place, Nearby::kRoom> places;
    std::uint32_t count;
    double beyond;  ///< All others are at least so far.
  };

  /// The first row that a row knows outside its component, or, where it knows none, itself. All that most
  /// rows are asked for in a round: rows that are together stay so.
  struct Ahead {
    double distance;  ///< of that row, or of all that are outside at least
    Place place;
    std::uint32_t k;  ///< in what is known
  };

  struct Way {
    Edge edge;
    Place from, to;
  };

  static constexpr Edge kNone{kInfinity, std::numeric_limits<std::int64_t>::max(), 0};
  static constexpr Edge kAny{kInfinity, 0, 0};  ///< Nothing is known, and one row is asked.
  static constexpr std::size_t kFew = 512;
  static constexpr std::size_t kMany = 2 * kFew;  ///< asked before components hear of shorter edges
  /// A search looks somewhat farther than it must: most rows are then not asked again in the next rounds.
  static constexpr double kFarther = 2.0, kLittleFarther = 1.1;
  static constexpr std::size_t kLarge = 64;  ///< rows of a part

  template <class Task>
  void for_places(const std::vector<Place>& places, const Task& task) const {
    parallel_for((places.size() + kFew - 1) / kFew, places.size() > kFew, [&](std::size_t b) {
      for (std::size_t k = b * kFew; k < std::min(places.size(), (b + 1) * kFew); ++k) task(places[k]);
    });
  }

  void note(Place place, const Nearby& nearby, double beyond) {
    Known& known = known_[place];
    known.count = 0;
    for (const Neighbor& one : nearby.found()) {
      known.distances[known.count] = one.distance;
      known.places[known.count++] = static_cast<Place>(search_.place(one.id));
    }
    known.beyond = beyond;
    ahead_[place] = at_known(place, 0);
  }

  Ahead at_known(Place place, std::uint32_t k) const {
    const Known& known = known_[place];
    return k < known.count ? Ahead{known.distances[k], known.places[k], k} : Ahead{known.beyond, place, k};
  }

  void look_around() {
    constexpr std::size_t kBlock = ClusterTiles::kBlock, kBlocks = kFew / kBlock;
    const std::size_t n_blocks = search_.tiles().n_blocks();
    parallel_for((n_blocks + kBlocks - 1) / kBlocks, n_blocks > kBlocks, [&](std::size_t task) {
      for (std::size_t b = task * kBlocks; b < std::min(n_blocks, (task + 1) * kBlocks); ++b) {
        const std::size_t first = b * kBlock, few = std::min(kBlock, rows_.size() - first);
        std::array<Nearby, kBlock> nearby;
        search_.find_of_block(b, {nearby.data(), few});
        for (std::size_t q = 0; q < few; ++q) {
          note(static_cast<Place>(first + q), nearby[q], nearby[q].limit());
        }
      }
    });
  }

  /// Tells a row's component of the row's shortest edge that is known to leave it; whether there is one.
  bool offer(Place place) {
    Ahead& ahead = ahead_[place];
    while (root_[ahead.place] == root_[place]) {
      if (ahead.place == place) return false;
      ahead = at_known(place, ahead.k + 1);
    }
    const auto [lower, upper] = std::minmax({rows_[place], rows_[ahead.place]});
    const Edge edge{ahead.distance, lower, upper};
    if (Way& best = best_[at(root_[place])]; edge < best.edge) best = {edge, place, ahead.place};
    return true;
  }

  /// Whether a row that knows none outside its component can have the component's shortest edge.
  bool is_near(Place place) const { return ahead_[place].distance <= best_of(place); }

  double best_of(Place place) const { return best_[at(root_[place])].edge.square; }

  void find_best() {
    std::fill(best_.begin(), best_.end(), Way{kNone, 0, 0});
    std::vector<Place> unknown;
    for (Place place = 0; place < rows_.size(); ++place) {
      if (place % 1024 == 0) keep_on(8 * 1024);
      if (!offer(place)) unknown.push_back(place);
    }
    std::erase_if(unknown, [&](Place place) { return !is_near(place); });
    const std::vector<Asked> asked = by_blocks(unknown);
    // Where nothing is known of a component a first row finds how far the others need to look.
    std::vector<Place> some;
    for (const Asked& block : asked) {
      for (const Place place : block.rows) {
        if (best_[at(root_[place])].edge != kNone) continue;
        best_[at(root_[place])].edge = kAny;
        some.push_back(place);
      }
    }
    for (const Place place : some) best_[at(root_[place])].edge = kNone;
    search(some);
    some.clear();
    for (const Asked& block : asked) {
      for (const Place place : block.rows) {
        if (block.least <= best_of(place)) some.push_back(place);
      }
      if (some.size() < kMany && &block != &asked.back()) continue;
      search(some);
      some.clear();
    }
  }

  /// Rows of a block, and how far all rows of other components are from them at least.
  struct Asked {
    double least;
    std::span<const Place> rows;
  };

  /// The blocks of some rows, those first that may be the nearest to other components.
  std::vector<Asked> by_blocks(std::span<const Place> places) const {
    std::vector<Asked> asked;
    for (std::size_t k = 0; k < places.size();) {
      const std::size_t first = k;
      while (k < places.size() && block_of(places[k]) == block_of(places[first])) ++k;
      asked.push_back({0.0, places.subspan(first, k - first)});
    }
    parallel_for(asked.size(), asked.size() > kFew, [&](std::size_t k) {
      // A bound for few rows costs as much as asking them.
      if (asked[k].rows.size() >= 4)
        asked[k].least = search_.least_outside(block_of(asked[k].rows.front()), root_);
    });
    std::stable_sort(asked.begin(), asked.end(),
                     [](const Asked& a, const Asked& b) { return a.least < b.least; });
    return asked;
  }

  static std::size_t block_of(Place place) { return place / ClusterTiles::kBlock; }

  void search(const std::vector<Place>& places) {
    for_places(places, [&](Place place) {
      if (!is_near(place)) return;
      const double limit = (is_of_parts_ ? kLittleFarther : kFarther) * best_of(place);
      Nearby nearest(1);
      search_.find_outside(rows_[place], root_, limit, nearest);
      note(place, nearest, nearest.found().empty() ? limit : nearest.limit());
    });
    for (const Place place : places) offer(place);
  }

  static std::size_t at(std::int64_t place) { return static_cast<std::size_t>(place); }

  const ClusterSearch& search_;
  const std::span<const std::int64_t> rows_;  ///< by place
  std::vector<Known> known_;
  std::vector<Ahead> ahead_;
  Roots roots_;
  std::size_t n_components_ = 0;
  bool is_of_parts_ = false;  ///< large ones, that are given
  std::vector<std::int64_t> root_;
  std::vector<Way> best_;
};

std::vector<Edge> grow(std::vector<double> centres, std::size_t d, Search search, Roots together,
                       bool with_steps) {
  const std::size_t n = centres.size() / d;
  for (double& x : centres) x += 0.0;  // there is no -0
  const std::vector<double> none(n, 0.0);
  std::vector<bool> is_first(n, true);
  std::vector<Edge> edges;
  std::vector<std::pair<std::int64_t, std::int64_t>> equal = equal_rows(centres, d);
  std::sort(equal.begin(), equal.end());  // rows of other values can join the same parts
  for (const auto& [first, other] : equal) {
    is_first[static_cast<std::size_t>(other)] = false;
    if (together.find(first) == together.find(other)) continue;
    edges.push_back({0.0, first, other});
    one_done();
    together.join(first, other);
  }
  std::vector<std::int64_t> rows;
  for (std::size_t row = 0; row < n; ++row) {
    if (is_first[row]) rows.push_back(static_cast<std::int64_t>(row));
  }
  ClusterSearch searched(d, Between::kCentres, search, centres, none);
  searched.rebuild(rows);
  if (with_steps && !searched.is_by_tree()) {
    edges = by_steps(centres, d);
  } else {
    Components(searched, together).run(edges);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

}  // namespace

std::vector<Edge> spanning_tree(std::vector<double> X, std::size_t d, Search search) {
  const std::size_t n = X.size() / d;
  return grow(std::move(X), d, search, Roots(n), true);
}

std::vector<Edge> spanning_tree(std::vector<double> X, std::size_t d, Roots together) {
  return grow(std::move(X), d, Search::kTree, std::move(together), false);
}

}  // namespace cladebench
