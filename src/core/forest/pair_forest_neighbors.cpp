#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"
#include "common/nearest.hpp"
#include "common/parallel.hpp"
#include "forest/pair_descent.hpp"
#include "forest/pair_forest.hpp"

namespace cladebench {
namespace {

/// All pairs go down a tenth of the trees, by which the first guess at a query's neighbours is made.
constexpr std::size_t kShareOfTrees = 10;
/// Trees after which pairs are looked through for those that are too far by now.
constexpr std::size_t kTreesAtATime = 10;

/// Queries of a block: with fewer, other threads gain less than nodes cost.
constexpr std::size_t kFewestQueries = 64;

/// Neighbours of a block of queries among all rows, which are parted into tiles.
template <unsigned kShift>
class Search {
 public:
  using Descent = PairDescent<kShift>;

  Search(const PairForestView& forest, std::size_t d, const PairColumns& queries,
         const std::vector<PairColumns>& tiles, std::size_t k)
      : forest_(forest),
        n_trees_(forest.first_node.size() - 1),
        n_queries_(queries.n),
        k_(k),
        guesses_(tiles.size()) {
    descents_.reserve(tiles.size());
    for (const PairColumns& tile : tiles) descents_.emplace_back(queries, tile, d, space_);
  }

  /// @param may_drop  No leaf has a negative value, so that a sum over some trees is at most that over all.
  void run(bool may_drop, double* D, std::int64_t* index) {
    const std::size_t first = may_drop ? (n_trees_ + kShareOfTrees - 1) / kShareOfTrees : n_trees_;
    go_down(0, first, [](std::size_t) {});
    if (first < n_trees_) {
      guess();
      std::vector<std::vector<Pair>> others = finish_guesses(first);
      for (std::size_t t = 0; t < descents_.size(); ++t) descents_[t].set_pairs(std::move(others[t]));
      // The others go down for as long as they are no farther than the guesses.
      go_down(first, n_trees_, [this](std::size_t tile) { drop_far_pairs(tile); });
    }
    std::vector<Nearest> nearest(n_queries_, Nearest(k_));
    for (std::size_t t = 0; t < descents_.size(); ++t) {
      const auto offer = [&](Pair pair) {
        nearest[Descent::row_of_a(pair)].offer(mean(descents_[t], pair), row(t, pair));
      };
      for (const Pair pair : guesses_[t]) offer(pair);
      for (const Pair pair : descents_[t].pairs()) offer(pair);
    }
    for (std::size_t q = 0; q < n_queries_; ++q) nearest[q].write(D + q * k_, index + q * k_);
  }

 private:
  static std::uint32_t row(std::size_t tile, Pair pair) {
    return static_cast<std::uint32_t>(tile * Descent::kRowsOfB + Descent::row_of_b(pair));
  }

  double mean(const Descent& descent, Pair pair) const {
    return descent.sum(pair) / static_cast<double>(n_trees_);
  }

  /// The pairs of all descents go down the trees, a few trees at a time, before which `prepare` is called.
  template <class Prepare>
  void go_down(std::size_t begin, std::size_t end, const Prepare& prepare) {
    for (std::size_t t = begin; t < end; t += kTreesAtATime) {
      const std::size_t count = std::min(kTreesAtATime, end - t);
      for (std::size_t k = 0; k < count; ++k) trees_[k].read(forest_, t + k);
      for (std::size_t tile = 0; tile < descents_.size(); ++tile) {
        prepare(tile);
        for (std::size_t k = 0; k < count; ++k) {
          keep_on(16 * descents_[tile].pairs().size());
          descents_[tile].add(trees_[k]);
        }
      }
    }
  }

  /// The nearest rows of each query by the trees so far; the other pairs are left to the descents.
  void guess() {
    std::vector<double> D(k_);
    std::vector<std::int64_t> index(k_);
    for (std::size_t q = 0; q < n_queries_; ++q) {
      Nearest nearest(k_);
      for (std::size_t t = 0; t < descents_.size(); ++t) {
        for (std::size_t j = 0; j < descents_[t].n_rows_of_b(); ++j) {
          const Pair pair = Descent::pair_of(q, j);
          nearest.offer(mean(descents_[t], pair), row(t, pair));
        }
      }
      nearest.write(D.data(), index.data());
      std::sort(index.begin(), index.end());
      for (const std::int64_t i : index) {
        const auto found = static_cast<std::size_t>(i);
        guesses_[found / Descent::kRowsOfB].push_back(Descent::pair_of(q, found % Descent::kRowsOfB));
      }
    }
  }

  /// Guesses go down all trees: no neighbour of a query is farther than the farthest of its guesses. Gives
  /// the pairs that are no guesses, of each tile.
  std::vector<std::vector<Pair>> finish_guesses(std::size_t first) {
    std::vector<std::vector<Pair>> others(descents_.size());
    for (std::size_t t = 0; t < descents_.size(); ++t) {
      std::set_difference(descents_[t].pairs().begin(), descents_[t].pairs().end(), guesses_[t].begin(),
                          guesses_[t].end(), std::back_inserter(others[t]));
      descents_[t].set_pairs(guesses_[t]);
    }
    go_down(first, n_trees_, [](std::size_t) {});
    limits_.assign(n_queries_, 0.0);
    for (std::size_t t = 0; t < descents_.size(); ++t) {
      for (const Pair pair : guesses_[t]) {
        double& limit = limits_[Descent::row_of_a(pair)];
        limit = std::max(limit, mean(descents_[t], pair));
      }
    }
    return others;
  }

  void drop_far_pairs(std::size_t tile) {
    Descent& descent = descents_[tile];
    std::vector<Pair> left;
    for (const Pair pair : descent.pairs()) {
      if (mean(descent, pair) <= limits_[Descent::row_of_a(pair)]) left.push_back(pair);
    }
    descent.set_pairs(std::move(left));
  }

  const PairForestView& forest_;
  std::size_t n_trees_, n_queries_, k_;
  PairDescentSpace space_;
  std::vector<Descent> descents_;           ///< of each tile
  std::vector<std::vector<Pair>> guesses_;  ///< of each tile, ascending
  std::vector<double> limits_;              ///< of each query
  ReadyPairTree trees_[kTreesAtATime];
};

template <unsigned kShift>
void search(const PairForestView& forest, std::size_t d, const PairRows& queries, const PairRows& rows,
            std::size_t k, double* D, std::int64_t* index) {
  constexpr std::size_t tile = PairDescent<kShift>::kRowsOfB;
  const bool may_drop =
      std::all_of(forest.value.begin(), forest.value.end(), [](double value) { return value >= 0.0; });
  std::vector<PairColumns> tiles;
  for (std::size_t j = 0; j < rows.n; j += tile) {
    tiles.emplace_back(PairRows{rows.data + j * d, std::min(rows.n - j, tile)}, d);
  }
  // Blocks are large, so all threads have equally many of about the same size, unless these would be small.
  const auto up = [](std::size_t n, std::size_t step) { return (n + step - 1) / step; };
  const auto n_threads = static_cast<std::size_t>(max_threads());
  const std::size_t n_blocks = up(up(queries.n, PairDescent<kShift>::kRowsOfA), n_threads) * n_threads;
  const std::size_t block = up(queries.n, std::min(n_blocks, up(queries.n, kFewestQueries)));
  const bool worth_while = queries.n * rows.n * (forest.first_node.size() - 1) > 100'000;
  parallel_for(up(queries.n, block), worth_while, [&](std::size_t task) {
    const std::size_t i = task * block;
    const PairColumns part(PairRows{queries.data + i * d, std::min(queries.n - i, block)}, d);
    Search<kShift>(forest, d, part, tiles, k).run(may_drop, D + i * k, index + i * k);
  });
}

}  // namespace

void pair_forest_neighbors(const PairForestView& forest, std::size_t d, const PairRows& queries,
                           const PairRows& rows, std::size_t k, double* D, std::int64_t* index) {
  check_pair_forest(forest, d);
  if (k < 1 || k > rows.n)
    throw std::invalid_argument("pair forest: expected k from 1 to the number of rows");
  if (queries.n == 0) return;
  const auto run = queries.n <= 64 ? search<12> : search<10>;
  run(forest, d, queries, rows, k, D, index);
}

}  // namespace cladebench
