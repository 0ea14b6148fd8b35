#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "margin/matching.hpp"

using cladebench::most_matched;
using Names = std::vector<std::int64_t>;

namespace {

/// Over all orders of the names of the longer side.
std::int64_t most_of_all(const Names& one, const Names& other, std::size_t n_names) {
  Names match(n_names);
  std::iota(match.begin(), match.end(), 0);
  std::int64_t most = 0;
  do {
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < one.size(); ++i) kept += match[static_cast<std::size_t>(one[i])] == other[i];
    most = std::max(most, kept);
  } while (std::next_permutation(match.begin(), match.end()));
  return most;
}

}  // namespace

TEST(most_matched_is_the_most_of_all_matchings) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    const std::size_t n_one = 1 + random() % 6, n_other = 1 + random() % 6, n = 6 + random() % 60;
    Names one(n), other(n);
    for (std::size_t i = 0; i < n; ++i) {
      one[i] = static_cast<std::int64_t>(random() % (1 + random() % n_one));
      other[i] = static_cast<std::int64_t>(random() % (1 + random() % n_other));
    }
    CHECK(most_matched(one, other) == most_of_all(one, other, std::max(n_one, n_other)));
  }
}

TEST(most_matched_by_hand) {
  // Name 0 has 3 and 2 samples of two names, name 1 has 2 of the first: 3, or 2 and 2.
  CHECK(most_matched(Names{0, 0, 0, 0, 0, 1, 1}, Names{0, 0, 0, 1, 1, 0, 0}) == 4);
  CHECK(most_matched(Names{}, Names{}) == 0);
  CHECK(most_matched(Names{0, 0, 0}, Names{2, 2, 0}) == 2);
}

TEST(most_matched_refuses_what_is_no_name) {
  CHECK_THROWS(most_matched(Names{0, 2}, Names{0, 0}), "one: a name is 2; expected 0..1");
  CHECK_THROWS(most_matched(Names{0, 0}, Names{0, -1}), "other: a name is -1");
  CHECK_THROWS(most_matched(Names{0}, Names{}), "length");
}
