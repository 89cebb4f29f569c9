# A method whose package is missing is left out with one line; one whose package is there is linked.
foreach(package NoSuchPackage Threads)
  set(build ${WORK}/${package})
  file(REMOVE_RECURSE ${build})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${build} -G Ninja
                          -D PALATE=${PALATE} -D PACKAGE=${package} -D CMAKE_CXX_COMPILER=${CXX}
                          -D CMAKE_BUILD_TYPE=Release
                  OUTPUT_VARIABLE configured COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${build}/optional OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${configured}" "Without the method heavy: NoSuchPackage was not found" line)
  if(package STREQUAL NoSuchPackage AND (line EQUAL -1 OR NOT said STREQUAL "light alone\n"))
    message(FATAL_ERROR "without the package: ${said}${configured}")
  elseif(package STREQUAL Threads AND (NOT line EQUAL -1 OR NOT said STREQUAL "heavy too\n"))
    message(FATAL_ERROR "with the package: ${said}${configured}")
  endif()
endforeach()
