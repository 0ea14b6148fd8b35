#include "splits/hinge_terms.hpp"

#include <algorithm>

#include "common/keep_on.hpp"

namespace cladebench {
namespace {

/// Vectors of sixteen terms that are added in single precision before their sums go on in double.
constexpr std::size_t kSingle = 64;

/// sums[0..15]: halves of hinges, sums[16..31]: their slopes in t, of n terms, a multiple of sixteen.
struct AlongKernel {
  template <class V>
  CLADEBENCH_INLINE static void run(const float* u, const float* v, const float* du, const float* dv,
                                    std::size_t n, float t, float* sums) {
    using F = FloatsOf<V>;
    using Vec = typename F::Vec;
    for (int part = 0; part < F::kParts; ++part) {
      Vec losses{}, slopes{};
      const Vec zero{}, half = zero + 0.5F;
      for (std::size_t k = part * F::kWidth; k < n; k += kFloatLanes) {
        const Vec step_u = floats_at<F>(du + k), step_v = floats_at<F>(dv + k);
        const Vec at_u = floats_at<F>(u + k) + t * step_u, at_v = floats_at<F>(v + k) + t * step_v;
        const auto first = at_u <= at_v;
        const Vec below = half - (first ? at_u : at_v);
        const Vec slope = first ? step_u : step_v;
        const auto in_force = below > zero;
        losses += in_force ? below : zero;
        slopes -= in_force ? slope : zero;
      }
      floats_at<F>(sums + part * F::kWidth) = losses;
      floats_at<F>(sums + kFloatLanes + part * F::kWidth) = slopes;
    }
  }
};

struct MoveKernel {
  template <class V>
  CLADEBENCH_INLINE static void run(float* u, const float* step, std::size_t n, float t) {
    using F = FloatsOf<V>;
    for (std::size_t k = 0; k < n; k += F::kWidth) floats_at<F>(u + k) += t * floats_at<F>(step + k);
  }
};

}  // namespace

void HingeTerms::clear() {
  terms_.clear();
  groups_.clear();
  weights_.clear();
}

void HingeTerms::begin_group(double weight) {
  groups_.push_back({terms_.size(), terms_.size(), weight});
  weights_.push_back(weight);
}

void HingeTerms::end_group() {
  groups_.back().end = terms_.size();
  terms_.resize(padded_floats(terms_.size()), Term{});
}

void HingeTerms::gather(const float* scores, float filling, TermScores& out) const {
  out.u.resize(terms_.size());
  out.v.resize(terms_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t k = groups_[g].begin; k < groups_[g].end; ++k) {
      const Term& term = terms_[k];
      out.u[k] = term.signs[0] * scores[term.points[0]];
      out.v[k] = term.signs[1] * scores[term.points[1]];
    }
    const std::size_t end = padded_floats(groups_[g].end);
    std::fill(out.u.begin() + groups_[g].end, out.u.begin() + end, filling);
    std::fill(out.v.begin() + groups_[g].end, out.v.begin() + end, filling);
  }
}

HingeTerms::Value HingeTerms::along(const TermScores& from, const TermScores& step, double t) const {
  Value total{0.0, 0.0};
  alignas(64) float sums[2 * kFloatLanes];
  keep_on(terms_.size() / 4);
  for (const Group& group : groups_) {
    Value part{0.0, 0.0};
    const std::size_t end = padded_floats(group.end);
    for (std::size_t k = group.begin; k < end; k += kSingle * kFloatLanes) {
      run_kernel<AlongKernel, const float*, const float*, const float*, const float*>(
          from.u.data() + k, from.v.data() + k, step.u.data() + k, step.v.data() + k,
          std::min(kSingle * kFloatLanes, end - k), static_cast<float>(t), sums);
      part.loss += fold_floats(sums);
      part.slope += fold_floats(sums + kFloatLanes);
    }
    total.loss += 2.0 * group.weight * part.loss;
    total.slope += 2.0 * group.weight * part.slope;
  }
  return total;
}

double HingeTerms::loss(const TermScores& at) const { return along(at, at, 0.0).loss; }

double HingeTerms::cut(const TermScores& at, std::size_t count, float* coefficients) const {
  std::fill_n(coefficients, padded_floats(count), 0.0F);
  double intercept = 0.0;
  for (const Group& group : groups_) {
    const auto push = static_cast<float>(-2.0 * group.weight);
    std::size_t in_force = 0;
    for (std::size_t k = group.begin; k < group.end; ++k) {
      // Without branches, which would be guessed wrong half of the time.
      const Term& term = terms_[k];
      const std::size_t smaller = at.u[k] <= at.v[k] ? 0 : 1;
      const std::size_t counts = (at.u[k] < 0.5F) | (at.v[k] < 0.5F);
      in_force += counts;
      coefficients[term.points[smaller]] += static_cast<float>(counts) * push * term.signs[smaller];
    }
    intercept += group.weight * static_cast<double>(in_force);
  }
  return intercept;
}

void move(TermScores& from, const TermScores& step, double t) {
  run_kernel<MoveKernel, float*, const float*>(from.u.data(), step.u.data(), from.u.size(),
                                               static_cast<float>(t));
  run_kernel<MoveKernel, float*, const float*>(from.v.data(), step.v.data(), from.v.size(),
                                               static_cast<float>(t));
}

}  // namespace cladebench
