#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs the program trace_summary on a trace made by hand. Usage: trace_summary_test.py TRACE_SUMMARY"""

import pathlib
import re
import subprocess
import sys
import unittest

TRACE = pathlib.Path(__file__).resolve().parent / "two_workers.trace.json"

# In us. Main works for 100, starts a task of 150, works for 100, runs a loop of blocks of 10 for 600, waits for the other
# thread of the loop for 100 and for the task for 10, and works for 90.
#   W = 890 of main + 700 of worker 0 in the loop + 150 of worker 1 = 1740
#   S = 100 + max(150 of the task, 100 + 10 of a block) + 90 = 340
#   at least max(W / P, S), at most (W - S) / P + S:
#     4:   435 to 690,  1740 / 690 = 2.522, 1740 / 435 = 4
#     16:  340 to 427.5,  1740 / 427.5 = 4.070, 1740 / 340 = 5.118
#     64:  340 to 361.875,  1740 / 361.875 = 4.808
SUMMARY = """\
duration 1.000 ms
work 1.740 ms (58.0 % of the threads' time)
span 340.000 us
parallelism 5.12
lost waiting 110.000 us
lost waking 70.000 us (2 wake-ups)
recorded 1 tasks, 1 loops and forks, 2 pieces

thread busy waiting waking idle
main 89.0 % 11.0 % 0.0 % 0.0 %
worker 0 70.0 % 0.0 % 3.0 % 27.0 %
worker 1 15.0 % 0.0 % 4.0 % 81.0 %

threads time (greedy scheduler) speed-up
1 1.740 ms to 1.740 ms 1.00 to 1.00
4 435.000 us to 690.000 us 2.52 to 4.00
16 340.000 us to 427.500 us 4.07 to 5.12
64 340.000 us to 361.875 us 4.81 to 5.12
"""


def run(*arguments, **options):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60, check=False, **options)


class TraceSummaryTest(unittest.TestCase):
    def expect_summary(self, result):
        self.assertEqual("", result.stderr)
        lines = [re.sub(" +", " ", line).strip() for line in result.stdout.splitlines()]
        self.assertEqual(SUMMARY.splitlines(), lines)
        self.assertEqual(0, result.returncode)

    def test_a_file_is_summarized(self):
        self.expect_summary(run(str(TRACE)))

    def test_standard_input_is_summarized(self):
        with TRACE.open(encoding="utf-8") as trace:
            self.expect_summary(run(stdin=trace))

    def test_what_is_no_trace_is_refused(self):
        result = run(input="[1]")
        self.assertEqual(1, result.returncode)
        self.assertEqual("", result.stdout)
        self.assertEqual("trace_summary: standard input: not a trace: at byte 0 expected '{'\n", result.stderr)

    def test_a_file_that_is_not_there_is_refused(self):
        result = run(str(TRACE) + ".none")
        self.assertEqual(1, result.returncode)
        self.assertIn("cannot open", result.stderr)

    def test_wrong_arguments_are_answered_with_the_usage(self):
        for arguments in (["--help"], ["a", "b"]):
            result = run(*arguments)
            self.assertEqual(2, result.returncode)
            self.assertIn("usage: trace_summary", result.stderr)


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
