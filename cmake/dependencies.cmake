# Everything from outside, all of it in Debian 12. docs/architecture.md says why each is there.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED)
if(PALATE_SANITIZE)
  # Eigen allocates in another way under the address sanitizer, which tests are compiled without.
  target_compile_definitions(Eigen3::Eigen INTERFACE EIGEN_MALLOC_ALREADY_ALIGNED=1)
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(libhwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(libxxhash REQUIRED IMPORTED_TARGET libxxhash)
if(NOT PALATE_PYTHON)
  find_package(CLI11 REQUIRED)
  find_package(Boost REQUIRED) # headers alone
  pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
  pkg_check_modules(libpqxx REQUIRED IMPORTED_TARGET libpqxx)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
endif()

# A compiler cache is used where there is one.
find_program(PALATE_CCACHE ccache)
mark_as_advanced(PALATE_CCACHE)
if(PALATE_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PALATE_CCACHE})
endif()
