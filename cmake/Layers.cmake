# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Folders of internal/ceres are layers. One target per layer, linked only to the layers it may use, and the tests and
# benchmarks of a layer are linked to it alone, so that a dependency which points upward does not link.

# Creates vesta_<NAME> from the sources of FOLDER and its sub-folders, and the tests and benchmarks that stand beside them.
# FOLDER and EXCEPT are relative to the current folder.
# Sources named *_test_utils.cc and random_*.cc are shared by tests.
# DEPENDS names other layers, LIBRARIES the other libraries that the sources need. Sub-folders that are layers themselves
# (EXCEPT) are left out. Tests have the label of the layer OUTER, whose folder contains this layer's, and link OUTER if it may
# use this layer.
function(vesta_layer NAME)
  cmake_parse_arguments(ARG "" "FOLDER;OUTER" "DEPENDS;LIBRARIES;EXCEPT" ${ARGN})
  # Relative to the current folder: the path of the checkout may contain characters of regular expressions.
  set(relative RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS)
  file(GLOB_RECURSE tests ${relative} "${ARG_FOLDER}/*_test.cc")
  file(GLOB_RECURSE benchmarks ${relative} "${ARG_FOLDER}/*_benchmark.cc")
  file(GLOB_RECURSE sources ${relative} "${ARG_FOLDER}/*.cc")
  file(GLOB_RECURSE test_support ${relative} "${ARG_FOLDER}/*_test_utils.cc" "${ARG_FOLDER}/random_*.cc")
  foreach(folder IN LISTS ARG_EXCEPT)
    foreach(list IN ITEMS tests benchmarks sources test_support)
      list(FILTER ${list} EXCLUDE REGEX "^${folder}/")
    endforeach()
  endforeach()
  list(REMOVE_ITEM test_support ${tests} ${benchmarks} "")
  list(REMOVE_ITEM sources ${tests} ${benchmarks} ${test_support} "")
  list(TRANSFORM ARG_DEPENDS PREPEND vesta_)

  # A layer of headers only has nothing to archive.
  if(sources)
    set(scope PUBLIC)
    add_library(vesta_${NAME} STATIC ${sources})
    target_link_libraries(vesta_${NAME} PRIVATE vesta_warnings)
    # A shared library exports what is marked (export.h), no more.
    if(BUILD_SHARED_LIBS)
      set_target_properties(vesta_${NAME} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
  else()
    set(scope INTERFACE)
    add_library(vesta_${NAME} INTERFACE)
  endif()
  target_include_directories(vesta_${NAME} ${scope} "${VESTA_CODE_DIR}/include" "${VESTA_CODE_DIR}/internal"
                                                    "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(vesta_${NAME} ${scope} ${ARG_DEPENDS} ${ARG_LIBRARIES})
  # The runtime, which the layers before `execution` are, includes the standard library only.
  if(sources AND (NAME STREQUAL "execution" OR TARGET vesta_execution))
    vesta_precompile_headers(vesta_${NAME} vesta_execution <Eigen/Core>)
  endif()

  # Code that tests and benchmarks share: the support of the layers below, and this layer's own.
  if(BUILD_TESTING OR BUILD_BENCHMARKS)
    list(TRANSFORM ARG_DEPENDS APPEND _test_support OUTPUT_VARIABLE support_below)
    if(test_support)
      add_library(vesta_${NAME}_test_support STATIC ${test_support})
      target_link_libraries(vesta_${NAME}_test_support PUBLIC ${support_below} vesta_${NAME} PRIVATE vesta_warnings)
      target_compile_options(vesta_${NAME}_test_support PRIVATE "$<$<CONFIG:Release>:-O1>")
    else()
      add_library(vesta_${NAME}_test_support INTERFACE)
      target_link_libraries(vesta_${NAME}_test_support INTERFACE ${support_below} vesta_${NAME})
    endif()
    set(label ${NAME})
    set(tested ${NAME})
    if(ARG_OUTER)
      set(label ${ARG_OUTER})
      list(FIND VESTA_LAYERS ${ARG_OUTER} place_of_outer)
      list(FIND VESTA_LAYERS ${NAME} place)
      if(place LESS place_of_outer)
        set(tested ${ARG_OUTER})
      endif()
    endif()
    set(tested vesta_${tested}_test_support vesta_${tested})
  endif()

  if(BUILD_TESTING)
    # `--target linear_tests` builds what `ctest -L linear` runs. Tests of what computes with a few numbers in arrays of fixed
    # size have a label of their own: they take long to compile, most of all under sanitizers, and CI does without them there.
    foreach(group IN ITEMS ${label} arithmetic protocol)
      if(NOT TARGET ${group}_tests)
        add_custom_target(${group}_tests)
      endif()
    endforeach()
    # Tests are two thirds of a build. What they test there is in the libraries, compiled as users have it. Templates that users
    # compile are tested as most of them do where the optimizer decides what they do: in the runtime, and where Jets leave out
    # what it knows to be zero. Examples and benchmarks are compiled as users do, too.
    foreach(source IN LISTS tests)
      get_filename_component(test "${source}" NAME_WE)
      if(test IN_LIST VESTA_EXCLUDED_TESTS)
        continue()
      endif()
      set(main vesta_test_main_O1)
      if(label STREQUAL "parallel" OR test MATCHES "^(autodiff|jet|jet_derivative)_test$")
        set(main vesta_test_main)
      endif()
      vesta_test("${source}" ${main} ${tested})
      set(group ${label})
      if(test MATCHES "^(euler_angles|jet|jet_functions|quaternion|rotation|small_ldlt|tiny_solver)_test$")
        set(group arithmetic)
      endif()
      # Explorers of protocols run simulated threads on one real thread and look for data races themselves. The thread
      # sanitizer makes them take minutes, and has nothing to find.
      if(VESTA_SANITIZE MATCHES "thread" AND test MATCHES "_protocol_test$")
        set(group protocol)
      endif()
      set_property(TEST ${test} APPEND PROPERTY LABELS ${group})
      if(test MATCHES "_timing_test$")
        set_property(TEST ${test} APPEND PROPERTY LABELS timing)
      endif()
      add_dependencies(${group}_tests ${test})
    endforeach()
  endif()
  if(BUILD_BENCHMARKS)
    foreach(source IN LISTS benchmarks)
      vesta_benchmark("${source}" ${tested})
    endforeach()
  endif()
endfunction()

# Precompiles HEADERS, and those of the standard library that most sources include, for the target NAME: reading Eigen takes
# one to two seconds, loading it a quarter. OWNER is the target that they are compiled for, once; others, which are compiled
# with the same options, come after it and share them. CMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without, and so finds a
# source that forgets to include what it uses. Usage: vesta_precompile_headers(NAME OWNER HEADER...)
function(vesta_precompile_headers NAME OWNER)
  if(NAME STREQUAL OWNER)
    target_precompile_headers(${NAME} PRIVATE <algorithm> <cmath> <functional> <limits> <memory> <random> <string> <utility>
                              <vector> ${ARGN})
  else()
    target_precompile_headers(${NAME} REUSE_FROM ${OWNER})
  endif()
endfunction()

# Sets OBJECTS to the objects of layers. Usage: vesta_objects(OBJECTS LAYER...)
function(vesta_objects OBJECTS)
  set(objects "")
  foreach(layer IN LISTS ARGN)
    get_target_property(type vesta_${layer} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:vesta_${layer}>)
    endif()
  endforeach()
  set(${OBJECTS} "${objects}" PARENT_SCOPE)
endfunction()

# Makes a library that users link from the objects of LAYERS, exported as Ceres::<EXPORT_NAME> in EXPORT_SET.
function(vesta_library NAME)
  cmake_parse_arguments(ARG "" "EXPORT_NAME;EXPORT_SET" "LAYERS;PUBLIC;PRIVATE" ${ARGN})
  vesta_objects(objects ${ARG_LAYERS})
  if(NOT objects)
    return()  # Nothing written yet.
  endif()
  add_library(${NAME} ${objects})
  add_library(Ceres::${ARG_EXPORT_NAME} ALIAS ${NAME})
  # Beside another Ceres, the file needs another name too: the dynamic linker loads one library of a name.
  if(VESTA_INLINE_NAMESPACE)
    set_target_properties(${NAME} PROPERTIES OUTPUT_NAME "${NAME}-${VESTA_INLINE_NAMESPACE}")
  endif()
  # A minor release may change the binary interface (docs/versions.md): a program must not load another one than its own.
  set_target_properties(${NAME} PROPERTIES EXPORT_NAME ${ARG_EXPORT_NAME} VERSION ${PROJECT_VERSION}
                                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN")
  if(BUILD_SHARED_LIBS AND UNIX AND NOT APPLE)
    set(exported_symbols "${PROJECT_SOURCE_DIR}/cmake/exported_symbols.map")
    target_link_options(${NAME} PRIVATE "LINKER:--version-script=${exported_symbols}")
    set_property(TARGET ${NAME} APPEND PROPERTY LINK_DEPENDS "${exported_symbols}")
    # Sanitizers of Clang leave their functions to the executable.
    if(NOT VESTA_SANITIZE)
      target_link_options(${NAME} PRIVATE "LINKER:--no-undefined")
    endif()
  endif()
  target_compile_features(${NAME} PUBLIC cxx_std_17)
  target_include_directories(${NAME} PUBLIC "$<BUILD_INTERFACE:${VESTA_CODE_DIR}/include>"
                                            "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
                                            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${NAME} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  if(VESTA_INSTALL)
    install(TARGETS ${NAME} EXPORT ${ARG_EXPORT_SET}
            RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  endif()
endfunction()

# main() of tests, and the headers that most of them include, precompiled. NAME holds both for tests that are compiled with
# the options ARGN, which follow from linking it.
function(vesta_test_main NAME)
  add_library(${NAME} STATIC "${PROJECT_SOURCE_DIR}/tests/test_main.cc")
  target_link_libraries(${NAME} PUBLIC GTest::gmock GTest::gtest PRIVATE Eigen3::Eigen vesta_warnings)
  # As executables are compiled: precompiled headers are of use with the same options only.
  set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${NAME} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE} PUBLIC ${ARGN})
  vesta_precompile_headers(${NAME} ${NAME} <gmock/gmock.h> <gtest/gtest.h> <Eigen/Core>)
endfunction()

if(BUILD_TESTING)
  vesta_test_main(vesta_test_main)
  vesta_test_main(vesta_test_main_O1 "$<$<CONFIG:Release>:-O1>")
endif()

# One test executable and one ctest test, named by the file. MAIN is one of the above.
function(vesta_test SOURCE MAIN)
  get_filename_component(name "${SOURCE}" NAME_WE)
  add_executable(${name} "${SOURCE}")
  target_link_libraries(${name} PRIVATE ${ARGN} vesta_warnings ${MAIN})
  # This one tells Eigen, before it includes it, to report allocations.
  if(NOT name STREQUAL "tiny_solver_test")
    vesta_precompile_headers(${name} ${MAIN})
  endif()
  # Hosts of threads that are tried out where they are installed.
  if(TBB_FOUND AND name STREQUAL "executor_hosts_test")
    target_compile_definitions(${name} PRIVATE VESTA_HAVE_TBB)
    target_link_libraries(${name} PRIVATE TBB::tbb)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set(timeout 300)
  if(VESTA_SANITIZE OR CMAKE_CROSSCOMPILING)
    set(timeout 600)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout})
  # Tests that solve whole published problems. Sanitizers are too slow for them.
  if(name MATCHES "^(bundle_adjustment|more_garbow_hillstrom|nist|pose_graph|solvers_agree)_test$")
    set_tests_properties(${name} PROPERTIES TIMEOUT 900 LABELS whole_problem)
  endif()
endfunction()

# One benchmark executable, named by the file, with the peers it may be compared with. No test runs it, and the target `all`
# is without it: the target `benchmarks` builds all of them.
if(BUILD_BENCHMARKS)
  add_custom_target(benchmarks)
endif()
function(vesta_benchmark SOURCE)
  get_filename_component(name "${SOURCE}" NAME_WE)
  add_executable(${name} EXCLUDE_FROM_ALL "${SOURCE}")
  add_dependencies(benchmarks ${name})
  target_link_libraries(${name} PRIVATE ${ARGN} vesta_warnings benchmark::benchmark)
  # A loop of a few instructions takes up to twice its time where it crosses a line of instructions, which is chance.
  target_compile_options(${name} PRIVATE -falign-loops=64)
  if(OpenMP_CXX_FOUND)
    target_link_libraries(${name} PRIVATE OpenMP::OpenMP_CXX)
  endif()
  if(TBB_FOUND)
    target_compile_definitions(${name} PRIVATE VESTA_HAVE_TBB)
    target_link_libraries(${name} PRIVATE TBB::tbb)
  endif()
endfunction()

# Reads internal/ceres/layers.txt, the only place where the layers and their order stand. Sets VESTA_LAYERS to the names,
# lowest first, and for each VESTA_LAYER_<name>_DEPENDS to the layers that it may use, and VESTA_LAYER_<name>_FOLDER. In a
# name, _ stands for the / of a folder.
function(vesta_read_layers FILE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${FILE}")
  file(STRINGS "${FILE}" lines REGEX "^[a-z]")
  set(layers "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z_/]+):(.*)$" matched "${line}")
    set(folder "${CMAKE_MATCH_1}")
    string(STRIP "${CMAKE_MATCH_2}" depends)
    string(REGEX REPLACE " +" ";" depends "${depends}")
    string(REPLACE "/" "_" depends "${depends}")
    string(REPLACE "/" "_" name "${folder}")
    set(VESTA_LAYER_${name}_FOLDER "${folder}" PARENT_SCOPE)
    list(APPEND layers "${name}")
    set(VESTA_LAYER_${name}_DEPENDS "${depends}" PARENT_SCOPE)
  endforeach()
  set(VESTA_LAYERS "${layers}" PARENT_SCOPE)
endfunction()
