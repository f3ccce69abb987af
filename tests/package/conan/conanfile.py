# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Packages of the distribution as Conan packages, so that the recipe of Vesta is tested without a network.

Usage: conan create tests/package/conan --name=eigen --version=3.4.0
"""

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration

# Name in Conan: the CMake file, the CMake target, the component, libraries, the folder of headers.
PACKAGES = {
    "eigen": ("Eigen3", "Eigen3::Eigen", None, [], "/usr/include/eigen3"),
    "glog": ("glog", "glog::glog", None, ["glog"], None),
    "highway": ("highway", "highway::hwy", "hwy", ["hwy"], None),
    "metis": ("metis", "metis::metis", None, ["metis"], None),
    "openblas": ("OpenBLAS", "OpenBLAS::OpenBLAS", None, ["openblas"], None),
}


class SystemPackage(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def validate(self):
        if self.name not in PACKAGES:
            raise ConanInvalidConfiguration(f"'{self.name}' is none of {', '.join(PACKAGES)}")

    def package_info(self):
        file, target, component, libraries, headers = PACKAGES[self.name]
        self.cpp_info.set_property("cmake_file_name", file)
        info = self.cpp_info.components[component] if component else self.cpp_info
        info.set_property("cmake_target_name", target)
        info.bindirs = []
        info.libdirs = []
        # The compiler searches /usr/include by itself.
        info.includedirs = [headers] if headers else []
        info.system_libs = libraries
        if self.name == "highway":
            info.defines = ["HWY_SHARED_DEFINE"]
