// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Scrolls the list of pages to the current one, which would be out of sight on most pages.
window.addEventListener("DOMContentLoaded", () => {
  const list = document.querySelector(".sidebar-scroll");
  const page = list && list.querySelector(".current-page");
  if (!page) return;
  const top = page.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (top > 0.8 * list.clientHeight) list.scrollTop = top - 0.4 * list.clientHeight;
});
