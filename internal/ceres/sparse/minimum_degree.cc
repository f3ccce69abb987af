// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ceres/sparse/degree_lists.h"
#include "ceres/sparse/fill_reducing_ordering.h"

namespace ceres::internal {
namespace {

// Amestoy, Davis and Duff, An Approximate Minimum Degree Ordering Algorithm,
// SIAM J. Matrix Analysis and Applications 17, 1996; names are the paper's.
// Variables and the elements that they become when eliminated share numbers.
class ApproximateMinimumDegree {
 public:
  explicit ApproximateMinimumDegree(const SymmetricGraph& graph)
      : n_(graph.num_nodes()),
        variables_(n_),
        elements_(n_),
        members_(n_),
        weight_(n_, 1),
        degree_(n_),
        is_element_(n_, false),
        outside_(n_, 0),
        mark_(n_, 0),
        element_mark_(n_, 0) {
    lists_.Clear(n_, n_);
    for (int i = 0; i < n_; ++i) {
      variables_[i].assign(graph.neighbor.begin() + graph.start[i],
                           graph.neighbor.begin() + graph.start[i + 1]);
      members_[i] = {i};
      degree_[i] = static_cast<int>(variables_[i].size());
    }
    for (int i = n_ - 1; i >= 0; --i) lists_.Add(i, degree_[i]);
  }

  std::vector<int> Order() {
    while (static_cast<int>(order_.size()) < n_) Eliminate(lists_.TakeLeast());
    return std::move(order_);
  }

 private:
  bool IsVariable(int i) const { return weight_[i] > 0 && !is_element_[i]; }

  void Emit(int i) {
    order_.insert(order_.end(), members_[i].begin(), members_[i].end());
    members_[i] = {};
    elements_[i] = {};
  }

  void Eliminate(int p) {
    FormElement(p);
    MeasureOthers(p);
    for (const int i : variables_[p]) UpdateVariable(p, i);
    MergeEqual(p);
    Emit(p);
    EndElement(p);
  }

  // variables_[p] becomes L_p, the neighbours of p, and p's elements end.
  void FormElement(int p) {
    std::vector<int> result;
    mark_[p] = ++stamp_;
    const auto add = [&](const std::vector<int>& from) {
      for (const int i : from) {
        if (!IsVariable(i) || mark_[i] == stamp_) continue;
        mark_[i] = stamp_;
        result.push_back(i);
        lists_.Remove(i);
      }
    };
    add(variables_[p]);
    for (const int e : elements_[p]) {
      add(variables_[e]);
      Absorb(e);
    }
    is_element_[p] = true;
    element_weight_ = 0;
    for (const int i : result) element_weight_ += weight_[i];
    variables_[p] = std::move(result);
  }

  void Absorb(int e) {
    variables_[e] = {};
    weight_[e] = 0;
  }

  bool IsElement(int e) const { return is_element_[e] && weight_[e] > 0; }

  // outside_[e] = |L_e \ L_p| for the elements of p's neighbours.
  void MeasureOthers(int p) {
    for (const int i : variables_[p]) {
      for (const int e : elements_[i]) {
        if (!IsElement(e)) continue;
        if (element_mark_[e] != stamp_) {
          element_mark_[e] = stamp_;
          outside_[e] = degree_[e];
        }
        outside_[e] -= weight_[i];
      }
    }
  }

  // Lists and approximate degree of a neighbour of p.
  void UpdateVariable(int p, int i) {
    const auto erase = [](std::vector<int>* from, const auto& is_gone) {
      from->erase(std::remove_if(from->begin(), from->end(), is_gone),
                  from->end());
    };
    int64_t degree = element_weight_ - weight_[i];
    erase(&elements_[i], [&](int e) {
      if (!IsElement(e)) return true;
      if (outside_[e] == 0) {  // Aggressive absorption.
        Absorb(e);
        return true;
      }
      degree += outside_[e];
      return false;
    });
    erase(&variables_[i], [&](int j) {
      if (!IsVariable(j) || mark_[j] == stamp_) return true;
      degree += weight_[j];
      return false;
    });
    const int64_t others =
        n_ - static_cast<int64_t>(order_.size()) - weight_[p] - weight_[i];
    degree_[i] = static_cast<int>(std::min(
        {degree, others, int64_t{degree_[i]} + element_weight_ - weight_[i]}));
    elements_[i].insert(
        std::upper_bound(elements_[i].begin(), elements_[i].end(), p), p);
  }

  // Neighbours of p without others are eliminated with it; those with the same
  // lists become one.
  void MergeEqual(int p) {
    std::vector<std::pair<uint64_t, int>> keys;
    for (const int i : variables_[p]) {
      if (elements_[i].size() == 1 && variables_[i].empty()) {
        MergeInto(p, i);
        continue;
      }
      uint64_t key = 0;
      for (const int e : elements_[i]) key += e;
      for (const int j : variables_[i]) key += j;
      keys.emplace_back(key, i);
    }
    std::sort(keys.begin(), keys.end());
    for (size_t a = 0; a < keys.size(); ++a) {
      const int i = keys[a].second;
      if (weight_[i] == 0) continue;
      for (size_t b = a + 1; b < keys.size() && keys[b].first == keys[a].first;
           ++b) {
        const int j = keys[b].second;
        if (weight_[j] == 0 || elements_[i] != elements_[j] ||
            variables_[i] != variables_[j]) {
          continue;
        }
        degree_[i] -= weight_[j];
        MergeInto(i, j);
      }
    }
  }

  void MergeInto(int i, int j) {
    members_[i].insert(members_[i].end(), members_[j].begin(),
                       members_[j].end());
    weight_[i] += weight_[j];
    weight_[j] = 0;
    members_[j] = {};
    variables_[j] = {};
    elements_[j] = {};
  }

  void EndElement(int p) {
    std::vector<int>& variables = variables_[p];
    variables.erase(std::remove_if(variables.begin(), variables.end(),
                                   [this](int i) { return weight_[i] == 0; }),
                    variables.end());
    degree_[p] = 0;
    for (const int i : variables) {
      degree_[p] += weight_[i];
      lists_.Add(i, std::max(0, degree_[i]));
    }
    if (variables.empty()) Absorb(p);
  }

  const int n_;
  // A_i and E_i of a variable i, ascending; L_e and nothing of an element.
  std::vector<std::vector<int>> variables_, elements_;
  std::vector<std::vector<int>> members_;  // of supervariables
  std::vector<int> weight_;  // number of members; 0: merged or absorbed
  std::vector<int> degree_;  // of an element: the weight of L_e
  std::vector<bool> is_element_;
  std::vector<int> outside_;
  std::vector<int> mark_, element_mark_;  // equal to stamp_: seen
  int stamp_ = 0;
  int64_t element_weight_ = 0;  // of L_p
  DegreeLists lists_;
  std::vector<int> order_;
};

}  // namespace

std::vector<int> MinimumDegree(const SymmetricGraph& graph) {
  return ApproximateMinimumDegree(graph).Order();
}

}  // namespace ceres::internal
