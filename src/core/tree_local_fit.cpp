// Non-negative lengths of the tree after a move, from those before: block pivoting on the edges around it.
#include <algorithm>
#include <cmath>

#include "cladebench/keep_on.hpp"
#include "cladebench/tree_moves.hpp"

namespace cladebench::tree_fit {
namespace {

// With more nodes than that all lengths are as soon found anew.
constexpr std::size_t kMostInner = 64;
// Rounds in which all edges of a wrong sign change; then one a round, which comes to an end (Murty 1974).
constexpr std::size_t kBlockRounds = 8, kMostRounds = 60;

}  // namespace

LocalFit::Gain LocalFit::gain(const Move& move) {
  start(move);
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    if (inner_.size() > kMostInner) break;
    keep_on(8 * (inner_.size() + outer_.size()));
    solve();
    if (exchange(round) || widen()) continue;
    const auto no_length = [](const Inner& node) { return node.before == 0.0 && !node.kept; };
    const auto had_none = [&](Node w) { return !solution_.kept[w]; };
    if (std::all_of(inner_.begin() + 1, inner_.end(), no_length) &&
        std::all_of(move.path.begin() + 1, move.path.end(), had_none)) {
      return {0.0, Gain::kNone};
    }
    const double more = explained(move);
    return {more, std::isfinite(more) ? Gain::kFound : Gain::kUnknown};
  }
  return {0.0, Gain::kUnknown};
}

/// The nodes whose edges the move changes, then those that belong to the same vertices.
void LocalFit::start(const Move& move) {
  inner_.clear();
  outer_.clear();
  seen_.assign(1, move.v);
  inner_.push_back({0, 0.0, 0.0, 0.0, true});
  for (std::size_t s = 1; s < move.path.size(); ++s) {
    inner_.push_back({s - 1, move.size[s - 1], move.sum[s - 1], 0.0, solution_.kept[move.path[s]] != 0});
    seen_.push_back(move.path[s]);
  }
  attach(0, move.v, tree_.parent[move.v]);
  attach(0, move.path[0], move.path[0]);
  for (std::size_t s = 1; s < move.path.size(); ++s) {
    const Node side = move.off_path(s);
    attach(s, side, side);
  }
  attach(move.path.size() - 1, move.sibling, move.sibling);
}

/// The edge above a node leads from an inner node to `far`.
void LocalFit::attach(std::size_t from, Node edge, Node far) {
  if (inner_.size() > kMostInner) return;
  seen_.push_back(far);
  if (solution_.kept[edge]) {
    const double below = tree_.size[edge];
    outer_.push_back({from, edge, far, far == edge ? below : lengths_.n_points() - below});
  } else {
    grow(from, edge, far, 0.0);
  }
}

/// Makes `far` an inner node.
void LocalFit::grow(std::size_t from, Node edge, Node far, double before) {
  const std::size_t here = inner_.size();
  const double below = tree_.size[edge], beyond = far == edge ? below : lengths_.n_points() - below;
  inner_.push_back({from, beyond, tree_.sum[edge], before, false});
  for (Node c = tree_.child[far]; c != -1; c = tree_.sibling[c]) {
    if (c != edge) attach(here, c, c);
  }
  if (far == edge || tree_.parent[far] == -1) return;
  attach(here, far, tree_.parent[far]);
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
    lengths_.add_edge(inner_[inner_[edge.from].at].vertex, tree_.sum[edge.edge], edge.beyond);
  }
  for (Inner& node : inner_) node.vertex.settle();
  for (Outer& edge : outer_) {
    const Vertex& vertex = inner_[inner_[edge.from].at].vertex;
    edge.length = lengths_.length(edge.beyond, solution_.around[edge.far], vertex);
    inner_[edge.from].branch += lengths_.branch(tree_.sum[edge.edge], edge.beyond, vertex);
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
    grow(edge.from, edge.edge, edge.far, solution_.x[edge.edge]);
  }
  return any;
}

double LocalFit::explained(const Move& move) const {
  double more = 0.0;
  for (std::size_t j = 1; j < inner_.size(); ++j) {
    more += inner_[j].sum * (inner_[j].length - inner_[j].before);
  }
  for (const Outer& edge : outer_) more += tree_.sum[edge.edge] * (edge.length - solution_.x[edge.edge]);
  for (std::size_t s = 1; s < move.path.size(); ++s) {
    more -= tree_.sum[move.path[s]] * solution_.x[move.path[s]];
  }
  return more;
}

}  // namespace cladebench::tree_fit
