// Agglomerative clustering in memory that grows with the rows, not with their pairs.
//
// A cluster is its centre, and its size or spread: from these follow Ward's, the centroids' and the medians'
// distances, and the mean of squared distances between the members of two clusters. Single linkage is the
// minimum spanning tree.
//
// References: F. Murtagh, A survey of recent advances in hierarchical clustering algorithms, The Computer
// Journal 1983 (nearest neighbours that are each other's); D. Müllner, arXiv:1109.2378, 2011 (clusters whose
// merges can be lower than the merges before).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linkage/cluster_search.hpp"

namespace cladebench {

enum class Linkage { kSingle, kAverage, kWeighted, kWard, kCentroid, kMedian };

struct Merge {
  std::int64_t first, second;  ///< Lowest rows of both parts.
  double height;
};

/// n - 1 merges of the rows of X (n x d, finite, n >= 1).
///
/// Equal rows merge first, in their order. Of equally near clusters the one with the lowest row is taken.
/// Heights are squared distances for kAverage and kWeighted, else distances. They never fall but for
/// kCentroid and kMedian.
///
/// How nearest clusters are searched changes nothing. Time O(n^2 d), for few coordinates most often O(n d log
/// n); for kCentroid and kMedian at worst O(n^3 d). Memory O(n d).
/// Its numbers become the centres.
std::vector<Merge> link(std::vector<double> X, std::size_t d, Linkage linkage,
                        Search search = Search::kChosen);

enum class PairLinkage { kComplete, kAverage };

/// The same where a cluster is all its rows: by the greatest Euclidean distance between the rows of two
/// clusters, or by the mean.
///
/// About `room` distances between clusters are kept at a time, or as many as are equally near and nearest of
/// all: the smallest. They decide all merges that are as low as the greatest of them. Then distances are
/// looked at anew, between the fewer clusters that are left. 0 stands for n^2 / 80, from half a million to 3
/// million.
///
/// Time O(n^2 d) a stage, and stages are few. Memory O(n d + room).
std::vector<Merge> link_by_pairs(std::vector<double> X, std::size_t d, PairLinkage linkage,
                                 std::size_t room = 0);

/// SciPy's matrix: 4 numbers a merge.
std::vector<double> scipy_matrix(std::span<const Merge> merges);

}  // namespace cladebench
