// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PRODUCT_MANIFOLD_H_
#define CERES_PUBLIC_PRODUCT_MANIFOLD_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"  // Programs count on it.
#include "ceres/internal/small_buffer.h"
#include "ceres/manifold.h"

namespace ceres {

// The direct product of at least two manifolds, factors in the order given: its
// points and tangents are those of the factors one after the other, its
// Jacobians are block-diagonal.
//
// A factor is a manifold, copied or moved into the product, or a pointer to
// one: raw (then it must outlive the product), std::unique_ptr,
// std::shared_ptr or anything else that can be dereferenced.
//
//   // Rotation and translation.
//   ProductManifold<QuaternionManifold, EuclideanManifold<3>> se3;
//
//   // The size of the second factor is known at run time.
//   ProductManifold se3_and_more{QuaternionManifold{},
//                                EuclideanManifold<DYNAMIC>{n}};
//
// If an argument is an lvalue, the deduced type refers to it. The factor must
// then outlive the product.
//
// Functions return false at the first factor that fails. Thread safety: that of
// the factors.
template <typename Manifold0, typename Manifold1, typename... ManifoldN>
class ProductManifold final : public Manifold {
 public:
  // Takes one argument per factor, or none: then all factors are
  // default-constructed.
  template <typename... Args,
            std::enable_if_t<std::is_constructible<
                std::tuple<Manifold0, Manifold1, ManifoldN...>,
                Args...>::value>* = nullptr>
  explicit ProductManifold(Args&&... manifolds)
      : factors_(std::forward<Args>(manifolds)...) {
    ForEachFactor([this](const Manifold& factor, std::size_t i) {
      ambient_offsets_[i + 1] = ambient_offsets_[i] + factor.AmbientSize();
      tangent_offsets_[i + 1] = tangent_offsets_[i] + factor.TangentSize();
      max_jacobian_size_ = (std::max)(
          max_jacobian_size_, factor.AmbientSize() * factor.TangentSize());
      return true;
    });
  }

  int AmbientSize() const override { return ambient_offsets_.back(); }
  int TangentSize() const override { return tangent_offsets_.back(); }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    return ForEachFactor([&](const Manifold& factor, std::size_t i) {
      return factor.Plus(x + ambient_offsets_[i], delta + tangent_offsets_[i],
                         x_plus_delta + ambient_offsets_[i]);
    });
  }

  bool PlusJacobian(const double* x, double* jacobian) const override {
    return BlockDiagonal(
        ambient_offsets_, tangent_offsets_, jacobian,
        [&](const Manifold& factor, std::size_t i, double* block) {
          return factor.PlusJacobian(x + ambient_offsets_[i], block);
        });
  }

  // Multiplies factor by factor, because most of the PlusJacobian is zero.
  bool RightMultiplyByPlusJacobian(const double* x, const int num_rows,
                                   const double* ambient_matrix,
                                   double* tangent_matrix) const override {
    constexpr std::size_t kNumOnStack = 64;
    internal::SmallBuffer<double, kNumOnStack> ambient(num_rows *
                                                       AmbientSize());
    internal::SmallBuffer<double, kNumOnStack> tangent(num_rows *
                                                       TangentSize());
    return ForEachFactor([&](const Manifold& factor, std::size_t i) {
      const int num_ambient = ambient_offsets_[i + 1] - ambient_offsets_[i];
      const int num_tangent = tangent_offsets_[i + 1] - tangent_offsets_[i];
      if (kIsEuclidean[i]) {
        for (int row = 0; row < num_rows; ++row) {
          CopyFew(ambient_matrix + row * AmbientSize() + ambient_offsets_[i],
                  num_ambient,
                  tangent_matrix + row * TangentSize() + tangent_offsets_[i]);
        }
        return true;
      }
      for (int row = 0; row < num_rows; ++row) {
        CopyFew(ambient_matrix + row * AmbientSize() + ambient_offsets_[i],
                num_ambient, ambient.data() + row * num_ambient);
      }
      if (!factor.RightMultiplyByPlusJacobian(x + ambient_offsets_[i], num_rows,
                                              ambient.data(), tangent.data())) {
        return false;
      }
      for (int row = 0; row < num_rows; ++row) {
        CopyFew(tangent.data() + row * num_tangent, num_tangent,
                tangent_matrix + row * TangentSize() + tangent_offsets_[i]);
      }
      return true;
    });
  }

  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    return ForEachFactor([&](const Manifold& factor, std::size_t i) {
      return factor.Minus(y + ambient_offsets_[i], x + ambient_offsets_[i],
                          y_minus_x + tangent_offsets_[i]);
    });
  }

  bool MinusJacobian(const double* x, double* jacobian) const override {
    return BlockDiagonal(
        tangent_offsets_, ambient_offsets_, jacobian,
        [&](const Manifold& factor, std::size_t i, double* block) {
          return factor.MinusJacobian(x + ambient_offsets_[i], block);
        });
  }

 private:
  // memmove takes longer for the few values of a factor.
  static void CopyFew(const double* from, int n, double* to) {
    for (int i = 0; i < n; ++i) to[i] = from[i];
  }

  template <typename Factor>
  struct IsEuclidean : std::false_type {};
  template <int Size>
  struct IsEuclidean<EuclideanManifold<Size>> : std::true_type {};

  static constexpr std::size_t kNumFactors = 2 + sizeof...(ManifoldN);
  static constexpr std::array<bool, kNumFactors> kIsEuclidean = {
      IsEuclidean<Manifold0>::value, IsEuclidean<Manifold1>::value,
      IsEuclidean<ManifoldN>::value...};
  // The offset of each factor, then the end of the last one.
  using Offsets = std::array<int, kNumFactors + 1>;

  template <typename Factor>
  static const Manifold& Dereference(const Factor& factor) {
    if constexpr (std::is_base_of_v<Manifold, Factor>) {
      return factor;
    } else {
      return *factor;
    }
  }

  // f(factor, index) for each factor, until one is false.
  template <typename F>
  bool ForEachFactor(const F& f) const {
    return ForEachFactor(f, std::make_index_sequence<kNumFactors>());
  }
  template <typename F, std::size_t... Indices>
  bool ForEachFactor(const F& f, std::index_sequence<Indices...>) const {
    return (... && f(Dereference(std::get<Indices>(factors_)), Indices));
  }

  // Puts the blocks that evaluate(factor, index, block) writes on the diagonal.
  template <typename F>
  bool BlockDiagonal(const Offsets& rows, const Offsets& cols, double* matrix,
                     const F& evaluate) const {
    constexpr std::size_t kNumOnStack = 64;
    internal::SmallBuffer<double, kNumOnStack> block(max_jacobian_size_, 0.0);
    std::fill_n(matrix, rows.back() * cols.back(), 0.0);
    return ForEachFactor([&](const Manifold& factor, std::size_t i) {
      if (!evaluate(factor, i, block.data())) return false;
      const int num_cols = cols[i + 1] - cols[i];
      const double* source = block.data();
      for (int row = rows[i]; row < rows[i + 1]; ++row, source += num_cols) {
        std::copy_n(source, num_cols, matrix + row * cols.back() + cols[i]);
      }
      return true;
    });
  }

  std::tuple<Manifold0, Manifold1, ManifoldN...> factors_;
  Offsets ambient_offsets_{};
  Offsets tangent_offsets_{};
  int max_jacobian_size_ = 0;
};

// Deduces the factors from the arguments. A factor given as an lvalue is
// referred to, not copied.
template <typename Manifold0, typename Manifold1, typename... Manifolds>
ProductManifold(Manifold0&&, Manifold1&&, Manifolds&&...)
    -> ProductManifold<Manifold0, Manifold1, Manifolds...>;

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_PRODUCT_MANIFOLD_H_
