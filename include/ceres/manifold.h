// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_MANIFOLD_H_
#define CERES_PUBLIC_MANIFOLD_H_

#include <algorithm>
#include <vector>

#include "ceres/internal/check.h"
#include "ceres/internal/eigen.h"  // Programs count on it.
#include "ceres/internal/export.h"
#include "ceres/types.h"

namespace ceres {

// A smooth manifold M, embedded in R^AmbientSize, whose tangent spaces are
// R^TangentSize. The solver takes its steps in the tangent space.
//
//   Plus : M x R^TangentSize -> M      moves from a point along a tangent,
//   Minus: M x M -> R^TangentSize      finds the tangent from one to another.
//
// Plus and Minus must agree, for all x and y on the manifold and small delta:
//
//   Plus(x, 0) = x,   Plus(x, Minus(y, x)) = y,   Minus(Plus(x, delta), x) =
//   delta.
//
// All matrices are dense and row-major. Functions return false if they cannot
// be computed; the solver then rejects the step. Functions must be callable
// from several threads at once. Hertzberg, Wagner, Frese and Schroeder,
// "Integrating Generic Sensor Fusion Algorithms with Sound State
// Representations through Encapsulation of Manifolds", 2013.
class CERES_EXPORT Manifold {
 public:
  virtual ~Manifold();

  // The number of coordinates of a point.
  virtual int AmbientSize() const = 0;

  // The number of degrees of freedom.
  virtual int TangentSize() const = 0;

  // x_plus_delta = Plus(x, delta).
  virtual bool Plus(const double* x, const double* delta,
                    double* x_plus_delta) const = 0;

  // jacobian (AmbientSize x TangentSize) = d Plus(x, delta) / d delta at
  // delta = 0.
  virtual bool PlusJacobian(const double* x, double* jacobian) const = 0;

  // tangent_matrix (num_rows x TangentSize) =
  //     ambient_matrix (num_rows x AmbientSize) * PlusJacobian(x).
  //
  // Turns derivatives with respect to the coordinates into derivatives with
  // respect to the tangent. The default multiplies with PlusJacobian; override
  // it if the structure allows less work. The matrices must not overlap.
  virtual bool RightMultiplyByPlusJacobian(const double* x, const int num_rows,
                                           const double* ambient_matrix,
                                           double* tangent_matrix) const;

  // y_minus_x = Minus(y, x).
  virtual bool Minus(const double* y, const double* x,
                     double* y_minus_x) const = 0;

  // jacobian (TangentSize x AmbientSize) = d Minus(y, x) / d y at y = x.
  virtual bool MinusJacobian(const double* x, double* jacobian) const = 0;
};

namespace internal {

// Writes the row-major identity matrix.
inline void SetIdentity(int size, double* matrix) {
  std::fill(matrix, matrix + size * size, 0.0);
  for (int i = 0; i < size; ++i) {
    matrix[i * size + i] = 1.0;
  }
}

}  // namespace internal

// R^Size with Plus(x, delta) = x + delta and Minus(y, x) = y - x. Useful as a
// factor of a ProductManifold. With Size = DYNAMIC the size is given to the
// constructor.
template <int Size>
class EuclideanManifold final : public Manifold {
  static_assert(Size == DYNAMIC || Size >= 0,
                "The size of an EuclideanManifold is DYNAMIC or at least 0.");

 public:
  // Checks that size equals Size, or is at least 0 if Size is DYNAMIC.
  explicit EuclideanManifold(int size = Size) : size_(size) {
    if constexpr (Size == DYNAMIC) {
      internal::CheckThat(size >= 0,
                          "An EuclideanManifold<DYNAMIC> needs its size.");
    } else {
      internal::CheckThat(size == Size,
                          "The size given to the constructor of an "
                          "EuclideanManifold is not that of its type.");
    }
  }

  int AmbientSize() const override { return size_; }
  int TangentSize() const override { return size_; }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    for (int i = 0; i < size_; ++i) {
      x_plus_delta[i] = x[i] + delta[i];
    }
    return true;
  }

  bool PlusJacobian(const double* /*x*/, double* jacobian) const override {
    internal::SetIdentity(size_, jacobian);
    return true;
  }

  bool RightMultiplyByPlusJacobian(const double* /*x*/, const int num_rows,
                                   const double* ambient_matrix,
                                   double* tangent_matrix) const override {
    std::copy_n(ambient_matrix, num_rows * size_, tangent_matrix);
    return true;
  }

  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    for (int i = 0; i < size_; ++i) {
      y_minus_x[i] = y[i] - x[i];
    }
    return true;
  }

  bool MinusJacobian(const double* /*x*/, double* jacobian) const override {
    internal::SetIdentity(size_, jacobian);
    return true;
  }

 private:
  int size_;
};

// R^size with some coordinates held constant. The tangent consists of the other
// coordinates, in ascending order of their index; it may be empty.
class CERES_EXPORT SubsetManifold final : public Manifold {
 public:
  // Checks that the indices are in [0, size) and that none is repeated.
  SubsetManifold(int size, const std::vector<int>& constant_parameters);

  int AmbientSize() const override;
  int TangentSize() const override;
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override;
  bool PlusJacobian(const double* x, double* jacobian) const override;
  bool RightMultiplyByPlusJacobian(const double* x, const int num_rows,
                                   const double* ambient_matrix,
                                   double* tangent_matrix) const override;
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override;
  bool MinusJacobian(const double* x, double* jacobian) const override;

 private:
  const int size_;
  // The indices of the coordinates that are not constant, ascending.
  std::vector<int> variable_indices_;
};

// Unit quaternions in Hamilton's convention, stored as [w, x, y, z]. Points
// must have unit norm; Plus keeps it to rounding.
//
//   Plus(x, delta) = [cos|delta|; sin|delta| delta / |delta|] * x,
//   Minus(y, x)    = u / |u| atan2(|u|, w),   [w; u] = y * conj(x),
//
// with * the quaternion product. The rotation acts on the left, and |delta| is
// half its angle in radians. Minus is zero where u is.
class CERES_EXPORT QuaternionManifold final : public Manifold {
 public:
  int AmbientSize() const override { return 4; }
  int TangentSize() const override { return 3; }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override;
  bool PlusJacobian(const double* x, double* jacobian) const override;
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override;
  bool MinusJacobian(const double* x, double* jacobian) const override;
};

// QuaternionManifold for quaternions stored in the order of Eigen::Quaternion:
// [x, y, z, w].
class CERES_EXPORT EigenQuaternionManifold final : public Manifold {
 public:
  int AmbientSize() const override { return 4; }
  int TangentSize() const override { return 3; }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override;
  bool PlusJacobian(const double* x, double* jacobian) const override;
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override;
  bool MinusJacobian(const double* x, double* jacobian) const override;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_MANIFOLD_H_
