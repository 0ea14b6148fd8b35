// How pairs of rows go down the trees of a pair forest (see pair_forest.hpp): all pairs of two blocks of rows
// together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/float_lanes.hpp"
#include "common/simd.hpp"
#include "forest/pair_forest.hpp"
#include "forest/row_bits.hpp"

namespace cladebench {

/// @throws std::invalid_argument if the nodes do not make trees over 2 d features.
void check_pair_forest(const PairForestView& forest, std::size_t d);

/// A tree as pairs go down it.
struct ReadyPairTree {
  /// An inner node. A child c >= 0 is the inner node c, a child c < 0 is a leaf with value ~c.
  struct Node {
    std::uint32_t feature;
    float threshold;
    std::int32_t left, right;
  };

  std::vector<Node> nodes;
  std::vector<double> values;
  std::int32_t root = 0;
  std::vector<std::int32_t> name;  ///< for work

  void read(const PairForestView& forest, std::size_t t);
};

/// Rows by their features. A feature is in whole vectors.
struct PairColumns {
  PairColumns(const PairRows& rows, std::size_t d)
      : n(rows.n), width(padded_floats(rows.n)), values(width * d) {
    for (std::size_t f = 0; f < d; ++f) {
      for (std::size_t i = 0; i < n; ++i) values[f * width + i] = rows.data[i * d + f];
    }
  }

  const float* column(std::size_t f) const { return values.data() + f * width; }

  std::size_t n, width;
  Floats values;
};

/// A row of A in the upper bits, a row of B in the lower ones.
using Pair = std::uint32_t;

/// What descents need while pairs go down a tree; one thread's serve one descent after another.
struct PairDescentSpace {
  /// A row of A, and how many rows of B.
  struct Mask {
    std::uint32_t row, count;
  };
  /// A node that pairs have come to.
  struct Part {
    std::int32_t node;
    std::int32_t buffer;                ///< -1: the list with which a descent begins
    std::uint32_t begin, end;           ///< of a buffer: place for all pairs of the node
    std::uint32_t first, last;          ///< of a buffer: those in its list
    std::uint32_t masks, end_of_masks;  ///< the others
  };
  using Bits = std::vector<RowBits::Word, LineAllocator<RowBits::Word>>;

  std::vector<Pair> buffers[2];
  std::vector<Mask> masks, left;
  Bits bits, left_bits;
  std::vector<Part> stack;
};

/// All pairs of a block of A and a block of B go down a tree together. Of the pairs at a node, those of a row
/// of A are bits, and tested a vector at a time, as long as they are many. Where they are few, they are in
/// the node's list.
template <unsigned kShift>
class PairDescent {
 public:
  /// The more pairs share a node, the less it matters what a node costs.
  static constexpr std::size_t kPairs = 1 << 18;
  static constexpr std::size_t kRowsOfB = std::size_t{1} << kShift, kRowsOfA = kPairs / kRowsOfB;

  /// @param a, b  At least one row each, at most kRowsOfA and kRowsOfB; they must outlive this, as space.
  PairDescent(const PairColumns& a, const PairColumns& b, std::size_t d, PairDescentSpace& space)
      : d_(d),
        a_(a),
        b_(b),
        space_(space),
        words_(RowBits::words(b.n)),
        few_(std::max(kFewest, b.n / kShareOfFew)),
        sums_(((a.n - 1) << kShift) + b.n) {
    std::vector<Pair> pairs;
    pairs.reserve(a.n * b.n);
    for (std::size_t i = 0; i < a.n; ++i) {
      for (std::size_t j = 0; j < b.n; ++j) pairs.push_back(pair_of(i, j));
    }
    set_pairs(std::move(pairs));
  }

  static Pair pair_of(std::size_t i, std::size_t j) { return static_cast<Pair>(i << kShift | j); }
  static std::size_t row_of_a(Pair pair) { return pair >> kShift; }
  static std::size_t row_of_b(Pair pair) { return pair & (kRowsOfB - 1); }

  std::size_t n_rows_of_b() const { return b_.n; }
  double sum(Pair pair) const { return sums_[pair]; }

  /// The pairs that go down trees; at first all.
  const std::vector<Pair>& pairs() const { return pairs_; }
  void set_pairs(std::vector<Pair> pairs) {
    pairs_ = std::move(pairs);
    std::vector<std::uint32_t> count(a_.n), place(a_.n);
    for (const Pair pair : pairs_) ++count[row_of_a(pair)];
    masks_.clear();
    for (std::size_t i = 0; i < a_.n; ++i) {
      if (count[i] < few_) continue;
      place[i] = static_cast<std::uint32_t>(masks_.size());
      masks_.push_back({static_cast<std::uint32_t>(i), count[i]});
    }
    bits_.assign(masks_.size() * words_, 0);
    list_.clear();
    for (const Pair pair : pairs_) {
      const std::size_t i = row_of_a(pair), j = row_of_b(pair);
      if (count[i] < few_) {
        list_.push_back(pair);
      } else {
        bits_[place[i] * words_ + RowBits::word(j)] |= RowBits::bit(j);
      }
    }
  }

  /// Adds the value of the leaf that a pair reaches to its sum.
  void add(const ReadyPairTree& tree) {
    if (pairs_.empty()) return;
    if (tree.root < 0) {
      for (const Pair pair : pairs_) sums_[pair] += value(tree, tree.root);
      return;
    }
    make_room();
    std::copy(masks_.begin(), masks_.end(), space_.masks.begin());
    std::copy(bits_.begin(), bits_.end(), space_.bits.begin());
    const auto n = static_cast<std::uint32_t>(pairs_.size());
    space_.stack.assign(1, {tree.root, -1, 0, n, 0, static_cast<std::uint32_t>(list_.size()), 0,
                            static_cast<std::uint32_t>(masks_.size())});
    while (!space_.stack.empty()) {
      const Part part = space_.stack.back();
      space_.stack.pop_back();
      const ReadyPairTree::Node& node = tree.nodes[static_cast<std::size_t>(part.node)];
      if (node.feature < d_) {
        visit<DifferenceIsAtMost>(tree, part, node, node.feature);
      } else {
        visit<MeanIsAtMost>(tree, part, node, node.feature - d_);
      }
    }
  }

 private:
  using Part = PairDescentSpace::Part;
  using Mask = PairDescentSpace::Mask;
  using Word = RowBits::Word;

  /// A test of all rows takes as long as that of so few in a list.
  static constexpr std::size_t kFewest = 16, kShareOfFew = 12;

  /// Both tests of a node, on one pair and on one row of A with a vector of rows of B.
  struct DifferenceIsAtMost {
    static bool test(float a, float b, float t) { return std::abs(a - b) <= t; }

    template <class F>
    CLADEBENCH_INLINE void run(const float* b, typename F::Bits& result) const {
      const typename F::Vec difference = a - floats_at<F>(b);
      const auto size = reinterpret_cast<typename F::Bits>(difference) & 0x7fffffff;
      result = reinterpret_cast<typename F::Vec>(size) <= t;
    }

    float a, t;
  };
  struct MeanIsAtMost {
    static bool test(float a, float b, float t) { return 0.5f * (a + b) <= t; }

    template <class F>
    CLADEBENCH_INLINE void run(const float* b, typename F::Bits& result) const {
      result = 0.5f * (a + floats_at<F>(b)) <= t;
    }

    float a, t;
  };

  /// What becomes of the pairs of a node that are bits.
  struct Parted {
    Pair *front, *back;  ///< the lists of those that go left and right grow from here on, and from here back
    std::uint32_t n_left = 0, n_right = 0;            ///< pairs that stay bits
    std::uint32_t end_of_right = 0, end_of_left = 0;  ///< masks
  };

  template <class Test>
  struct PartBits {
    template <class V>
    static CLADEBENCH_INLINE void run(PairDescent* self, const ReadyPairTree* tree, const Part* part,
                                      const ReadyPairTree::Node* node, std::size_t f, Parted* parted) {
      PairDescentSpace& space = self->space_;
      const float *a = self->a_.column(f), *b = self->b_.column(f);
      const std::size_t words = self->words_, n_vectors = self->b_.width / kFloatLanes;
      // Masks of those that go right take the place of their parents, masks of the others wait aside.
      std::size_t n_right = part->masks, n_left = 0;
      for (std::size_t m = part->masks; m < part->end_of_masks; ++m) {
        const Mask mask = space.masks[m];
        const Word* all = space.bits.data() + m * words;
        Word* left = space.left_bits.data() + n_left * words;
        Word* right = space.bits.data() + n_right * words;
        const Mask goes_left{mask.row,
                             RowBits::pass<V>(Test{a[mask.row], node->threshold}, b, n_vectors, all, left)};
        const Mask goes_right{mask.row, mask.count - goes_left.count};
        if (goes_right.count > 0) {
          for (std::size_t w = 0; w < words; ++w) right[w] = all[w] & ~left[w];
          if (self->stays_bits(node->right, goes_right)) {
            space.masks[n_right++] = goes_right;
            parted->n_right += goes_right.count;
          } else if (node->right < 0) {
            self->add_to_sums(goes_right, right, value(*tree, node->right));
          } else {
            parted->back -= goes_right.count;
            self->list(goes_right, right, parted->back);
          }
        }
        if (goes_left.count > 0) {
          if (self->stays_bits(node->left, goes_left)) {
            space.left[n_left++] = goes_left;
            parted->n_left += goes_left.count;
          } else if (node->left < 0) {
            self->add_to_sums(goes_left, left, value(*tree, node->left));
          } else {
            self->list(goes_left, left, parted->front);
            parted->front += goes_left.count;
          }
        }
      }
      std::copy_n(space.left.data(), n_left, space.masks.data() + n_right);
      std::copy_n(space.left_bits.data(), n_left * words, space.bits.data() + n_right * words);
      parted->end_of_right = static_cast<std::uint32_t>(n_right);
      parted->end_of_left = static_cast<std::uint32_t>(n_right + n_left);
    }
  };

  static double value(const ReadyPairTree& tree, std::int32_t leaf) {
    return tree.values[static_cast<std::size_t>(~leaf)];
  }

  bool stays_bits(std::int32_t child, const Mask& mask) const { return child >= 0 && mask.count >= few_; }

  CLADEBENCH_INLINE void add_to_sums(const Mask& mask, const Word* bits, double value) {
    if (value == 0.0) return;
    double* sums = sums_.data() + pair_of(mask.row, 0);
    RowBits::for_each(bits, words_,
                      [=](std::size_t row) __attribute__((always_inline)) { sums[row] += value; });
  }

  CLADEBENCH_INLINE void list(const Mask& mask, const Word* bits, Pair* out) const {
    const Pair first = pair_of(mask.row, 0);
    RowBits::for_each(bits, words_, [&](std::size_t row) __attribute__((always_inline)) {
      *out++ = first + static_cast<Pair>(row);
    });
  }

  /// Each mask that waits has few_ pairs that no other has.
  void make_room() {
    const std::size_t n_masks = pairs_.size() / few_;
    const auto grow = [](auto& vector, std::size_t size) {
      if (vector.size() < size) vector.resize(size);
    };
    for (auto& buffer : space_.buffers) grow(buffer, pairs_.size());
    grow(space_.masks, n_masks);
    grow(space_.bits, n_masks * words_);
    grow(space_.left, a_.n);
    grow(space_.left_bits, (a_.n + 1) * words_);
  }

  template <class Test>
  void visit(const ReadyPairTree& tree, const Part& part, const ReadyPairTree::Node& node, std::size_t f) {
    const std::int32_t other = part.buffer == 0 ? 1 : 0;
    Pair* out = space_.buffers[other].data();
    Parted parted{out + part.begin, out + part.end};
    parted.end_of_right = parted.end_of_left = part.masks;
    if (part.masks < part.end_of_masks) run_kernel<PartBits<Test>>(this, &tree, &part, &node, f, &parted);
    const float *a = a_.column(f), *b = b_.column(f);
    const float threshold = node.threshold;
    const auto goes_left = [=](Pair pair) {
      return Test::test(a[row_of_a(pair)], b[row_of_b(pair)], threshold);
    };
    const Pair* pairs = (part.buffer < 0 ? list_ : space_.buffers[part.buffer]).data() + part.first;
    const std::size_t count = part.last - part.first;
    if (node.left < 0 && node.right < 0) {
      const double values[2] = {value(tree, node.right), value(tree, node.left)};
      double* sums = sums_.data();
      for (std::size_t k = 0; k < count; ++k) sums[pairs[k]] += values[goes_left(pairs[k])];
      return;
    }
    // Those that go left fill up from the front, the others from the back; each is written to both ends.
    std::size_t front = 0;
    Pair* gap = parted.back;  // front places before the next free one from the back
    for (std::size_t k = 0; k < count; ++k) {
      const Pair pair = pairs[k];
      parted.front[front] = pair;
      (--gap)[front] = pair;
      front += goes_left(pair);
    }
    const auto left_last = static_cast<std::uint32_t>(parted.front + front - out);
    const auto right_first = static_cast<std::uint32_t>(parted.back - (count - front) - out);
    hand_on(tree, {node.right, other, right_first - parted.n_right, part.end, right_first, part.end,
                   part.masks, parted.end_of_right});
    hand_on(tree, {node.left, other, part.begin, left_last + parted.n_left, part.begin, left_last,
                   parted.end_of_right, parted.end_of_left});
  }

  void hand_on(const ReadyPairTree& tree, const Part& part) {
    if (part.begin == part.end) return;
    if (part.node >= 0) {
      space_.stack.push_back(part);
      return;
    }
    const double said = value(tree, part.node);
    if (said == 0.0) return;
    const Pair* pairs = space_.buffers[part.buffer].data();
    double* sums = sums_.data();
    for (std::size_t k = part.first; k < part.last; ++k) sums[pairs[k]] += said;
  }

  std::size_t d_;
  const PairColumns &a_, &b_;
  PairDescentSpace& space_;
  std::size_t words_, few_;
  std::vector<double> sums_;
  std::vector<Pair> pairs_, list_;  ///< all; those that are in no mask
  std::vector<Mask> masks_;
  PairDescentSpace::Bits bits_;
};

}  // namespace cladebench
