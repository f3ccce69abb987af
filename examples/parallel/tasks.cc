// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tasks: calls that are made some time, in a worker or in whoever waits.
//
// Prints: 12 words, then 14
// Prints: detached: 100 of 100

#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "ceres/parallel/future.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

struct Document {
  int CountWords() const {
    std::istringstream stream(text);
    int words = 0;
    for (std::string word; stream >> word;) ++words;
    return words;
  }

  std::string text;
};

void Append(Document& document, std::unique_ptr<std::string> text) {
  document.text += *text;
}

}  // namespace

int main() {
  parallel::ThreadPool pool(2);
  Document document{
      "whoever waits can run every piece that nobody has begun, "
      "so nothing"};

  // Any callable by the rules of std::invoke: here a member function of an
  // object that is not copied.
  parallel::Future<int> before =
      parallel::Async(pool, &Document::CountWords, std::cref(document));
  const int words = before.Get();

  // Arguments are moved into the task, also those that can only be moved.
  parallel::Future<void> append =
      parallel::Async(pool, &Append, std::ref(document),
                      std::make_unique<std::string>(" hangs here"));
  append.Get();
  std::cout << words << " words, then " << document.CountWords() << "\n";

  // Detached: nobody waits for one of them; here for all at once.
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    parallel::Detach(pool, [&done] { ++done; });
  }
  pool.WaitForAll();
  std::cout << "detached: " << done << " of 100\n";
}
