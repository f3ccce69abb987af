// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_FREE_CPUS_H_
#define VESTA_BENCHMARKS_FREE_CPUS_H_

namespace vesta_benchmarks {

// What two threads get through at once, over twice what one does alone: 1 on
// two free cores, some 0.6 where the two cpus of a virtual machine are threads
// of one core at that moment, 0.5 on one cpu. Takes 20 ms.
double ThroughputOfTwo();

// Waits until two threads have a core each, but not for longer than given.
// Returns whether they have. True where the machine has only one cpu. A figure
// for two threads that shared a core says nothing.
bool WaitForTwoCores(double seconds);

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_FREE_CPUS_H_
