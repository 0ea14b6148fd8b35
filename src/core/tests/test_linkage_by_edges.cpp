#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"
#include "common/parallel.hpp"
#include "common/steps_done.hpp"
#include "linkage/link_table.hpp"
#include "linkage/linkage.hpp"
#include "linkage/linkage_by_edges.hpp"

using cladebench::EdgeLinkage;
using cladebench::link_by_edges;
using cladebench::Merge;

namespace {

constexpr EdgeLinkage kAll[] = {EdgeLinkage::kComplete, EdgeLinkage::kAverage, EdgeLinkage::kWeighted};

std::vector<double> heights(const std::vector<Merge>& merges) {
  std::vector<double> heights;
  for (const Merge& merge : merges) heights.push_back(merge.height);
  return heights;
}

}  // namespace

TEST(linkage_by_edges_by_hand) {
  // 0, 1, 2.5, 4.5: the chain, and 0 - 2 and 0 - 3.
  const std::vector<double> X{0.0, 1.0, 2.5, 4.5};
  const std::vector<std::int64_t> begin{0, 3, 4, 5, 5};
  const std::vector<std::int32_t> ends{1, 2, 3, 2, 3};
  const auto complete = link_by_edges(X, 1, EdgeLinkage::kComplete, {begin, ends, {}});
  CHECK((heights(complete.merges) == std::vector<double>{1.0, 2.0, 4.5}) && complete.bounds.empty());
  CHECK(complete.merges[1].first == 2 && complete.merges[1].second == 3);
  const auto average = link_by_edges(X, 1, EdgeLinkage::kAverage, {begin, ends, {}}).merges;
  CHECK(average[1].first == 0 && average[1].second == 2);  // as near as 2 and 3
  CHECK_NEAR(average[2].height, 11.0 / 3.0, 1e-15);
  const auto weighted = link_by_edges(X, 1, EdgeLinkage::kWeighted, {begin, ends, {}}).merges;
  CHECK((heights(weighted) == std::vector<double>{1.0, 2.0, 3.25}));
  // Without an edge the shortest ones that join all are the graph.
  const std::vector<std::int64_t> nowhere(5, 0);
  for (const EdgeLinkage linkage : kAll) {
    const auto merges = link_by_edges(X, 1, linkage, {nowhere, {}, {}}).merges;
    CHECK((heights(merges) == std::vector<double>{1.0, 1.5, 2.0}));
    CHECK(link_by_edges(std::vector<double>{1.0}, 1, linkage, {std::vector<std::int64_t>{0, 0}, {}, {}})
              .merges.empty());
  }
}

TEST(all_edges_are_no_graph) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> X(120 * 3);
  for (double& x : X) x = normal(random);
  const auto graph = cladebench::neighbor_graph(X, 3, 119);
  for (const bool is_complete : {true, false}) {
    const auto found =
        link_by_edges(X, 3, is_complete ? EdgeLinkage::kComplete : EdgeLinkage::kAverage, graph.graph());
    const auto expected = cladebench::link_by_pairs(
        X, 3, is_complete ? cladebench::PairLinkage::kComplete : cladebench::PairLinkage::kAverage);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      CHECK(found.merges[k].first == expected[k].first && found.merges[k].second == expected[k].second);
      CHECK_NEAR(found.merges[k].height, expected[k].height, 1e-12);
    }
    CHECK(std::ranges::min(found.bounds) == 1.0);
  }
}

TEST(heights_along_edges_never_fall) {
  std::mt19937_64 random(5);
  for (const std::uint64_t levels : {3, 1000}) {
    std::vector<double> X(300 * 2);
    for (double& x : X) x = static_cast<double>(random() % levels);
    for (const std::size_t k : {1, 4}) {
      const auto graph = cladebench::neighbor_graph(X, 2, k);
      for (const EdgeLinkage linkage : kAll) {
        std::size_t n_done = 0;
        const cladebench::CountingSteps counting(n_done);
        const auto found = link_by_edges(X, 2, linkage, graph.graph());
        CHECK(n_done == 299);  // edges between parts are no merges
        CHECK(found.merges.size() == 299 && found.bounds.size() == 299);
        CHECK(std::ranges::is_sorted(found.merges, {}, &Merge::height));
        CHECK(std::ranges::min(found.bounds) >= 0.0 && std::ranges::max(found.bounds) <= 1.0);
      }
    }
  }
}

TEST(threads_change_no_edge_between_parts) {
  const int before = cladebench::max_threads();
  std::mt19937_64 random(9);
  std::vector<double> X(2000 * 2);
  for (double& x : X) x = static_cast<double>(random() % 100'000);
  const auto graph = cladebench::neighbor_graph(X, 2, 1);
  cladebench::set_max_threads(1);
  const auto expected = link_by_edges(X, 2, EdgeLinkage::kAverage, graph.graph());
  cladebench::set_max_threads(2);
  const auto found = link_by_edges(X, 2, EdgeLinkage::kAverage, graph.graph());
  CHECK(heights(found.merges) == heights(expected.merges) && found.bounds == expected.bounds);
  cladebench::set_max_threads(before);
}

TEST(links_are_found_by_their_ends_as_these_change) {
  std::mt19937_64 random(7);
  std::vector<cladebench::Link> links;
  std::set<std::pair<std::uint32_t, std::uint32_t>> ends;
  const auto drawn = [&] {
    for (;;) {
      const auto a = static_cast<std::uint32_t>(random() % 60), b = static_cast<std::uint32_t>(random() % 60);
      if (a != b && ends.insert({std::min(a, b), std::max(a, b)}).second)
        return std::pair(std::min(a, b), std::max(a, b));
    }
  };
  for (int k = 0; k < 200; ++k) {
    const auto [lower, upper] = drawn();
    links.push_back({0.0, 1.0, lower, upper});
  }
  cladebench::LinkTable table(links);
  // Enough changes for the table to be full more than once.
  for (int round = 0; round < 5'000; ++round) {
    const auto k = static_cast<std::uint32_t>(random() % links.size());
    CHECK(links[k].is_gone() || table.slot(links[k].second, links[k].first) == k);
    const auto [lower, upper] = drawn();
    ends.erase({links[k].first, links[k].second});
    auto& slot = table.slot(lower, upper);
    CHECK(slot == cladebench::LinkTable::kNone);
    links[k].first = lower, links[k].second = upper;
    table.put(slot, k);
  }
  links[0].end();
  for (std::uint32_t k = 0; k < links.size(); ++k) {
    CHECK(links[k].is_gone() || table.slot(links[k].first, links[k].second) == k);
  }
}
