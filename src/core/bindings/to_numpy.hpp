// Arrays made in the core, handed to NumPy. For the bindings alone: the library itself knows no Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace cladebench {

/// Moves a vector into a NumPy array without a copy; the array owns it. Needs the interpreter's lock.
template <typename T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  nanobind::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  std::vector<T>& array = *held.release();
  return {array.data(), {array.size()}, owner};
}

/// The same for an array that was made without a first value, as large ones are that are written in parallel.
template <typename T>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>> to_numpy(std::unique_ptr<T[]>&& values,
                                                                  std::size_t size) {
  nanobind::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return {values.release(), {size}, owner};
}

}  // namespace cladebench
