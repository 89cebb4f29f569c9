#!/bin/bash
# clang-tidy over src/, server/, cli/ and python/src with the checks of .clang-tidy; findings are errors.
#   tools/check_tidy.sh BUILD_FOLDER [JOBS]
# The folder needs to be configured, not built. Of a folder with PALATE_UNITY the bundles are read: most
# of the time goes into headers, which each of them has but once.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")
jobs=${2:-$(nproc)}

if [ ! -f "$build/compile_commands.json" ]; then
  echo "check_tidy: $build/compile_commands.json is missing; run 'make configure' first" >&2
  exit 2
fi

log=$build/tidy.log
: >"$log"
# The commands are GCC's: clang's own opinion of warning flags is not asked for.
tidy() {  # tidy FOLDER PARTS
  run-clang-tidy -quiet -p "$1" -j "$jobs" -extra-arg=-Wno-error \
    -extra-arg=-Wno-unknown-warning-option -config "$(cat .clang-tidy)" \
    "^($PWD/($2)/.*|$1/($2)/.*/Unity/.*)" >>"$log" 2>&1
}

passed=yes
tidy "$build" 'src|server|cli' || passed=no
# The Python module has a build of its own, which `make test-python` leaves behind.
module=$PWD/build/python/extension
if [ -f "$module/compile_commands.json" ]; then
  tidy "$module" python || passed=no
else
  echo "check-tidy: without the Python module, which is not built ('make wheel')"
fi
if [ $passed = yes ]; then
  echo "check-tidy: clean"
else
  sed -i 's/\x1b\[[0-9;]*m//g' "$log"  # run-clang-tidy colours even a file
  grep -E '(error|warning):' "$log" | sort -u || tail -n 40 "$log"
  echo "check-tidy: failed; the whole log is $log" >&2
  exit 1
fi
