#include "forest/pair_forest.hpp"

#include <algorithm>

#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "forest/pair_descent.hpp"

namespace cladebench {
namespace {

/// result[i * step_a + j * step_b] is that of the pair (A_i, B_j).
template <unsigned kShift>
void write_means(const PairForestView& forest, std::size_t d, const PairRows& A, const PairRows& B,
                 std::size_t step_a, std::size_t step_b, double* result) {
  using Descent = PairDescent<kShift>;
  constexpr std::size_t rows_of_a = Descent::kRowsOfA, rows_of_b = Descent::kRowsOfB;
  const std::size_t n_trees = forest.first_node.size() - 1;
  const std::size_t blocks_of_a = (A.n + rows_of_a - 1) / rows_of_a;
  const std::size_t blocks_of_b = (B.n + rows_of_b - 1) / rows_of_b;
  const bool worth_while = A.n * B.n * n_trees > 100'000;
  parallel_for(blocks_of_a * blocks_of_b, worth_while, [&](std::size_t task) {
    const std::size_t i = task / blocks_of_b * rows_of_a, n_a = std::min(A.n - i, rows_of_a);
    const std::size_t j = task % blocks_of_b * rows_of_b, n_b = std::min(B.n - j, rows_of_b);
    const PairColumns a({A.data + i * d, n_a}, d), b({B.data + j * d, n_b}, d);
    PairDescentSpace space;
    Descent descent(a, b, d, space);
    ReadyPairTree tree;
    for (std::size_t t = 0; t < n_trees; ++t) {
      keep_on(16 * n_a * n_b);
      tree.read(forest, t);
      descent.add(tree);
    }
    for (std::size_t k = 0; k < n_a; ++k) {
      for (std::size_t l = 0; l < n_b; ++l) {
        result[(i + k) * step_a + (j + l) * step_b] =
            descent.sum(Descent::pair_of(k, l)) / static_cast<double>(n_trees);
      }
    }
  });
}

}  // namespace

void pair_forest_means(const PairForestView& forest, std::size_t d, const PairRows& A, const PairRows& B,
                       double* result) {
  check_pair_forest(forest, d);
  // Blocks are full where there is one row against many, too. Neither feature cares which row is the first.
  const bool turn = B.n < A.n;
  const PairRows &few = turn ? B : A, &many = turn ? A : B;
  const std::size_t step_few = turn ? 1 : B.n, step_many = turn ? B.n : 1;
  const auto write = few.n <= 4 ? write_means<16> : few.n <= 64 ? write_means<12> : write_means<10>;
  write(forest, d, few, many, step_few, step_many, result);
}

}  // namespace cladebench
