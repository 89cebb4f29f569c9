# How targets are compiled: palate_compile(target kind). The kinds are
#   hot      layers where time is spent; library: every other layer. Both with -O3
#   server   -O2
#   front    what parses and prints: -O1
#   test     -O1. What a test calls is instrumented under sanitizers, the test itself is not: the
#            sanitizer build may link tests that were compiled for the optimised one
add_library(palate_flags INTERFACE)
target_compile_options(palate_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(palate_flags INTERFACE -Wno-restrict)
endif()
if(PALATE_WERROR)
  target_compile_options(palate_flags INTERFACE -Werror)
endif()

set(options_of_hot)
set(options_of_library)
# GCC 12 takes what is precompiled for ours, not the system's, and warns of std::string at -O2.
set(options_of_server $<$<CONFIG:Release>:-O2>
                      -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
set(options_of_front $<$<CONFIG:Release>:-O1>)
set(options_of_test -O1 -g1 -fno-omit-frame-pointer -D_GLIBCXX_ASSERTIONS)
if(PALATE_SANITIZE)
  # -g1 is enough for line numbers in a report. GCC sees paths that only instrumentation makes.
  target_compile_options(palate_flags INTERFACE
    -g1 -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  target_compile_definitions(palate_flags INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(palate_flags INTERFACE -fsanitize=${PALATE_SANITIZERS})
  # -Og compiles in half the time of -O1, which only hot code is worth. Checks for null and
  # alignment would be a third of the rest; a null pointer stops the address sanitizer as well.
  set(instrument -fsanitize=${PALATE_SANITIZERS})
  if(PALATE_SANITIZERS STREQUAL "thread")
    # The sanitizer does not know fences on their own; GCC says so of every one in the headers.
    list(APPEND instrument -Wno-tsan)
    set(options_of_test ${options_of_test} -fsanitize=thread -Wno-tsan)
  else()
    list(APPEND instrument -fno-sanitize-recover=all)
  endif()
  set(options_of_hot -O1 ${instrument})
  set(options_of_library -Og ${instrument} -fno-sanitize=null,alignment)
  set(options_of_server ${options_of_library})
  set(options_of_front ${options_of_library})
endif()

# Headers from outside that most sources of a kind include: compiled once, not once per file. The
# preset debug and clang-tidy do without, and so find the file that forgets an include. Optimised
# layers do without too: GCC 12 inlines differently with them, and warns of what is not there.
set(headers_of_all
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint>
  <cstring> <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <numeric> <optional>
  <set> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <vector>)
set(headers_of_front ${headers_of_all} <fmt/format.h> <nlohmann/json.hpp>)
set(libraries_of_front fmt::fmt nlohmann_json::nlohmann_json)
set(headers_of_server ${headers_of_front})
set(libraries_of_server ${libraries_of_front})
set(headers_of_test ${headers_of_all} <nlohmann/json.hpp> <gmock/gmock.h> <gtest/gtest.h>)
set(libraries_of_test nlohmann_json::nlohmann_json GTest::gmock)
if(PALATE_SANITIZE)
  set(headers_of_hot ${headers_of_all})
  set(headers_of_library ${headers_of_all})
endif()

function(palate_compile target kind)
  target_link_libraries(${target} PRIVATE palate_flags)
  target_compile_options(${target} PRIVATE ${options_of_${kind}})
  if(NOT headers_of_${kind} OR CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  if(NOT TARGET palate_headers_${kind})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
    add_library(palate_headers_${kind} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
    target_link_libraries(palate_headers_${kind} PRIVATE palate_flags ${libraries_of_${kind}})
    target_compile_options(palate_headers_${kind} PRIVATE ${options_of_${kind}})
    target_precompile_headers(palate_headers_${kind} PRIVATE ${headers_of_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM palate_headers_${kind})
  # A precompiled header is one for -fPIC or for -fPIE.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()
