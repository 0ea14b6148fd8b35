#include "margin/matching.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

using Count = std::int64_t;
using Place = std::uint32_t;
using Names = std::span<const std::int64_t>;

/// How many samples each pair of a row and a column has, row by row.
struct Pairs {
  std::vector<std::size_t> first;
  std::vector<Place> column;
  std::vector<Place> count;
};

Pairs pairs_of(Names rows, Names columns, std::size_t n_rows, std::size_t n_columns) {
  keep_on(8 * rows.size());
  std::vector<std::size_t> end(n_rows + 1, 0);
  for (const std::int64_t row : rows) ++end[static_cast<std::size_t>(row) + 1];
  for (std::size_t row = 0; row < n_rows; ++row) end[row + 1] += end[row];
  std::vector<std::size_t> next(end.begin(), end.end() - 1);
  Pairs pairs;
  pairs.column.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    pairs.column[next[static_cast<std::size_t>(rows[i])]++] = static_cast<Place>(columns[i]);
  }
  // A row's columns close up to those that differ.
  pairs.count.resize(rows.size());
  pairs.first.push_back(0);
  std::vector<std::size_t> place(n_columns, 0);  // of a column's last pair, plus one
  std::size_t n_pairs = 0;
  for (std::size_t row = 0; row < n_rows; ++row) {
    for (std::size_t i = end[row]; i < end[row + 1]; ++i) {
      std::size_t& last = place[pairs.column[i]];
      if (last <= pairs.first.back()) {
        pairs.column[n_pairs] = pairs.column[i];
        pairs.count[n_pairs] = 0;
        last = ++n_pairs;
      }
      ++pairs.count[last - 1];
    }
    pairs.first.push_back(n_pairs);
  }
  pairs.column.resize(n_pairs);
  pairs.count.resize(n_pairs);
  return pairs;
}

class Matching {
 public:
  Matching(Pairs pairs, std::size_t n_columns)
      : pairs_(std::move(pairs)),
        free_price_(*std::max_element(pairs_.count.begin(), pairs_.count.end())),
        row_price_(pairs_.first.size() - 1, free_price_),
        column_price_(n_columns, 0),
        match_(n_columns, kNone),
        distance_(n_columns),
        seen_(n_columns, 0),
        next_(row_price_.size()) {
    for (std::size_t r = 0; r < row_price_.size(); ++r) free_.push_back(r);
  }

  /// Samples of the pairs that are matched.
  Count run() {
    while (!free_.empty() && free_price_ > 0) {
      const Count fall = nearest_free_column();
      lower_prices(fall);
      free_price_ -= fall;
      if (free_price_ > 0) take_paths();
    }
    Count total = 0;
    for (std::size_t r = 0; r < row_price_.size(); ++r) {
      for (std::size_t e = pairs_.first[r]; e < pairs_.first[r + 1]; ++e) {
        if (match_[pairs_.column[e]] == r) total += pairs_.count[e];
      }
    }
    return total;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Count cost(std::size_t row, std::size_t e) const {
    return row_price_[row] + column_price_[pairs_.column[e]] - pairs_.count[e];
  }

  /// From the free rows; at most their price, for which they stay free. Sets `reached_`: columns nearer.
  Count nearest_free_column() {
    Count nearest = free_price_;
    ++round_;
    reached_.clear();
    heap_.clear();
    const auto look = [&](std::size_t row, Count distance) {
      keep_on(pairs_.first[row + 1] - pairs_.first[row]);
      for (std::size_t e = pairs_.first[row]; e < pairs_.first[row + 1]; ++e) {
        const Count there = distance + cost(row, e);
        if (there >= nearest) continue;
        const std::size_t column = pairs_.column[e];
        if (match_[column] == kNone) {
          nearest = there;
        } else if (seen_[column] != round_ || there < distance_[column]) {
          seen_[column] = round_;
          distance_[column] = there;
          heap_.push_back({there, column});
          std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        }
      }
    };
    for (const std::size_t row : free_) {
      look(row, 0);
      if (nearest == 0) return 0;
    }
    while (!heap_.empty() && heap_.front().first < nearest) {
      const auto [distance, column] = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (distance > distance_[column]) continue;
      reached_.push_back(column);
      look(match_[column], distance);
    }
    return nearest;
  }

  void lower_prices(Count fall) {
    if (fall == 0) return;
    for (const std::size_t row : free_) row_price_[row] -= fall;
    for (const std::size_t column : reached_) {
      const Count rest = fall - distance_[column];
      if (rest <= 0) continue;
      column_price_[column] += rest;
      row_price_[match_[column]] -= rest;
    }
  }

  /// From free rows along pairs without cost, as long as there are columns that no other path has seen.
  void take_paths() {
    ++round_;
    std::copy_n(pairs_.first.begin(), next_.size(), next_.begin());
    std::erase_if(free_, [&](std::size_t row) { return take_path(row); });
  }

  bool take_path(std::size_t from) {
    path_.assign(1, from);
    while (!path_.empty()) {
      const std::size_t row = path_.back(), e = next_pair(row);
      if (e == pairs_.first[row + 1]) {
        path_.pop_back();
        continue;
      }
      const std::size_t column = pairs_.column[e];
      seen_[column] = round_;
      if (match_[column] == kNone) {
        for (const std::size_t each : path_) match_[pairs_.column[next_[each]]] = each;
        return true;
      }
      path_.push_back(match_[column]);
    }
    return false;
  }

  /// Of a row's pairs without cost, and with columns that no path has seen: one with a free column when it is
  /// first asked, then one after another. Most paths end early so.
  std::size_t next_pair(std::size_t row) {
    const std::size_t first = pairs_.first[row], last = pairs_.first[row + 1];
    std::size_t& e = next_[row];
    keep_on(last - e);
    if (e == first) {
      for (; e < last; ++e) {
        if (match_[pairs_.column[e]] == kNone && cost(row, e) == 0) return e;
      }
      e = first;
    }
    while (e < last && (seen_[pairs_.column[e]] == round_ || cost(row, e) != 0)) ++e;
    return e;
  }

  const Pairs pairs_;
  Count free_price_;  ///< of all rows that are free
  std::vector<Count> row_price_, column_price_;
  std::vector<std::size_t> match_;  ///< the row of each column
  std::vector<std::size_t> free_;   ///< rows
  std::vector<Count> distance_;
  std::vector<std::size_t> seen_;  ///< the last round that saw a column
  std::size_t round_ = 0;
  std::vector<std::size_t> reached_, next_, path_;
  std::vector<std::pair<Count, std::size_t>> heap_;
};

/// How many names there are: one more than the greatest.
std::size_t n_names(const char* what, Names names) {
  keep_on(names.size());
  std::size_t most = 0;
  for (const std::int64_t name : names) {
    if (name < 0 || static_cast<std::size_t>(name) >= names.size()) {
      throw std::invalid_argument(std::string(what) + ": a name is " + std::to_string(name) +
                                  "; expected 0.." + std::to_string(names.size() - 1));
    }
    most = std::max(most, static_cast<std::size_t>(name));
  }
  return most + 1;
}

}  // namespace

std::int64_t most_matched(Names one, Names other) {
  if (one.size() != other.size()) throw std::invalid_argument("names of the two sides differ in length");
  if (one.size() > std::numeric_limits<Place>::max())
    throw std::invalid_argument("there are too many samples");
  if (one.empty()) return 0;
  std::size_t n_rows = n_names("one", one), n_columns = n_names("other", other);
  if (n_rows > n_columns) {
    std::swap(one, other);
    std::swap(n_rows, n_columns);
  }
  return Matching(pairs_of(one, other, n_rows, n_columns), n_columns).run();
}

}  // namespace cladebench
