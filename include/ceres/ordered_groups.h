// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_ORDERED_GROUPS_H_
#define CERES_PUBLIC_ORDERED_GROUPS_H_

#include <map>
#include <set>
#include <string>  // Programs count on it.
#include <unordered_map>
#include <utility>
#include <vector>

#include "ceres/internal/check.h"

namespace ceres {

// Disjoint sets of elements, ordered by a non-negative integer id. An element
// is in at most one group, and a group that loses its last element disappears.
//
// T needs operator< and std::hash. Const functions may be called from several
// threads at once.
template <typename T>
class OrderedGroups {
 public:
  // Puts the element in a group, which is created if there is none of this id.
  // An element of another group is moved. Returns false, and changes nothing,
  // if group < 0.
  bool AddElementToGroup(const T element, const int group) {
    if (group < 0) {
      return false;
    }
    auto [it, is_new] = element_to_group_.emplace(element, group);
    if (!is_new) {
      if (it->second == group) {
        return true;
      }
      EraseFromGroup(element, it->second);
      it->second = group;
    }
    // Elements usually come in ascending order. The end is then the right
    // place, and no search is needed.
    std::set<T>& elements = group_to_elements_[group];
    elements.insert(elements.end(), element);
    return true;
  }

  // Removes all elements and groups.
  void Clear() {
    group_to_elements_.clear();
    element_to_group_.clear();
  }

  // Removes the element. Returns whether it was in a group.
  bool Remove(const T element) {
    const auto it = element_to_group_.find(element);
    if (it == element_to_group_.end()) {
      return false;
    }
    EraseFromGroup(element, it->second);
    element_to_group_.erase(it);
    return true;
  }

  // Removes the elements. Returns the number of those that were in a group.
  int Remove(const std::vector<T>& elements) {
    int num_removed = 0;
    for (const T& element : elements) {
      num_removed += Remove(element) ? 1 : 0;
    }
    return num_removed;
  }

  // Reverses the order of the groups. The new ids are consecutive and start at
  // the largest old one.
  void Reverse() {
    if (group_to_elements_.empty()) {
      return;
    }
    int id = group_to_elements_.rbegin()->first;
    std::map<int, std::set<T>> reversed;
    for (auto it = group_to_elements_.rbegin(); it != group_to_elements_.rend();
         ++it, ++id) {
      for (const T& element : it->second) {
        element_to_group_[element] = id;
      }
      reversed.emplace_hint(reversed.end(), id, std::move(it->second));
    }
    group_to_elements_ = std::move(reversed);
  }

  // The id of the element's group, or -1.
  int GroupId(const T element) const {
    const auto it = element_to_group_.find(element);
    return it == element_to_group_.end() ? -1 : it->second;
  }

  // Returns whether the element is in a group.
  bool IsMember(const T element) const {
    return element_to_group_.find(element) != element_to_group_.end();
  }

  // The number of elements of the group; 0 if there is no such group.
  int GroupSize(const int group) const {
    const auto it = group_to_elements_.find(group);
    return it == group_to_elements_.end() ? 0
                                          : static_cast<int>(it->second.size());
  }

  // The number of elements of all groups.
  int NumElements() const { return static_cast<int>(element_to_group_.size()); }

  // The number of groups.
  int NumGroups() const { return static_cast<int>(group_to_elements_.size()); }

  // The smallest id of a group. Checks that there is a group.
  int MinNonZeroGroup() const {
    internal::CheckThat(
        !group_to_elements_.empty(),
        "MinNonZeroGroup needs at least one group, and there is none.");
    return group_to_elements_.begin()->first;
  }

  // The elements of each group, by id.
  const std::map<int, std::set<T>>& group_to_elements() const {
    return group_to_elements_;
  }

  // The id of the group of each element.
  const std::unordered_map<T, int>& element_to_group() const {
    return element_to_group_;
  }

 private:
  void EraseFromGroup(const T& element, int group) {
    const auto it = group_to_elements_.find(group);
    it->second.erase(element);
    if (it->second.empty()) {
      group_to_elements_.erase(it);
    }
  }

  std::map<int, std::set<T>> group_to_elements_;
  std::unordered_map<T, int> element_to_group_;
};

// The elimination order of parameter blocks: the group of the smallest id is
// eliminated first.
using ParameterBlockOrdering = OrderedGroups<double*>;

}  // namespace ceres

#endif  // CERES_PUBLIC_ORDERED_GROUPS_H_
