// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Include before the declarations of a public header and pair with
// reenable_warnings.h at its end. No include guard: every header needs its own
// pair.

#if defined(_MSC_VER)
#pragma warning(push)
// 4244, 4267: conversions that lose precision, in users' instantiations.
// 4251, 4275: members and bases of exported classes that are not exported.
// 4127: a condition that is a constant expression.
#pragma warning(disable : 4127 4244 4251 4267 4275)
#endif
