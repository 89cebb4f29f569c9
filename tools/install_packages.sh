#!/bin/bash
# Installs the Debian packages that are missing; does nothing, and needs no rights, if none is.
#   tools/install_packages.sh build          what the library, the tool and the tests need
#   tools/install_packages.sh build check    and what the checks of `make test` need
#   tools/install_packages.sh python         what the Python package needs besides, if PyPI is in reach
#   tools/install_packages.sh python-debian  what it needs if not
#   tools/install_packages.sh bench          what `make bench` measures Palate against
#   tools/install_packages.sh web            what builds the explorer; webtest: the browser for its tests
#   tools/install_packages.sh fuzz           the compiler of `make fuzz`, and what it links
set -euo pipefail

build=(g++ cmake ninja-build pkg-config python3
       libboost-dev libcli11-dev libeigen3-dev libfmt-dev libhwy-dev libxxhash-dev libzip-dev
       nlohmann-json3-dev zlib1g-dev
       libsqlite3-dev libpqxx-dev libssl-dev
       libgtest-dev libgmock-dev)
check=(clang-format clang-tidy clangd python3-jsonschema postgresql mandoc)
python=(python3-dev python3-venv)
python_debian=(python3-dev pybind11-dev python3-numpy python3-pytest python3-scipy python3-pandas
               python3-hypothesis python3-mypy python3-matplotlib python3-tqdm)
bench=(python3-torch python3-scipy python3-pandas python3-matplotlib)

wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=("${build[@]}") ;;
    check) wanted+=("${check[@]}") ;;
    python) wanted+=("${python[@]}") ;;
    python-debian) wanted+=("${python_debian[@]}") ;;
    bench) wanted+=("${bench[@]}") ;;
    web)
      # Node.js often comes from elsewhere, with its own npm; that will do.
      command -v node >/dev/null || wanted+=(nodejs)
      command -v npm >/dev/null || wanted+=(npm)
      ;;
    webtest) wanted+=(chromium) ;;
    fuzz) wanted+=(clang libclang-rt-dev) ;;
    *) echo "install_packages: unknown group '$group' (build, check, python, python-debian, bench, web, webtest, fuzz)" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_packages: this is no Debian; assuming that these are there: ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  # A virtual or multi-arch name may answer with several lines; one installed is enough.
  dpkg-query -W -f='${db:Status-Abbrev}\n' "$package" 2>/dev/null | grep -q '^ii' ||
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    {
      echo "These Debian packages are missing: ${missing[*]}"
      echo "Installing them needs root or sudo, and there is neither. As root, run:"
      echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    } >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing Debian packages: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q)
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends "${missing[@]}"
