#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the HTML report of an example in a browser without a screen.

    check_report.py PROGRAM [FLAGS]

Runs PROGRAM with --report, and checks that the page needs no other file, that its program draws each section at the width
of a desktop and of a phone, that all buttons can be pressed, and that no error is reported. Ends with 77 (skipped), after
the checks of the text, if there is no chromium.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SECTIONS = ("advice", "convergence", "undetermined", "time", "residuals", "structure", "full")
# Presses each button, opens each link that unfolds a table, and moves the pointer over each drawing. Errors go into the
# title of the page, which --dump-dom prints.
PROBE = """<script>
const errors = [];
addEventListener('error', (event) => errors.push(event.message));
addEventListener('load', () => setTimeout(() => {
  for (const button of document.querySelectorAll('button, a[href="#worst"], a[href="#scene"]')) button.click();
  for (const drawing of document.querySelectorAll('svg, canvas')) {
    const box = drawing.getBoundingClientRect();
    for (const type of ['pointermove', 'pointerleave']) {
      drawing.dispatchEvent(new PointerEvent(type, {clientX: box.left + box.width / 2, clientY: box.top + 5}));
    }
  }
  for (const drawing of document.querySelectorAll('svg[aria-label^="Histogram"]')) {
    drawing.dispatchEvent(new PointerEvent('pointermove', {clientX: drawing.getBoundingClientRect().left + 1}));
    const text = document.getElementById('tip').textContent;
    if (!text.startsWith('up to ')) errors.push(`the first bin has all smaller norms, but its label is ${text}`);
    drawing.dispatchEvent(new PointerEvent('pointerleave'));
  }
  if (document.documentElement.scrollWidth > innerWidth) errors.push('wider than the window');
  document.title = errors.length === 0 ? 'PROBE OK' : 'PROBE ' + errors.join('; ');
}, 200));
</script>"""


def fail(message):
    print(f"FAILED: {message}")
    sys.exit(1)


def check_text(page):
    if re.search(r"""(src|href)\s*=\s*["'][^#"']""", page, re.IGNORECASE):
        fail("the page names another file")
    addresses = set(re.findall(r"https?://[^\s\"'<>]*", page)) - {"http://www.w3.org/2000/svg"}
    if addresses:
        fail(f"the page names {addresses}")
    if len(page) > 2_000_000:
        fail(f"the page has {len(page)} bytes")


def without_scene(page):
    """The page of a report without HtmlReport::Options::scene."""
    found = re.search(r'(?<=id="data">).*?(?=</script>)', page, re.DOTALL)
    data = json.loads(found[0])
    data["scene"].update(num_points=0, num_poses=0)
    return page[:found.start()] + json.dumps(data).replace("<", "\\u003c") + page[found.end():]


def check_in_browser(browser, page, folder, width):
    probe = folder / f"probe_{width}.html"
    probe.write_text(page.replace("<head>", "<head>" + PROBE, 1))
    run = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
         f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1000", "--dump-dom", probe.as_uri()],
        capture_output=True, text=True, timeout=120)
    title = re.search(r"<title>(.*?)</title>", run.stdout, re.DOTALL)
    if title is None:
        fail(f"chromium printed no page: {run.stderr[-2000:]}")
    if title[1] != "PROBE OK":
        fail(f"at {width} pixels: {title[1]}")
    data = json.loads(re.search(r'(?<=id="data">).*?(?=</script>)', page, re.DOTALL)[0])
    for section in SECTIONS + (("pose-graph",) if data["pose_graph"]["is_made"] else ()):
        if f'<section id="{section}"' not in run.stdout:
            fail(f"at {width} pixels: section {section} was not drawn")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        report = folder / "report.html"
        run = subprocess.run([*sys.argv[1:], f"--report={report}"], capture_output=True, text=True, cwd=folder)
        if run.returncode != 0 or f"Report: {report}" not in run.stdout:
            fail(f"exit status {run.returncode}\n{run.stdout}{run.stderr}")
        page = report.read_text()
        check_text(page)
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if browser is None:
            print("Skipped: there is no chromium.")
            return SKIPPED
        for width in (1440, 390):
            check_in_browser(browser, page, folder, width)
        check_in_browser(browser, without_scene(page), folder, 1440)
    return 0


if __name__ == "__main__":
    sys.exit(main())
