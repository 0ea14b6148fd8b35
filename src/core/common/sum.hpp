// A sum that loses one rounding.
#pragma once

#include <cmath>

namespace cladebench {

/// Sum with Neumaier's compensation: the error stays near one rounding of the result, however many terms.
class Sum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0.0, lost_ = 0.0;
};

}  // namespace cladebench
