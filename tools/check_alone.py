#!/usr/bin/env python3
"""Does every source compile by itself, without what others in its bundle include?

  tools/check_alone.py SINGLE_FOLDER BUNDLED_FOLDER [JOBS]

The folders are build folders: one set up with PALATE_UNITY off, which need not be built, one with it
on. Files that the second compiles one by one are passed over.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def commands(folder: Path) -> dict[str, dict[str, str]]:
    return {
        entry["file"]: entry for entry in json.loads((folder / "compile_commands.json").read_text())
    }


def check(entry: dict[str, str]) -> str:
    words = shlex.split(entry["command"])
    place = words.index("-o")
    done = subprocess.run(
        [*words[:place], *words[place + 2 :], "-fsyntax-only"],
        cwd=entry["directory"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr if done.returncode else ""


def main() -> int:
    single, bundled = Path(sys.argv[1]), Path(sys.argv[2])
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else os.cpu_count()
    built = commands(bundled)
    root = Path(__file__).resolve().parent.parent
    wanted = [
        entry
        for file, entry in commands(single).items()
        if file not in built and single.resolve() not in Path(file).parents
    ]
    with ThreadPoolExecutor(jobs) as pool:
        found = [text for text in pool.map(check, wanted) if text]
    for text in found:
        print(text.replace(f"{root}/", ""), file=sys.stderr)
    if found:
        print(
            f"check-alone: {len(found)} of {len(wanted)} files do not compile by themselves",
            file=sys.stderr,
        )
        return 1
    print(f"check-alone: {len(wanted)} files compile by themselves")
    return 0


if __name__ == "__main__":
    sys.exit(main())
