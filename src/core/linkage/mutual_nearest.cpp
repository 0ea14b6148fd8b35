#include "linkage/mutual_nearest.hpp"

#include <algorithm>
#include <tuple>

namespace cladebench {

MutualNearest::MutualNearest(std::size_t n)
    : nearest_(n), followers_(n), asked_(n, 0), merged_(n, 0), queued_(n, 0) {}

void MutualNearest::ask(std::vector<Id> ids) {
  asking_ = std::move(ids);
  for (std::vector<Id>& ids_of_one : followers_) ids_of_one.clear();
}

MutualNearest::Pairs MutualNearest::pairs() {
  for (const Id id : asking_) {
    asked_[at(id)] = round_;
    if (nearest(id) != kNobody) followers_[at(nearest(id).id)].push_back(id);
  }
  Pairs pairs;
  for (const Id id : asking_) {
    if (nearest(id) == kNobody) continue;
    const Id other = nearest(id).id;
    if (nearest(other).id != id || (asked_[at(other)] == round_ && other < id)) continue;
    pairs.push_back(std::minmax({id, other}));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

MutualNearest::Pairs MutualNearest::closest(std::span<const Id> ids) const {
  using Key = std::tuple<double, Id, Id>;
  const auto key = [&](Id id) -> Key {
    const auto [lower, upper] = std::minmax({id, nearest(id).id});
    return {nearest(id).distance, lower, upper};
  };
  std::vector<Key> least(nearest_.size(), Key{kNobody.distance, kNobody.id, kNobody.id});
  for (const Id id : ids) {
    if (nearest(id) == kNobody) continue;
    for (const Id end : {id, nearest(id).id}) least[at(end)] = std::min(least[at(end)], key(id));
  }
  Pairs pairs;
  for (const Id id : ids) {
    if (nearest(id) == kNobody) continue;
    const auto [distance, lower, upper] = key(id);
    if (least[at(lower)] == key(id) && least[at(upper)] == key(id)) pairs.emplace_back(lower, upper);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

void MutualNearest::merge(const Pairs& pairs) {
  asking_.clear();
  for (const auto& [kept, gone] : pairs) merged_[at(kept)] = merged_[at(gone)] = round_;
  for (const auto& [kept, gone] : pairs) {
    for (const Id part : {kept, gone}) {
      for (const Id id : followers_[at(part)]) {
        if (merged_[at(id)] == round_ || queued_[at(id)] == round_ || nearest(id).id != part) continue;
        queued_[at(id)] = round_;
        asking_.push_back(id);
      }
      followers_[at(part)] = {};
    }
    asking_.push_back(kept);
  }
  ++round_;
}

}  // namespace cladebench
