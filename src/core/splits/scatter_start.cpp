#include "splits/scatter_start.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "common/keep_on.hpp"
#include "common/products.hpp"
#include "common/random.hpp"

namespace cladebench {
namespace {

/// Steps of Lanczos at most, and the residual, relative to the eigenvalue, that is enough for a start.
constexpr std::size_t kSteps = 60;
constexpr double kEnough = 1e-4;
/// Pairs whose differences are added in one product.
constexpr std::size_t kChunk = 128;

double inner(const double* a, const double* b, std::size_t n) {
  double sums[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[j + lane] * b[j + lane];
  }
  for (; j < n; ++j) sums[0] += a[j] * b[j];
  return fold(sums);
}

/// A symmetric matrix in rows that are padded to whole vectors.
struct Symmetric {
  explicit Symmetric(std::size_t size) : d(size), width(padded_width(size)), entries(d * width) {}
  double* row(std::size_t p) { return entries.data() + p * width; }
  const double* row(std::size_t p) const { return entries.data() + p * width; }
  double trace() const {
    double sum = 0.0;
    for (std::size_t p = 0; p < d; ++p) sum += row(p)[p];
    return sum;
  }
  std::size_t d, width;
  std::vector<double> entries;
};

/// Mean of (x1 - x2)(x1 - x2)^T over the pairs.
Symmetric scatter(const NodeProblem& problem, std::span<const Pair> pairs) {
  Symmetric S(problem.d());
  std::vector<double> differences(kChunk * S.width);
  for (std::size_t first = 0; first < pairs.size(); first += kChunk) {
    const std::size_t count = std::min(kChunk, pairs.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      const double *a = problem.row(pairs[first + k].first), *b = problem.row(pairs[first + k].second);
      double* to = differences.data() + k * S.width;
      for (std::size_t p = 0; p < S.d; ++p) to[p] = a[problem.features[p]] - b[problem.features[p]];
    }
    keep_on(count * S.d * S.d / 8);
    const Strided transposed{differences.data(), 1, S.width};
    run_kernel<AddProductTo<true>, const Strided&>(transposed, differences.data(), S.d, count, S.width,
                                                   S.entries.data());
  }
  for (double& entry : S.entries) entry /= static_cast<double>(std::max<std::size_t>(pairs.size(), 1));
  for (std::size_t q = 0; q < S.d; ++q) {
    for (std::size_t p = 0; p < q; ++p) S.row(q)[p] = S.row(p)[q];
  }
  return S;
}

/// A = L L^T, L in the lower triangle; A is positive definite.
void factorise(Symmetric& A) {
  for (std::size_t q = 0; q < A.d; ++q) {
    keep_on(q * q / 4);
    for (std::size_t p = 0; p < q; ++p) {
      A.row(q)[p] = (A.row(q)[p] - inner(A.row(q), A.row(p), p)) / A.row(p)[p];
    }
    // Rounding must not make it zero where the ridge is far below the trace.
    const double pivot = A.row(q)[q] - inner(A.row(q), A.row(q), q);
    A.row(q)[q] = std::sqrt(std::max(pivot, 1e-14 * A.row(q)[q]));
  }
}

void solve_lower(const Symmetric& L, double* x) {
  for (std::size_t q = 0; q < L.d; ++q) x[q] = (x[q] - inner(L.row(q), x, q)) / L.row(q)[q];
}
void solve_upper(const Symmetric& L, double* x) {
  for (std::size_t q = L.d; q-- > 0;) {
    x[q] /= L.row(q)[q];
    for (std::size_t p = 0; p < q; ++p) x[p] -= x[q] * L.row(q)[p];
  }
}

/// The largest eigenvalue, and its vector, of a symmetric tridiagonal matrix.
double largest_of_tridiagonal(const std::vector<double>& diagonal, const std::vector<double>& beside,
                              std::vector<double>& vector) {
  const std::size_t n = diagonal.size();
  double high = diagonal[0], low = diagonal[0];
  for (std::size_t k = 0; k < n; ++k) {
    high = std::max(high, diagonal[k] + (k > 0 ? std::abs(beside[k - 1]) : 0.0) +
                              (k + 1 < n ? std::abs(beside[k]) : 0.0));
    low = std::max(low, diagonal[k]);
  }
  std::vector<double> pivots(n);
  const auto is_above = [&](double value) {  // all pivots of value I - T are positive
    for (std::size_t k = 0; k < n; ++k) {
      pivots[k] = value - diagonal[k] - (k > 0 ? beside[k - 1] * beside[k - 1] / pivots[k - 1] : 0.0);
      if (!(pivots[k] > 0.0)) return false;
    }
    return true;
  };
  high += 1e-12 * std::max(std::abs(high), 1e-300);
  for (int step = 0; step < 60 && high - low > 1e-13 * std::abs(high); ++step) {
    const double middle = low + 0.5 * (high - low);
    (is_above(middle) ? high : low) = middle;
  }
  is_above(high);
  vector.assign(n, 1.0);
  for (int step = 0; step < 3; ++step) {  // (high I - T) x = vector, by its pivots
    for (std::size_t k = 1; k < n; ++k) vector[k] += beside[k - 1] / pivots[k - 1] * vector[k - 1];
    vector[n - 1] /= pivots[n - 1];
    for (std::size_t k = n - 1; k-- > 0;) vector[k] = (vector[k] + beside[k] * vector[k + 1]) / pivots[k];
    const double norm = std::sqrt(inner(vector.data(), vector.data(), n));
    for (double& entry : vector) entry /= norm;
  }
  return high;
}

}  // namespace

std::vector<double> scatter_direction(const NodeProblem& problem, double ridge) {
  const std::size_t d = problem.d();
  const Symmetric within_cannot = scatter(problem, problem.cannot_link);
  Symmetric L = scatter(problem, problem.must_link);
  std::vector<double> direction(d);
  if (!(within_cannot.trace() > 0.0)) return direction;
  const double trace = L.trace(), added = trace > 0.0 ? ridge * trace / static_cast<double>(d) : 1.0;
  for (std::size_t p = 0; p < d; ++p) L.row(p)[p] += added;
  factorise(L);

  // Lanczos for L^-1 S_C L^-T.
  const std::size_t most = std::min(kSteps, d);
  std::vector<double> basis((most + 1) * d), image(d), diagonal, beside, ritz;
  Random random(0);  // any start will do that is not orthogonal to the solution
  for (std::size_t p = 0; p < d; ++p) basis[p] = random.normal();
  double norm = std::sqrt(inner(basis.data(), basis.data(), d));
  for (std::size_t p = 0; p < d; ++p) basis[p] /= norm;
  for (std::size_t k = 0; k < most; ++k) {
    const double* now = basis.data() + k * d;
    double* next = basis.data() + (k + 1) * d;
    keep_on(d * d);
    std::copy_n(now, d, image.data());
    solve_upper(L, image.data());
    for (std::size_t p = 0; p < d; ++p) next[p] = inner(within_cannot.row(p), image.data(), d);
    solve_lower(L, next);
    diagonal.push_back(inner(now, next, d));
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t l = 0; l <= k; ++l) {
        const double* old = basis.data() + l * d;
        const double part = inner(old, next, d);
        for (std::size_t p = 0; p < d; ++p) next[p] -= part * old[p];
      }
    }
    norm = std::sqrt(inner(next, next, d));
    const double value = largest_of_tridiagonal(diagonal, beside, ritz);
    if (norm * std::abs(ritz[k]) <= kEnough * value || !(norm > 0.0)) break;
    beside.push_back(norm);
    for (std::size_t p = 0; p < d; ++p) next[p] /= norm;
  }
  for (std::size_t k = 0; k < ritz.size(); ++k) {
    for (std::size_t p = 0; p < d; ++p) direction[p] += ritz[k] * basis[k * d + p];
  }
  solve_upper(L, direction.data());
  const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const double sign = *std::max_element(direction.begin(), direction.end(), larger) < 0.0 ? -1.0 : 1.0;
  norm = sign * std::sqrt(inner(direction.data(), direction.data(), d));
  if (norm == 0.0 || !std::isfinite(norm)) return std::vector<double>(d);
  for (double& entry : direction) entry /= norm;
  return direction;
}

}  // namespace cladebench
