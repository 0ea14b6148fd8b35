// What the bindings ask of the arguments before the core sees them: shapes that fit, indices that lie inside,
// numbers that are numbers. O(size of the input). Messages read `where: problem; expected X`.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "splits/node_problem.hpp"

namespace cladebench {

/// An array that Python hands over, its numbers at addresses that are multiples of their size: compilers take
/// that for granted. Others are copied if they are only read, and refused if they are written. What is
/// written must be `noconvert()`, too: else it may be a copy that is lost.
template <class... Config>
struct Array : nanobind::ndarray<Config...> {
  Array() = default;
  explicit Array(nanobind::ndarray<Config...>&& given) : nanobind::ndarray<Config...>(std::move(given)) {}

  bool is_aligned() const {
    using Scalar = std::remove_const_t<typename nanobind::ndarray<Config...>::Scalar>;
    return reinterpret_cast<std::uintptr_t>(this->data()) % alignof(Scalar) == 0;
  }
};

}  // namespace cladebench

namespace nanobind::detail {

template <class... Config>
struct type_caster<cladebench::Array<Config...>> {
  using Given = make_caster<ndarray<Config...>>;
  using Checked = cladebench::Array<Config...>;
  NB_TYPE_CASTER(Checked, Given::Name)

  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    Given given;
    if (!given.from_python(source, flags, cleanup)) return false;
    value = Checked(std::move(given.value));
    if (value.is_aligned()) return true;
    if (!std::is_const_v<typename Checked::Scalar> || !(flags & cast_flags::convert)) return false;
    const object copy = steal(PyObject_CallMethod(source.ptr(), "copy", nullptr));
    if (!copy.is_valid()) {
      PyErr_Clear();
      return false;
    }
    Given again;
    if (!again.from_python(copy, flags, cleanup)) return false;
    value = Checked(std::move(again.value));
    return value.is_aligned();
  }
};

}  // namespace nanobind::detail

namespace cladebench::checks {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw std::invalid_argument(message.str());
}

template <class... Parts>
void expect(bool holds, const Parts&... parts) {
  if (!holds) refuse(parts...);
}

inline std::string text_of(std::initializer_list<std::size_t> sizes) {
  std::string text = "(";
  for (const std::size_t size : sizes) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + (sizes.size() == 1 ? ",)" : ")");
}

/// An array of this shape.
template <class Array>
void shape(const char* where, const Array& array, std::initializer_list<std::size_t> wanted) {
  std::size_t axis = 0;
  bool fits = array.ndim() == wanted.size();
  for (const std::size_t size : wanted) fits = fits && array.shape(axis++) == size;
  if (fits) return;
  std::string given = "(";
  for (axis = 0; axis < array.ndim(); ++axis) given += (axis ? ", " : "") + std::to_string(array.shape(axis));
  refuse(where, ": shape ", given, array.ndim() == 1 ? ",)" : ")", "; expected ", text_of(wanted));
}

/// A matrix with a column at least: one without has no memory, and any number of rows.
template <class Matrix>
void has_columns(const char* where, const Matrix& X) {
  expect(X.shape(1) > 0, where, ": no column; expected at least 1");
}

template <class Matrix>
void not_empty(const char* where, const Matrix& X) {
  expect(X.shape(0) > 0 && X.shape(1) > 0, where, ": shape (", X.shape(0), ", ", X.shape(1),
         "); expected at least 1 row and 1 column");
}

/// A number in least..most; NaN is none.
template <class Number>
void within(const char* where, Number value, Number least, Number most) {
  expect(value >= least && value <= most, where, ": ", value, "; expected ", least, "..", most);
}

/// A finite number that is no smaller.
inline void at_least(const char* where, double value, double least) {
  expect(value >= least && std::isfinite(value), where, ": ", value,
         "; expected a finite number of at least ", least);
}

/// Values of at most this magnitude, none NaN.
template <class Value>
void finite(const char* where, std::span<const Value> values,
            Value most = std::numeric_limits<Value>::max()) {
  bool all = true;
  for (const Value value : values) all &= std::abs(value) <= most;  // without a branch: in vector registers
  for (std::size_t k = 0; !all && k < values.size(); ++k) {
    expect(std::abs(values[k]) <= most, where, ": entry ", k, " is ", values[k],
           "; expected a finite number of at most ", most, " in magnitude");
  }
}

template <class Value, class Array>
std::span<const Value> span_of(const Array& array) {
  return {array.data(), array.size()};
}

/// A square matrix, row-major, whose entries do not differ by direction. In tiles, so that columns are read
/// from the cache.
inline void symmetric(const char* where, const double* values, std::size_t n) {
  constexpr std::size_t kTile = 8;
  bool same = true;
  for (std::size_t rows = 0; rows < n; rows += kTile) {
    for (std::size_t columns = 0; columns <= rows; columns += kTile) {
      for (std::size_t p = rows; p < std::min(n, rows + kTile); ++p) {
        for (std::size_t q = columns; q < std::min(p, columns + kTile); ++q) {
          same &= values[p * n + q] == values[q * n + p];
        }
      }
    }
  }
  for (std::size_t p = 0; !same && p < n; ++p) {
    for (std::size_t q = 0; q < p; ++q) {
      expect(values[p * n + q] == values[q * n + p], where, ": entries (", p, ", ", q, ") and (", q, ", ", p,
             ") differ; expected a symmetric matrix");
    }
  }
}

/// Indices of so many things.
template <class Value>
void indices(const char* where, std::span<const Value> values, std::size_t n) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    expect(values[k] >= 0 && static_cast<std::uint64_t>(values[k]) < n, where, ": entry ", k, " is ",
           values[k], "; expected 0..", static_cast<std::int64_t>(n) - 1);
  }
}

/// Pairs of so many rows, of an array of shape (m, 2).
template <class Array>
std::vector<Pair> pairs_of(const char* where, const Array& array, std::size_t n) {
  shape(where, array, {array.shape(0), 2});
  indices(where, span_of<std::int64_t>(array), n);
  std::vector<Pair> pairs(array.shape(0));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    pairs[k] = {static_cast<std::uint32_t>(array(k, 0)), static_cast<std::uint32_t>(array(k, 1))};
  }
  return pairs;
}

/// No byte of what is written is one of what is read.
template <class Written, class Read>
void apart(const char* where, const Written& written, const char* other, const Read& read) {
  const auto* begin = reinterpret_cast<const char*>(written.data());
  const auto* begin_read = reinterpret_cast<const char*>(read.data());
  const std::less<const char*> before;
  const bool share =
      before(begin, begin_read + read.nbytes()) && before(begin_read, begin + written.nbytes());
  expect(!share, where, ": shares memory with ", other, "; expected memory of its own");
}

}  // namespace cladebench::checks
