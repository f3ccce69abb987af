# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Conan 2 recipe of the checkout that it lies in: `conan create packaging/conan`.

The package has the name that Ceres's own has, so that recipes which require it get Vesta.
"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.1"


class VestaRecipe(ConanFile):
    name = "ceres-solver"
    description = "Vesta: a nonlinear least-squares solver with Ceres Solver's API and a parallel runtime of its own"
    license = "BSD-3-Clause"
    topics = ("least-squares", "optimization", "bundle-adjustment", "parallel")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        # The sink of log messages: stderr and callbacks, or Google's glog.
        "logging": ["builtin", "glog"],
        # Dense factorizations of OpenBLAS.
        "lapack": [True, False],
        # Nested dissection orderings.
        "metis": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "logging": "builtin",
        "lapack": True,
        "metis": True,
    }

    def set_version(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        self.version = re.search(r"project\(Ceres VERSION ([0-9.]+)", load(self, os.path.join(root, "CMakeLists.txt")))[1]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "internal/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def config_options(self):
        if self.settings.os == "Windows":
            self.options.rm_safe("fPIC")

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # Eigen and, for programs that were written for Ceres, glog are part of the interface.
        self.requires("eigen/[>=3.4 <6]", transitive_headers=True)
        if self.options.logging == "glog":
            self.requires("glog/[>=0.6 <1]", transitive_headers=True, transitive_libs=True)
        self.requires("highway/[>=1.0.3 <2]")
        if self.options.lapack:
            self.requires("openblas/[>=0.3.20 <1]")
        if self.options.metis:
            self.requires("metis/[>=5.1 <6]")

    def validate(self):
        check_min_cppstd(self, 17)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "BUILD_TESTING": False,
            "BUILD_EXAMPLES": False,
            "BUILD_BENCHMARKS": False,
            "VESTA_LOGGING": str(self.options.logging),
            "LAPACK": bool(self.options.lapack),
            "EIGENMETIS": bool(self.options.metis),
            "SUITESPARSE": False,
        })
        # CMake would find out with a program that it compiles, but without a configuration, and so without what Conan's targets
        # link in one.
        if self.options.lapack:
            toolchain.cache_variables["VESTA_LAPACK_IS_OPENBLAS"] = True
        toolchain.generate()
        dependencies = CMakeDeps(self)
        # The names that cmake/Dependencies.cmake asks for.
        for package, file in (("highway", "Highway"), ("openblas", "LAPACK"), ("metis", "METIS")):
            dependencies.set_property(package, "cmake_file_name", file)
        dependencies.set_property("highway::hwy", "cmake_target_name", "Highway::hwy")
        dependencies.set_property("openblas", "cmake_target_name", "LAPACK::LAPACK")
        dependencies.set_property("metis", "cmake_target_name", "METIS::METIS")
        dependencies.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan generates these files itself, for the build system of whoever uses the package. share/ has the licence again.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "Ceres")
        self.cpp_info.set_property("cmake_additional_variables_prefixes", ["CERES"])

        runtime = self.cpp_info.components["parallel"]
        runtime.set_property("cmake_target_name", "Ceres::parallel")
        runtime.set_property("pkg_config_name", "ceres_parallel")
        runtime.libs = ["ceres_parallel"]
        if self.settings.os in ("Linux", "FreeBSD"):
            runtime.system_libs = ["pthread", "m"]

        solver = self.cpp_info.components["ceres"]
        solver.set_property("cmake_target_name", "Ceres::ceres")
        solver.set_property("cmake_target_aliases", ["ceres"])
        solver.set_property("pkg_config_name", "ceres")
        solver.libs = ["ceres"]
        solver.requires = ["parallel", "eigen::eigen", "highway::hwy"]
        if self.options.logging == "glog":
            solver.requires.append("glog::glog")
        if self.options.lapack:
            solver.requires.append("openblas::openblas")
        if self.options.metis:
            solver.requires.append("metis::metis")
