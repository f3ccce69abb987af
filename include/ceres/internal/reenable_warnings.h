// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Ends what disable_warnings.h began. No include guard, as there.

#if defined(_MSC_VER)
#pragma warning(pop)
#endif
