#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

#include "check.hpp"
#include "common/parallel.hpp"
#include "linkage/cluster_search.hpp"
#include "linkage/linkage.hpp"
#include "linkage/linkage_by_graph.hpp"
#include "linkage/mutual_nearest.hpp"

using cladebench::link;
using cladebench::link_by_pairs;
using cladebench::Linkage;
using cladebench::Merge;
using cladebench::PairLinkage;
using cladebench::Search;

namespace {

constexpr Linkage kAll[] = {Linkage::kSingle, Linkage::kAverage,  Linkage::kWeighted,
                            Linkage::kWard,   Linkage::kCentroid, Linkage::kMedian};

/// Whole coordinates, with ties and equal rows, and others.
std::vector<double> points(std::size_t n, std::size_t d, std::uint64_t levels) {
  std::mt19937_64 random(n + d + levels);
  std::normal_distribution<double> normal;
  std::vector<double> X(n * d);
  for (double& x : X) x = levels > 0 ? static_cast<double>(random() % levels) : normal(random);
  return X;
}

bool same(const std::vector<Merge>& a, const std::vector<Merge>& b) {
  return std::ranges::equal(a, b, [](const Merge& x, const Merge& y) {
    return x.first == y.first && x.second == y.second && x.height == y.height;
  });
}

}  // namespace

TEST(linkage_by_hand) {
  const std::vector<double> X{0.0, 1.0, 3.0, 6.5};
  const auto merges = link(X, 1, Linkage::kSingle);
  CHECK(merges.size() == 3 && merges[0].first == 0 && merges[0].second == 1 && merges[2].second == 3);
  CHECK(merges[0].height == 1.0 && merges[1].height == 2.0 && merges[2].height == 3.5);
  const auto Z = cladebench::scipy_matrix(merges);
  CHECK((Z == std::vector<double>{0, 1, 1, 2, 2, 4, 2, 3, 3, 5, 3.5, 4}));
  // Ward: sqrt(2 * 2 * 1 / 3) times the distance of the centres 0.5 and 3.
  CHECK_NEAR(link(X, 1, Linkage::kWard)[1].height, 2.5 * std::sqrt(4.0 / 3.0), 1e-15);
  // The mean of 3^2 and 2^2.
  CHECK_NEAR(link(X, 1, Linkage::kAverage)[1].height, 6.5, 1e-15);
}

TEST(one_row_has_no_merge) {
  for (const Linkage linkage : kAll) CHECK(link(std::vector<double>{1.0, 2.0}, 2, linkage).empty());
}

TEST(searches_and_threads_change_no_merge) {
  const int before = cladebench::max_threads();
  for (const Linkage linkage : kAll) {
    for (const std::uint64_t levels : {0, 1, 4, 40}) {
      for (const std::size_t d : {1, 3, 9}) {
        const auto X = points(300, d, levels);
        cladebench::set_max_threads(1);
        const auto expected = link(X, d, linkage, Search::kTree);
        CHECK(expected.size() == 299);
        cladebench::set_max_threads(2);
        CHECK(same(link(X, d, linkage, Search::kTree), expected));
        CHECK(same(link(X, d, linkage, Search::kAll), expected));
      }
    }
  }
  cladebench::set_max_threads(before);
}

TEST(long_scans_are_shared_by_threads) {
  const int before = cladebench::max_threads();
  const auto X = points(1100, 300, 0);  // two chunks of rows, and some more numbers than one thread is worth
  cladebench::set_max_threads(1);
  const auto expected = link(X, 300, Linkage::kSingle, Search::kAll);
  cladebench::set_max_threads(3);
  CHECK(same(link(X, 300, Linkage::kSingle, Search::kAll), expected));
  cladebench::set_max_threads(before);
}

TEST(a_cluster_is_found_where_it_has_moved) {
  // Two clusters of far corners merge: the centre of both lies in no box that the tree had.
  const std::size_t n = 400;
  std::vector<double> centres(n * 2);
  for (std::size_t k = 0; k < n; ++k) {
    centres[2 * k] = k < n / 2 ? 0.01 * static_cast<double>(k) : 100.0 + 0.01 * static_cast<double>(k);
  }
  const std::vector<double> weights(n, 0.0);
  cladebench::ClusterSearch search(2, cladebench::Between::kCentres, Search::kTree, centres, weights);
  std::vector<std::int64_t> ids(n);
  for (std::size_t k = 0; k < n; ++k) ids[k] = static_cast<std::int64_t>(k);
  search.rebuild(ids);
  centres[2 * 7] = 50.0;
  search.merge(7, 399);
  centres[2 * 8] = 50.5;
  search.merge(8, 398);
  const std::int64_t who = 8;
  cladebench::Nearby nearest(1);
  search.find({&who, 1}, &nearest);
  CHECK(nearest.found().size() == 1 && nearest.found()[0].id == 7 && nearest.found()[0].distance == 0.25);
}

TEST(a_block_finds_what_each_of_its_clusters_finds) {
  std::vector<std::size_t> sizes{1, 5, 64, 65, 3000, 9000};
#ifdef __SANITIZE_THREAD__
  sizes.resize(4);  // no threads are at work here, and many rows would take 20 seconds
#endif
  for (const std::size_t n : sizes) {
    for (const std::uint64_t levels : {0, 2, 40}) {
      for (const std::size_t d : {1, 2, 6}) {
        std::vector<double> centres = points(n, d, levels);
        // A few far ones: near a block of theirs lie more leaves than are looked through together.
        for (std::size_t k = 0; k < centres.size(); k += 97) centres[k] *= 1e3;
        const std::vector<double> weights(n, 0.0);
        cladebench::ClusterSearch search(d, cladebench::Between::kCentres, Search::kTree, centres, weights);
        std::vector<std::int64_t> ids(n);
        std::iota(ids.begin(), ids.end(), std::int64_t{0});
        search.rebuild(ids);
        const auto& tiles = search.tiles();
        constexpr std::size_t kBlock = cladebench::ClusterTiles::kBlock;
        bool all_same = true;
        // Of many blocks every third: each search alone is as long as it is of few.
        for (std::size_t block = 0; block < tiles.n_blocks(); block += n < 9000 ? 1 : 3) {
          std::vector<cladebench::Nearby> together(std::min(kBlock, n - block * kBlock));
          search.find_of_block(block, together);
          for (std::size_t q = 0; q < together.size(); ++q) {
            const std::int64_t who = tiles.id(block * kBlock + q);
            cladebench::Nearby alone;
            search.find({&who, 1}, &alone);
            all_same = all_same && std::ranges::equal(alone.found(), together[q].found());
          }
        }
        CHECK(all_same);
      }
    }
  }
}

TEST(heights_never_fall_where_they_must_not) {
  for (const Linkage linkage : {Linkage::kSingle, Linkage::kAverage, Linkage::kWeighted, Linkage::kWard}) {
    const auto merges = link(points(400, 2, 7), 2, linkage);
    CHECK(std::ranges::is_sorted(merges, {}, &Merge::height));
  }
}

TEST(linkage_by_pairs_by_hand) {
  const std::vector<double> X{0.0, 1.0, 3.0, 6.5};
  for (const std::size_t room : {0, 1, 2, 6}) {
    const auto complete = link_by_pairs(X, 1, PairLinkage::kComplete, room);
    CHECK(complete.size() == 3 && complete[1].first == 0 && complete[1].second == 2);
    CHECK(complete[0].height == 1.0 && complete[1].height == 3.0 && complete[2].height == 6.5);
    const auto average = link_by_pairs(X, 1, PairLinkage::kAverage, room);
    CHECK(average.size() == 3 && average[1].first == 0 && average[1].second == 2);
    CHECK(average[0].height == 1.0 && average[1].height == 2.5);
    CHECK_NEAR(average[2].height, (6.5 + 5.5 + 3.5) / 3.0, 1e-15);
  }
  CHECK(link_by_pairs(std::vector<double>{1.0, 2.0}, 2, PairLinkage::kComplete).empty());
  CHECK(link_by_pairs(std::vector<double>{1.0, 1.0, 1.0}, 1, PairLinkage::kAverage).back().height == 0.0);
}

TEST(room_and_threads_change_no_merge_by_pairs) {
  // Whole coordinates: greatest squares are exact, and on a line sums, too.
  const int before = cladebench::max_threads();
  for (const PairLinkage linkage : {PairLinkage::kComplete, PairLinkage::kAverage}) {
    for (const std::size_t d : {1, 3, 9}) {
      if (linkage == PairLinkage::kAverage && d > 1) continue;
      for (const std::uint64_t levels : {2, 9, 1000}) {
        const auto X = points(300, d, levels);
        cladebench::set_max_threads(1);
        auto expected = link_by_pairs(X, d, linkage);
        const auto by_height = [](const Merge& a, const Merge& b) {
          return std::tie(a.height, a.first, a.second) < std::tie(b.height, b.first, b.second);
        };
        std::ranges::sort(expected, by_height);
        for (const std::size_t room : {1, 30, 900, 20'000}) {
          cladebench::set_max_threads(2);
          auto found = link_by_pairs(X, d, linkage, room);
          CHECK(std::ranges::is_sorted(found, {}, &Merge::height));
          std::ranges::sort(found, by_height);
          CHECK(same(found, expected));
        }
      }
    }
  }
  cladebench::set_max_threads(before);
}

TEST(means_of_many_rooms_are_near) {
  const auto X = points(400, 5, 0);
  const auto expected = link_by_pairs(X, 5, PairLinkage::kAverage);
  for (const std::size_t room : {50, 3'000, 30'000}) {
    const auto found = link_by_pairs(X, 5, PairLinkage::kAverage, room);
    CHECK(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k].first == expected[k].first && found[k].second == expected[k].second);
      CHECK_NEAR(found[k].height, expected[k].height, 1e-12);
    }
  }
}

TEST(where_rounding_leaves_no_mutual_pair_the_nearest_merge) {
  cladebench::MutualNearest nearest(4);
  nearest.ask({0, 1, 2, 3});
  nearest.answer(0, {1.0, 1});
  nearest.answer(1, {0.5, 2});
  nearest.answer(2, {0.4, 0});
  nearest.answer(3, cladebench::MutualNearest::kNobody);
  CHECK(nearest.pairs().empty());
  const std::vector<std::int64_t> ids{0, 1, 2, 3};
  const auto pairs = nearest.closest(ids);
  CHECK(pairs.size() == 1 && pairs[0].first == 0 && pairs[0].second == 2);
  nearest.merge(pairs);
  auto asking = nearest.asking();
  std::ranges::sort(asking);
  CHECK((asking == std::vector<std::int64_t>{0, 1}));  // 1 had asked for 2, which is gone
  nearest.answer(0, {0.7, 1});
  nearest.answer(1, {0.7, 0});
  CHECK(nearest.pairs() == (cladebench::MutualNearest::Pairs{{0, 1}}));
}

TEST(linkage_by_graph_by_hand) {
  // The chain 0 - 1 - 2 - 3 of 0, 1, 2.5, 4.5.
  const std::vector<double> X{0.0, 1.0, 2.5, 4.5};
  const std::vector<std::int64_t> begin{0, 1, 2, 3, 3};
  const std::vector<std::int32_t> ends{1, 2, 3};
  const auto chain = cladebench::link_by_graph(X, 1, Linkage::kWard, {begin, ends, {}});
  CHECK(chain.merges.size() == 3 && chain.bounds.empty());
  CHECK(chain.merges[1].first == 2 && chain.merges[1].second == 3);
  CHECK_NEAR(chain.merges[2].height, 3.0 * std::sqrt(2.0), 1e-15);
  // Without an edge all merge as if there were no graph.
  const std::vector<std::int64_t> nowhere(5, 0);
  for (const Linkage linkage : kAll) {
    const auto merges = cladebench::link_by_graph(X, 1, linkage, {nowhere, {}, {}}).merges;
    CHECK(same(merges, link(X, 1, linkage)));
  }
}

TEST(all_neighbors_are_no_graph) {
  for (const std::size_t d : {1, 4}) {
    const auto X = points(150, d, 0);
    const auto graph = cladebench::neighbor_graph(X, d, 149);
    for (const Linkage linkage : kAll) {
      const auto found = cladebench::link_by_graph(X, d, linkage, graph.graph());
      const auto expected = link(X, d, linkage);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        CHECK(found.merges[k].first == expected[k].first && found.merges[k].second == expected[k].second);
        CHECK_NEAR(found.merges[k].height, expected[k].height, 1e-12);
      }
      const bool may_fall = linkage == Linkage::kCentroid || linkage == Linkage::kMedian;
      CHECK(may_fall ? found.bounds.empty() : std::ranges::min(found.bounds) == 1.0);
    }
  }
}

TEST(threads_and_searches_change_no_neighbor) {
  const int before = cladebench::max_threads();
  for (const std::uint64_t levels : {0, 3, 40}) {
    const auto X = points(700, 3, levels);
    cladebench::set_max_threads(1);
    const auto expected = cladebench::neighbor_graph(X, 3, 7, Search::kTree);
    cladebench::set_max_threads(2);
    for (const Search search : {Search::kTree, Search::kAll}) {
      const auto found = cladebench::neighbor_graph(X, 3, 7, search);
      CHECK(found.begin == expected.begin && found.ends == expected.ends);
      CHECK(found.squares == expected.squares);
    }
  }
  cladebench::set_max_threads(before);
}
