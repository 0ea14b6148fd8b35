#include "margin/router_steps.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "common/keep_on.hpp"
#include "common/products.hpp"
#include "margin/router_kernels.hpp"

namespace cladebench {

using namespace routing;

namespace {

void check_points(const std::int32_t* points, std::size_t n, std::size_t n_points) {
  for (std::size_t k = 0; k < n; ++k) {
    if (points[k] < 0 || static_cast<std::size_t>(points[k]) >= n_points) {
      throw std::invalid_argument("a sample is point " + std::to_string(points[k]) + ": expected 0.." +
                                  std::to_string(n_points - 1));
    }
  }
}

}  // namespace

struct RouterSteps::Work {
  Work(const MatrixView& points, const RouterShape& shape, std::size_t n_leaves)
      : X(points),
        at(shape, n_leaves),
        params(at.size()),
        first(at.size()),
        second(at.size()),
        gradient(at.size()),
        input((shape.n_features + 1) * at.width),
        input_gradient(input.size()),
        output(at.width),
        output_bias(at.nodes),
        bias_gradient(at.nodes),
        buffer(9 * at.nodes),
        cost(at.nodes) {}

  /// Copies parameters or moments of all nodes to their places, or back.
  template <class Copy>
  void for_places(const Copy& copy) const {
    const std::size_t n_params = at.shape.n_params();
    for (std::size_t child = 0; child < 2 * at.n_inner; ++child) {
      for (std::size_t p = 0; p < n_params; ++p) {
        copy(child * n_params + p, at.place(child / 2, child % 2, p));
      }
    }
  }

  void prepare(const Samples& samples);
  void gather(const Samples& samples, std::size_t t);
  void find_margins();
  void find_paths();
  double step(const Samples& samples, const StepOptions& options, std::size_t t);
  void back_to_margins();
  void back_to_params();

  MatrixView X;
  Layout at;
  std::vector<double> params, first, second, gradient;
  /// Differences of the children's parameters, if linear; all but those of the heads, if neural.
  std::vector<double> input, input_gradient;
  std::vector<double> output, output_bias, bias_gradient, buffer, cost;

  /// The points that a step draws, each once, and their numbers among them.
  std::size_t n_routed = 0;
  std::vector<double> rows;
  std::vector<std::int32_t> routed, number, drawn;
  std::vector<double> units, margins, goes_left, goes_right, paths, slopes;

  Paths split(std::vector<double>& of) {
    const std::size_t size = n_routed * at.nodes;
    return {of.data(), of.data() + size, of.data() + 2 * size};
  }
};

void RouterSteps::Work::prepare(const Samples& samples) {
  drawn.resize(samples.batch_size * (2 + samples.n_second));
  number.assign(X.n, -1);
  routed.clear();
  const std::size_t most = std::min(drawn.size(), X.n);
  rows.resize(most * X.P);
  if (!at.linear()) units.resize(most * at.width);
  for (std::vector<double>* each : {&margins, &goes_left, &goes_right}) each->resize(most * at.nodes);
  paths.resize(3 * margins.size());
  slopes.resize(3 * margins.size());
}

/// Numbers the points that step t draws in the order in which they come, and copies their rows.
void RouterSteps::Work::gather(const Samples& samples, std::size_t t) {
  const std::size_t from = t * samples.stride, n_pairs = samples.batch_size;
  for (const std::int32_t point : routed) number[static_cast<std::size_t>(point)] = -1;
  routed.clear();
  std::int32_t* to = drawn.data();
  const auto add = [&](const std::int32_t* points, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      std::int32_t& known_as = number[static_cast<std::size_t>(points[k])];
      if (known_as < 0) {
        known_as = static_cast<std::int32_t>(routed.size());
        routed.push_back(points[k]);
      }
      *to++ = known_as;
    }
  };
  add(samples.first + from, n_pairs);
  add(samples.second + from, n_pairs);
  add(samples.others + from * samples.n_second, n_pairs * samples.n_second);
  n_routed = routed.size();
  for (std::size_t x = 0; x < n_routed; ++x) {
    std::copy_n(X.data + static_cast<std::size_t>(routed[x]) * X.P, X.P, rows.data() + x * X.P);
  }
}

void RouterSteps::Work::find_margins() {
  const std::size_t d = X.P, w = at.width;
  if (at.linear()) {
    for (std::size_t f = 0; f <= d; ++f) {
      const double *left = params.data() + 2 * f * w, *right = left + w;
      for (std::size_t c = 0; c < w; ++c) input[f * w + c] = left[c] - right[c];
    }
  } else {
    std::copy_n(params.data(), input.size(), input.data());
    const double *weight = params.data() + at.outputs(), *left = params.data() + at.output_biases();
    for (std::size_t c = 0; c < w; ++c) {
      output[c] = c % at.hidden < at.shape.hidden_size ? weight[c] : -weight[c];
    }
    for (std::size_t v = 0; v < at.nodes; ++v) output_bias[v] = left[v] - left[at.nodes + v];
  }
  double* to = at.linear() ? margins.data() : units.data();
  for (std::size_t x = 0; x < n_routed; ++x) std::copy_n(input.data() + d * w, w, to + x * w);
  const Strided points{rows.data(), d, 1};
  run_kernel<AddProduct, const Strided&>(points, input.data(), n_routed, d, w, to);
  if (at.linear()) return;
  if (at.shape.kind == RouterKind::tanh) {
    run_kernel<Tanh>(to, n_routed * w);
  } else {
    run_kernel<Relu>(to, n_routed * w);
  }
  run_kernel<Heads, const Layout&>(at, to, output.data(), output_bias.data(), n_routed, margins.data());
}

/// Pr[x -> v], from the root down.
void RouterSteps::Work::find_paths() {
  const std::size_t w = at.nodes;
  run_kernel<Sigmoids>(margins.data(), n_routed * w, goes_left.data(), goes_right.data());
  const Paths all = split(paths);
  for (std::size_t x = 0; x < n_routed; ++x) {
    const Paths p = all.of(x, w);
    const double *left = goes_left.data() + x * w, *right = goes_right.data() + x * w;
    p.node[0] = 1.0;
    for (std::size_t v = 0; v < at.n_inner; ++v) {
      p.left[v] = p.node[v] * left[v];
      p.right[v] = p.node[v] * right[v];
      if (2 * v + 2 < at.n_inner) {
        p.node[2 * v + 1] = p.left[v];
        p.node[2 * v + 2] = p.right[v];
      }
    }
  }
}

/// Derivatives by margins, in the margins' place, from those by probabilities; from the leaves up.
void RouterSteps::Work::back_to_margins() {
  const std::size_t w = at.nodes;
  const Paths all = split(paths), slopes_of_all = split(slopes);
  for (std::size_t x = 0; x < n_routed; ++x) {
    const Paths p = all.of(x, w), slope = slopes_of_all.of(x, w);
    const double *left = goes_left.data() + x * w, *right = goes_right.data() + x * w;
    double* margin = margins.data() + x * w;
    for (std::size_t v = at.n_inner; v-- > 0;) {
      double by_left = slope.left[v], by_right = slope.right[v];
      if (2 * v + 2 < at.n_inner) {
        by_left += slope.node[2 * v + 1];
        by_right += slope.node[2 * v + 2];
      }
      slope.node[v] += by_left * left[v] + by_right * right[v];
      margin[v] = p.node[v] * (left[v] * right[v]) * (by_left - by_right);
    }
    std::fill(margin + at.n_inner, margin + w, 0.0);
  }
}

void RouterSteps::Work::back_to_params() {
  const std::size_t d = X.P, w = at.width;
  std::fill(input_gradient.begin(), input_gradient.end(), 0.0);
  const double* from = margins.data();
  if (!at.linear()) {
    double* by_output = gradient.data() + at.outputs();
    std::fill(gradient.begin(), gradient.end(), 0.0);
    run_kernel<BackThroughHeads, const Layout&>(at, margins.data(), output.data(), n_routed, units.data(),
                                                by_output);
    for (std::size_t c = 0; c < w; ++c) {
      if (c % at.hidden >= at.shape.hidden_size) by_output[c] = -by_output[c];
    }
    std::fill(bias_gradient.begin(), bias_gradient.end(), 0.0);
    run_kernel<AddColumns>(margins.data(), n_routed, at.nodes, bias_gradient.data());
    double* by_bias = gradient.data() + at.output_biases();
    for (std::size_t v = 0; v < at.nodes; ++v) {
      by_bias[v] = bias_gradient[v];
      by_bias[at.nodes + v] = -bias_gradient[v];
    }
    from = units.data();
  }
  const Strided features{rows.data(), 1, d};
  run_kernel<AddProduct, const Strided&>(features, from, d, n_routed, w, input_gradient.data());
  run_kernel<AddColumns>(from, n_routed, w, input_gradient.data() + d * w);
  if (!at.linear()) {
    std::copy(input_gradient.begin(), input_gradient.end(), gradient.begin());
    return;
  }
  for (std::size_t f = 0; f <= d; ++f) {
    double *left = gradient.data() + 2 * f * w, *right = left + w;
    for (std::size_t c = 0; c < w; ++c) {
      left[c] = input_gradient[f * w + c];
      right[c] = -left[c];
    }
  }
}

double RouterSteps::Work::step(const Samples& samples, const StepOptions& options, std::size_t t) {
  const std::size_t n_pairs = samples.batch_size;
  gather(samples, t);
  keep_on(n_routed * at.width + n_pairs * at.nodes);  // few points may be in many pairs
  find_margins();
  find_paths();
  std::fill_n(slopes.begin(), 3 * n_routed * at.nodes, 0.0);
  std::fill(cost.begin(), cost.end(), 0.0);
  run_kernel<PairKernel, const Layout&, const StepOptions&, const Paths&, const Paths&>(
      at, options, split(paths), split(slopes), drawn.data(), drawn.data() + n_pairs,
      drawn.data() + 2 * n_pairs, samples.similarity + t * samples.stride, n_pairs, samples.n_second,
      buffer.data(), cost.data());
  back_to_margins();
  back_to_params();
  if (options.adam) {
    const double steps = static_cast<double>(options.steps_before + static_cast<std::int64_t>(t) + 1);
    run_kernel<Adam>(options.learning_rate / (1.0 - std::pow(0.9, steps)), 1.0 - std::pow(0.999, steps),
                     gradient.data(), gradient.size(), params.data(), first.data(), second.data());
  } else {
    run_kernel<Descend>(options.learning_rate, gradient.data(), gradient.size(), params.data());
  }
  double sum = 0.0;
  for (std::size_t v = 0; v < at.n_inner; ++v) sum += cost[v];
  return sum;
}

RouterSteps::RouterSteps(const MatrixView& X, const RouterShape& shape, std::size_t n_leaves)
    : work_(std::make_unique<Work>(X, shape, n_leaves)) {}

RouterSteps::~RouterSteps() = default;

double RouterSteps::take(const Samples& samples, const StepOptions& options, double* params,
                         double* first_moment, double* second_moment) {
  Work& work = *work_;
  for (std::size_t t = 0; t < samples.n_steps; ++t) {
    const std::size_t from = t * samples.stride, n_pairs = samples.batch_size;
    check_points(samples.first + from, n_pairs, work.X.n);
    check_points(samples.second + from, n_pairs, work.X.n);
    check_points(samples.others + from * samples.n_second, n_pairs * samples.n_second, work.X.n);
  }
  work.prepare(samples);
  work.for_places([&](std::size_t given, std::size_t place) {
    work.params[place] = params[given];
    work.first[place] = first_moment[given];
    work.second[place] = second_moment[given];
  });
  double sum = 0.0;
  for (std::size_t t = 0; t < samples.n_steps; ++t) sum += work.step(samples, options, t);
  work.for_places([&](std::size_t given, std::size_t place) {
    params[given] = work.params[place];
    first_moment[given] = work.first[place];
    second_moment[given] = work.second[place];
  });
  return sum / static_cast<double>(std::max<std::size_t>(samples.n_steps, 1));
}

}  // namespace cladebench
