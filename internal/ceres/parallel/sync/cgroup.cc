// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/sync/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace ceres::parallel::detail {
namespace {

// quota / period rounded up. Both in microseconds; no quota is -1 or 0.
int CpusOf(double quota, double period) {
  if (!(quota > 0.0) || !(period > 0.0)) return kNoLimit;
  const double cpus = quota / period;
  if (cpus >= 1e6) return kNoLimit;
  const int whole = static_cast<int>(cpus);
  return std::max(1, cpus > whole ? whole + 1 : whole);
}

// "max 100000" or "150000 100000".
int ReadV2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota = 0.0;
  double period = 0.0;
  if (!(file >> quota >> period)) return kNoLimit;
  return CpusOf(quota, period);
}

int ReadV1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us");
  std::ifstream period_file(folder + "/cpu.cfs_period_us");
  double quota = 0.0;
  double period = 0.0;
  if (!(quota_file >> quota) || !(period_file >> period)) return kNoLimit;
  return CpusOf(quota, period);
}

// The smallest limit in mount/path and the folders above it, up to mount.
template <typename Read>
int LimitUpwards(const std::string& mount, std::string path, const Read& read) {
  int limit = kNoLimit;
  while (!path.empty() && path.back() == '/') path.pop_back();
  while (true) {
    limit = std::min(limit, read(mount + path));
    if (path.empty()) return limit;
    path.erase(path.find_last_of('/') == std::string::npos
                   ? 0
                   : path.find_last_of('/'));
  }
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

int CgroupCpuLimit(const std::string& proc_self_cgroup,
                   const std::string& cgroup_root) {
  int limit = kNoLimit;
  for (const std::string& line : Split(proc_self_cgroup, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second =
        first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      limit = std::min({limit, LimitUpwards(cgroup_root, path, ReadV2),
                        LimitUpwards(cgroup_root + "/unified", path, ReadV2)});
      continue;
    }
    const std::vector<std::string> names = Split(controllers, ',');
    if (std::find(names.begin(), names.end(), "cpu") == names.end()) continue;
    std::string mounted = cgroup_root;
    mounted.append("/").append(controllers);
    limit = std::min({limit, LimitUpwards(mounted, path, ReadV1),
                      LimitUpwards(cgroup_root + "/cpu", path, ReadV1)});
  }
  return limit;
}

}  // namespace ceres::parallel::detail
