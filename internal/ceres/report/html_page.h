// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_HTML_PAGE_H_
#define CERES_INTERNAL_REPORT_HTML_PAGE_H_

#include <string>

namespace ceres::internal {

// The page report.html with report.css, the parts of its script and these data
// in it. `json` is what ReportToJson returns, `title` any UTF-8.
std::string HtmlPage(const std::string& title, const std::string& json);

// Returns the same JSON in a form that a <script> element of an HTML page can
// contain: no '<', and no line terminators of JavaScript other than newline.
std::string JsonForScript(const std::string& json);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_HTML_PAGE_H_
