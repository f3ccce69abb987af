// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LANES_TAPE_H_
#define CERES_INTERNAL_LANES_TAPE_H_

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/lanes/lane_program.h"
#include "ceres/traced.h"

namespace ceres::internal::lanes {

// The record of a function of parameters and data: an expression graph without
// common subexpressions. Nodes come after their arguments.
//
// Each node has the value that it has in the recorded call, computed by the
// kernels that run programs. So a program takes the decisions of its record.
class Tape {
 public:
  // Stands for a derivative that is zero everywhere.
  static constexpr int kZero = -1;

  // If is_exact, every operation has the bits that it has as it is written.
  // Otherwise see MoveToUniform, and hypot is the root of a sum of squares.
  explicit Tape(bool is_exact = false) : is_exact_(is_exact) {}
  bool is_exact() const { return is_exact_; }

  // From now on nothing is recorded: numbers have values only, with the bits
  // that their nodes would have. Needs an exact tape without nodes.
  void StopRecording() { is_recording_ = false; }
  bool is_recording() const { return is_recording_; }

  // Inputs. Each is made once, parameters in their order.
  Traced AddParameter(double value);
  Traced AddData(int column, double value);

  // Nodes. An equal node that is there already is returned.
  int Constant(double value);
  int Apply(Operation operation, int a, int b, int c);
  int Apply(Operation operation, int a) { return Apply(operation, a, a, a); }
  int Apply(Operation operation, int a, int b) {
    return Apply(operation, a, b, b);
  }
  int NodeOf(const Traced& x) {
    return x.tape() == this ? x.node() : Constant(x.value());
  }
  Traced Number(int node) { return Traced(this, node, nodes_[node].value); }

  // See internal::lanes::Decide.
  bool Decide(int node);

  // The derivatives of a node by other nodes, as nodes or kZero. Reverse mode:
  // Griewank and Walther, "Evaluating Derivatives", 2008, section 3.2. A branch
  // of a Select that is not taken has no influence, even where its derivative
  // is not finite: conditions are collected on the way and applied in the end.
  std::vector<int> Gradient(int output, const std::vector<int>& variables);

  // The program of all rows (see Program); kZero stands for zero. loss is
  // kZero if there is none.
  Program Compile(const std::vector<int>& rows, int loss) const;

  const std::vector<int>& parameters() const { return parameters_; }
  // The decisions so far: nodes, and whether they are not zero.
  const std::vector<std::pair<int, bool>>& guards() const { return guards_; }
  bool IsConstant(int node) const {
    return nodes_[node].kind == Kind::kConstant;
  }

 private:
  enum class Kind : std::uint8_t { kConstant, kParameter, kData, kOperation };
  struct Node {
    Kind kind = Kind::kConstant;
    Operation operation = Operation::kAdd;
    // For data, the first is the column.
    std::array<int, 3> arguments{};
    double value = 0.0;
    // Whether it differs between samples.
    bool is_per_sample = false;
  };
  // A condition (kZero: none) and an adjoint that holds under it.
  using Adjoint = std::pair<int, int>;
  class Compiler;

  int Push(const Node& node);
  int MoveToUniform(Operation operation, int a, int b);
  int MoveSign(Operation operation, int a, int b);
  int MoveFactors(Operation operation, int a, int b);
  bool IsNegation(int node) const;
  bool IsDouble(int node) const;
  bool IsConstant(int node, double value) const;

  // Arithmetic that knows kZero and factors of one.
  int Sum(int a, int b);
  int Product(int a, int b);
  int Quotient(int a, int b);
  int Negative(int a);

  // adjoint d node / d argument number k; not for kSelect.
  int Chain(int node, int k, int adjoint);
  int ChainPower(int node, int k, int adjoint);
  int ChainFunction(int node, int adjoint);
  void PassToArguments(int node, const std::vector<bool>& varies,
                       std::vector<std::vector<Adjoint>>* adjoints);
  void AddAdjoint(int condition, int adjoint, std::vector<Adjoint>* sum);
  std::vector<bool> Dependents(const std::vector<int>& variables,
                               int last) const;

  const bool is_exact_;
  bool is_recording_ = true;
  std::vector<Node> nodes_;
  std::vector<int> parameters_;
  std::map<std::uint64_t, int> constants_;
  std::map<std::tuple<Operation, int, int, int>, int> operations_;
  std::vector<std::pair<int, bool>> guards_;
};

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_TAPE_H_
