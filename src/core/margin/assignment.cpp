#include "margin/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "margin/transportation.hpp"

namespace cladebench {
namespace {

using Count = std::int64_t;

[[noreturn]] void refuse(const std::ostringstream& what) { throw std::invalid_argument(what.str()); }

void check_cost(std::span<const double> cost, std::size_t n_clusters) {
  // Dual values are sums of n prices, and a price is a sum of at most K differences.
  const double limit = std::numeric_limits<double>::max() / (16.0 * static_cast<double>(cost.size() + 1));
  bool within = true;
  for (const double c : cost) within &= std::abs(c) <= limit;  // false for NaN
  if (within) return;
  const auto bad = std::find_if(cost.begin(), cost.end(), [&](double c) { return !(std::abs(c) <= limit); });
  const auto place = static_cast<std::size_t>(bad - cost.begin());
  std::ostringstream what;
  what << "cost[" << place / n_clusters << ", " << place % n_clusters << "] is " << *bad;
  if (std::isfinite(*bad)) {
    what << ": expected at most " << limit << " in magnitude, beyond which sums overflow; rescale cost";
  } else {
    what << "; expected finite numbers";
  }
  refuse(what);
}

void check_bounds(std::span<const Count> lower, std::span<const Count> upper, Count n) {
  Count least = 0, most = 0;  // cut off at n + 1 and n: sums of bounds may overflow
  for (std::size_t k = 0; k < lower.size(); ++k) {
    std::ostringstream what;
    if (lower[k] < 0) {
      what << "lower[" << k << "] is " << lower[k] << "; expected at least 0";
      refuse(what);
    }
    if (upper[k] < lower[k]) {
      what << "upper[" << k << "] is " << upper[k] << "; expected at least lower[" << k << "], which is "
           << lower[k];
      refuse(what);
    }
    least += std::min(lower[k], n + 1 - least);
    most += std::min(upper[k], n - most);
  }
  std::ostringstream what;
  if (least > n) {
    what << "lower sums to more than the " << n << " rows of cost; expected at most as many";
    refuse(what);
  }
  if (most < n) {
    what << "upper sums to " << most << "; expected at least the " << n << " rows of cost";
    refuse(what);
  }
}

Assignment assign_to_two(const Transportation& problem) {
  const std::size_t n = problem.n_rows;
  Assignment found{std::vector<Count>(n), {0.0, 0.0}};
  std::vector<double> difference(n);  // what a row costs more in cluster 1
  Count wanted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    difference[i] = problem.row(i)[1] - problem.row(i)[0];
    wanted += difference[i] < 0.0;
  }
  const Count least = std::max(problem.lower[1], static_cast<Count>(n) - problem.upper[0]);
  const Count most = std::min(problem.upper[1], static_cast<Count>(n) - problem.lower[0]);
  const Count taken = std::clamp(wanted, least, most);
  double threshold = 0.0;
  Count ties = 0;  // rows at the threshold that go to cluster 1, the first ones
  if (taken != wanted) {
    // The dearest row that cluster 1 has to take, or the cheapest one that it has to leave.
    std::vector<double> order = difference;
    const auto place = order.begin() + (taken > wanted ? taken - 1 : taken);
    std::nth_element(order.begin(), place, order.end());
    threshold = *place;
    ties =
        taken - std::count_if(difference.begin(), difference.end(), [&](double d) { return d < threshold; });
    // The price of the cluster whose bound is met; of the other, zero.
    if (taken == (taken > wanted ? problem.lower[1] : problem.upper[1])) {
      found.prices[1] = threshold;
    } else {
      found.prices[0] = -threshold;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool tied = difference[i] == threshold && ties > 0;
    ties -= tied;
    found.labels[i] = difference[i] < threshold || tied;
  }
  return found;
}

}  // namespace

Assignment balanced_assignment(std::span<const double> cost, std::size_t n_clusters,
                               std::span<const std::int64_t> lower, std::span<const std::int64_t> upper) {
  if (n_clusters == 0 || cost.empty() || cost.size() % n_clusters != 0) {
    throw std::invalid_argument("cost: expected shape (n, K) with n >= 1 and K >= 1");
  }
  if (lower.size() != n_clusters || upper.size() != n_clusters) {
    throw std::invalid_argument("lower and upper: expected one bound for each cluster");
  }
  const std::size_t n = cost.size() / n_clusters;
  check_cost(cost, n_clusters);
  check_bounds(lower, upper, static_cast<Count>(n));
  Transportation problem{
      cost.data(), n, n_clusters, {lower.begin(), lower.end()}, {upper.begin(), upper.end()}};
  for (Count& bound : problem.upper) bound = std::min(bound, static_cast<Count>(n));
  if (n_clusters == 2) return assign_to_two(problem);
  return solve_by_flow(problem);
}

}  // namespace cladebench
