#!/usr/bin/env python3
"""The checks of .clang-tidy over include/, src/, server/, cli/ and python/src; findings are errors.

  check_tidy.py [JOBS]

clangd runs them: it looks at the declarations of one file, headers too, each by itself. clang-tidy
would go through every header that a file includes as well, which takes six times as long. So a
file that forgets an include is found here too. What clangd cannot run is bugprone-use-after-move.
Kernels include themselves once per instruction set, which clangd does not understand: there it is
clang-tidy.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from findings import tell

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tidy"
# `make test-python` leaves the commands of the Python module behind.
MODULE = ROOT / "build" / "python" / "extension"
KERNELS = ROOT / "src" / "kernels"
# What clangd says because it reads the head of a file apart from the rest, or a header alone.
ARTEFACTS = {"pragma_pop_visibility_mismatch", "mismatched_visibility"}
ARTEFACTS_OF_HEADERS = {"misc-unused-using-decls"}
FINDING = re.compile(r"^E\[[0-9:.]+\] \[([\w.,-]+)\] Line (\d+): (.*)", re.MULTILINE)


def configure():
    """Commands without precompiled headers, and without GCC's warnings."""
    command = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug"]
    command += ["-DPALATE_TESTS=OFF", "-DPALATE_WERROR=OFF"]
    command += ["-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def files():
    """Pairs of a file and the folder that holds its command; the longest first."""
    found = [(path, BUILD) for top in ("include", "src", "server", "cli")
             for path in (ROOT / top).rglob("*.[ch]pp")]
    if (MODULE / "compile_commands.json").is_file():
        found += [(path, MODULE) for path in (ROOT / "python" / "src").rglob("*.[ch]pp")]
    else:
        print("check-tidy: without the Python module, which is not built ('make wheel')")
    return sorted(found, key=lambda pair: -pair[0].stat().st_size)


def check(pair):
    """What clangd finds in one file, as lines to print."""
    path, build = pair
    if KERNELS in path.parents and path.suffix == ".cpp":
        return check_kernel(path, build)
    ignored = ARTEFACTS | (ARTEFACTS_OF_HEADERS if path.suffix == ".hpp" else set())
    command = ["clangd", f"--check={path}", f"--compile-commands-dir={build}", "--clang-tidy"]
    command += ["--check-lines=1-1", "--enable-config=false", "--pch-storage=memory", "-j=1"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    name = path.relative_to(ROOT)
    found = [f"{name}:{line}: {message} [{check}]" for check, line, message in
             (match.groups() for match in map(FINDING.match, done.stdout.splitlines()) if match)
             if check not in ignored]
    if done.returncode != 0 and not FINDING.search(done.stdout):
        found = [f"{name}: clangd failed\n{done.stdout[-2000:]}"]
    return found


def check_kernel(path, build):
    """What clang-tidy finds in one file, as lines to print."""
    done = subprocess.run(["clang-tidy", "--quiet", "-p", build, path], capture_output=True, text=True)
    return [] if done.returncode == 0 else [done.stdout.strip() or done.stderr.strip()]


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count()
    configure()
    every = files()
    with ThreadPoolExecutor(jobs) as pool:
        findings = [line for found in pool.map(check, every) for line in found]
    return tell("check-tidy", sorted(findings), "finding")


if __name__ == "__main__":
    sys.exit(main())
