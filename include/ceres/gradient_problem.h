// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_GRADIENT_PROBLEM_H_
#define CERES_PUBLIC_GRADIENT_PROBLEM_H_

#include <memory>
#include <vector>

#include "ceres/first_order_function.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"  // Programs count on it.
#include "ceres/internal/export.h"
#include "ceres/manifold.h"

namespace ceres {

// A problem without least-squares structure: minimize f(x) over a manifold M,
// R^n unless one is given, from values and gradients of f alone. See
// GradientProblemSolver.
//
//   class Rosenbrock : public ceres::FirstOrderFunction {
//    public:
//     bool Evaluate(const double* x, double* cost,
//                   double* gradient) const override {
//       const double t = x[1] - x[0] * x[0];
//       cost[0] = (1 - x[0]) * (1 - x[0]) + 100 * t * t;
//       if (gradient != nullptr) {
//         gradient[0] = -2 * (1 - x[0]) - 400 * t * x[0];
//         gradient[1] = 200 * t;
//       }
//       return true;
//     }
//     int NumParameters() const override { return 2; }
//   };
//   ceres::GradientProblem problem(new Rosenbrock);
//
// Use a Problem for least-squares problems: its algorithms exploit their
// structure.
//
// Owns function and manifold. Const functions may be called concurrently,
// except Evaluate, which is for one thread at a time.
class CERES_EXPORT GradientProblem {
 public:
  // Takes ownership. CHECKs that nothing is null, and that the manifold's
  // ambient size is the function's number of parameters.
  explicit GradientProblem(FirstOrderFunction* function);
  GradientProblem(FirstOrderFunction* function, Manifold* manifold);
  explicit GradientProblem(std::unique_ptr<FirstOrderFunction> function);
  GradientProblem(std::unique_ptr<FirstOrderFunction> function,
                  std::unique_ptr<Manifold> manifold);

  // Number of coordinates of x and of its tangents.
  int NumParameters() const;
  int NumTangentParameters() const;

  // f at the point of NumParameters() values and, where not null, its gradient
  // in the tangent space there, NumTangentParameters() values: P'g with P the
  // manifold's PlusJacobian and g the function's gradient. False when function
  // or manifold cannot be evaluated.
  bool Evaluate(const double* parameters, double* cost, double* gradient) const;

  // x_plus_delta = the manifold's Plus(x, delta).
  bool Plus(const double* x, const double* delta, double* x_plus_delta) const;

  // The function. It stays with the problem.
  const FirstOrderFunction* function() const { return function_.get(); }
  FirstOrderFunction* mutable_function() { return function_.get(); }

  // The manifold. It stays with the problem. Never null: a Euclidean space if
  // no manifold was given.
  const Manifold* manifold() const { return manifold_.get(); }
  Manifold* mutable_manifold() { return manifold_.get(); }

 private:
  std::unique_ptr<FirstOrderFunction> function_;
  std::unique_ptr<Manifold> manifold_;
  // The gradient in ambient coordinates.
  mutable std::vector<double> ambient_gradient_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_GRADIENT_PROBLEM_H_
