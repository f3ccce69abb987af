// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_FREE_CPUS_H_
#define VESTA_BENCHMARKS_FREE_CPUS_H_

namespace vesta_benchmarks {

// The work of two threads at once, over twice the most that one was seen to do
// since the process began: 1 on two free cores, some 0.6 where the two cpus of
// a virtual machine are threads of one core at that moment, or of two cores
// whose other threads belong to someone else, 0.5 on one cpu. Takes 20 ms. Not
// for several threads at once.
double ThroughputOfTwo();

// Whether two threads have a core each right now. True where the machine has
// only one cpu. Takes 20 ms.
bool HasTwoCores();

// Waits until two threads have a core each, but not for longer than given.
// Returns whether they have. A figure for two threads that shared a core says
// nothing.
bool WaitForTwoCores(double seconds);

// Seconds, summed over the cpus of a virtual machine since its start, in which
// a cpu had work but its host ran something else on it. In steps of 10 ms; 0
// where the system does not tell.
double StolenSeconds();

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_FREE_CPUS_H_
