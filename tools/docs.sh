#!/bin/bash
# The documentation site in build/docs, every link and anchor checked; open build/docs/index.html.
# Needs MkDocs Material from PyPI (docs/requirements.txt), in build/docs-venv. Where PyPI is out of
# reach it makes the generated pages all the same, and says what it left out.
# PYTHON names another python3, and PALATE_OFFLINE=1 keeps away from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${PALATE_BUILD:-$PWD/build}
venv=$build/docs-venv
python=${PYTHON:-python3}
wanted=docs/requirements.txt

say() { echo "docs: $*"; }

# Installed once for each list of versions; a first download is small and tells whether PyPI is there.
tools() {
  cmp -s "$wanted" "$venv/installed.txt" && return
  [ -z "${PALATE_OFFLINE:-}" ] || return 1
  "$python" -c 'import venv, ensurepip' 2>/dev/null || return 1
  rm -rf "$venv"
  "$python" -m venv "$venv"
  local pip=("$venv/bin/pip" --disable-pip-version-check -q)
  timeout 30 "${pip[@]}" install --retries 0 --timeout 8 "$(grep ^mkdocs== "$wanted")" \
    >/dev/null 2>&1 || return 1
  timeout 120 "${pip[@]}" install -r "$wanted"
  cp "$wanted" "$venv/installed.txt"
}

mkdir -p "$build"
"$python" -B tools/site/stage.py "$build/docs-src"
if ! tools; then
  say "PyPI is out of reach. Left out: the site itself, and the check of links to generated pages"
  exit 0
fi
# The variable stops a notice about the future of MkDocs. Not -q: it would hide warnings from --strict.
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict
say "the site is $build/docs/index.html"
