# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Builds a program that finds the package by find_package(Ceres), and runs it. The package must have its licence."""

import os

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class VestaTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        licence = os.path.join(self.dependencies["ceres-solver"].package_folder, "licenses", "LICENSE")
        if not os.path.exists(licence):
            raise ConanException(f"The package lacks {licence}")
        if can_run(self):
            self.run(os.path.join(self.cpp.build.bindir, "curve_fit"), env="conanrun")
