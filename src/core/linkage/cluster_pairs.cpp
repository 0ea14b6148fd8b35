#include "linkage/cluster_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "linkage/cluster_search.hpp"

namespace cladebench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// By more than rounding can make it.
constexpr double kBelow = 1.0 - 0x1p-40, kAbove = 1.0 + 0x1p-40;
constexpr std::size_t kBlock = ClusterTiles::kBlock, kTogether = ClusterTiles::kTogether;

/// Squares of one point to a block join those of the cluster's other points.
struct Gather {
  template <class V>
  CLADEBENCH_INLINE static void run(Over over, const double* squares, double weight, double* all) {
    if (over == Over::kGreatest) {
      for (std::size_t k = 0; k < kBlock; ++k) all[k] = squares[k] > all[k] ? squares[k] : all[k];
    } else {
      for (std::size_t k = 0; k < kBlock; ++k) all[k] += weight * std::sqrt(squares[k]);
    }
  }
};

/// The points cluster after cluster, where clusters near each other are most often close together.
class Scan {
 public:
  Scan(const Points& points, const Grouping& clusters, Over over)
      : points_(points),
        clusters_(clusters),
        over_(over),
        d_(points.d),
        number_(places()),
        first_(clusters.size() + 1, 0),
        tiles_(points.d, Between::kCentres) {
    std::vector<std::int64_t> order;
    order.reserve(points.size());
    for (std::size_t place = 0; place < number_.size(); ++place) {
      const auto members = clusters.of(number_[place]);
      order.insert(order.end(), members.begin(), members.end());
      place_.insert(place_.end(), members.size(), static_cast<std::uint32_t>(place));
      first_[place + 1] = order.size();
    }
    tiles_.assign(order, points.x.data(), points.weights.data());
    for (std::size_t block = 0; block < tiles_.n_blocks(); ++block) {
      const std::size_t last = std::min(points.size(), (block + 1) * kBlock) - 1;
      enclose(first_[place_[block * kBlock]], first_[place_[last] + 1], blocks_);
    }
    for (std::size_t place = 0; place < number_.size();) {
      const std::size_t from = place;
      while (place < number_.size() && first_[place] - first_[from] < kRows) ++place;
      tasks_.push_back({from, place});
      enclose(first_[from], first_[place], boxes_);
    }
  }

  std::size_t n_tasks() const { return tasks_.size(); }

  /// The pairs of a task's clusters with those behind them.
  void run(std::size_t task, double limit, std::vector<ClusterPair>& out) const {
    const auto [from, to] = tasks_[task];
    look(from, to, first_[from] / kBlock, boxes_.data() + task * 2 * d_, limit, out);
  }

  /// A limit within which there are about so many pairs, as some clusters see it.
  double guess(std::size_t room) const {
    const std::size_t m = number_.size();
    const std::size_t n_asked = std::min(m, std::clamp<std::size_t>((std::size_t{1} << 22) / m, 8, 64));
    std::vector<std::vector<ClusterPair>> seen(n_asked);
    parallel_for(n_asked, true, [&](std::size_t k) {
      const std::size_t place = k * m / n_asked;
      look(place, place + 1, 0, nullptr, kInfinity, seen[k]);
    });
    std::vector<double> distances;
    for (const auto& some : seen) {
      keep_on(some.size());
      for (const ClusterPair& pair : some) distances.push_back(distance(pair));
    }
    const double share =
        0.9 * static_cast<double>(room) / (0.5 * static_cast<double>(m) * static_cast<double>(m - 1));
    const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(distances.size()));
    std::nth_element(distances.begin(), distances.begin() + rank, distances.end());
    return distances[static_cast<std::size_t>(rank)];
  }

  double distance(const ClusterPair& pair) const {
    return distance_of(over_, pair.value, clusters_.sizes[pair.first] * clusters_.sizes[pair.second]);
  }

 private:
  static constexpr std::size_t kRows = 32;
  static constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

  struct Task {
    std::size_t from, to;  ///< places
  };

  /// Clusters in the order of a k-d tree over their first points.
  std::vector<std::uint32_t> places() const {
    const std::size_t m = clusters_.size();
    std::vector<double> firsts(m * d_), none(m, 0.0);
    for (std::size_t k = 0; k < m; ++k)
      std::copy_n(points_.row(clusters_.of(k)[0]), d_, firsts.data() + k * d_);
    std::vector<std::int64_t> all(m);
    std::iota(all.begin(), all.end(), std::int64_t{0});
    ClusterSearch search(d_, Between::kCentres, Search::kTree, firsts, none);
    search.rebuild(all);
    return {search.tiles().ids().begin(), search.tiles().ids().end()};
  }

  const double* row(std::size_t r) const { return points_.row(tiles_.id(r)); }

  /// Adds the box of rows [from, to).
  void enclose(std::size_t from, std::size_t to, std::vector<double>& boxes) {
    const std::size_t at = boxes.size();
    boxes.insert(boxes.end(), row(from), row(from) + d_);
    boxes.insert(boxes.end(), row(from), row(from) + d_);
    keep_on((to - from) * d_);
    for (std::size_t r = from; r < to; ++r) {
      for (std::size_t j = 0; j < d_; ++j) {
        boxes[at + j] = std::min(boxes[at + j], row(r)[j]);
        boxes[at + d_ + j] = std::max(boxes[at + d_ + j], row(r)[j]);
      }
    }
  }

  /// Whether all points of two boxes are farther from each other than the limit.
  bool is_far(const double* box, const double* other, double limit) const {
    double square = 0.0;
    for (std::size_t j = 0; j < d_; ++j) {
      const double gap = std::max(std::max(other[j] - box[d_ + j], box[j] - other[d_ + j]), 0.0);
      square += gap * gap;
    }
    return square * kBelow > limit_square(limit);
  }

  double limit_square(double limit) const {
    return over_ == Over::kGreatest ? limit : limit * limit * kAbove;
  }

  bool is_single(std::size_t place) const { return first_[place + 1] - first_[place] == 1; }

  /// Of all blocks from one on those that are near; of each place what it knows of a cluster whose points go
  /// on in the next block.
  void look(std::size_t from, std::size_t to, std::size_t block, const double* box, double limit,
            std::vector<ClusterPair>& out) const {
    std::vector<double> begun(to - from, 0.0);
    const bool is_whole = box == nullptr, all_single = number_.size() == points_.size();
    std::size_t cut = kNoPlace;  // a cluster some of whose blocks are far: so is all of it
    bool was_far = false;
    for (; block < tiles_.n_blocks(); ++block) {
      keep_on(d_);
      if (!is_whole && limit < kInfinity && is_far(box, blocks_.data() + block * 2 * d_, limit)) {
        was_far = true;
        continue;
      }
      const std::size_t place = place_[block * kBlock];
      if (was_far && first_[place] < block * kBlock) cut = place;
      was_far = false;
      for (std::size_t own = from; own < to; ++own) {
        const std::size_t least = is_whole ? 0 : own + 1;
        if (all_single) {
          note_points(block, own, least, limit, out);
        } else {
          note_clusters(block, own, least, cut, limit, begun[own - from], out);
        }
      }
    }
  }

  double weight(std::size_t r) const { return points_.weight(tiles_.id(r)); }

  void note_points(std::size_t block, std::size_t own, std::size_t least, double limit,
                   std::vector<ClusterPair>& out) const {
    double squares[kBlock];
    const Cluster who{row(own), 0.0, tiles_.id(own)};
    const double most = limit_square(limit);
    if (!(tiles_.distances(block, {&who, 1}, squares) <= most)) return;
    const std::size_t begin = block * kBlock, end = std::min(begin + kBlock, points_.size());
    for (std::size_t r = std::max(begin, least); r < end; ++r) {
      if (!(squares[r - begin] <= most) || r == own) continue;
      double value = squares[r - begin];
      if (over_ == Over::kMean) value = weight(r) * (weight(own) * std::sqrt(value));
      note(own, r, value, limit, out);
    }
  }

  void note_clusters(std::size_t block, std::size_t own, std::size_t least, std::size_t cut, double limit,
                     double& begun, std::vector<ClusterPair>& out) const {
    double all[kBlock];
    compare(points_, clusters_.of(number_[own]), over_, tiles_, block, all);
    const std::size_t begin = block * kBlock, end = std::min(begin + kBlock, points_.size());
    for (std::size_t r = begin; r < end;) {
      const std::size_t place = place_[r], stop = std::min(first_[place + 1], end);
      if (place < least || place == own || place == cut) {
        r = stop;
        continue;
      }
      double value = first_[place] < r ? begun : 0.0;
      if (over_ == Over::kGreatest) {
        for (; r < stop; ++r) value = std::max(value, all[r - begin]);
      } else {
        for (; r < stop; ++r) value += weight(r) * all[r - begin];
      }
      if (stop == first_[place + 1]) {
        note(own, place, value, limit, out);
      } else {
        begun = value;
      }
    }
  }

  void note(std::size_t own, std::size_t place, double value, double limit,
            std::vector<ClusterPair>& out) const {
    const ClusterPair pair{value, number_[own], number_[place]};
    if (distance(pair) <= limit) out.push_back(pair);
  }

  const Points& points_;
  const Grouping& clusters_;
  Over over_;
  std::size_t d_;
  std::vector<std::uint32_t> number_;  ///< of the cluster at a place
  std::vector<std::size_t> first_;     ///< row of a place
  std::vector<std::uint32_t> place_;   ///< of a row
  ClusterTiles tiles_;                 ///< of the rows
  std::vector<double> blocks_,
      boxes_;  ///< lower and upper corners of blocks with all clusters in them; of tasks
  std::vector<Task> tasks_;
};

/// Lowers the limit so far that half of the room is free, and leaves out what is beyond; but the nearest
/// stay, and get more room if they are many.
void tighten(const Scan& scan, NearPairs& found, std::size_t& room) {
  std::vector<double> distances;
  for (const auto& chunk : found.chunks) {
    keep_on(chunk.size());
    for (const ClusterPair& pair : chunk) distances.push_back(scan.distance(pair));
  }
  const auto half = distances.begin() + static_cast<std::ptrdiff_t>(std::min(room / 2, distances.size() - 1));
  std::nth_element(distances.begin(), half, distances.end());
  found.limit = *half;
  std::size_t left = 0;
  for (const double distance : distances) left += distance <= found.limit;
  if (left > room) {  // many are as far as the limit
    double below = -1.0;
    for (const double distance : distances) {
      if (distance < found.limit) below = std::max(below, distance);
    }
    if (below >= 0.0) {
      found.limit = below;
    } else {
      room = 2 * left;
    }
  }
  for (auto& chunk : found.chunks) {
    keep_on(chunk.size());
    std::erase_if(chunk, [&](const ClusterPair& pair) { return !(scan.distance(pair) <= found.limit); });
    chunk.shrink_to_fit();
  }
}

NearPairs within(const Scan& scan, double limit, std::size_t room) {
  constexpr std::size_t kFewest = 2, kMost = 64;
  NearPairs found{{}, limit};
  found.chunks.resize(scan.n_tasks());
  std::size_t count = 0;
  for (std::size_t first = 0, few = kFewest; first < scan.n_tasks();) {
    few = std::min(few, scan.n_tasks() - first);
    parallel_for(few, true,
                 [&](std::size_t k) { scan.run(first + k, found.limit, found.chunks[first + k]); });
    const std::size_t before = count;
    for (std::size_t k = first; k < first + few; ++k) count += found.chunks[k].size();
    first += few;
    few = 8 * (count - before) < room ? std::min(2 * few, kMost) : std::max(few / 2, kFewest);
    if (count <= room) continue;
    tighten(scan, found, room);
    count = 0;
    for (const auto& chunk : found.chunks) count += chunk.size();
  }
  return found;
}

}  // namespace

void compare(const Points& points, std::span<const std::int64_t> who, Over over, const ClusterTiles& tiles,
             std::size_t block, double* values) {
  double squares[kTogether * kBlock];
  std::fill_n(values, kBlock, 0.0);
  for (std::size_t first = 0; first < who.size(); first += kTogether) {
    const std::size_t few = std::min(kTogether, who.size() - first);
    Cluster some[kTogether];
    for (std::size_t q = 0; q < few; ++q) some[q] = {points.row(who[first + q]), 0.0, who[first + q]};
    tiles.distances(block, {some, few}, squares);
    for (std::size_t q = 0; q < few; ++q) {
      run_kernel<Gather, Over, const double*, double, double*>(over, squares + q * kBlock,
                                                               points.weight(some[q].id), values);
    }
  }
}

NearPairs near_pairs(const Points& points, const Grouping& clusters, Over over, std::size_t room) {
  const Scan scan(points, clusters, over);
  const std::size_t m = clusters.size(), all = m * (m - 1) / 2;
  if (all <= room + room / 2) return within(scan, kInfinity, all);
  NearPairs found = within(scan, scan.guess(room), room);
  const bool is_empty = std::ranges::all_of(found.chunks, [](const auto& chunk) { return chunk.empty(); });
  return is_empty ? within(scan, kInfinity, room) : found;
}

}  // namespace cladebench
