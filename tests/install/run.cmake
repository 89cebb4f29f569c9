# Installs into a fresh folder, moves that folder away, and uses it from there: by find_package, by
# pkg-config, by the examples, and by running the tool. So nothing in it may point to the place of
# the build.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

function(expect text)
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "expected '${text}' in:\n${output}")
  endif()
endfunction()

function(expect_file name)
  if(NOT EXISTS "${prefix}/${name}")
    message(FATAL_ERROR "${name} was not installed")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix "${WORK}/moved to")  # with a space, as people have them
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/first)
file(RENAME ${WORK}/first "${prefix}")

expect_file(share/doc/palate/LICENSE)
expect_file(share/man/man1/palate.1)
expect_file(share/bash-completion/completions/palate)
expect_file(share/zsh/site-functions/_palate)
expect_file(share/fish/vendor_completions.d/palate.fish)
run("${prefix}/bin/palate" --version)
expect(${VERSION})

# Nothing of what is inside may be linked to from outside.
file(GLOB_RECURSE library "${prefix}/*/libpalate.so")
run(${PYTHON} ${SOURCE}/tests/install/check_exports.py "${library}" "${prefix}/include/palate")

string(REGEX MATCH "([0-9]+)\\.([0-9]+)\\.([0-9]+)" numbers ${VERSION})
math(EXPR number "10000 * ${CMAKE_MATCH_1} + 100 * ${CMAKE_MATCH_2} + ${CMAKE_MATCH_3}")
set(CONSUMER ${SOURCE}/tests/install/consumer)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_CXX_COMPILER=${CXX} -D WANTED=${VERSION})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
expect("palate ${VERSION} is number ${number}")
expect("ann: porter")
expect("eve: not_found")

# Each says something that only the right answer has.
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${WORK}/examples -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/examples)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/examples --no-tests=error -V)
expect("ann: Night Porter")
expect("Night Porter, because of")
expect("adaptive - popularity: ")
expect("with service counting three times")
expect("the graph is 10 ratings behind")
expect("100% tests passed")

find_program(PKG_CONFIG NAMES pkg-config pkgconf)
file(GLOB_RECURSE pc "${prefix}/*/palate.pc")
cmake_path(GET pc PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} "${pc_dir}")
run(${PKG_CONFIG} --cflags --libs palate)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${PKG_CONFIG} --variable=libdir palate)
string(STRIP "${output}" libdir)
string(REPLACE "\\ " " " libdir "${libdir}")  # pkg-config writes for a shell
run(${CXX} -std=c++20 ${CONSUMER}/main.cpp -o ${WORK}/by_pkg_config ${flags} "-Wl,-rpath,${libdir}")
run(${WORK}/by_pkg_config)
expect("ann: porter")
