#!/bin/sh
# run.sh BUILD MINUTES: runs every harness in BUILD, so long in all; ends with 1 at the first find.
set -eu
here=$(dirname "$0")
build=$1
harnesses=$(cd "$build/tests/fuzz" && ls -d fuzz_* | sed 's/^fuzz_//')
count=$(echo "$harnesses" | wc -w)
seconds=$(($2 * 60 / count))
mkdir -p "$build/finds"
for name in $harnesses; do
  mkdir -p "$build/corpus/$name"
  echo "fuzz $name: $seconds s"
  "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=20000 -timeout=10 \
    -artifact_prefix="$build/finds/$name-" -print_final_stats=1 -verbosity=0 \
    "$build/corpus/$name" "$here/corpus/$name" 2>&1 | grep -vE '^INFO|^$' || true
  if ls "$build/finds/$name-"* > /dev/null 2>&1; then
    echo "fuzz $name: found something: $(ls "$build/finds/$name-"*)"
    exit 1
  fi
done
