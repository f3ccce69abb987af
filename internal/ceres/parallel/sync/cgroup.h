// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_CGROUP_H_
#define CERES_INTERNAL_PARALLEL_SYNC_CGROUP_H_

#include <limits>
#include <string>

namespace ceres::parallel::detail {

// There is no limit.
inline constexpr int kNoLimit = std::numeric_limits<int>::max();

// The smallest CPU quota of this process's control group and of all groups
// above it, in CPUs rounded up, at least 1; kNoLimit if there is none.
//
// `proc_self_cgroup` is the text of /proc/self/cgroup, whose lines are
//   0::/path                    cgroup v2: <root>/path/cpu.max, "quota period"
//   4:cpu,cpuacct:/path         cgroup v1: <root>/cpu,cpuacct/path/cpu.cfs_*_us
// `cgroup_root` is the folder where the file systems are mounted,
// /sys/fs/cgroup. With v1, the folder of the controller has its list of names
// or one of them, and v2 may be mounted under "unified". Inside a container the
// path may name groups that are not visible there; then only visible groups
// count.
int CgroupCpuLimit(const std::string& proc_self_cgroup,
                   const std::string& cgroup_root);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_CGROUP_H_
