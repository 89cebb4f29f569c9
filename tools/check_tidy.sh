#!/bin/bash
# clang-tidy over src/, server/ and cli/ with the checks of .clang-tidy; findings are errors.
#   tools/check_tidy.sh BUILD_FOLDER [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
jobs=${2:-$(nproc)}

if [ ! -f "$build/compile_commands.json" ]; then
  echo "check_tidy: $build/compile_commands.json is missing; run 'make build' first" >&2
  exit 2
fi

log=$build/tidy.log
# The commands are GCC's: clang's own opinion of warning flags is not asked for.
if run-clang-tidy -quiet -p "$build" -j "$jobs" -extra-arg=-Wno-error \
    -extra-arg=-Wno-unknown-warning-option "^$PWD/(src|server|cli)/" >"$log" 2>&1; then
  echo "check-tidy: clean"
else
  sed -i 's/\x1b\[[0-9;]*m//g' "$log"  # run-clang-tidy colours even a file
  grep -E '(error|warning):' "$log" | sort -u || tail -n 40 "$log"
  echo "check-tidy: failed; the whole log is $log" >&2
  exit 1
fi
