#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "interruptible.hpp"
#include "margin/router_steps.hpp"
#include "to_numpy.hpp"

namespace nb = nanobind;
using cladebench::RouterKind;
using cladebench::to_numpy;

namespace {

template <typename T, int dimensions>
using Array = cladebench::Array<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

RouterKind kind_of(const std::string& name) {
  if (name == "linear") return RouterKind::linear;
  if (name == "tanh") return RouterKind::tanh;
  if (name == "relu") return RouterKind::relu;
  throw std::invalid_argument("router '" + name + "': expected 'linear', 'tanh' or 'relu'");
}

std::vector<double> copy_of(const Array<double, 3>& array) {
  return {array.data(), array.data() + array.size()};
}

}  // namespace

void bind_router(nb::module_& m) {
  m.def(
      "router_steps",
      [](const std::string& router, std::size_t hidden_size, Array<double, 2> X, Array<double, 3> params,
         Array<double, 3> first_moment, Array<double, 3> second_moment, Array<std::int32_t, 3> first,
         Array<std::int32_t, 3> second, Array<double, 3> similarity, Array<std::int32_t, 4> others,
         std::size_t n_steps, bool adam, bool leaf_term, double entropy_penalty, double learning_rate,
         std::int64_t steps_before) {
        cladebench::checks::not_empty("X", X);
        // No more than there are parameters, so that no product overflows.
        if (kind_of(router) != RouterKind::linear)
          cladebench::checks::within("hidden_size", hidden_size, std::size_t{1},
                                     std::max<std::size_t>(params.shape(2), 1));
        cladebench::checks::within("steps_before", steps_before, std::int64_t{0}, std::int64_t{1} << 53);
        const cladebench::RouterShape shape{kind_of(router), X.shape(1), hidden_size};
        const std::size_t n_blocks = params.shape(0), n_leaves = params.shape(1) / 2 + 1;
        const std::size_t batch_size = first.shape(2), n_second = others.shape(3);
        const auto drawn_alike = [&](const auto& array) {
          for (std::size_t axis = 0; axis < 3; ++axis) {
            if (array.shape(axis) != first.shape(axis)) return false;
          }
          return true;
        };
        if ((n_leaves & (n_leaves - 1)) != 0 || params.shape(1) != 2 * n_leaves - 2 || n_leaves < 2 ||
            params.shape(2) != shape.n_params()) {
          throw std::invalid_argument(
              "params: expected shape (blocks, 2 L - 2, parameters of a router), L a power of two");
        }
        // Arrays that are empty have no memory, and any number of leaves or steps.
        cladebench::checks::expect(n_blocks > 0 && batch_size > 0, "samples: ", n_blocks, " blocks of ",
                                   batch_size, " pairs; expected at least 1 of both");
        if (first_moment.size() != params.size() || second_moment.size() != params.size()) {
          throw std::invalid_argument("moments: expected the shape of params");
        }
        if (first.shape(1) != n_blocks || !drawn_alike(second) || !drawn_alike(similarity) ||
            !drawn_alike(others) || n_steps > first.shape(0)) {
          throw std::invalid_argument("samples: expected shape (steps, blocks, pairs) for each of them");
        }
        std::vector<double> values = copy_of(params), m1 = copy_of(first_moment), m2 = copy_of(second_moment);
        std::vector<double> costs(n_blocks), seconds(n_blocks);
        cladebench::interruptible([&] {
          const std::size_t size = params.shape(1) * params.shape(2);
          cladebench::RouterSteps steps({X.data(), X.shape(0), X.shape(1)}, shape, n_leaves);
          for (std::size_t b = 0; b < n_blocks; ++b) {
            const std::size_t at = b * batch_size;
            const cladebench::Samples samples{first.data() + at,
                                              second.data() + at,
                                              others.data() + at * n_second,
                                              similarity.data() + at,
                                              n_steps,
                                              batch_size,
                                              n_second,
                                              n_blocks * batch_size};
            const auto began = std::chrono::steady_clock::now();
            costs[b] = steps.take(samples, {adam, leaf_term, entropy_penalty, learning_rate, steps_before},
                                  values.data() + b * size, m1.data() + b * size, m2.data() + b * size);
            seconds[b] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
          }
        });
        return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(m1)), to_numpy(std::move(m2)),
                              to_numpy(std::move(costs)), to_numpy(std::move(seconds)));
      },
      nb::arg("router"), nb::arg("hidden_size"), nb::arg("X"), nb::arg("params"), nb::arg("first_moment"),
      nb::arg("second_moment"), nb::arg("first"), nb::arg("second"), nb::arg("similarity"), nb::arg("others"),
      nb::arg("n_steps"), nb::arg("adam"), nb::arg("leaf_term"), nb::arg("entropy_penalty"),
      nb::arg("learning_rate"), nb::arg("steps_before"), "See cladebench.methods.ghc.steps.");
}
