// Long work asks whether it is to go on, on all threads; and loops of a forked child do not wait for threads
// that are not there.
#include <atomic>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "common/keep_on.hpp"
#include "common/parallel.hpp"
#include "dependence/dependence.hpp"
#include "distances/itml.hpp"
#include "distances/regression_tree.hpp"
#include "distances/triplet_loss.hpp"
#include "exemplars/correlation_clustering.hpp"
#include "exemplars/exemplar_slaves.hpp"
#include "exemplars/facility_location.hpp"
#include "forest/forest_neighbors.hpp"
#include "forest/hierarchy_forest.hpp"
#include "forest/hierarchy_tree.hpp"
#include "forest/pair_forest.hpp"
#include "forest/pair_forest_growth.hpp"
#include "forest/random_split.hpp"
#include "margin/assignment.hpp"
#include "margin/margin.hpp"
#include "margin/matching.hpp"
#include "margin/router_steps.hpp"
#include "random_tree.hpp"
#include "splits/max_margin_split.hpp"
#include "splits/scatter_start.hpp"
#include "trees/measures.hpp"
#include "trees/pair_sums.hpp"
#include "trees/perch.hpp"
#include "trees/tree_metric.hpp"

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace cladebench;

namespace {

/// Threads of loops, as long as it lives.
struct Threads {
  explicit Threads(int n) : before(max_threads()) { set_max_threads(n); }
  ~Threads() { set_max_threads(before); }
  const int before;
};

using Values = std::vector<double>;

Values uniform(std::size_t n) {
  std::mt19937_64 random(n);
  Values values(n);
  for (double& x : values) x = static_cast<double>(random() % 1024) / 1024.0;
  return values;
}

Values distances(std::size_t k) {
  Values D = uniform(k * k);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j <= i; ++j) D[i * k + j] = D[j * k + i] = i == j ? 0.0 : 1.0 + D[i * k + j];
  }
  return D;
}

/// Whether the work asks at least so often, if it asks whenever it says that it works, and ends by an answer.
template <class Work>
bool asks(int least, const Work& work) {
  std::atomic<int> questions = 0;
  const KeepOn stop = [&] {
    if (++questions == least) throw std::invalid_argument("enough");
  };
  try {
    const Asking asking(&stop, 1);
    work();
  } catch (const std::invalid_argument& error) {
    return std::string(error.what()).ends_with("enough");  // some say which tree
  }
  return false;
}

}  // namespace

// At least as often as the work has rows, nodes, or rounds.
TEST(measures_ask) {
  std::mt19937_64 random(0);
  const Tree tree = random_tree(random, 200, 300, 3);
  const std::vector<std::int32_t> labels(300, 0);
  const std::vector<Index> weights{1}, values(200, 1);
  CHECK(asks(3, [&] { Tree(tree.parents, tree.leaf_of); }));
  CHECK(asks(150, [&] { dendrogram_purity(tree, labels, 1); }));
  CHECK(asks(150, [&] { pair_sums(tree, labels, 1, weights, values); }));
  std::vector<std::int32_t> counts(tree.parents.size());
  CHECK(asks(150, [&] { class_counts(tree, labels, 1, counts.data()); }));
  const Values S = uniform(300 * 300), X = uniform(300 * 5);
  CHECK(asks(300, [&] { dasgupta_cost_dense(tree, S); }));
  CHECK(asks(150, [&] { dasgupta_cost_linear(tree, X, 5); }));
  std::vector<std::int64_t> ends;
  std::vector<std::int32_t> columns;
  for (int i = 0; i <= 300; ++i) ends.push_back(i);
  for (int i = 0; i < 300; ++i) columns.push_back(299 - i);
  CHECK(asks(300, [&] { dasgupta_cost_sparse(tree, ends, columns, uniform(300)); }));
}

TEST(trees_of_distances_ask) {
  const Values D = distances(12), few = distances(7);
  const TreeParents start = neighbor_joining(D, 12);
  CHECK(asks(100, [&] { neighbor_joining(D, 12); }));
  CHECK(asks(20, [&] { nonnegative_lengths(D, 12, start); }));
  CHECK(asks(20, [&] { path_distances(12, start, Values(start.size(), 1.0)); }));
  CHECK(asks(1000, [&] { best_of_all_trees(few, 7); }));
  CHECK(asks(200, [&] { search_trees(D, 12, start, 24); }));
  CHECK(asks(250, [&] { four_point_excess(D, 12); }));
}

TEST(partitions_ask) {
  const std::size_t n = 60;
  Values s = distances(n);
  for (double& x : s) x -= 1.5;
  CHECK(asks(60, [&] { violated_triangles(s, n, 0.0); }));
  CHECK(asks(60, [&] {
    Values x = uniform(n * n);
    close_triangles(x, n);
  }));
  CHECK(asks(60, [&] {
    std::vector<std::int64_t> labels(n);
    std::iota(labels.begin(), labels.end(), 0);
    improve_partition(s, n, labels);
  }));
  CHECK(asks(500, [&] { relax_clustering(s, n, {}, {}, {}, {0.0, 300, -1e300}); }));
  const Values X = uniform(n * 4), structure{1, 0, 0, 1};
  std::vector<std::int64_t> labels(n), order(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int64_t>(i % 2);
  std::iota(order.begin(), order.end(), 0);
  CHECK(asks(200, [&] { greedy_sweeps({X, n, 4, true}, structure, labels, order, {true, 100}); }));
  Values d = distances(n);
  for (std::size_t q = 0; q < n; ++q) d[q * n + q] = 2.0;
  CHECK(asks(300, [&] { facility_location(d, n, {}, 0.0, 100); }));
  CHECK(asks(60, [&] { exchanged_exemplars(d, n, {}); }));
  std::vector<std::int64_t> counts(n);
  CHECK(asks(60, [&] { count_copies(std::vector<std::uint8_t>(n * n), counts); }));
  const std::vector<std::int64_t> bounds(3, 20);
  Values cost = uniform(n * 3);
  for (std::size_t i = 0; i < n; ++i) cost[3 * i] -= 1.0;
  CHECK(asks(10, [&] { balanced_assignment(cost, 3, bounds, bounds); }));
  CHECK(asks(60, [&] { most_matched(order, order); }));
}

TEST(perch_and_itml_ask) {
  const Values X = uniform(500 * 5);
  for (const std::size_t max_leaves : {std::size_t{0}, std::size_t{50}}) {
    CHECK(asks(500, [&] { perch(X, 5, Rotations::kMaskingAndBalance, max_leaves); }));
  }
  std::vector<std::int64_t> pairs;
  for (int i = 0; i < 400; ++i) pairs.push_back(i);
  CHECK(asks(100, [&] { fit_itml({X.data(), 500, 5}, pairs, Values(200, 1.0), 0.5, 1.0, 1.0, 0.0, 5); }));
}

TEST(margins_ask) {
  const std::size_t n = 200, d = 5;
  const Values X = uniform(n * d), zeros(d), some(d, 1e-3);
  std::vector<std::int64_t> labels(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int64_t>(i % 3);
  CHECK(asks(50, [&] {
    MarginLoss loss({X.data(), n, d}, labels, 3);
    fit_margin(loss, {some, some, zeros}, {}, 1e-9, 200);
  }));
  std::vector<std::uint32_t> rows(n), features(d);
  std::iota(rows.begin(), rows.end(), 0u);
  std::iota(features.begin(), features.end(), 0u);
  const std::vector<Pair> must{{0, 1}, {2, 3}}, cannot{{4, 5}, {6, 9}};
  const NodeProblem node{X.data(), d, rows, features, must, cannot, 0};
  const NodeProblem free{X.data(), d, rows, features, {}, {}, 0};
  SplitSettings settings;
  CHECK(asks(7, [&] { scatter_direction(node, 0.01); }));
  CHECK(asks(50, [&] { max_margin_split(node, settings); }));
  CHECK(asks(20, [&] { max_margin_split(free, settings); }));
  settings.subgradient = true;
  CHECK(asks(50, [&] { max_margin_split(node, settings); }));
  CHECK(asks(190, [&] { grow_tree({X.data(), n, d}, {}, {}, {1, 2}, random_split, 0); }));
}

TEST(learners_ask) {
  const std::size_t n = 200, d = 5;
  const Values X = uniform(n * d);
  std::vector<std::int64_t> labels(n), targets(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int64_t>(i % 2);
  for (std::size_t i = 0; i < n; ++i) targets[i] = static_cast<std::int64_t>((i + 2) % n);
  Values product(n * d);
  CHECK(asks(400, [&] {
    TripletLoss(labels, targets, 0.5, 0.1).evaluate(X.data(), d, X.data(), d, product.data());
  }));
  CHECK(asks(30, [&] { TreeBuilder({X.data(), n, d}).fit(X.data(), d, 3); }));
  const RegressionTree tree = TreeBuilder({X.data(), n, d}).fit(X.data(), d, 3);
  CHECK(asks(4, [&] {
    add_trees({X.data(), n, d}, tree.feature.data(), tree.threshold.data(), tree.values.data(), 1, 3, d,
              product.data());
  }));
  const std::size_t n_steps = 30, batch = 4;
  const std::vector<std::int32_t> points(n_steps * batch, 1);
  const Values ones(n_steps * batch, 1.0);
  const RouterShape shape{RouterKind::linear, d, 0};
  CHECK(asks(30, [&] {
    Values params(6 * shape.n_params()), first(params.size()), second(params.size());
    RouterSteps({X.data(), n, d}, shape, 4)
        .take({points.data(), points.data(), points.data(), ones.data(), n_steps, batch, 1, batch},
              {true, true, 0.0, 1e-3, 0}, params.data(), first.data(), second.data());
  }));
  const std::vector<float> narrow(X.begin(), X.end());
  std::vector<Pair> must, cannot;
  for (std::uint32_t i = 0; i + 3 < n; ++i) (i % 2 ? must : cannot).push_back({i, i + 3});
  CHECK(asks(100, [&] { grow_pair_forest({narrow.data(), n}, d, must, cannot, {3, 1, true}, 0, 3); }));
}

TEST(placed_forests_ask) {
  const std::size_t n = 300, d = 5, n_trees = 4;
  const Values X = uniform(n * d);
  const Rows rows{X.data(), n, d};
  const auto trees = grow_forest(rows, {}, {}, {10, 2}, random_split, 0, 0, n_trees);
  std::vector<TreeView> views;
  for (const HierarchyTree& tree : trees) {
    views.push_back(
        {tree.right, tree.size, tree.features.data(), tree.weights.data(), tree.features.size() / 2, 2});
  }
  CHECK(asks(n_trees, [&] { PlacedForest(views, rows, 1.0); }));
  const PlacedForest forest(views, rows, 1.0);
  Values D(n * n);
  CHECK(asks(n_trees * 2 * n, [&] { forest.pairwise(rows, rows, D.data()); }));
  {
    const Threads one(1);
    int questions = 0;
    const KeepOn count = [&] { ++questions; };
    Values part(n * n, -1.0);
    const auto compute = [&] { forest.pairwise(rows, rows, part.data()); };
    CHECK(asks(1, compute));
    CHECK(part[0] == -1.0);  // no pass over all pairs before the first question
    {
      const Asking asking(&count, 1);
      forest.pairwise(rows, rows, D.data());
    }
    CHECK(asks(questions, compute));
    CHECK(part[1] == D[1] && D[1] > 0.0);  // nor after the last
  }
  std::vector<float> certainties;
  std::vector<Way::Step> steps;
  CHECK(asks(1, [&] { forest.walk(0, X.data(), certainties); }));
  const std::uint32_t leaf = forest.tree(0).leaf_of[0];
  CHECK(asks(1, [&] { forest.way(0, leaf, nullptr, forest.tree(0).place_of(0), steps); }));
  std::vector<std::int64_t> index(n * 3), n_compared(n);
  for (const std::size_t candidates : {std::size_t{0}, std::size_t{20}}) {
    CHECK(asks(n, [&] {
      find_neighbors(forest, X.data(), 0, n, {3, candidates, true, 0}, D.data(), index.data(),
                     n_compared.data());
    }));
  }
}

TEST(slaves_and_losses_ask) {
  const std::size_t n = 300, tasks = n * n / 4096;
  const Values d = distances(n), own(n, 1.0), offset(n);
  Values raw(n * n), values(n), total(n * n);
  std::vector<std::int64_t> labels(n), nearest(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int64_t>(i % 3);
  std::vector<std::uint8_t> copies(n * n);
  CHECK(asks(n / 16, [&] { point_slaves(d, own, raw, offset, labels, 1.0, values, nearest, copies); }));
  CHECK(asks(tasks, [&] { move_multipliers(copies, 0.5, raw); }));
  CHECK(asks(tasks, [&] { weighted_sum(Values{2.0}, d, total); }));
  CHECK(asks(tasks, [&] { weighted_sum(Values{2.0}, std::vector<float>(n * n), total); }));
  Values gradient(3 * n);
  CHECK(asks(2, [&] { MarginLoss({d.data(), n, n}, labels, 3).evaluate(raw.data(), gradient.data()); }));
}

TEST(many_pairs_of_one_point_are_work) {
  const std::size_t d = 2, n_steps = 20, batch = 6000, n_leaves = 64;
  const RouterShape shape{RouterKind::linear, d, 0};
  const Values X(d, 1.0), ones(n_steps * batch, 1.0);
  const std::vector<std::int32_t> points(n_steps * batch, 0);
  Values params((2 * n_leaves - 2) * shape.n_params()), first(params.size()), second(params.size());
  int questions = 0;
  const KeepOn count = [&] { ++questions; };
  const Asking asking(&count);
  RouterSteps({X.data(), 1, d}, shape, n_leaves)
      .take({points.data(), points.data(), points.data(), ones.data(), n_steps, batch, 1, batch},
            {true, true, 0.0, 1e-3, 0}, params.data(), first.data(), second.data());
  CHECK(questions >= static_cast<int>(n_steps));
}

TEST(work_is_counted_between_two_questions) {
  int questions = 0;
  const KeepOn count = [&] { ++questions; };
  keep_on(kWorkPerQuestion);  // asks nobody
  {
    const Asking asking(&count);
    for (int i = 0; i < 10; ++i) keep_on(kWorkPerQuestion / 2);
    CHECK(questions == 5);
    {
      const Asking more(&count, 1);
      keep_on(0);
      keep_on(1);
      CHECK(questions == 6);
    }
    keep_on(kWorkPerQuestion / 2);
    CHECK(questions == 6);
  }
  keep_on(kWorkPerQuestion);
  CHECK(questions == 6);
}

TEST(the_failure_of_the_lowest_task_reaches_the_caller) {
  for (const int n_threads : {1, 2, 4}) {
    const Threads threads(n_threads);
    std::atomic<int> begun = 0;
    CHECK_THROWS(parallel_for(1000, true,
                              [&](std::size_t k) {
                                ++begun;
                                if (k >= 7) throw std::invalid_argument("task " + std::to_string(k) + ".");
                              }),
                 "task 7.");
    CHECK(begun >= 8 && begun < 1000);
  }
}

TEST(all_threads_of_a_loop_ask) {
  for (const int n_threads : {1, 2, 3}) {
    const Threads threads(n_threads);
    std::atomic<bool> enough = false;
    const KeepOn stop = [&] {
      if (enough) throw std::invalid_argument("enough");
    };
    const Asking asking(&stop, 1);
    // Without end but for the question; the first to begin says that it is enough.
    CHECK_THROWS(parallel_for(8, true,
                              [&](std::size_t) {
                                for (enough = true;; keep_on(1)) {
                                }
                              }),
                 "enough");
  }
}

TEST(a_thread_without_tasks_goes_on_asking_for_the_others) {
  const Threads threads(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> begun = 0, asked_by_caller = 0;
  const KeepOn stop = [&] {
    // Once its own task is done the caller asks, and all hear the answer.
    if (std::this_thread::get_id() == caller) ++asked_by_caller;
    if (begun == 2 && asked_by_caller >= 4) throw std::invalid_argument("enough");
  };
  const Asking asking(&stop, 1);
  CHECK_THROWS(parallel_for(2, true,
                            [&](std::size_t) {
                              ++begun;
                              while (begun < 2) std::this_thread::yield();
                              if (std::this_thread::get_id() == caller) return;
                              for (;; keep_on(1)) {
                              }
                            }),
               "enough");
}

#if __has_include(<sys/wait.h>)
TEST(loops_of_a_forked_child_end) {
  const Threads threads(3);
  const auto sum = [] {
    std::vector<double> parts(100);
    parallel_for(parts.size(), true, [&](std::size_t k) { parts[k] = 1.0 / static_cast<double>(k + 1); });
    double total = 0.0;
    for (const double part : parts) total += part;
    return total;
  };
  const double expected = sum();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // kills it if it hangs
    _exit(sum() == expected && max_threads() == 1 ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(max_threads() == 3 && sum() == expected);
}
#endif
