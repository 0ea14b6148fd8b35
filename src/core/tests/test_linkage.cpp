#include <algorithm>
#include <random>

#include "check.hpp"
#include "cladebench/linkage.hpp"
#include "cladebench/parallel.hpp"

using cladebench::link;
using cladebench::Linkage;
using cladebench::Merge;
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
  const auto X = points(1040, 310, 0);
  cladebench::set_max_threads(1);
  const auto expected = link(X, 310, Linkage::kSingle, Search::kAll);
  cladebench::set_max_threads(3);
  CHECK(same(link(X, 310, Linkage::kSingle, Search::kAll), expected));
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

TEST(heights_never_fall_where_they_must_not) {
  for (const Linkage linkage : {Linkage::kSingle, Linkage::kAverage, Linkage::kWeighted, Linkage::kWard}) {
    const auto merges = link(points(400, 2, 7), 2, linkage);
    CHECK(std::ranges::is_sorted(merges, {}, &Merge::height));
  }
}
