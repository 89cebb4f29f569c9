#!/usr/bin/env python3
"""Checks that includes follow the direction of the layers, and what belongs to that.

  base <- kernels <- core <- graph <- ranking <- methods <- {live, tuning}
  core <- {dials, evaluation, io, model_file, prediction, rating_store, synth}; all <- api
  api <- server <- cli, api <- python
  within the server: http <- service <- routes <- serve.*

Siblings do not include each other; public headers see only the standard library and each other;
the library neither prints nor exits; every folder that is a target of its own, and every room
of the server, opens with a README of at most 20 lines.
Prints file:line for each violation and ends with 1 if there is any.
"""
import re
import sys
from pathlib import Path

from findings import tell

ROOT = Path(__file__).resolve().parent.parent

CORE = {"base", "kernels", "core"}
METHODS = CORE | {"graph", "ranking", "methods"}
MAY_USE = {
    "base": set(),
    "kernels": {"base"},
    "core": {"base", "kernels"},
    "graph": CORE,
    "ranking": CORE | {"graph"},
    "methods": CORE | {"graph", "ranking"},
    "dials": CORE,
    "evaluation": CORE,
    "io": CORE,
    "model_file": CORE,
    "prediction": CORE,
    "rating_store": CORE,
    "synth": CORE,
    "tuning": METHODS | {"evaluation"},
    "live": METHODS,
    "api": METHODS | {"dials", "evaluation", "io", "model_file", "prediction", "rating_store", "synth", "tuning", "live"},
    # HTTP goes through include/palate like any other caller.
    "server": {"base"},
    # The tool goes through include/palate like any other caller; base only lends it atomic files.
    "cli": {"base", "server"},
    # The binding sees nothing but include/palate.
    "python": set(),
}
# The rooms of the server; what lies beside them (serve.*) may use all.
ROOMS = {
    "http": set(),
    "service": {"http"},
    "routes": {"http", "service"},
}
README_LINES = 20

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
PRINTS = re.compile(
    r"\bstd::(cout|cerr|clog|exit|abort|quick_exit|terminate)\b|\bfmt::print\b"
    r"|(?<![\w:.>])(?:std::)?(printf|puts|putchar|exit|abort|_exit)\s*\(|\bf(printf|puts)\s*\(\s*std(out|err)")


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in {".hpp", ".cpp", ".h", ".inc"})


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1) == "<", found.group(2)


def check_public(path):
    for number, angle, name in includes(path):
        if name.startswith("palate/"):
            continue
        if not angle or "/" in name or "." in name:
            yield number, f"a public header includes {name}; only std and palate/ are allowed"


def check_layer(path, layer):
    for number, _, name in includes(path):
        first = name.split("/")[0]
        if ".." in name.split("/"):
            yield number, f"includes {name}; name files from the root of src/, without '..'"
        elif "/" in name and first in MAY_USE and first != layer and first not in MAY_USE[layer]:
            allowed = ", ".join(sorted(MAY_USE[layer])) or "include/palate only"
            yield number, f"{layer} includes {name}; {layer} may use: {allowed}"


def check_room(path, room):
    for number, _, name in includes(path):
        if not name.startswith("server/"):
            continue
        parts = name.split("/")
        other = parts[1] if len(parts) > 2 else None
        if other != room and other not in ROOMS[room]:
            allowed = ", ".join(sorted(ROOMS[room])) or "no other room"
            yield number, f"server/{room} includes {name}; it may use: {allowed}"


def check_quiet(path):
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if PRINTS.search(line.split("//")[0]):
            yield number, "the library never prints and never exits; throw palate::Error"


def folders():
    for top in ("examples", "src", "server", "cli", "python", "tests", "bench"):
        base = ROOT / top
        if not base.is_dir():
            continue
        inner = [p for p in sorted(base.iterdir()) if p.is_dir() and p.name != "__pycache__"]
        for folder in ([] if top == "src" else [base]) + inner:
            if (folder / "CMakeLists.txt").is_file():
                yield folder
    yield from (ROOT / "server" / room for room in ROOMS)


def check_readme(folder):
    readme = folder / "README.md"
    if not readme.is_file():
        yield readme, 1, "missing: say what lives here, what it may use, where to start"
    elif (lines := len(readme.read_text(encoding="utf-8").splitlines())) > README_LINES:
        yield readme, lines, f"{lines} lines; at most {README_LINES}"


def violations():
    for path in sources("include/palate"):
        yield from ((path, *v) for v in check_public(path))
    for folder in sorted((ROOT / "src").iterdir()):
        if not folder.is_dir():
            continue
        if folder.name not in MAY_USE:
            yield folder, 1, "a folder that no layer is named after; add it to tools/check_layers.py"
            continue
        for path in sources(f"src/{folder.name}"):
            yield from ((path, *v) for v in check_layer(path, folder.name))
            yield from ((path, *v) for v in check_quiet(path))
    for front in ("server", "cli", "python"):
        for path in sources(front):
            yield from ((path, *v) for v in check_layer(path, front))
    for folder in sorted(p for p in (ROOT / "server").iterdir() if p.is_dir()):
        if folder.name not in ROOMS:
            yield folder, 1, "a folder that is no room of the server; add it to tools/check_layers.py"
            continue
        for path in sources(f"server/{folder.name}"):
            yield from ((path, *v) for v in check_room(path, folder.name))
    for folder in folders():
        yield from check_readme(folder)


def main():
    return tell("check-layers", [f"{p.relative_to(ROOT)}:{n}: {text}" for p, n, text in violations()])


if __name__ == "__main__":
    sys.exit(main())
