// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_EXPRESSION_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_EXPRESSION_H_

#include <cctype>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/dynamic_autodiff_cost_function.h"
#include "ceres/jet.h"
#include "gtest/gtest.h"

namespace ceres::internal {

// clang-format off
// An infix expression of the coordinates x[0], x[1], ... that the test problems
// of ../shared/data/constrained are written in.
//
//   expr   := term  { ('+'|'-') term }
//   term   := unary { ('*'|'/') unary }
//   unary  := '-' unary | power
//   power  := atom [ '^' INTEGER ]
//   atom   := NUMBER | 'x' '[' INTEGER ']' | FUNC '(' expr ')' | '(' expr ')'
//   FUNC   := exp | log | sqrt | sin | cos
// clang-format on
class Expression {
 public:
  explicit Expression(const std::string& text) {
    for (const char c : text) {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) text_ += c;
    }
    root_ = Sum();
    EXPECT_EQ(position_, text_.size()) << text;
  }

  // T: double or a Jet. x: one array.
  template <typename T>
  T Evaluate(const T* x) const {
    return Value(*root_, x);
  }

 private:
  struct Node {
    // One of: # (number), x, ~ (negation), ^, +, -, *, /, f (function).
    char kind;
    double number = 0.0;
    int index = 0;
    std::string function;
    std::shared_ptr<Node> a;
    std::shared_ptr<Node> b;
  };
  using NodePtr = std::shared_ptr<Node>;

  static NodePtr Make(char kind, NodePtr a = nullptr, NodePtr b = nullptr) {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->a = std::move(a);
    node->b = std::move(b);
    return node;
  }
  char Peek() const {
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++position_;
    return true;
  }
  double Number() {
    std::size_t length = 0;
    const double value = std::stod(text_.substr(position_), &length);
    position_ += length;
    return value;
  }

  NodePtr Sum() {
    NodePtr a = Product();
    for (char c = Peek(); c == '+' || c == '-'; c = Peek()) {
      ++position_;
      a = Make(c, a, Product());
    }
    return a;
  }
  NodePtr Product() {
    NodePtr a = Unary();
    for (char c = Peek(); c == '*' || c == '/'; c = Peek()) {
      ++position_;
      a = Make(c, a, Unary());
    }
    return a;
  }
  NodePtr Unary() { return Take('-') ? Make('~', Unary()) : Power(); }
  NodePtr Power() {
    NodePtr a = Atom();
    if (!Take('^')) return a;
    NodePtr power = Make('^', a);
    power->index = Integer();
    return power;
  }
  int Integer() {
    int value = 0;
    while (std::isdigit(static_cast<unsigned char>(Peek())) != 0) {
      value = 10 * value + (text_[position_++] - '0');
    }
    return value;
  }
  NodePtr Atom() {
    if (Take('(')) {
      NodePtr a = Sum();
      EXPECT_TRUE(Take(')')) << text_;
      return a;
    }
    if (std::isdigit(static_cast<unsigned char>(Peek())) != 0 ||
        Peek() == '.') {
      NodePtr number = Make('#');
      number->number = Number();
      return number;
    }
    std::string name;
    while (std::isalpha(static_cast<unsigned char>(Peek())) != 0) {
      name += text_[position_++];
    }
    if (name == "x") {
      EXPECT_TRUE(Take('[')) << text_;
      NodePtr variable = Make('x');
      variable->index = Integer();
      EXPECT_TRUE(Take(']')) << text_;
      return variable;
    }
    EXPECT_TRUE(Take('(')) << text_;
    NodePtr call = Make('f', Sum());
    call->function = name;
    EXPECT_TRUE(Take(')')) << text_;
    return call;
  }

  template <typename T>
  static T Value(const Node& node, const T* x) {
    switch (node.kind) {
      case '#':
        return T(node.number);
      case 'x':
        return x[node.index];
      case '~':
        return -Value(*node.a, x);
      case '+':
        return Value(*node.a, x) + Value(*node.b, x);
      case '-':
        return Value(*node.a, x) - Value(*node.b, x);
      case '*':
        return Value(*node.a, x) * Value(*node.b, x);
      case '/':
        return Value(*node.a, x) / Value(*node.b, x);
      case '^': {
        const T base = Value(*node.a, x);
        T power(1.0);
        for (int k = 0; k < node.index; ++k) power = power * base;
        return power;
      }
      default:
        return Call(node.function, Value(*node.a, x));
    }
  }
  template <typename T>
  static T Call(const std::string& function, const T& argument) {
    using std::cos;
    using std::exp;
    using std::log;
    using std::sin;
    using std::sqrt;
    if (function == "exp") return exp(argument);
    if (function == "log") return log(argument);
    if (function == "sqrt") return sqrt(argument);
    if (function == "sin") return sin(argument);
    EXPECT_EQ(function, "cos");
    return cos(argument);
  }

  std::string text_;
  std::size_t position_ = 0;
  NodePtr root_;
};

// The residuals are the expressions, of one parameter block of n coordinates.
struct ExpressionFunctor {
  std::vector<Expression> expressions;

  template <typename T>
  bool operator()(T const* const* parameters, T* residuals) const {
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      residuals[i] = expressions[i].Evaluate(parameters[0]);
    }
    return true;
  }
};

inline CostFunction* MakeExpressionFunction(
    const std::vector<std::string>& texts, int num_coordinates) {
  auto* const functor = new ExpressionFunctor;
  for (const std::string& text : texts) functor->expressions.emplace_back(text);
  auto* const function =
      new DynamicAutoDiffCostFunction<ExpressionFunctor>(functor);
  function->AddParameterBlock(num_coordinates);
  function->SetNumResiduals(static_cast<int>(texts.size()));
  return function;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_EXPRESSION_H_
