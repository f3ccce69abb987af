#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the symbols that the shared libraries export.

    check_exports.py NM INLINE_NAMESPACE LIBRARY...

INLINE_NAMESPACE is "" if the build has none. A library may export names of namespace ceres and the functions of c_api.h. Of
ceres::internal and ceres::parallel::detail it may export what ALLOWED lists. Prints what else there is, and exits with 1.
"""

import re
import subprocess
import sys

# Internal names that are exported, with the reason.
ALLOWED = {
    # Called by inline functions and templates of public headers, and a base class of public classes.
    "internal": {"FailCheck", "ParameterizationByManifold", "RiddersExtrapolation"},
    # Called by inline functions and templates of the public headers of the runtime.
    "parallel::detail": {
        "AbandonFork", "EnterFork", "FinishPublishedFork", "LearnFromFork", "RootFork", "GraphArena",
        "RunLoop", "RunLoopWithOptions", "ThrowNegativeBegin", "ThrowRangeTooLong", "WordAtomics", "SpinLock",
        "TakeTaskNode", "GiveTaskNode", "TaskSet", "HelpPool", "HandleDetachedException", "RecordTraceMoment",
        "RecordTraceSlice", "RecordTraceSpawn", "RecordTraceTask", "TraceTicks", "SteadyNow",
        # State that is one in a process.
        "current_participation", "sequential_cutoff", "this_worker", "trace_switch",
        # Used by the solver, which is a library of its own: the clock, and what it asks of a pool.
        "clock_source", "nanoseconds_per_tick", "nanoseconds_per_reading", "fake_time", "fake_reading_time",
        "NowWithoutCounter", "TickLength", "CalibrateClock", "CalibrateClockSince", "MeasureReading", "NumCpus",
        "KeepWorkersSpinning", "MakeTimeline", "SummarizeTimeline",
    },
    # Used by the solver: the terminal of the progress display, and functions of OpenBLAS by name. Used by
    # Ceres::distributed: the files of a checkpoint on disk.
    "platform": {"FindSymbol", "IsTerminal", "TerminalWidth", "SyncFile", "SyncFolder"},
}
# Functions of the layer `base`, which the solver takes from the library of the runtime.
ALLOWED["internal"] |= {"AllocatePages", "TouchPage", "DropPage", "AreNewPagesZero", "FreePages", "Format", "AppendFormat",
                        "AppendScientific", "StagedFiles"}

KINDS = (r"(?:(?:vtable|typeinfo|typeinfo name|VTT|construction vtable|guard variable|TLS init function|TLS wrapper function)"
         r" for |(?:non-)?virtual thunk to )?")


def exported_names(nm, library):
    """The demangled names of the dynamic symbols that the library defines."""
    output = subprocess.run([nm, "-D", "-C", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return sorted({line.split(maxsplit=2)[2] for line in output.splitlines()})


def is_allowed(name, inline_namespace):
    """Whether a library may export the name."""
    suffix = f"_{inline_namespace}" if inline_namespace else ""
    if re.fullmatch(rf"ceres_[a-z0-9_]+{suffix}", name):
        return True
    inner = f"{inline_namespace}::" if inline_namespace else ""
    # The text before the name is the kind of a table, or the result of a template.
    match = re.match(rf"{KINDS}(?:[^()]* )?ceres::{inner}(internal|platform|parallel::detail)::(\w+)", name)
    if match:
        return match.group(2) in ALLOWED[match.group(1)]
    return re.match(rf"{KINDS}(?:[^()]* )?ceres::{inner}\w", name) is not None


def main():
    nm, inline_namespace, libraries = sys.argv[1], sys.argv[2], sys.argv[3:]
    num_problems = 0
    for library in libraries:
        names = exported_names(nm, library)
        problems = [name for name in names if not is_allowed(name, inline_namespace)]
        for name in problems:
            print(f"{library} exports {name}")
        print(f"{library}: {len(names)} exported symbols, {len(problems)} not allowed")
        # A library without symbols would pass.
        num_problems += len(problems) + (len(names) < 50)
    return 1 if num_problems else 0


if __name__ == "__main__":
    sys.exit(main())
