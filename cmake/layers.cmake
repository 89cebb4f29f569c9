# One target per folder; what a folder may use is what it links. tools/check_layers.py holds the
# includes to the same rule.
include(compile)

# palate_layer(name USES layer... LIBRARIES external... [WITHOUT file...] [HOT])
# The sources are what lies in the folder and below, except in folders with a CMakeLists.txt of
# their own. HOT: where time is spent (cmake/compile.cmake).
# Every layer is also part of the one installed library (cmake/install.cmake).
function(palate_layer name)
  cmake_parse_arguments(LAYER "HOT" "" "USES;LIBRARIES;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  list(TRANSFORM LAYER_WITHOUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${LAYER_WITHOUT})
  file(GLOB_RECURSE own CONFIGURE_DEPENDS CMakeLists.txt)
  list(REMOVE_ITEM own ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt)
  foreach(file IN LISTS own)
    cmake_path(GET file PARENT_PATH folder)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  add_library(palate_${name} STATIC ${sources})
  target_include_directories(palate_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                                   ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM LAYER_USES PREPEND palate_)
  target_link_libraries(palate_${name} PUBLIC ${LAYER_USES} PRIVATE ${LAYER_LIBRARIES})
  if(LAYER_HOT)
    palate_compile(palate_${name} hot)
  else()
    palate_compile(palate_${name} library)
  endif()
  # Only what include/palate declares is seen from outside of the installed library.
  set_target_properties(palate_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden
                                                  VISIBILITY_INLINES_HIDDEN ON)
  set_property(GLOBAL APPEND PROPERTY PALATE_LAYERS palate_${name})
  set_property(GLOBAL APPEND PROPERTY PALATE_LAYER_LIBRARIES ${LAYER_LIBRARIES})
endfunction()

file(WRITE ${PROJECT_BINARY_DIR}/optional_methods.cmake "") # for cmake/reuse.cmake
# palate_optional_method(name PACKAGE package LIBRARIES external...), in a folder below src/methods:
# a method that is there only where the package is. If so, users of palate_methods link it too, and
# registry.cpp is compiled with PALATE_METHOD_<NAME>. src/methods adds the folder as a subdirectory.
function(palate_optional_method name)
  cmake_parse_arguments(METHOD "" "PACKAGE" "LIBRARIES" ${ARGN})
  find_package(${METHOD_PACKAGE} QUIET)
  if(NOT ${METHOD_PACKAGE}_FOUND)
    message(STATUS "Without the method ${name}: ${METHOD_PACKAGE} was not found")
    return()
  endif()
  palate_layer(${name} HOT USES methods LIBRARIES ${METHOD_LIBRARIES})
  target_link_libraries(palate_methods INTERFACE palate_${name})
  list(JOIN METHOD_LIBRARIES " " libraries)
  file(APPEND ${PROJECT_BINARY_DIR}/optional_methods.cmake
       "find_package(${METHOD_PACKAGE} REQUIRED)\n"
       "target_link_libraries(palate_api INTERFACE ${libraries})\n")
  string(TOUPPER ${name} upper)
  target_compile_definitions(palate_methods PRIVATE PALATE_METHOD_${upper})
endfunction()
