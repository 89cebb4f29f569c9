# One target per folder; what a folder may use is what it links. tools/check_layers.py holds the
# includes to the same rule.
add_library(palate_flags INTERFACE)
target_compile_options(palate_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
if(PALATE_WERROR)
  target_compile_options(palate_flags INTERFACE -Werror)
endif()
if(PALATE_SANITIZE)
  target_compile_options(palate_flags INTERFACE -fsanitize=address,undefined
                                                -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(palate_flags INTERFACE -fsanitize=address,undefined)
endif()

# palate_layer(name USES layer... LIBRARIES external... SOURCES file...)
function(palate_layer name)
  cmake_parse_arguments(LAYER "" "" "USES;LIBRARIES;SOURCES" ${ARGN})
  add_library(palate_${name} STATIC ${LAYER_SOURCES})
  target_include_directories(palate_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                                   ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM LAYER_USES PREPEND palate_)
  target_link_libraries(palate_${name} PUBLIC ${LAYER_USES} PRIVATE palate_flags ${LAYER_LIBRARIES})
endfunction()
