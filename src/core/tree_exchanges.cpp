#include "cladebench/tree_exchanges.hpp"

#include <algorithm>
#include <cmath>

#include "cladebench/keep_on.hpp"

namespace cladebench::tree_fit {
namespace {

// Relative to the largest distance: by so little lengths differ from one sum to another.
constexpr double kSame = 1e-13;

/// Differs from one to another (the finalizer of SplitMix64), and so do their exclusive ors.
std::uint64_t name(std::uint64_t point) {
  std::uint64_t bits = (point + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

const std::vector<Exchange>& Exchanges::update(const Cuts& tree, const Lengths& lengths,
                                               const Solution& solution, double largest) {
  keep_on(8 * tree.nodes());
  compare(tree, solution, largest);
  LocalFit fit(lengths, tree, solution, lengths.flat(tree));
  current_.clear();
  for (std::size_t c = k_; c < tree.nodes(); ++c) {
    const Node child = static_cast<Node>(c);
    if (tree.parent[tree.parent[c]] == -1) {
      depends_[c].clear();
      continue;
    }
    const auto changed = [&](Node node) { return changed_[node] != 0; };
    if (depends_[c].empty() || std::any_of(depends_[c].begin(), depends_[c].end(), changed)) {
      score(child, tree, fit);
    }
    current_.insert(current_.end(), {gains_[2 * c], gains_[2 * c + 1]});
  }
  return current_;
}

void Exchanges::compare(const Cuts& tree, const Solution& solution, double largest) {
  const std::size_t n = tree.nodes();
  seen_.resize(n);
  changed_.assign(n, 0);
  place_.resize(n);
  depends_.resize(n);
  gains_.resize(2 * n);
  below_.assign(n, 0);
  const double far = kSame * largest, far_from_all = far * static_cast<double>(k_);
  for (std::size_t place = n; place-- > 0;) {
    const Node v = tree.order[place];
    place_[v] = place;
    if (v < static_cast<Node>(k_)) below_[v] ^= name(static_cast<std::uint64_t>(v));
    if (place > 0) below_[tree.parent[v]] ^= below_[v];
    const Seen now{below_[v], tree.parent[v], solution.kept[v] != 0, solution.x[v], solution.around[v].total};
    Seen& before = seen_[v];
    const bool same = now.below == before.below && now.parent == before.parent && now.kept == before.kept &&
                      std::abs(now.length - before.length) <= far &&
                      std::abs(now.total - before.total) <= far_from_all;
    if (same) continue;
    before = now;
    changed_[v] = 1;
  }
}

/// The sum of D between the points below two nodes.
double Exchanges::across(const Cuts& tree, Node one, Node other) const {
  const double* sums = tree.to_points.data() + static_cast<std::size_t>(one) * k_;
  const std::size_t first = place_[other], last = first + static_cast<std::size_t>(tree.n_nodes[other]);
  keep_on(last - first);
  double sum = 0.0;
  for (std::size_t place = first; place < last; ++place) {
    if (tree.order[place] < static_cast<Node>(k_)) sum += sums[tree.order[place]];
  }
  return sum;
}

/// Both exchanges at the edge above the child of some v. Of the sums of D between the four parts around the
/// edge one is added up; those across edges give the others.
void Exchanges::score(Node child, const Cuts& tree, LocalFit& fit) {
  const Node v = tree.parent[child], left = tree.child[child], right = tree.sibling[left];
  const Node first = tree.child[v], sibling = first == child ? tree.sibling[first] : first;
  const double twins = (tree.sum[left] + tree.sum[right] - tree.sum[child]) / 2.0;
  const double uncles = (tree.sum[child] + tree.sum[sibling] - tree.sum[v]) / 2.0;
  const Node small = tree.size[left] < tree.size[right] ? left : right;
  const double some =
      tree.size[small] < tree.size[sibling] ? across(tree, sibling, small) : across(tree, small, sibling);
  depends_[child].clear();
  for (const Node target : {left, right}) {
    const double to_sibling = target == small ? some : uncles - some;
    const double above = tree.sum[target] - twins - to_sibling;  // to what is not below v
    const Node beside = target == left ? right : left;
    const Shift shift{v,
                      {v, tree.parent[v]},
                      {target, target},
                      {sibling, sibling},
                      {{{child, child},
                        {beside, beside},
                        tree.size[v] - tree.size[target],
                        tree.sum[target] + tree.sum[v] - 2.0 * above}}};
    gains_[2 * static_cast<std::size_t>(child) + (target == right)] = {target, fit.gain(shift)};
    depends_[child].insert(depends_[child].end(), fit.seen().begin(), fit.seen().end());
  }
}

}  // namespace cladebench::tree_fit
