// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// main() of tests that run on all ranks of MPI_COMM_WORLD. A test fails if it
// fails on one rank.

#include <mpi.h>

#include "glog/logging.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  google::InitGoogleLogging(argv[0]);
  FLAGS_logtostderr = true;
  testing::InitGoogleMock(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    // Rank 0 reports; of the others, failures are enough.
    testing::TestEventListeners& listeners =
        testing::UnitTest::GetInstance()->listeners();
    testing::TestEventListener* const printer =
        listeners.Release(listeners.default_result_printer());
    class Failures final : public testing::EmptyTestEventListener {
     public:
      explicit Failures(TestEventListener* printer) : printer_(printer) {}
      ~Failures() override { delete printer_; }
      void OnTestPartResult(const testing::TestPartResult& result) override {
        printer_->OnTestPartResult(result);
      }

     private:
      TestEventListener* const printer_;
    };
    listeners.Append(new Failures(printer));
  }
  int result = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return result;
}
