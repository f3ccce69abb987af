// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiles behind a header that brings what glog's header and ceres/jet.h bring
// in Ceres 2.1.

inline double UseStandardHeaders(const std::vector<double>& values) {
  const auto start = std::chrono::steady_clock::now();
  const std::time_t now = std::time(nullptr);
  std::atomic<std::size_t> count{0};
  char text[8];
  std::memset(text, 0, sizeof(text));
  const auto sum = std::make_unique<double>(
      std::accumulate(values.begin(), values.end(), 0.0));
  if (!(*sum < std::numeric_limits<double>::max())) {
    throw std::runtime_error(typeid(*sum).name());
  }
  std::ostringstream stream;
  stream << std::string(text) << now << count++;
  std::cout << stream.str() << std::flush;
  const auto [first, second] = std::make_pair(1, 2);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
             .count() +
         first + second;
}
