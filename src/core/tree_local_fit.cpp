// Non-negative lengths of the tree after a move, from those before: block pivoting on the edges around it.
#include "cladebench/tree_local_fit.hpp"

#include <algorithm>
#include <cmath>

#include "cladebench/keep_on.hpp"

namespace cladebench::tree_fit {
namespace {

// With more nodes than that all lengths are as soon found anew.
constexpr std::size_t kMostInner = 64;
// Rounds in which all edges of a wrong sign change; then one a round, which comes to an end (Murty 1974).
constexpr std::size_t kBlockRounds = 8, kMostRounds = 60;

}  // namespace

LocalFit::Gain LocalFit::gain(const Shift& shift) {
  start(shift);
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    if (inner_.size() > kMostInner) break;
    keep_on(8 * (inner_.size() + outer_.size()));
    solve();
    if (exchange(round) || widen()) continue;
    const auto no_length = [](const Inner& node) { return node.before == 0.0 && !node.kept; };
    const auto had_none = [&](const Shift::Passed& passed) { return !solution_.kept[passed.step.edge]; };
    if (std::all_of(inner_.begin() + 1, inner_.end(), no_length) &&
        std::all_of(shift.passed.begin(), shift.passed.end(), had_none)) {
      return {0.0, Gain::kNone};
    }
    const double more = explained(shift);
    return {more, std::isfinite(more) ? Gain::kFound : Gain::kUnknown};
  }
  return {0.0, Gain::kUnknown};
}

/// The nodes whose edges the move changes, then those that belong to the same vertices.
void LocalFit::start(const Shift& shift) {
  inner_.clear();
  outer_.clear();
  seen_.assign(1, shift.node);
  inner_.push_back({0, 0.0, 0.0, 0.0, true});
  for (const Shift::Passed& passed : shift.passed) {
    const bool kept = solution_.kept[passed.step.edge] != 0;
    inner_.push_back({inner_.size() - 1, passed.size, passed.sum, 0.0, kept});
    seen_.push_back(passed.step.far);
  }
  attach(0, shift.moving);
  attach(0, shift.target);
  for (std::size_t s = 0; s < shift.passed.size(); ++s) attach(s + 1, shift.passed[s].side);
  attach(shift.passed.size(), shift.sibling);
}

/// The step leads from an inner node to another part of the tree before.
void LocalFit::attach(std::size_t from, Step step) {
  if (inner_.size() > kMostInner) return;
  seen_.push_back(step.far);
  if (solution_.kept[step.edge]) {
    outer_.push_back({from, step, beyond(tree_, lengths_.n_points(), step)});
  } else {
    grow(from, step, 0.0);
  }
}

/// Makes the far end of the step an inner node.
void LocalFit::grow(std::size_t from, Step step, double before) {
  const std::size_t here = inner_.size();
  inner_.push_back({from, beyond(tree_, lengths_.n_points(), step), tree_.sum[step.edge], before, false});
  each_other_edge(tree_, step.far, step.edge, [&](Step next) { attach(here, next); });
}

/// The normal equations, as `Lengths::solve` has them.
void LocalFit::solve() {
  const double points = lengths_.n_points();
  for (std::size_t j = 0; j < inner_.size(); ++j) {
    Inner& node = inner_[j];
    node.at = node.kept ? j : inner_[node.from].at;
    node.vertex = {};
    node.length = node.branch = 0.0;
    if (j == 0 || !node.kept) continue;
    lengths_.add_edge(node.vertex, node.sum, points - node.beyond);
    lengths_.add_edge(inner_[inner_[node.from].at].vertex, node.sum, node.beyond);
  }
  for (const Outer& edge : outer_) {
    lengths_.add_edge(inner_[inner_[edge.from].at].vertex, tree_.sum[edge.step.edge], edge.beyond);
  }
  for (Inner& node : inner_) node.vertex.settle();
  for (Outer& edge : outer_) {
    const Vertex& vertex = inner_[inner_[edge.from].at].vertex;
    edge.length = lengths_.length(edge.beyond, solution_.around[edge.step.far], vertex);
    inner_[edge.from].branch += lengths_.branch(tree_.sum[edge.step.edge], edge.beyond, vertex);
  }
  for (std::size_t j = inner_.size(); j-- > 1;) {
    Inner& node = inner_[j];
    Inner& from = inner_[node.from];
    const Vertex& vertex = inner_[from.at].vertex;
    if (node.kept) {
      node.length = lengths_.length(node.beyond, node.vertex, vertex);
      from.branch += lengths_.branch(node.sum, node.beyond, vertex);
    } else {
      from.branch += node.branch;
    }
  }
}

/// Contracts edges of negative length, and gives one to those across which D has more than the tree. False
/// if there are none.
bool LocalFit::exchange(std::size_t round) {
  const double points = lengths_.n_points();
  bool any = false;
  for (std::size_t j = inner_.size(); j-- > 1;) {
    Inner& node = inner_[j];
    bool wrong = node.kept && node.length <= 0.0;
    if (!node.kept) {
      const double total = inner_[node.at].vertex.total;
      const double paths = (points - 2.0 * node.beyond) * node.branch + node.beyond * total;
      wrong = node.sum - paths > flat_;
    }
    if (!wrong) continue;
    node.kept = !node.kept;
    if (round >= kBlockRounds) return true;
    any = true;
  }
  return any;
}

/// Goes on beyond edges that have come to be negative. False if there are none.
bool LocalFit::widen() {
  bool any = false;
  for (std::size_t e = 0; e < outer_.size();) {
    const Outer edge = outer_[e];
    if (edge.length > 0.0) {
      ++e;
      continue;
    }
    any = true;
    outer_[e] = outer_.back();
    outer_.pop_back();
    grow(edge.from, edge.step, solution_.x[edge.step.edge]);
  }
  return any;
}

double LocalFit::explained(const Shift& shift) const {
  double more = 0.0;
  for (std::size_t j = 1; j < inner_.size(); ++j) {
    more += inner_[j].sum * (inner_[j].length - inner_[j].before);
  }
  for (const Outer& edge : outer_)
    more += tree_.sum[edge.step.edge] * (edge.length - solution_.x[edge.step.edge]);
  for (const Shift::Passed& passed : shift.passed) {
    more -= tree_.sum[passed.step.edge] * solution_.x[passed.step.edge];
  }
  return more;
}

}  // namespace cladebench::tree_fit
