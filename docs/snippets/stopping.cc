
// Ends a solve early: by a callback, a token, or a time limit.

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include "ceres/ceres.h"
#include "ceres/parallel/cancellation.h"
#include "outcome.h"
#include "small_bundle.h"

namespace {

void Solve(const char* name, const ceres::Solver::Options& options) {
  SmallBundle bundle(5, 40);
  const std::array<double, 3> start = bundle.points[0];
  ceres::Solver::Summary summary;
  ceres::Solve(options, &bundle.problem, &summary);
  const std::string message = summary.message;
  std::printf("-- %s\n%s, parameters %s\n", name,
              ceres::TerminationTypeToString(summary.termination_type),
              bundle.points[0] == start ? "unchanged" : "changed");
  PrintWrapped(message.substr(0, message.find(": ")));
}

// [callback]
// Ends the solve as soon as the cost is good enough.
class GoodEnough : public ceres::IterationCallback {
 public:
  explicit GoodEnough(double cost, ceres::CallbackReturnType answer)
      : cost_(cost), answer_(answer) {}

  ceres::CallbackReturnType operator()(
      const ceres::IterationSummary& summary) override {
    return summary.cost <= cost_ ? answer_ : ceres::SOLVER_CONTINUE;
  }

 private:
  double cost_;
  ceres::CallbackReturnType answer_;
};
// [/callback]

// [cancel]
// Cancels the solve after an iteration. A program would call Cancel() from the
// thread of its user interface.
class CancelAfter : public ceres::IterationCallback {
 public:
  CancelAfter(int iteration, ceres::parallel::CancellationSource* source)
      : iteration_(iteration), source_(source) {}

  ceres::CallbackReturnType operator()(
      const ceres::IterationSummary& summary) override {
    if (summary.iteration == iteration_) source_->Cancel();
    return ceres::SOLVER_CONTINUE;
  }

 private:
  int iteration_;
  ceres::parallel::CancellationSource* source_;
};
// [/cancel]

}  // namespace

int main() {
  {
    // [use_callback]
    ceres::Solver::Options options;
    GoodEnough callback(30.0, ceres::SOLVER_TERMINATE_SUCCESSFULLY);
    options.callbacks.push_back(&callback);
    Solve("a callback that is content", options);
    // [/use_callback]
  }
  {
    ceres::Solver::Options options;
    GoodEnough callback(30.0, ceres::SOLVER_ABORT);
    options.callbacks.push_back(&callback);
    Solve("a callback that aborts", options);
  }
  {
    // [use_token]
    ceres::parallel::CancellationSource source;
    ceres::Solver::Options options;
    options.cancellation_token = source.token();
    CancelAfter callback(1, &source);
    options.callbacks.push_back(&callback);
    Solve("a token, cancelled after iteration 1", options);
    // [/use_token]
  }
  {
    // [use_deadline]
    ceres::parallel::CancellationSource source(std::chrono::milliseconds(0));
    ceres::Solver::Options options;
    options.cancellation_token = source.token();
    Solve("a token whose deadline has passed", options);
    // [/use_deadline]
  }
  {
    // [use_limit]
    ceres::Solver::Options options;
    options.max_solver_time_in_seconds = 0.0;
    Solve("a time limit of 0 seconds", options);
    // [/use_limit]
  }
}
