#!/bin/sh
# run.sh BUILD MINUTES [NAME...]: runs the harnesses of these names, or all, so long in all; ends
# with 1 at the first find.
set -eu
here=$(dirname "$0")
build=$1
minutes=$2
shift 2
harnesses=${*:-$(cd "$build/tests/fuzz" && find . -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sed 's/.*fuzz_//' | sort)}
count=$(echo "$harnesses" | wc -w)
[ "$count" -gt 0 ] || { echo "fuzz: there is no harness in $build/tests/fuzz"; exit 1; }
seconds=$((minutes * 60 / count))
# Readers of files are given files; in memory they cost least.
[ -w /dev/shm ] && TMPDIR=/dev/shm && export TMPDIR
mkdir -p "$build/finds"
for name in $harnesses; do
  mkdir -p "$build/corpus/$name"
  echo "fuzz $name: $seconds s"
  if ! "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=20000 -timeout=10 \
    -artifact_prefix="$build/finds/$name-" -print_final_stats=1 -verbosity=0 \
    "$build/corpus/$name" "$here/corpus/$name" > "$build/finds/$name.log" 2>&1; then
    tail -n 40 "$build/finds/$name.log"
    echo "fuzz $name: found something, or could not run: $build/finds"
    exit 1
  fi
  grep 'stat::' "$build/finds/$name.log"
done
