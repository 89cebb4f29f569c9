# What `cmake --install` puts into a prefix: one shared library, its headers, files for CMake and
# pkg-config, the tool with its man page and completions. All paths are relative, so that the prefix
# may be moved. Sanitized builds are for tests and are not installed.
if(PALATE_SANITIZE)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The layers are folded into one library; the tool links them statically and does not need it.
get_property(layers GLOBAL PROPERTY PALATE_LAYERS)
get_property(libraries GLOBAL PROPERTY PALATE_LAYER_LIBRARIES)
list(REMOVE_DUPLICATES libraries)
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE layer_objects)
add_library(palate_shared SHARED ${layer_objects})
add_library(palate::palate ALIAS palate_shared)
# Public headers need nothing but std, so users of the library need none of these.
list(TRANSFORM libraries REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
target_link_libraries(palate_shared PRIVATE ${libraries})
target_include_directories(palate_shared
  INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
target_compile_features(palate_shared INTERFACE cxx_std_20)
# Of what is not hidden by the compiler, templates of std are left: these are not ours to export.
target_link_options(palate_shared PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
set_target_properties(palate_shared PROPERTIES
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map
  OUTPUT_NAME palate EXPORT_NAME palate LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS palate_shared EXPORT palateTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/palate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
        PATTERN "*.hpp")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/palate)
install(EXPORT palateTargets NAMESPACE palate:: FILE palateTargets.cmake
        DESTINATION ${package_dir})
configure_package_config_file(cmake/palateConfig.cmake.in
  ${PROJECT_BINARY_DIR}/palateConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/palateConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/palateConfig.cmake
              ${PROJECT_BINARY_DIR}/palateConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/palate.pc.in ${PROJECT_BINARY_DIR}/palate.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/palate.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS palate_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_BINARY_DIR}/palate.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# Each shell looks in a place of its own. Like the manual page, the scripts come from the tool.
set(bash_place bash-completion/completions/palate)
set(zsh_place zsh/site-functions/_palate)
set(fish_place fish/vendor_completions.d/palate.fish)
foreach(shell bash zsh fish)
  set(script ${PROJECT_BINARY_DIR}/completions/${${shell}_place})
  cmake_path(GET script PARENT_PATH folder)
  add_custom_command(OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND palate_cli completion ${shell} > ${script}
    DEPENDS palate_cli VERBATIM)
  list(APPEND scripts ${script})
endforeach()
add_custom_target(palate_completions ALL DEPENDS ${scripts})
install(DIRECTORY ${PROJECT_BINARY_DIR}/completions/ DESTINATION ${CMAKE_INSTALL_DATADIR})
