# PALATE_REUSE names a build folder whose layers are compiled already (with the same flags): what is
# built here links those instead of compiling them again. `make wheel` builds the extension so.
file(GLOB_RECURSE archives CONFIGURE_DEPENDS ${PALATE_REUSE}/src/libpalate_*.a)
if(NOT archives)
  message(FATAL_ERROR "PALATE_REUSE: ${PALATE_REUSE} holds no compiled layers; build it first")
endif()
add_library(palate_api INTERFACE)
target_include_directories(palate_api INTERFACE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(palate_api INTERFACE
  -Wl,--start-group ${archives} -Wl,--end-group
  Threads::Threads fmt::fmt ZLIB::ZLIB PkgConfig::libzip PkgConfig::libhwy PkgConfig::libxxhash)
include(${PALATE_REUSE}/optional_methods.cmake)
