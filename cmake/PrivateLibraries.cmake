# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Libraries that only our sources include. A program that links our static library links them too, but needs no header of
# theirs, nor the links libx.so that come with headers. So they are known by the names under which programs load them
# (libhwy.so.1), which the packages of the libraries themselves have.

# Sets OUT to the name under which programs load the shared library FILE, or to FILE.
function(vesta_loaded_file FILE OUT)
  set(${OUT} "${FILE}" PARENT_SCOPE)
  if(NOT FILE MATCHES "\\.so$" OR NOT CMAKE_OBJDUMP)
    return()
  endif()
  execute_process(COMMAND "${CMAKE_OBJDUMP}" -p "${FILE}" OUTPUT_VARIABLE headers ERROR_QUIET)
  if(headers MATCHES "SONAME +([^ \n]+)")
    set(soname "${CMAKE_MATCH_1}")
    get_filename_component(folder "${FILE}" DIRECTORY)
    if(EXISTS "${folder}/${soname}")
      set(${OUT} "${folder}/${soname}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Sets OUT to the files and linker flags of the targets and libraries ARGN, and of what those need: each once, dependents first.
function(vesta_private_libraries OUT)
  set(found "")
  set(queue ${ARGN})
  while(queue)
    list(POP_FRONT queue item)
    if(TARGET "${item}")
      get_target_property(type ${item} TYPE)
      get_target_property(needs ${item} INTERFACE_LINK_LIBRARIES)
      if(needs)
        list(PREPEND queue ${needs})
      endif()
      if(NOT type STREQUAL "INTERFACE_LIBRARY")
        get_target_property(item ${item} LOCATION)
        list(PREPEND queue "${item}")
      endif()
    elseif(IS_ABSOLUTE "${item}")
      vesta_loaded_file("${item}" file)
      list(REMOVE_ITEM found "${file}")
      list(APPEND found "${file}")
    elseif(item AND NOT item MATCHES "^\\$<")
      list(REMOVE_ITEM found "${item}")
      list(APPEND found "${item}")
    endif()
  endwhile()
  set(${OUT} "${found}" PARENT_SCOPE)
endfunction()
