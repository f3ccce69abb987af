// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/lanes/tape.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ceres/lanes/lane_kernels.h"

namespace ceres {
namespace internal::lanes {
namespace {

std::uint64_t BitsOf(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

bool IsCommutative(Operation operation) {
  return operation == Operation::kAdd || operation == Operation::kMultiply ||
         operation == Operation::kEqual;
}

}  // namespace

int Tape::Push(const Node& node) {
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

Traced Tape::AddParameter(double value) {
  Node node;
  node.kind = Kind::kParameter;
  node.arguments[0] = static_cast<int>(parameters_.size());
  node.value = value;
  parameters_.push_back(Push(node));
  return Number(parameters_.back());
}

Traced Tape::AddData(int column, double value) {
  if (!is_recording_) return Traced(this, kZero, value);
  Node node;
  node.kind = Kind::kData;
  node.arguments[0] = column;
  node.value = value;
  node.is_per_sample = true;
  return Number(Push(node));
}

int Tape::Constant(double value) {
  const auto [entry, is_new] = constants_.try_emplace(BitsOf(value), 0);
  if (is_new) {
    Node node;
    node.value = value;
    entry->second = Push(node);
  }
  return entry->second;
}

// Does for uniform numbers, once per fit, what would be done for each sample:
// x / u = x (1 / u), which may differ in the last bit, and -x u = x (-u), which
// does not. Returns kZero if there is nothing to rewrite.
int Tape::MoveToUniform(Operation operation, int a, int b) {
  if (is_exact_ ||
      (operation != Operation::kMultiply && operation != Operation::kDivide)) {
    return kZero;
  }
  if (operation == Operation::kMultiply && nodes_[b].is_per_sample) {
    std::swap(a, b);
  }
  if (!nodes_[a].is_per_sample || nodes_[b].is_per_sample) return kZero;
  if (operation == Operation::kDivide) {
    return Apply(Operation::kMultiply, a,
                 Apply(Operation::kDivide, Constant(1.0), b));
  }
  if (IsNegation(a)) {
    return Apply(Operation::kMultiply, nodes_[a].arguments[0],
                 Apply(Operation::kNegate, b));
  }
  return kZero;
}

bool Tape::IsNegation(int node) const {
  return nodes_[node].kind == Kind::kOperation &&
         nodes_[node].operation == Operation::kNegate;
}

// a + -b = a - b, a - -b = a + b, -a + b = b - a, -(-a) = a: exact, and one
// operation less. Returns kZero if there is nothing to rewrite.
int Tape::MoveSign(Operation operation, int a, int b) {
  if (operation == Operation::kNegate) {
    return IsNegation(a) ? nodes_[a].arguments[0] : kZero;
  }
  if (operation == Operation::kAdd && IsNegation(a)) std::swap(a, b);
  if (!is_exact_ || !IsNegation(b)) return kZero;
  const int positive = nodes_[b].arguments[0];
  if (operation == Operation::kAdd) {
    return Apply(Operation::kSubtract, a, positive);
  }
  if (operation == Operation::kSubtract) {
    return Apply(Operation::kAdd, a, positive);
  }
  return kZero;
}

// Moves signs behind products and quotients, where MoveSign meets them, and
// factors of two behind sums: (a + a) + (b + b) = (a + b) + (a + b). All are
// exact, but for overflow of the sums. Returns kZero if there is nothing to
// rewrite.
int Tape::MoveFactors(Operation operation, int a, int b) {
  if (!is_exact_) return kZero;
  const auto negative_of = [&](Operation inner, int x, int y) {
    return Apply(Operation::kNegate, Apply(inner, x, y));
  };
  const auto positive = [&](int x) { return nodes_[x].arguments[0]; };
  switch (operation) {
    case Operation::kMultiply:
    case Operation::kDivide:
      if (IsNegation(a)) return negative_of(operation, positive(a), b);
      if (IsNegation(b)) return negative_of(operation, a, positive(b));
      // With the other sign of a constant it may be there already.
      if (IsConstant(a) && !IsConstant(b)) {
        const int other = Constant(-nodes_[a].value);
        const auto entry = operations_.find({operation, other, b, b});
        if (entry != operations_.end()) {
          return Apply(Operation::kNegate, entry->second);
        }
      }
      if (IsConstant(b, 1.0)) return a;
      return operation == Operation::kMultiply && IsConstant(a, 1.0) ? b
                                                                     : kZero;
    case Operation::kSubtract:
      return IsNegation(a) ? negative_of(Operation::kAdd, positive(a), b)
                           : kZero;
    case Operation::kAdd: {
      if (!IsDouble(a) || !IsDouble(b) || a == b) return kZero;
      const int sum = Apply(Operation::kAdd, positive(a), positive(b));
      return Apply(Operation::kAdd, sum, sum);
    }
    default:
      return kZero;
  }
}

bool Tape::IsDouble(int node) const {
  return nodes_[node].kind == Kind::kOperation &&
         nodes_[node].operation == Operation::kAdd &&
         nodes_[node].arguments[0] == nodes_[node].arguments[1];
}

int Tape::Apply(Operation operation, int a, int b, int c) {
  const int arity = Arity(operation);
  if (arity < 2) b = a;
  if (arity < 3) c = b;
  if (IsCommutative(operation) && b < a) {
    std::swap(a, b);
    c = b;
  }
  for (const int rewritten :
       {MoveToUniform(operation, a, b), MoveSign(operation, a, b),
        MoveFactors(operation, a, b)}) {
    if (rewritten != kZero) return rewritten;
  }
  const Node &x = nodes_[a], &y = nodes_[b], &z = nodes_[c];
  const double value = ComputeOne(operation, x.value, y.value, z.value);
  if (x.kind == Kind::kConstant && y.kind == Kind::kConstant &&
      z.kind == Kind::kConstant) {
    return Constant(value);
  }
  const auto [entry, is_new] =
      operations_.try_emplace(std::make_tuple(operation, a, b, c), 0);
  if (is_new) {
    Node node;
    node.kind = Kind::kOperation;
    node.operation = operation;
    node.arguments = {a, b, c};
    node.value = value;
    node.is_per_sample = x.is_per_sample || y.is_per_sample || z.is_per_sample;
    entry->second = Push(node);
  }
  return entry->second;
}

bool Tape::Decide(int node) {
  const bool outcome = nodes_[node].value != 0.0;
  const std::pair<int, bool> guard(node, outcome);
  if (nodes_[node].kind != Kind::kConstant &&
      std::find(guards_.begin(), guards_.end(), guard) == guards_.end()) {
    guards_.push_back(guard);
  }
  return outcome;
}

bool Tape::IsConstant(int node, double value) const {
  return nodes_[node].kind == Kind::kConstant && nodes_[node].value == value;
}

int Tape::Sum(int a, int b) {
  if (a == kZero) return b;
  if (b == kZero) return a;
  return Apply(Operation::kAdd, a, b);
}

int Tape::Negative(int a) {
  return a == kZero ? kZero : Apply(Operation::kNegate, a);
}

int Tape::Product(int a, int b) {
  if (a == kZero || b == kZero) return kZero;
  if (IsConstant(a, 1.0)) return b;
  if (IsConstant(b, 1.0)) return a;
  if (IsConstant(a, -1.0)) return Negative(b);
  if (IsConstant(b, -1.0)) return Negative(a);
  return Apply(Operation::kMultiply, a, b);
}

int Tape::Quotient(int a, int b) {
  return Product(a, Apply(Operation::kDivide, Constant(1.0), b));
}

// The derivatives of x^y: y x^(y - 1), and x^y log(x), which is 0 for x = 0.
int Tape::ChainPower(int node, int k, int adjoint) {
  const int x = nodes_[node].arguments[0];
  const int y = nodes_[node].arguments[1];
  if (k == 0) {
    const int less = Apply(Operation::kSubtract, y, Constant(1.0));
    return Product(adjoint, Product(y, Apply(Operation::kPow, x, less)));
  }
  const int zero = Constant(0.0);
  const int slope = Product(node, Apply(Operation::kLog, x));
  return Product(adjoint,
                 Apply(Operation::kSelect, Apply(Operation::kEqual, x, zero),
                       zero, slope));
}

constexpr double kLn2 = 0.693147180559945309417232121458176568;
constexpr double kLn10 = 2.302585092994045684017991454684364208;

// Functions of one argument.
int Tape::ChainFunction(int node, int adjoint) {
  const int x = nodes_[node].arguments[0];
  const int one = Constant(1.0);
  const auto square = [&](int a) { return Apply(Operation::kMultiply, a, a); };
  const auto one_minus_square = [&](int a) {
    return Apply(Operation::kSubtract, one, square(a));
  };
  const auto one_plus_square = [&](int a) {
    return Apply(Operation::kAdd, one, square(a));
  };
  const auto gauss = [&] {
    const int bell = Apply(Operation::kExp, Negative(square(x)));
    return Product(adjoint,
                   Product(Constant(2.0 / std::sqrt(std::acos(-1.0))), bell));
  };
  switch (nodes_[node].operation) {
    case Operation::kNegate:
      return Negative(adjoint);
    case Operation::kAbs: {
      const int is_negative = Apply(Operation::kLess, x, Constant(0.0));
      return Product(
          adjoint, Apply(Operation::kSelect, is_negative, Constant(-1.0), one));
    }
    case Operation::kSqrt:
      return Product(adjoint, Apply(Operation::kDivide, Constant(0.5), node));
    case Operation::kExp:
      return Product(adjoint, node);
    case Operation::kLog:
      return Quotient(adjoint, x);
    case Operation::kSin:
      return Product(adjoint, Apply(Operation::kCos, x));
    case Operation::kCos:
      return Negative(Product(adjoint, Apply(Operation::kSin, x)));
    case Operation::kErf:
      return gauss();
    case Operation::kErfc:
      return Negative(gauss());
    case Operation::kExpm1:
      return Product(adjoint, Apply(Operation::kExp, x));
    case Operation::kLog1p:
      return Quotient(adjoint, Apply(Operation::kAdd, one, x));
    case Operation::kExp2:
      return Product(adjoint, Product(node, Constant(kLn2)));
    case Operation::kLog2:
      return Quotient(adjoint, Product(x, Constant(kLn2)));
    case Operation::kLog10:
      return Quotient(adjoint, Product(x, Constant(kLn10)));
    case Operation::kCbrt:
      return Quotient(adjoint, Product(Constant(3.0), square(node)));
    case Operation::kTan:
      return Product(adjoint, one_plus_square(node));
    case Operation::kAsin:
      return Quotient(adjoint, Apply(Operation::kSqrt, one_minus_square(x)));
    case Operation::kAcos:
      return Negative(
          Quotient(adjoint, Apply(Operation::kSqrt, one_minus_square(x))));
    case Operation::kAtan:
      return Quotient(adjoint, one_plus_square(x));
    case Operation::kSinh:
      return Product(adjoint, Apply(Operation::kCosh, x));
    case Operation::kCosh:
      return Product(adjoint, Apply(Operation::kSinh, x));
    case Operation::kTanh:
      return Product(adjoint, one_minus_square(node));
    default:  // Steps.
      return kZero;
  }
}

int Tape::Chain(int node, int k, int adjoint) {
  const int a = nodes_[node].arguments[0];
  const int b = nodes_[node].arguments[1];
  switch (nodes_[node].operation) {
    case Operation::kAdd:
      return adjoint;
    case Operation::kSubtract:
      return k == 0 ? adjoint : Negative(adjoint);
    case Operation::kMultiply:
      return Product(adjoint, k == 0 ? b : a);
    case Operation::kFma:
      return k == 2 ? adjoint : Product(adjoint, k == 0 ? b : a);
    case Operation::kDivide: {
      const int slope =
          Apply(Operation::kDivide, Constant(k == 0 ? 1.0 : -1.0), b);
      return Product(adjoint, k == 0 ? slope : Product(node, slope));
    }
    case Operation::kAtan2: {
      const int square =
          Apply(Operation::kAdd, Apply(Operation::kMultiply, a, a),
                Apply(Operation::kMultiply, b, b));
      return k == 0 ? Product(Quotient(adjoint, square), b)
                    : Negative(Product(Quotient(adjoint, square), a));
    }
    case Operation::kPow:
      return ChainPower(node, k, adjoint);
    case Operation::kHypot:
      return Product(adjoint, Apply(Operation::kDivide, k == 0 ? a : b, node));
    case Operation::kCopySign: {
      if (k != 0) return kZero;
      const int one = Constant(1.0);
      return Product(adjoint, Product(Apply(Operation::kCopySign, one, a),
                                      Apply(Operation::kCopySign, one, b)));
    }
    case Operation::kLess:
    case Operation::kLessOrEqual:
    case Operation::kEqual:
      return kZero;
    default:
      return ChainFunction(node, adjoint);
  }
}

void Tape::AddAdjoint(int condition, int adjoint, std::vector<Adjoint>* sum) {
  if (adjoint == kZero) return;
  for (Adjoint& term : *sum) {
    if (term.first == condition) {
      term.second = Sum(term.second, adjoint);
      return;
    }
  }
  sum->push_back({condition, adjoint});
}

void Tape::PassToArguments(int node, const std::vector<bool>& varies,
                           std::vector<std::vector<Adjoint>>* adjoints) {
  const Operation operation = nodes_[node].operation;
  const std::array<int, 3> arguments = nodes_[node].arguments;
  const std::vector<Adjoint> terms = (*adjoints)[node];
  for (int k = 0; k < Arity(operation); ++k) {
    if (!varies[arguments[k]]) continue;
    for (const auto& [condition, adjoint] : terms) {
      std::vector<Adjoint>* const sum = &(*adjoints)[arguments[k]];
      if (operation != Operation::kSelect) {
        AddAdjoint(condition, Chain(node, k, adjoint), sum);
      } else if (k > 0) {
        const int taken =
            k == 1 ? arguments[0]
                   : Apply(Operation::kSubtract, Constant(1.0), arguments[0]);
        AddAdjoint(condition == kZero ? taken : Product(condition, taken),
                   adjoint, sum);
      }
    }
  }
}

std::vector<bool> Tape::Dependents(const std::vector<int>& variables,
                                   int last) const {
  std::vector<bool> varies(last + 1, false);
  for (const int variable : variables) {
    if (variable <= last) varies[variable] = true;
  }
  for (int i = 0; i <= last; ++i) {
    if (nodes_[i].kind != Kind::kOperation) continue;
    for (const int argument : nodes_[i].arguments) {
      if (varies[argument]) varies[i] = true;
    }
  }
  return varies;
}

std::vector<int> Tape::Gradient(int output, const std::vector<int>& variables) {
  const std::vector<bool> varies = Dependents(variables, output);
  std::vector<bool> is_variable(output + 1, false);
  for (const int variable : variables) {
    if (variable <= output) is_variable[variable] = true;
  }
  std::vector<std::vector<Adjoint>> adjoints(output + 1);
  adjoints[output].push_back({kZero, Constant(1.0)});
  for (int i = output; i >= 0; --i) {
    if (varies[i] && !is_variable[i] && !adjoints[i].empty()) {
      PassToArguments(i, varies, &adjoints);
    }
  }
  std::vector<int> gradient;
  for (const int variable : variables) {
    int sum = kZero;
    if (variable <= output) {
      for (const auto& [condition, adjoint] : adjoints[variable]) {
        sum = Sum(sum, condition == kZero ? adjoint
                                          : Apply(Operation::kSelect, condition,
                                                  adjoint, Constant(0.0)));
      }
    }
    gradient.push_back(sum);
  }
  return gradient;
}

// Gives nodes their places: a register is used again after its last reader.
// A product that only a sum reads becomes a part of the sum's instruction.
class Tape::Compiler {
 public:
  explicit Compiler(const Tape& tape)
      : tape_(tape),
        num_readers_(tape.nodes_.size(), 0),
        last_reader_(tape.nodes_.size(), -1),
        steps_(tape.nodes_.size()),
        places_(tape.nodes_.size()) {}

  // Nodes that are read after the program has ended.
  void Keep(int node) {
    if (node == kZero) return;
    last_reader_[node] = kForever;
    ++num_readers_[node];
  }

  void Run(Program* program) {
    CountReaders();
    FuseProducts();
    OrderSteps();
    FindLastReaders();
    program->num_parameters = static_cast<int>(tape_.parameters_.size());
    program->num_uniforms = program->num_parameters;
    PlaceConstant(0.0, program);
    const int num_nodes = static_cast<int>(tape_.nodes_.size());
    for (int i = 0; i < num_nodes; ++i) {
      if (num_readers_[i] > 0) PlaceInput(i, program);
    }
    for (int position = 0; position < static_cast<int>(order_.size());
         ++position) {
      PlaceStep(position, program);
    }
  }

  Operand PlaceOf(int node, const Program& program) const {
    // The first constant is zero.
    if (node == kZero) return {Operand::Area::kUniform, program.num_parameters};
    return places_[node];
  }

 private:
  static constexpr int kForever = 1 << 30;
  static constexpr int kFreed = -2;
  // The operation of a node, and the nodes that it reads.
  struct Step {
    Operation operation = Operation::kAdd;
    int num_arguments = 0;
    std::array<int, 4> arguments{};
    // See Instruction.
    bool is_shared = false;
    bool is_first_of_group = true;
  };

  // Also takes the steps from the nodes.
  void CountReaders() {
    for (int i = static_cast<int>(tape_.nodes_.size()) - 1; i >= 0; --i) {
      const Node& node = tape_.nodes_[i];
      if (num_readers_[i] == 0 || node.kind != Kind::kOperation) continue;
      Step& step = steps_[i];
      step.operation = node.operation;
      step.num_arguments = Arity(node.operation);
      for (int k = 0; k < step.num_arguments; ++k) {
        step.arguments[k] = node.arguments[k];
        ++num_readers_[node.arguments[k]];
      }
    }
  }

  bool IsPartOf(int sum, int product) const {
    return steps_[product].num_arguments > 0 && num_readers_[product] == 1 &&
           tape_.nodes_[product].operation == Operation::kMultiply &&
           tape_.nodes_[product].is_per_sample ==
               tape_.nodes_[sum].is_per_sample;
  }

  void Absorb(int product) {
    num_readers_[product] = 0;
    steps_[product].num_arguments = 0;
  }

  void FuseProducts() {
    for (int i = 0; i < static_cast<int>(steps_.size()); ++i) {
      Step& step = steps_[i];
      if (step.num_arguments == 0) continue;
      const bool is_sum = step.operation == Operation::kAdd;
      if (!is_sum && step.operation != Operation::kSubtract) continue;
      const int a = step.arguments[0], b = step.arguments[1];
      const std::array<int, 4> left = steps_[a].arguments;
      const std::array<int, 4> right = steps_[b].arguments;
      const bool has_left = IsPartOf(i, a);
      const bool has_right = IsPartOf(i, b);
      if (has_left) Absorb(a);
      if (has_right) Absorb(b);
      if (has_left && has_right) {
        step.operation = is_sum ? Operation::kSumOfProducts
                                : Operation::kDifferenceOfProducts;
        step.num_arguments = 4;
        step.arguments = {left[0], left[1], right[0], right[1]};
      } else if (has_left) {
        step.operation =
            is_sum ? Operation::kMultiplyAdd : Operation::kMultiplySubtract;
        step.num_arguments = 3;
        step.arguments = {left[0], left[1], b};
      } else if (has_right) {
        step.operation =
            is_sum ? Operation::kMultiplyAdd : Operation::kSubtractProduct;
        step.num_arguments = 3;
        step.arguments = {right[0], right[1], a};
      }
    }
  }

  void OrderSteps() {
    std::vector<int> steps;
    for (int i = 0; i < static_cast<int>(steps_.size()); ++i) {
      if (steps_[i].num_arguments > 0) steps.push_back(i);
    }
    is_done_.assign(steps_.size(), false);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      is_done_[i] = steps_[i].num_arguments == 0;
    }
    if (!tape_.is_exact_) {
      order_ = steps;
      return;
    }
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (!is_done_[steps[k]]) OrderGroup(steps, k);
    }
  }

  bool IsReady(const Step& step) const {
    for (int k = 0; k < step.num_arguments; ++k) {
      if (!is_done_[step.arguments[k]]) return false;
    }
    return true;
  }

  // Moves factor p of the products, and q of the second one if there are two,
  // to the front of their products. Returns whether the step has them.
  static bool MoveToFront(int p, int q, Step* step) {
    auto& x = step->arguments;
    if (x[0] != p) std::swap(x[0], x[1]);
    if (step->num_arguments < 4) return x[0] == p;
    if (x[2] != q) std::swap(x[2], x[3]);
    if (x[0] == p && x[2] == q) return true;
    if (step->operation != Operation::kSumOfProducts) return false;
    std::swap(x[0], x[2]);
    std::swap(x[1], x[3]);
    if (x[0] != p) std::swap(x[0], x[1]);
    if (x[2] != q) std::swap(x[2], x[3]);
    return x[0] == p && x[2] == q;
  }

  // Puts the step number k and those steps after it that can be computed
  // together with it, because they do the same and wait for nothing. Factors
  // that they share are read once. Most derivatives are such groups.
  void OrderGroup(const std::vector<int>& steps, std::size_t k) {
    constexpr std::size_t kWindow = 64;
    const Step first = steps_[steps[k]];
    std::vector<int> candidates;
    for (std::size_t j = k; j < std::min(k + kWindow, steps.size()); ++j) {
      const Step& step = steps_[steps[j]];
      if (!is_done_[steps[j]] && step.operation == first.operation &&
          IsReady(step)) {
        candidates.push_back(steps[j]);
      }
    }
    std::vector<int> group;
    const auto& x = first.arguments;
    if (HasProducts(first.operation)) {
      for (const int p : {x[0], x[1]}) {
        for (const int q : {x[2], x[3]}) {
          std::vector<int> members;
          for (const int candidate : candidates) {
            Step step = steps_[candidate];
            if (MoveToFront(p, q, &step)) members.push_back(candidate);
          }
          if (members.size() <= std::max<std::size_t>(1, group.size())) {
            continue;
          }
          group = members;
          shared_ = {p, q};
        }
      }
    }
    const bool is_shared = !group.empty();
    if (!is_shared) group = candidates;
    for (const int member : group) {
      Step& step = steps_[member];
      if (is_shared) MoveToFront(shared_[0], shared_[1], &step);
      step.is_shared = is_shared;
      step.is_first_of_group = member == group.front();
      order_.push_back(member);
    }
    for (const int member : group) is_done_[member] = true;
  }

  static bool HasProducts(Operation operation) {
    switch (operation) {
      case Operation::kMultiply:
      case Operation::kMultiplyAdd:
      case Operation::kMultiplySubtract:
      case Operation::kSubtractProduct:
      case Operation::kSumOfProducts:
      case Operation::kDifferenceOfProducts:
        return true;
      default:
        return false;
    }
  }

  // Readers by their positions in the order.
  void FindLastReaders() {
    for (int position = 0; position < static_cast<int>(order_.size());
         ++position) {
      const Step& step = steps_[order_[position]];
      for (int k = 0; k < step.num_arguments; ++k) {
        int& last = last_reader_[step.arguments[k]];
        last = std::max(last, position);
      }
    }
  }

  static Operand PlaceConstant(double value, Program* program) {
    program->constants.push_back(value);
    return {Operand::Area::kUniform, program->num_uniforms++};
  }

  void PlaceInput(int i, Program* program) {
    const Node& node = tape_.nodes_[i];
    switch (node.kind) {
      case Kind::kConstant:
        places_[i] = PlaceConstant(node.value, program);
        return;
      case Kind::kParameter:
        places_[i] = {Operand::Area::kUniform, node.arguments[0]};
        return;
      case Kind::kData:
        places_[i] = {Operand::Area::kData, node.arguments[0]};
        return;
      case Kind::kOperation:
        return;
    }
  }

  void PlaceStep(int position, Program* program) {
    const int i = order_[position];
    const Step& step = steps_[i];
    Instruction instruction;
    instruction.operation = step.operation;
    instruction.is_shared = step.is_shared;
    instruction.is_first_of_group = step.is_first_of_group;
    for (int k = 0; k < 4; ++k) {
      const int argument = std::min(k, step.num_arguments - 1);
      instruction.arguments[k] = places_[step.arguments[argument]];
    }
    if (!tape_.nodes_[i].is_per_sample) {
      places_[i] = {Operand::Area::kUniform, program->num_uniforms++};
      instruction.target = places_[i];
      program->uniform_code.push_back(instruction);
      return;
    }
    FreeArguments(position);
    if (free_.empty()) free_.push_back(program->num_registers++);
    places_[i] = {Operand::Area::kRegister, free_.back()};
    free_.pop_back();
    instruction.target = places_[i];
    program->sample_code.push_back(instruction);
  }

  // An instruction may write where it reads: it reads a number before it writes
  // the number of the same sample and lane.
  void FreeArguments(int position) {
    const Step& step = steps_[order_[position]];
    for (int k = 0; k < step.num_arguments; ++k) {
      const int argument = step.arguments[k];
      if (last_reader_[argument] != position ||
          places_[argument].area != Operand::Area::kRegister) {
        continue;
      }
      free_.push_back(places_[argument].index);
      last_reader_[argument] = kFreed;
    }
  }

  const Tape& tape_;
  std::vector<int> num_readers_;
  std::vector<int> last_reader_;
  std::vector<Step> steps_;
  std::vector<bool> is_done_;
  std::array<int, 2> shared_{};
  // The nodes of steps, in the order of the program.
  std::vector<int> order_;
  std::vector<Operand> places_;
  std::vector<int> free_;
};

Program Tape::Compile(const std::vector<int>& rows, int loss) const {
  Program program;
  Compiler compiler(*this);
  for (const int row : rows) compiler.Keep(row);
  compiler.Keep(loss);
  for (const auto& [node, outcome] : guards_) compiler.Keep(node);
  compiler.Run(&program);
  for (const int row : rows) {
    program.rows.push_back(compiler.PlaceOf(row, program));
  }
  program.has_loss = loss != kZero;
  program.loss = compiler.PlaceOf(loss, program);
  for (const auto& [node, outcome] : guards_) {
    program.guards.emplace_back(compiler.PlaceOf(node, program), outcome);
  }
  return program;
}

Traced Record(Operation operation, const Traced& a, const Traced& b,
              const Traced& c) {
  Tape* const tape = a.tape() != nullptr   ? a.tape()
                     : b.tape() != nullptr ? b.tape()
                                           : c.tape();
  if (tape == nullptr) {
    return ComputeOne(operation, a.value(), b.value(), c.value());
  }
  if (!tape->is_recording()) {
    return Traced(tape, Tape::kZero,
                  ComputeOne(operation, a.value(), b.value(), c.value()));
  }
  if (operation == Operation::kHypot && !tape->is_exact()) {
    return sqrt(a * a + b * b);
  }
  return tape->Number(tape->Apply(operation, tape->NodeOf(a), tape->NodeOf(b),
                                  tape->NodeOf(c)));
}

bool Decide(const Traced& condition) {
  if (condition.tape() == nullptr || !condition.tape()->is_recording()) {
    return condition.value() != 0.0;
  }
  return condition.tape()->Decide(condition.node());
}

}  // namespace internal::lanes

Traced pow(const Traced& x, const Traced& y) {
  constexpr double kMostMultiplied = 8.0;
  const double exponent = y.value();
  if (y.tape() != nullptr) {
    return internal::lanes::Record(internal::lanes::Operation::kPow, x, y);
  }
  if (exponent == 0.5) return sqrt(x);
  if (exponent != std::floor(exponent) ||
      std::abs(exponent) > kMostMultiplied) {
    return internal::lanes::Record(internal::lanes::Operation::kPow, x, y);
  }
  // Squares and products, by the binary digits of the exponent.
  Traced power(1.0), square = x;
  bool is_one = true;
  for (int rest = static_cast<int>(std::abs(exponent)); rest > 0; rest /= 2) {
    if (rest % 2 == 1) {
      power = is_one ? square : power * square;
      is_one = false;
    }
    if (rest > 1) square *= square;
  }
  return exponent < 0.0 ? 1.0 / power : power;
}

}  // namespace ceres
