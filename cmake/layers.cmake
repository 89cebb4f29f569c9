# One target per folder; what a folder may use is what it links. tools/check_layers.py holds the
# includes to the same rule.
add_library(palate_flags INTERFACE)
target_compile_options(palate_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(palate_flags INTERFACE -Wno-restrict)
endif()
if(PALATE_WERROR)
  target_compile_options(palate_flags INTERFACE -Werror)
endif()
if(PALATE_SANITIZE)
  # -g1 is enough for line numbers in a report. Instrumented code is compiled in half the time with -Og;
  # only where tests spend their time (PALATE_HOT) -O1 is worth it. Programs of tests set PALATE_PLAIN:
  # what they call is instrumented, they themselves need not be.
  set(instrumented $<NOT:$<BOOL:$<TARGET_PROPERTY:PALATE_PLAIN>>>)
  set(quick $<OR:$<BOOL:$<TARGET_PROPERTY:PALATE_HOT>>,$<BOOL:$<TARGET_PROPERTY:PALATE_PLAIN>>>)
  target_compile_options(palate_flags INTERFACE
    $<IF:${quick},-O1,-Og> -g1 -fno-omit-frame-pointer
    -Wno-maybe-uninitialized # instrumentation makes GCC see paths that are not there
    $<${instrumented}:-fsanitize=address,undefined> $<${instrumented}:-fno-sanitize-recover=all>)
  target_compile_definitions(palate_flags INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(palate_flags INTERFACE -fsanitize=address,undefined)
endif()

# palate_layer(name USES layer... LIBRARIES external... [WITHOUT file...] [HOT])
# The sources are what lies in the folder and below. HOT: where tests spend their time.
# Every layer is also part of the one installed library (cmake/install.cmake).
function(palate_layer name)
  cmake_parse_arguments(LAYER "HOT" "" "USES;LIBRARIES;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  list(TRANSFORM LAYER_WITHOUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${LAYER_WITHOUT})
  add_library(palate_${name} STATIC ${sources})
  target_include_directories(palate_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                                   ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM LAYER_USES PREPEND palate_)
  target_link_libraries(palate_${name} PUBLIC ${LAYER_USES} PRIVATE palate_flags ${LAYER_LIBRARIES})
  # Only what include/palate declares is seen from outside of the installed library.
  set_target_properties(palate_${name} PROPERTIES PALATE_HOT ${LAYER_HOT}
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  set_property(GLOBAL APPEND PROPERTY PALATE_LAYERS palate_${name})
  set_property(GLOBAL APPEND PROPERTY PALATE_LAYER_LIBRARIES ${LAYER_LIBRARIES})
endfunction()
