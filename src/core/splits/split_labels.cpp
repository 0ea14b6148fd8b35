#include "splits/split_labels.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace cladebench {
namespace {

/// share of n, rounded up, within 1..most; 0 if most is. A share that is a fraction of n by rounding only
/// does not count as more.
std::size_t share_of(double share, std::size_t n, std::size_t most) {
  const double wanted = std::ceil(share * static_cast<double>(n) * (1.0 - 1e-12));
  if (!(wanted >= 1.0)) return std::min<std::size_t>(1, most);
  return wanted >= static_cast<double>(most) ? most : static_cast<std::size_t>(wanted);
}

/// A number that algorithms which sort may see: NaN, which scores that overflow make, has no place in an
/// order.
template <class Score>
Score ordered(Score score) {
  return std::isnan(score) ? -std::numeric_limits<Score>::infinity() : score;
}

template <class Score>
double hinge(Score margin) {
  return std::max(0.0, 1.0 - static_cast<double>(margin));
}

}  // namespace

RelaxedLabels::RelaxedLabels(const NodeProblem& problem, const SplitSettings& settings)
    : unconstrained_(settings.unconstrained),
      n_chosen_(share_of(settings.share, problem.cannot_link.size(), problem.cannot_link.size())),
      order_(problem.n()),
      chosen_(problem.cannot_link.size()),
      margins_(problem.cannot_link.size()) {
  std::vector<std::uint32_t> place(problem.n(), 0);
  for (const auto& pairs : {problem.must_link, problem.cannot_link}) {
    for (const Pair& pair : pairs) place[pair.first] = place[pair.second] = 1;
  }
  for (const std::uint32_t constrained : place) n_constrained_ += constrained;
  std::uint32_t next = 0, next_free = static_cast<std::uint32_t>(n_constrained_);
  for (std::uint32_t i = 0; i < place.size(); ++i) {
    place[i] = place[i] ? next++ : next_free++;
    order_[place[i]] = i;
  }
  const auto renumber = [&](std::span<const Pair> from, std::vector<Pair>& to) {
    to.reserve(from.size());
    for (const Pair& pair : from) to.push_back({place[pair.first], place[pair.second]});
  };
  renumber(problem.must_link, must_);
  renumber(problem.cannot_link, cannot_);
}

template <class Score>
void RelaxedLabels::rank_cannot_links(const Score* scores, std::vector<Score>& margins,
                                      std::vector<std::uint32_t>& chosen) const {
  for (std::size_t k = 0; k < cannot_.size(); ++k) {
    const Score a = scores[cannot_[k].first], b = scores[cannot_[k].second];
    // |a - b| - |a + b|, without cancellation.
    margins[k] =
        (a < 0) == (b < 0) ? -2 * std::min(std::abs(a), std::abs(b)) : 2 * std::min(std::abs(a), std::abs(b));
    margins[k] = ordered(margins[k]);
  }
  if (n_chosen_ == cannot_.size()) {
    std::iota(chosen.begin(), chosen.end(), 0U);
    return;
  }
  // The largest margins: all above the last one chosen, and of those equal to it the first.
  std::vector<Score> sorted(margins);
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(n_chosen_) - 1;
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
  const Score least = *last;
  std::size_t equal = n_chosen_;
  for (auto above = sorted.begin(); above != last; ++above) equal -= *above > least;
  std::size_t found = 0;
  for (std::uint32_t k = 0; found < n_chosen_; ++k) {
    const bool is_equal = margins[k] == least && equal > 0;
    chosen[found] = k;
    found += margins[k] > least || is_equal;
    equal -= is_equal;
  }
}

void RelaxedLabels::choose(const float* scores, bool with_unconstrained, HingeTerms& terms) {
  terms.clear();
  const auto n_must = static_cast<std::uint32_t>(must_.size());
  const auto n_pairs = static_cast<std::uint32_t>(must_.size() + cannot_.size());
  if (!must_.empty()) {
    terms.begin_group(1.0 / static_cast<double>(must_.size()));
    for (std::uint32_t k = 0; k < must_.size(); ++k) {
      const Pair& pair = must_[k];
      const float z = scores[pair.first] + scores[pair.second] >= 0.0F ? 1.0F : -1.0F;
      terms.add(k, pair.first, z, pair.second, z);
    }
    terms.end_group();
  }
  if (n_chosen_ > 0) {
    rank_cannot_links(scores, margins_, chosen_);
    terms.begin_group(1.0 / static_cast<double>(n_chosen_));
    for (std::size_t k = 0; k < n_chosen_; ++k) {
      const Pair& pair = cannot_[chosen_[k]];
      const float z = scores[pair.first] - scores[pair.second] >= 0.0F ? 1.0F : -1.0F;
      terms.add(n_must + chosen_[k], pair.first, z, pair.second, -z);
    }
    terms.end_group();
  }
  if (!with_unconstrained || !has_unconstrained()) return;
  terms.begin_group(unconstrained_ / static_cast<double>(order_.size() - n_constrained_));
  for (auto i = static_cast<std::uint32_t>(n_constrained_); i < order_.size(); ++i) {
    const float y = scores[i] >= 0.0F ? 1.0F : -1.0F;
    terms.add(n_pairs + i, i, y, i, y);
  }
  terms.end_group();
}

double RelaxedLabels::loss(const double* scores) const {
  const auto mean = [](double sum, std::size_t n) { return n == 0 ? 0.0 : sum / static_cast<double>(n); };
  double must = 0.0, cannot = 0.0, alone = 0.0;
  for (const Pair& pair : must_) {
    const double a = scores[pair.first], b = scores[pair.second];
    must += hinge(std::abs(a + b) - std::abs(a - b));
  }
  std::vector<double> margins(cannot_.size());
  std::vector<std::uint32_t> chosen(cannot_.size());
  rank_cannot_links(scores, margins, chosen);
  for (std::size_t k = 0; k < n_chosen_; ++k) cannot += hinge(margins[chosen[k]]);
  for (std::size_t i = n_constrained_; i < order_.size(); ++i) alone += hinge(2.0 * std::abs(scores[i]));
  return mean(must, must_.size()) + mean(cannot, n_chosen_) +
         unconstrained_ * mean(alone, order_.size() - n_constrained_);
}

BalancedLabels::BalancedLabels(std::size_t n, const SplitSettings& settings)
    : unconstrained_(settings.unconstrained),
      n_(n),
      least_(share_of(settings.membership, n, n / 2)),
      signs_(n) {}

template <class Score>
void BalancedLabels::find_signs(const Score* scores, std::vector<float>& signs) const {
  std::size_t positive = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    signs[i] = scores[i] >= 0 ? 1.0F : -1.0F;
    positive += scores[i] >= 0;
  }
  const bool too_few = positive < least_, too_many = n_ - positive < least_;
  if (!too_few && !too_many) return;
  // A flip of score s costs hinge(2 |s|) more than none: the smaller |s|, the less.
  std::vector<std::uint32_t> flipped;
  for (std::uint32_t i = 0; i < n_; ++i) {
    if ((signs[i] > 0.0F) == too_many) flipped.push_back(i);
  }
  const std::size_t count = too_few ? least_ - positive : least_ - (n_ - positive);
  const auto end = flipped.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(flipped.begin(), end, flipped.end(), [&](std::uint32_t i, std::uint32_t k) {
    const Score a = ordered(std::abs(scores[i])), b = ordered(std::abs(scores[k]));
    return a != b ? a < b : i < k;
  });
  for (auto at = flipped.begin(); at != end; ++at) signs[*at] = -signs[*at];
}

void BalancedLabels::choose(const float* scores, HingeTerms& terms) {
  find_signs(scores, signs_);
  terms.clear();
  terms.begin_group(unconstrained_ / static_cast<double>(n_));
  for (std::uint32_t i = 0; i < n_; ++i) terms.add(i, i, signs_[i], i, signs_[i]);
  terms.end_group();
}

double BalancedLabels::loss(const double* scores) const {
  std::vector<float> signs(n_);
  find_signs(scores, signs);
  double sum = 0.0;
  for (std::size_t i = 0; i < n_; ++i) sum += hinge(2.0 * static_cast<double>(signs[i]) * scores[i]);
  return unconstrained_ * sum / static_cast<double>(n_);
}

}  // namespace cladebench
