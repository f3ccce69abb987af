// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Continuations: Future::Then runs a step when a result is there; no thread
// waits for it.
//
// Prints: words: 9, longest: follows
// Prints: failed: no such novel
// Prints: 1000000 links: 1000000
// Prints: nobody waited: 8

#include <algorithm>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

std::string Load(const std::string& name) {
  if (name != "text") throw std::runtime_error("no such " + name);
  return "what follows a result without a thread that waits";
}

std::vector<std::string> Split(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string Describe(const std::vector<std::string>& words) {
  const auto longest = std::max_element(
      words.begin(), words.end(),
      [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return "words: " + std::to_string(words.size()) + ", longest: " + *longest;
}

}  // namespace

int main() {
  parallel::ThreadPool pool;

  // Each step gets what the one before has returned.
  parallel::Future<std::string> description =
      parallel::Async(pool, &Load, "text").Then(&Split).Then(&Describe);
  std::cout << description.Get() << "\n";

  // get() throws the exception of a step; later steps are not called.
  description =
      parallel::Async(pool, &Load, "novel").Then(&Split).Then(&Describe);
  try {
    description.Get();
  } catch (const std::runtime_error& error) {
    std::cout << "failed: " << error.what() << "\n";
  }

  // A chain of any length takes the stack of one task.
  constexpr int kLinks = 1000000;
  parallel::Future<int> count = parallel::Async(pool, [] { return 0; });
  for (int k = 0; k < kLinks; ++k) {
    count = count.Then([](int n) { return n + 1; });
  }
  std::cout << kLinks << " links: " << count.Get() << "\n";

  // Nobody has to wait, and the future may be dropped.
  int result = 0;
  static_cast<void>(parallel::Async(pool, [] {
                      return 7;
                    }).Then([&result](int n) { result = n + 1; }));
  pool.WaitForAll();
  std::cout << "nobody waited: " << result << "\n";
}
