// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_LOCAL_PARAMETERIZATION_H_
#define CERES_PUBLIC_LOCAL_PARAMETERIZATION_H_

// The interface of versions 1.14 to 2.1 of the API for what manifolds do. New
// programs should use ceres/manifold.h: everything here is implemented by a
// Manifold.
//
//   was                                 is
//   LocalParameterization               Manifold
//     GlobalSize, LocalSize               AmbientSize, TangentSize
//     ComputeJacobian                     PlusJacobian
//     MultiplyByJacobian                  RightMultiplyByPlusJacobian
//     (nothing)                           Minus, MinusJacobian
//   IdentityParameterization            EuclideanManifold
//   SubsetParameterization              SubsetManifold
//   QuaternionParameterization          QuaternionManifold
//   EigenQuaternionParameterization     EigenQuaternionManifold
//   HomogeneousVectorParameterization   SphereManifold
//   LineParameterization                LineManifold
//   ProductParameterization             ProductManifold
//   AutoDiffLocalParameterization       AutoDiffManifold
//   Problem::SetParameterization        Problem::SetManifold

#include <memory>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/line_manifold.h"
#include "ceres/manifold.h"
#include "ceres/sphere_manifold.h"

namespace ceres {

// The way in which a parameter block moves: a map Plus(x, delta) from a point
// x, of GlobalSize coordinates, and a step delta, of LocalSize <= GlobalSize
// coordinates, to a point, with Plus(x, 0) = x. Functions return false if they
// cannot be computed. They are called from several threads at once.
class CERES_EXPORT LocalParameterization {
 public:
  virtual ~LocalParameterization();

  // x_plus_delta = Plus(x, delta).
  virtual bool Plus(const double* x, const double* delta,
                    double* x_plus_delta) const = 0;

  // jacobian (GlobalSize x LocalSize, row-major) = d Plus(x, delta) / d delta
  // at delta = 0.
  virtual bool ComputeJacobian(const double* x, double* jacobian) const = 0;

  // local_matrix (num_rows x LocalSize) =
  //     global_matrix (num_rows x GlobalSize) * ComputeJacobian(x),
  // all row-major. The default multiplies with the Jacobian.
  virtual bool MultiplyByJacobian(const double* x, const int num_rows,
                                  const double* global_matrix,
                                  double* local_matrix) const;

  // The number of coordinates of a point.
  virtual int GlobalSize() const = 0;
  // The number of coordinates of a step.
  virtual int LocalSize() const = 0;
};

namespace internal {

// A manifold under the names of a LocalParameterization.
class CERES_EXPORT ParameterizationByManifold : public LocalParameterization {
 public:
  explicit ParameterizationByManifold(std::unique_ptr<const Manifold> manifold);
  ~ParameterizationByManifold() override;

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override;
  bool ComputeJacobian(const double* x, double* jacobian) const override;
  bool MultiplyByJacobian(const double* x, const int num_rows,
                          const double* global_matrix,
                          double* local_matrix) const override;
  int GlobalSize() const override;
  int LocalSize() const override;

 private:
  std::unique_ptr<const Manifold> manifold_;
};

}  // namespace internal

// Plus(x, delta) = x + delta.
class CERES_EXPORT IdentityParameterization
    : public internal::ParameterizationByManifold {
 public:
  // size: the number of coordinates; >= 0.
  explicit IdentityParameterization(int size);
};

// Holds some coordinates constant; see SubsetManifold.
class CERES_EXPORT SubsetParameterization
    : public internal::ParameterizationByManifold {
 public:
  // size: the number of coordinates. constant_parameters: the indices that do
  // not change, each in [0, size) and given once.
  explicit SubsetParameterization(int size,
                                  const std::vector<int>& constant_parameters);
};

// Unit quaternions [w, x, y, z]; see QuaternionManifold.
class CERES_EXPORT QuaternionParameterization
    : public internal::ParameterizationByManifold {
 public:
  // The sizes are 4 and 3.
  QuaternionParameterization();
};

// Unit quaternions [x, y, z, w]; see EigenQuaternionManifold.
class CERES_EXPORT EigenQuaternionParameterization
    : public internal::ParameterizationByManifold {
 public:
  // The sizes are 4 and 3.
  EigenQuaternionParameterization();
};

// The sphere through x. Differs from SphereManifold in that |delta| is twice
// the angle of the step, as in Hartley and Zisserman, "Multiple View Geometry",
// 2nd edition, A6.9.3.
class CERES_EXPORT HomogeneousVectorParameterization
    : public LocalParameterization {
 public:
  // size: the number of coordinates. Checks that size > 1.
  explicit HomogeneousVectorParameterization(int size);

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override;
  bool ComputeJacobian(const double* x, double* jacobian) const override;
  int GlobalSize() const override { return sphere_.AmbientSize(); }
  int LocalSize() const override { return sphere_.TangentSize(); }

 private:
  SphereManifold<DYNAMIC> sphere_;
};

// Lines [origin; direction] in a space of the given dimension. Differs from
// LineManifold in that the direction's part of delta has twice the length of
// the angle.
template <int AmbientSpaceDimension>
class LineParameterization : public LocalParameterization {
 public:
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    double halved[2 * kTangent];
    for (int i = 0; i < kTangent; ++i) {
      halved[i] = delta[i];
      halved[kTangent + i] = 0.5 * delta[kTangent + i];
    }
    return line_.Plus(x, halved, x_plus_delta);
  }

  bool ComputeJacobian(const double* x, double* jacobian) const override {
    if (!line_.PlusJacobian(x, jacobian)) return false;
    for (int row = 0; row < 2 * AmbientSpaceDimension; ++row) {
      for (int i = 0; i < kTangent; ++i) {
        jacobian[row * 2 * kTangent + kTangent + i] *= 0.5;
      }
    }
    return true;
  }

  int GlobalSize() const override { return 2 * AmbientSpaceDimension; }
  int LocalSize() const override { return 2 * kTangent; }

 private:
  static constexpr int kTangent = AmbientSpaceDimension - 1;

  LineManifold<AmbientSpaceDimension> line_;
};

// The direct product of parameterizations, in the order given; see
// ProductManifold. Takes ownership of them.
class CERES_EXPORT ProductParameterization : public LocalParameterization {
 public:
  ProductParameterization(const ProductParameterization&) = delete;
  ProductParameterization& operator=(const ProductParameterization&) = delete;
  ~ProductParameterization() override;

  // Checks that none is null.
  template <typename... Parameterizations>
  explicit ProductParameterization(LocalParameterization* first,
                                   Parameterizations*... others) {
    Add(first);
    (Add(others), ...);
  }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override;
  bool ComputeJacobian(const double* x, double* jacobian) const override;
  int GlobalSize() const override { return global_size_; }
  int LocalSize() const override { return local_size_; }

 private:
  void Add(LocalParameterization* factor);

  std::vector<std::unique_ptr<LocalParameterization>> factors_;
  int global_size_ = 0;
  int local_size_ = 0;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_LOCAL_PARAMETERIZATION_H_
