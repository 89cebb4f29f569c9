#!/usr/bin/env python3
"""Does every source include what it names of the standard library, fmt, JSON, Asio and Beast?

Sources are compiled in bundles, where one finds what another has included. Here each is read by
itself: a header counts if the file, or a header of ours that it includes, includes it. Names that
many headers bring along are not looked at; `make check-alone` compiles each file and sees all.
Prints file:line for each violation and ends with 1 if there is any.
"""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATHS = ("include", "src", "server", "cli", "tests", "bench", ".")
FOLDERS = ("include", "examples", "src", "server", "cli", "python/src", "tests", "bench")

# Header -> names.
STD = {
    "algorithm": "sort stable_sort nth_element partial_sort lower_bound upper_bound equal_range "
    "binary_search find_if find_if_not any_of all_of none_of count_if transform "
    "remove_if unique reverse rotate is_sorted max_element min_element clamp "
    "push_heap pop_heap make_heap",
    "array": "array",
    "atomic": "atomic",
    "bit": "bit_cast popcount countr_zero bit_width bit_ceil",
    "charconv": "from_chars to_chars",
    "condition_variable": "condition_variable",
    "cmath": "sqrt pow exp log log2 isfinite isnan isinf floor ceil round lround fabs nextafter",
    "cstring": "memcpy memcmp memset strlen strerror",
    "deque": "deque",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream fstream",
    "functional": "function",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared",
    "mutex": "mutex lock_guard unique_lock scoped_lock once_flag call_once",
    "numeric": "accumulate iota partial_sum inner_product exclusive_scan",
    "optional": "optional nullopt",
    "queue": "queue priority_queue",
    "random": "mt19937 mt19937_64",
    "set": "set multiset",
    "shared_mutex": "shared_mutex shared_lock",
    "span": "span",
    "sstream": "ostringstream istringstream stringstream",
    "thread": "thread jthread this_thread",
    "tuple": "tuple tie",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "variant": "variant visit get_if holds_alternative monostate",
    "vector": "vector",
    "chrono": "chrono",
    "future": "future promise async packaged_task",
    "string": "string to_string",
    "string_view": "string_view",
}
NAMES = {name: {header} for header, names in STD.items() for name in names.split()}
NAMES["string_view"].add("string")  # which has to declare it
LIBRARIES = {"fmt::": "fmt/", "nlohmann::": "nlohmann/", "asio::": "boost/", "beast::": "boost/"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
NOISE = re.compile(
    r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL
)
WORD = re.compile(r"(?<![\w:])std::(\w+)|(?<![\w:])(fmt::|nlohmann::|asio::|beast::)")


def ours(name: str, path: Path) -> Path | None:
    for folder in (path.parent, *(ROOT / part for part in PATHS)):
        if (folder / name).is_file():
            return (folder / name).resolve()
    return None


@functools.cache
def headers(path: Path) -> frozenset[str]:
    """What the file includes from outside, itself or by headers of ours."""
    found = set()
    for bracket, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        mine = ours(name, path) if bracket == '"' or name.startswith("palate/") else None
        found |= {name} if mine is None else headers(mine)
    return frozenset(found)


def blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def violations(path: Path):
    text = path.read_text(encoding="utf-8")
    there = headers(path)
    told = set()
    for match in WORD.finditer(NOISE.sub(blank, text)):
        name, library = match.groups()
        wanted = NAMES.get(name) if name else None
        if name in told or library in told:
            continue
        if wanted and not wanted & there:
            told.add(name)
            yield text.count("\n", 0, match.start()) + 1, f"std::{name} needs <{min(wanted)}>"
        elif library and not any(h.startswith(LIBRARIES[library]) for h in there):
            told.add(library)
            yield (
                text.count("\n", 0, match.start()) + 1,
                f"{library} needs a header of {LIBRARIES[library]}",
            )


def main() -> int:
    files = [
        p for f in FOLDERS for p in sorted((ROOT / f).rglob("*")) if p.suffix in {".hpp", ".cpp"}
    ]
    count = 0
    for path in files:
        for line, what in violations(path):
            print(f"{path.relative_to(ROOT)}:{line}: {what}")
            count += 1
    if count:
        print(f"check-includes: {count} missing includes", file=sys.stderr)
        return 1
    print(f"check-includes: {len(files)} files include what they name")
    return 0


if __name__ == "__main__":
    sys.exit(main())
