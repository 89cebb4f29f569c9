#!/usr/bin/env python3
"""The checks of .clang-tidy over include/, src/, server/, cli/ and python/src; findings are errors.

  check_tidy.py [JOBS]

clangd runs them on sources: it looks at the declarations of one file, where clang-tidy would go
through every header that the file includes, which takes six times as long. What clangd cannot run is
bugprone-use-after-move.
clang-tidy looks at all headers at once, which also shows two classes of one name. It looks at kernels
too, with one of their instruction sets: they include themselves, which clangd does not understand.
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
TOPS = ("include", "src", "server", "cli")
INCLUDED = [ROOT, ROOT / "include", ROOT / "src", ROOT / "cli", Path("/usr/include/eigen3")]
HEADERS = BUILD / "headers.cpp"  # includes them all
KERNELS = ROOT / "src" / "kernels"
# What clangd says because it reads the head of a file apart from the rest.
ARTEFACTS = {"pragma_pop_visibility_mismatch", "mismatched_visibility"}
FINDING = re.compile(r"^E\[[0-9:.]+\] \[([\w.,-]+)\] Line (\d+): (.*)", re.MULTILINE)


def configure():
    """Commands without precompiled headers, and without GCC's warnings."""
    command = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug"]
    command += ["-DPALATE_TESTS=OFF", "-DPALATE_WERROR=OFF"]
    command += ["-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def files():
    """Pairs of a source and the folder that holds its command; the longest first."""
    found = [(path, BUILD) for top in TOPS for path in (ROOT / top).rglob("*.cpp")]
    if (MODULE / "compile_commands.json").is_file():
        found += [(path, MODULE) for path in (ROOT / "python" / "src").rglob("*.cpp")]
    else:
        print("check-tidy: without the Python module, which is not built ('make wheel')")
    headers = sorted(path for top in TOPS for path in (ROOT / top).rglob("*.hpp"))
    HEADERS.write_text("".join(f'#include "{path}"\n' for path in headers))
    return [(HEADERS, BUILD), *sorted(found, key=lambda pair: -pair[0].stat().st_size)]


def check(pair):
    """What is found in one source, as lines to print."""
    path, build = pair
    if path == HEADERS:
        return clang_tidy([path, "--", "-std=c++20", *(f"-I{folder}" for folder in INCLUDED)])
    if KERNELS in path.parents:
        return clang_tidy(["-p", build, "--extra-arg=-DHWY_COMPILE_ONLY_STATIC", path])
    command = ["clangd", f"--check={path}", f"--compile-commands-dir={build}", "--clang-tidy"]
    command += ["--check-lines=1-1", "--enable-config=false", "--pch-storage=memory", "-j=1"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    name = path.relative_to(ROOT)
    found = [f"{name}:{line}: {message} [{check}]" for check, line, message in
             (match.groups() for match in map(FINDING.match, done.stdout.splitlines()) if match)
             if check not in ARTEFACTS]
    if done.returncode != 0 and not FINDING.search(done.stdout):
        found = [f"{name}: clangd failed\n{done.stdout[-2000:]}"]
    return found


def clang_tidy(arguments):
    """What clang-tidy finds, as lines to print."""
    command = ["clang-tidy", "--quiet", f"--config-file={ROOT / '.clang-tidy'}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
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
