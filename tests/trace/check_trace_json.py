#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the JSON that Trace::WriteJson writes. Usage: check_trace_json.py PROGRAM

PROGRAM takes a path, writes the JSON of a trace there, and prints the summary of the trace."""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        summary = subprocess.run([sys.argv[1], str(path)], capture_output=True, text=True, timeout=60, check=True).stdout
        trace = json.loads(path.read_text(encoding="utf-8"))
    events = trace["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    counts = collections.Counter(event["cat"] for event in slices)
    recorded = re.search(r"recorded +(\d+) tasks, (\d+) loops and forks, (\d+) pieces", summary)
    assert recorded, summary
    assert [counts["task"], counts["loop"], counts["piece"]] == [int(count) for count in recorded.groups()], counts
    threads = {event["tid"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    duration = trace["otherData"]["duration"]
    for event in slices:
        assert event["tid"] in threads, event
        assert 0 <= event["ts"] <= event["ts"] + event["dur"] <= duration + 0.002, event


if __name__ == "__main__":
    main()
