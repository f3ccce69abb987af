# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

"""For Bazel without modules: the dependencies, as packages of the Linux distribution."""

def vesta_system_repositories(eigen = "/usr/include/eigen3", headers = "/usr/include"):
    """Declares @eigen, @glog, @googletest and @highway, except those that the workspace has declared before.

    Args:
      eigen: folder of Eigen's headers.
      headers: folder that the compiler searches, with the headers of the other packages.
    """
    packages = {
        "eigen": eigen,
        "glog": headers + "/glog",
        "googletest": headers + "/gtest",
        "highway": headers + "/hwy",
    }
    for name in packages:
        if not native.existing_rule(name):
            native.new_local_repository(
                name = name,
                build_file = "@vesta//bazel:system/%s.BUILD" % name,
                path = packages[name],
            )
