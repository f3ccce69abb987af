// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A build tool in small: rules say which target is made of which others; those
// that do not depend on each other are made at the same time.
//
// Prints: Made program.main.o.config.h#56.#216..libsolver.a.*#904
// Prints: Some targets were left out: libsolver.a program report.o
// Prints: Made all 8; counted 9 uses meanwhile
// Prints: TaskGraph: 3 tasks wait for each other: "config.h"

#include "ceres/parallel/task_graph.h"

#include <cstddef>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "ceres/parallel/thread_pool.h"

namespace {

using ceres::parallel::Status;
using ceres::parallel::TaskGraph;
using ceres::parallel::ThreadPool;

struct Target {
  std::vector<std::string> sources;
  std::string content;
  TaskGraph::Task task;
};

// In a map, so that names and addresses stay where they are.
using Targets = std::map<std::string, Target>;

// Stands for a compiler: does some work on all sources.
void Make(const Targets& targets, const std::string& name, Target* target) {
  target->content = name;
  for (const std::string& source : target->sources) {
    target->content += "(" + targets.at(source).content + ")";
  }
  std::size_t checksum = 0;
  for (int round = 0; round < 100000; ++round) {
    for (const char c : target->content) checksum = 31 * checksum + c;
  }
  target->content += "#" + std::to_string(checksum % 1000);
}

void AddTasks(Targets* targets, TaskGraph* graph) {
  for (auto& [name, target] : *targets) {
    target.task =
        graph->Add([targets, &name = name,
                    &target = target] { Make(*targets, name, &target); },
                   name.c_str());
  }
  for (auto& [name, target] : *targets) {
    for (const std::string& source : target.sources) {
      target.task.Succeed(targets->at(source).task);
    }
  }
}

}  // namespace

int main() {
  Targets targets;
  targets["config.h"];
  for (const char* unit : {"matrix", "solver", "report", "main"}) {
    targets[std::string(unit) + ".o"].sources = {"config.h"};
  }
  targets["libsolver.a"].sources = {"matrix.o", "solver.o", "report.o"};
  targets["program"].sources = {"main.o", "libsolver.a"};
  targets["manual"];

  ThreadPool& pool = ThreadPool::Default();
  TaskGraph graph;
  AddTasks(&targets, &graph);
  graph.Run(pool);
  std::cout << "Made " << targets["program"].content << "\n";

  // A graph can be run again. Without report.o there is no library, and so no
  // program; the rest is made.
  for (auto& [name, target] : targets) target.content.clear();
  targets["report.o"].task.Cancel();
  const Status status = graph.Run(pool);
  std::cout << (status == Status::kCancelled ? "Some" : "No")
            << " targets were left out:";
  for (const auto& [name, target] : targets) {
    if (target.content.empty()) std::cout << " " << name;
  }
  std::cout << "\n";
  graph.Reset();

  // Begun here and waited for later: meanwhile this thread does something else,
  // and then helps with what is left.
  graph.Submit(pool);
  std::size_t uses = 0;
  for (const auto& [name, target] : targets) uses += target.sources.size();
  if (graph.Wait() == Status::kCompleted) {
    std::cout << "Made all " << targets.size() << "; counted " << uses
              << " uses meanwhile\n";
  }

  // Rules that go round in a circle are found before anything is made.
  targets["program"].task.Precede(targets["config.h"].task);
  try {
    graph.Run(pool);
  } catch (const ceres::parallel::CycleError& error) {
    std::cout << error.what() << "\n";
  }
  return 0;
}
