// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ready_made.h"

namespace vesta::python {

void BindReadyMadeCosts(nb::module_& module) {
  BindReprojectionCosts(module);
  BindRigCosts(module);
  BindLandmarkCosts(module);
  BindPoseCosts(module);
}

}  // namespace vesta::python
