#!/usr/bin/env python3
"""Runs ctest, then names what was skipped, before ctest's own closing lines.

  run_tests.py BUILD_FOLDER [option of ctest]...

Where the published data (PALATE_SHARED, or ../shared) and the tools that tests drive are at hand, a
skipped test is a failure; tests that cannot hold on the machine or under sanitizers may say so.
"""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Reasons that neither data nor a package would do away with.
ALLOWED = ("address sanitizer", "file system", "pseudo-terminal")


def missing():
    """What tests need and is not here."""
    shared = Path(os.environ.get("PALATE_SHARED", ROOT.parent / "shared"))
    if not all((shared / part).is_dir() for part in ("data", "oracle")):
        yield "published data"
    if not shutil.which("mandoc"):
        yield "mandoc"
    if not shutil.which("initdb") and not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        yield "PostgreSQL"


def skipped(junit):
    """Pairs of a test and the reason, or the number of cases within a test that is one of many."""
    for case in ElementTree.parse(junit).iter("testcase"):
        name, output = case.get("name"), case.findtext("system-out") or ""
        reasons = re.findall(r": Skipped\n(.*)", output)
        inner = sorted(set(re.findall(r"^\[  SKIPPED \] (\w\S*)", output, re.MULTILINE)))
        unittest = re.search(r"^OK \(skipped=(\d+)\)", output, re.MULTILINE)
        if case.find("skipped") is not None:
            yield name, reasons[0] if reasons else case.find("skipped").get("message", "")
        elif inner:
            yield name, f"{', '.join(inner)}: {'; '.join(sorted(set(reasons)))}"
        elif unittest:
            yield name, f"{unittest.group(1)} cases"


def run(build, options):
    """The status of ctest, and its closing lines, which are not printed yet."""
    command = ["ctest", "--test-dir", str(build), "--no-tests=error", "--output-on-failure"]
    command += ["--no-label-summary", "--test-output-size-passed", "100000"]
    command += ["--output-junit", str(build / "tests.xml")]
    closing = []
    with subprocess.Popen(command + options, stdout=subprocess.PIPE, text=True) as ctest:
        for line in ctest.stdout:
            if closing or re.match(r"\d+% tests passed", line):
                closing.append(line)
            else:
                print(line, end="", flush=True)
    return ctest.returncode, "".join(closing)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    build = Path(sys.argv[1]).resolve()
    (build / "tests.xml").unlink(missing_ok=True)
    status, closing = run(build, sys.argv[2:])
    found = list(skipped(build / "tests.xml")) if (build / "tests.xml").exists() else []
    lacking = list(missing())
    print(f"Skipped: {len(found)}{' (not at hand: ' + ', '.join(lacking) + ')' if lacking else ''}")
    failures = 0
    for name, reason in found:
        fails = not lacking and not any(words in reason for words in ALLOWED)
        failures += fails
        print(f"  {name}: {reason}{' (a failure: all it needs is at hand)' if fails else ''}")
    print(closing, end="", flush=True)
    return status or (1 if failures else 0)


if __name__ == "__main__":
    sys.exit(main())
