#include <algorithm>
#include <utility>

#include "cladebench/keep_on.hpp"
#include "cladebench/tree_metric.hpp"

namespace cladebench {

double four_point_excess(std::span<const double> D, std::size_t k) {
  double worst = 0.0;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      keep_on(k);
      for (std::size_t c = 0; c < k; ++c) {
        worst = std::max(worst, D[a * k + b] - (D[a * k + c] + D[c * k + b]));
      }
      for (std::size_t c = b + 1; c < k; ++c) {
        keep_on(k - c);
        for (std::size_t d = c + 1; d < k; ++d) {
          // Of the three sums the largest less the second.
          double one = D[a * k + b] + D[c * k + d], two = D[a * k + c] + D[b * k + d];
          const double three = D[a * k + d] + D[b * k + c];
          if (one < two) std::swap(one, two);
          worst = std::max(worst, three > one ? three - one : one - std::max(two, three));
        }
      }
    }
  }
  return worst;
}

}  // namespace cladebench
