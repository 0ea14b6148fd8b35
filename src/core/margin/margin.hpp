// The squared hinge loss of a clustering by linear models, its minimisation, and the costs of assignments.
//
// The cost of one evaluation with gradient, n rows of P features, K models: the loss depends only on the
// differences w_k - w_K, so 2 (K - 1) n P multiplications and as many additions, while 8 n P bytes of X are
// read from memory once (a tile of eight rows stays near the processor between its scores and its share of
// the gradient, and later tiles are fetched meanwhile). Results are to be equal on machines without fused
// multiply-add, so none is used.
//
// Prediction: 4 (K - 1) P operations a row, 800 bytes at P = 100. At 3.8 GHz and two vector operations a
// cycle that is at least 7 and 28 ns a row with eight lanes (K = 2 and 5), 14 and 55 ns with four, 27 and 109
// ns with two; a cache read at 70 GB/s gives a row in 11 ns, memory at 13 to 24 GB/s in 33 to 60 ns. So 1.5
// times a reading can be had at K = 2 wherever X lies, and at K = 5 from memory; at K = 5 and from a cache no
// less than 2.4 times, for want of fused operations.
//
// Measured, one thread, ns a row of one evaluation, before and after kernels were written for the width of a
// register, and instructions a row of two evaluations with a set-up and a reading (callgrind, which knows no
// AVX-512):
//
//             X in the second cache    X in memory              instructions
//             K = 2      K = 5         K = 2      K = 5         K = 2          K = 5
//   baseline  66 -> 27   246 -> 88     79 -> 36   271 -> 94     2208 -> 1447   6746 -> 4243
//   avx2      80 -> 20   278 -> 63     89 -> 31   297 -> 82     1763 -> 614    5541 -> 1766
//   avx512    19 -> 17    47 -> 43     38 -> 38    71 -> 57
//
// A reading (a search for NaN) takes 9 ns a row from the second cache and 27 to 35 from memory: with AVX-512
// an evaluation is 1.9 and 4.5 times one from the cache, 1.1 and 1.7 times one from memory. What bound it:
// GCC takes vectors wider than a register through memory, and tests conjunctions of wide masks lane by lane;
// pages for scores that nobody asked for took another third at K = 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/box.hpp"  // kLanes

namespace cladebench {

/// Row-major n x P; not owned.
struct MatrixView {
  const double* data;
  std::size_t n, P;
};

/// Place of the first entry that is NaN or infinite, -1 if there is none. One pass, in parallel.
std::int64_t first_nonfinite(const MatrixView& X);

/// h(W) = 1/(nK) sum_i sum_{k != y_i} max(0, 1 - w_{y_i}.x_i + w_k.x_i)^2, for fixed labels y.
///
/// Evaluations are parallel over chunks of rows that depend on n alone, and their sums are added in order:
/// results do not depend on the number of threads.
class MarginLoss {
 public:
  /// X and labels are read as long as this lives.
  /// @throws std::invalid_argument if there is no row, no feature or no second cluster, or a label is not in
  ///   0..K-1.
  MarginLoss(const MatrixView& X, std::span<const std::int64_t> labels, std::size_t K);

  std::size_t n() const { return X_.n; }
  std::size_t P() const { return X_.P; }
  std::size_t K() const { return K_; }

  /// From now on evaluations leave the scores of all rows, 2 n (K - 1) numbers, for along(). Whoever only
  /// wants a gradient is spared the room: to be given fresh pages by the system takes longer than to sum.
  void keep_scores();

  /// What is known at W = 0, from one pass that only adds up rows.
  struct AtZero {
    double loss;                       ///< (K - 1) / K
    std::vector<double> gradient;      ///< K x P
    std::vector<double> mean_squares;  ///< of the P features
    double mean_square;                ///< of the rows' norms; not finite if X is not
  };
  /// Also makes W = 0 the trial.
  AtZero at_zero();

  /// h at W (K x P), which becomes the trial; the gradient (K x P) is written. One pass over X.
  double evaluate(const double* W, double* gradient);

  /// The trial becomes the base.
  void accept() { base_.swap(trial_); }

  /// h at base + t (trial - base), from the scores of both: O(nK), without a pass over X.
  /// @throws std::logic_error unless they were kept.
  double along(double t) const;

 private:
  MatrixView X_;
  std::size_t K_;
  std::size_t n_tiles_, n_chunks_, tiles_per_chunk_, chunk_stride_;
  std::vector<double> narrow_;  ///< rows of less than kLanes features, padded
  std::vector<double> last_tile_;
  std::vector<double> labels_;  ///< as lanes of the tiles, -1 beyond the last row
  std::size_t n_scores() const { return n_tiles_ * (K_ - 1) * kLanes; }
  /// Scores against the last model, (w_k - w_K).x_i: for each tile, model k < K - 1 and row.
  std::unique_ptr<double[]> trial_, base_;
  std::vector<double> differences_, partial_;
  std::vector<double> chunk_loss_;
};

/// C[i, k] = sum_{k' != k} max(0, 1 - w_k.x_i + w_k'.x_i)^2, n x K.
///
/// O(n K P + n K^2), eight rows at a time: at K = 100 the pairs cost as much as the scores, and a sum of
/// squares over sorted scores by prefix sums, O(K log K), would lose digits.
std::vector<double> assignment_costs(const MatrixView& X, std::span<const double> W, std::size_t K);

/// sum_p group_p ||W[:, p]||_2 + l1_p ||W[:, p]||_1 + ridge_p ||W[:, p]||_2^2; P numbers each, >= 0.
struct MarginPenalty {
  std::span<const double> group, l1, ridge;
};

struct MarginFit {
  std::vector<double> W;  ///< K x P
  double objective, loss;
  /// 2-norm of the minimum-norm subgradient at W over max(||h'(0)||_2, 1e-10 sqrt(mean ||x_i||^2)), the
  /// norm at W = 0; where X is zero the norm itself.
  double residual;
  std::int64_t n_iter, n_passes;
  bool converged;
};

/// Minimises h(W) + penalty by proximal quasi-Newton steps (Lee, Sun and Saunders 2012; Schmidt 2010).
///
/// Where the features' curvatures at W = 0 are very unlike, each feature is measured in a unit of its own,
/// which leaves the penalties' form and the minimum as they are. Each iteration models the smooth part by an
/// L-BFGS matrix, minimises model + penalty by spectral proximal gradient, and searches along the way there
/// for sufficient decrease of the objective. The first trial is the whole way, and evaluating it gives the
/// next gradient too: mostly one pass over X an iteration, and two where a shorter step is taken, whose
/// search needs no pass. Without a non-smooth part the model's minimiser has a closed form. Where the model
/// gives no descent it is forgotten: what remains is a proximal gradient step. After each step all models are
/// shifted alike to where the penalties are least, which the loss does not notice.
/// @param start K x P, or empty for 0.
/// @throws std::invalid_argument if X is not finite or so large that its squares overflow.
MarginFit fit_margin(MarginLoss& loss, const MarginPenalty& penalty, std::span<const double> start,
                     double tol, std::int64_t max_iter);

}  // namespace cladebench
