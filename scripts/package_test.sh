#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the library as each kind of consumer gets it, builds a program of each consumer, runs it, and prints a table:
# seconds (library and program), size of the stripped program, result. A compiler cache makes a second run quick.
# CMAKE_BUILD_PARALLEL_LEVEL is the number of jobs, at most two for 3 GB of memory.
# Usage: scripts/package_test.sh [--ci | ROW...]   without arguments: all rows; --ci: what CI has the time for
#                                                 (of add_subdirectory and fetch_content a program of the runtime alone)
#   static          find_package(Ceres), static library with the default options
#   shared          find_package(Ceres), shared library
#   add_subdirectory, fetch_content   the source tree inside another project
#   pkg_config      no CMake: pkg-config and the compiler, static and shared library
#   deb             the Debian packages, unpacked into a folder
#   components      find_package(Ceres) with every component name of Ceres 1.14 to 2.3
#   build_dir       find_package(Ceres) finds a build folder, by EXPORT_BUILD_DIR
#   eigen5          the library and a program with Eigen 5 (headers from the PyPI package eigency)
#   two_libraries   Debian's libceres and Vesta in one program
#   conan, vcpkg    the recipes in packaging/, both with VESTA_LOGGING=builtin (conan installs Conan from PyPI into build/package)
#   conda           the recipe in packaging/ is read and rendered by rattler-build (py-rattler-build from PyPI); no build
#   colcon          a colcon workspace of this checkout and a package that depends on ceres-solver (colcon comes from PyPI)
#   bazel           scripts/bazel_test.sh
#   clients         scripts/measure.sh clients
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

all_rows=(static shared add_subdirectory fetch_content pkg_config deb components build_dir eigen5 two_libraries conan vcpkg
  conda colcon clients bazel)
ci_rows=(static fetch_content components build_dir vcpkg)
app=app
case "${1:-}" in
  "") rows=("${all_rows[@]}") ;;
  --ci) rows=("${ci_rows[@]}") app=app_of_runtime ;;
  *)
    rows=("$@")
    for row in "${rows[@]}"; do
      [[ " ${all_rows[*]} " == *" $row "* ]] || { echo "unknown row '$row'; known: ${all_rows[*]}" >&2; exit 2; }
    done
    ;;
esac

root=$PWD
scratch=$root/build/package
mkdir -p "$scratch"
scripts/install_dependencies.sh --with-packaging
# Builds in different folders share objects.
[ -n "$(ccache --get-config base_dir 2>/dev/null)" ] || export CCACHE_BASEDIR=$root
export CCACHE_NOHASHDIR=1
memory_gb=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
[ "$jobs" -lt $((memory_gb * 2 / 3)) ] || jobs=$((memory_gb * 2 / 3))
[ "$jobs" -ge 1 ] || jobs=1

# library NAME OPTION...: builds the library alone in build/package-NAME and installs it into $scratch/NAME/prefix. This folder
# is as deep as build/release is, so that the paths of headers are the same to a compiler cache.
library() {
  local name=$1
  shift
  cmake -G Ninja -S "$root" -B "$root/build/package-$name" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF \
    -DBUILD_BENCHMARKS=OFF -DCMAKE_INSTALL_LIBDIR=lib "$@"
  cmake --build "$root/build/package-$name" --parallel "$jobs"
  rm -rf "$scratch/$name/prefix"
  cmake --install "$root/build/package-$name" --prefix "$scratch/$name/prefix"
}
static_library() { library static; }
shared_library() { library shared -DBUILD_SHARED_LIBS=ON; }

# consume ROW SOURCE TARGET OPTION...: configures the project in SOURCE, builds the program TARGET and runs it.
consume() {
  local row=$1 source=$2 target=$3
  shift 3
  rm -rf "$scratch/$row/app"
  cmake -G Ninja -S "$source" -B "$scratch/$row/app" -DCMAKE_BUILD_TYPE=Release "$@"
  cmake --build "$scratch/$row/app" --parallel "$jobs" --target "$target"
  program=$scratch/$row/app/$target
  "$program"
}

# contain ROW: a project that contains the source tree. It uses only a compiler cache of its own.
contain() {
  local row=$1 launcher=()
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  consume "$row" "tests/package/$row" "$app" -DVESTA_SOURCE="$root" "${launcher[@]}"
}

row_static() {
  static_library
  consume static tests/package app -DCMAKE_PREFIX_PATH="$scratch/static/prefix"
  # What only our sources include is linked by the file that programs load: no development file is needed.
  if grep -Eo '[^ ]*/lib(hwy|metis|openblas|lapack|blas)\.so( |$)' "$scratch/static/app/build.ninja"; then
    echo "The program is linked with files of development packages." >&2
    return 1
  fi
  # The files of the installation, and nothing else, go away.
  local prefix="$scratch/static/un install (c++) ü"
  rm -rf "$prefix"
  cmake --install "$root/build/package-static" --prefix "$prefix"
  touch "$prefix/include/other.h"
  cmake --build "$root/build/package-static" --target uninstall
  [ "$(find "$prefix" ! -type d)" = "$prefix/include/other.h" ]
}

row_shared() {
  shared_library
  consume shared tests/package app -DCMAKE_PREFIX_PATH="$scratch/shared/prefix"
  python3 tests/visibility/check_exports.py nm "" "$scratch"/shared/prefix/lib/*.so
}

row_add_subdirectory() { contain add_subdirectory; }

row_fetch_content() { contain fetch_content; }

row_pkg_config() {
  static_library
  shared_library
  local kind flags
  for kind in static shared; do
    # A static library is all that is installed there, so that pkg-config needs no --static.
    flags=$(PKG_CONFIG_PATH="$scratch/$kind/prefix/lib/pkgconfig" pkg-config --cflags --libs ceres)
    mkdir -p "$scratch/pkg_config"
    program=$scratch/pkg_config/$kind
    # shellcheck disable=SC2086  # The flags are words.
    c++ -std=c++17 -O2 tests/package/curve_fit.cc -o "$program" $flags "-Wl,-rpath,$scratch/$kind/prefix/lib"
    "$program"
  done
}

row_deb() {
  shared_library
  rm -rf "$scratch/deb"
  mkdir -p "$scratch/deb/root"
  (cd "$root/build/package-shared" && cpack -G DEB -B "$scratch/deb/packages")
  local package
  for package in "$scratch"/deb/packages/*.deb; do
    dpkg-deb --info "$package"
    dpkg-deb --extract "$package" "$scratch/deb/root"
  done
  ls -l "$scratch"/deb/packages/*.deb
  # An upgrade may remove one and keep the other: no file may be in both.
  [ -z "$(for package in "$scratch"/deb/packages/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -t; done |
    grep -v '/$' | sort | uniq -d)" ]
  consume deb tests/package app -DCMAKE_PREFIX_PATH="$scratch/deb/root/usr"
}

row_components() {
  static_library
  consume components tests/package/components app -DCMAKE_PREFIX_PATH="$scratch/static/prefix"
}

row_build_dir() {
  static_library
  # CMake's registry of packages is in the home folder. It comes after the folders of PATH, and so after Debian's Ceres.
  export HOME=$scratch/build_dir/home
  rm -rf "$HOME"
  local machine
  machine=$(c++ -dumpmachine)
  cmake -DEXPORT_BUILD_DIR=ON "$root/build/package-static"
  consume build_dir tests/package app -DCMAKE_IGNORE_PATH="/usr/lib/$machine/cmake/Ceres;/lib/$machine/cmake/Ceres"
  grep -Fx "Ceres_DIR:PATH=$root/build/package-static" "$scratch/build_dir/app/CMakeCache.txt"
  cmake -DEXPORT_BUILD_DIR=OFF "$root/build/package-static"
}

row_eigen5() {
  local folder=$scratch/eigen5
  mkdir -p "$folder/share/eigen3/cmake"
  if [ ! -d "$folder/include" ]; then
    # A wheel that carries Eigen 5.0.1. Debian 12 has 3.4.
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --no-deps --target "$folder/wheel" eigency==5.0.1.1
    local version_header
    version_header=$(find "$folder/wheel" -path '*/Eigen/Version' -print -quit)
    mv "${version_header%/Eigen/Version}" "$folder/include"
  fi
  # As Eigen's own package: it answers requests for version 5 only.
  cmake -DFOLDER="$folder" -P tests/package/write_eigen5_package.cmake
  library eigen5 -DEigen3_DIR="$folder/share/eigen3/cmake"
  consume eigen5 tests/package app -DCMAKE_PREFIX_PATH="$scratch/eigen5/prefix" -DEigen3_DIR="$folder/share/eigen3/cmake"
}

row_two_libraries() {
  dpkg-query -W libceres-dev >/dev/null 2>&1 || { echo "libceres-dev is not installed" >&2; return 77; }
  library two_libraries -DBUILD_SHARED_LIBS=ON -DVESTA_INLINE_NAMESPACE=vesta
  consume two_libraries tests/package/two_libraries app -DVESTA_PREFIX="$scratch/two_libraries/prefix"
}

row_conan() {
  tests/package/conan/run.sh "$scratch/conan"
  program=$scratch/conan/curve_fit
}

row_vcpkg() {
  cmake -DSCRATCH="$scratch/vcpkg" -DOPTIONS="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache" -P tests/package/vcpkg/run_port.cmake
  consume vcpkg tests/package app -DCMAKE_PREFIX_PATH="$scratch/vcpkg/packages"
}

row_conda() {
  [ -d "$scratch/conda/venv" ] || python3 -m venv "$scratch/conda/venv"
  "$scratch/conda/venv/bin/pip" install --quiet py-rattler-build==0.73.0
  "$scratch/conda/venv/bin/python" tests/package/conda/check_recipe.py packaging/conda/recipe.yaml
}

row_colcon() {
  tests/package/colcon/run.sh "$scratch/colcon" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  program=$scratch/colcon/install/consumer/lib/consumer/app
  "$program"
}

row_clients() {
  static_library
  scripts/measure.sh clients --prefix="$scratch/static/prefix" --jobs="$jobs"
}

row_bazel() { scripts/bazel_test.sh; }

failed=0
table=""
for row in "${rows[@]}"; do
  echo "== $row"
  start=$SECONDS
  program=""
  status=0
  # A function called in a condition would not stop at errors, so that each row is a process, which says its program.
  log=$scratch/$row.log
  set +e
  (
    set -e
    trap 'echo "$program" >"$scratch/$row.program"' EXIT
    "row_$row"
  ) >"$log" 2>&1
  status=$?
  set -e
  program=$(cat "$scratch/$row.program")
  size="-"
  if [ -n "$program" ]; then
    strip -o "$scratch/stripped" "$program"
    size="$(($(stat -c %s "$scratch/stripped") / 1024)) kB"
  fi
  case $status in
    0) result=passed ;;
    77) result="skipped: $(tail -1 "$log")" ;;
    *) result="FAILED, see $log"; failed=1; tail -25 "$log" ;;
  esac
  table+=$(printf '%-18s %6s s %10s  %s' "$row" "$((SECONDS - start))" "$size" "$result")$'\n'
done
echo
printf '%-18s %8s %10s  %s\n' consumer time program result
printf '%s' "$table"
exit $failed
