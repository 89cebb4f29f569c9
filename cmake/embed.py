#!/usr/bin/env python3
"""Makes a C++ source with files in it, for server/pages.hpp.

  embed.py OUT.cpp [--file /path=FILE]... [--folder FOLDER]...

Each file lies in the binary twice, as it is and compressed. Symbolic links and hidden files are
passed over.
"""
import argparse
import gzip
import hashlib
import sys
from pathlib import Path

TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
    ".ico": "image/x-icon", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
    ".map": "application/json", ".webmanifest": "application/manifest+json",
}

HEAD = """// Made by cmake/embed.py; not to be edited.
#include <array>

#include "server/http/pages.hpp"

"""


def collect(options):
    files = {}
    for pair in options.file:
        path, _, name = pair.partition("=")
        files[path] = Path(name)
    for folder in options.folder:
        root = Path(folder)
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root)
            hidden = any(part.startswith(".") for part in relative.parts)
            if path.is_file() and not path.is_symlink() and not hidden:
                files["/" + relative.as_posix()] = path
    return files


def blob(symbol, path):
    return (f'__asm__(".section .rodata\\n.balign 16\\n.local {symbol}\\n{symbol}:\\n"\n'
            f'        ".incbin \\"{path}\\"\\n.byte 0\\n.previous\\n");\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--folder", action="append", default=[])
    options = parser.parse_args()
    out = Path(options.out)
    packed_folder = out.parent / (out.stem + "_files")
    packed_folder.mkdir(parents=True, exist_ok=True)
    blobs, names, rows = [], [], []
    for number, (path, source) in enumerate(collect(options).items()):
        data = source.read_bytes()
        if not data:
            continue
        digest = hashlib.sha256(data).hexdigest()[:20]
        # Copies, so that the text of the source changes when a file does.
        plain = packed_folder / f"{digest}{source.suffix}"
        plain.write_bytes(data)
        blobs.append(blob(f"palate_page_{number}", plain))
        names.append(f"palate_page_{number}")
        packed = gzip.compress(data, 9, mtime=0)
        gz = '{}'
        if len(packed) < 0.9 * len(data):
            file = packed_folder / f"{digest}{source.suffix}.gz"
            file.write_bytes(packed)
            blobs.append(blob(f"palate_page_{number}_gz", file))
            names.append(f"palate_page_{number}_gz")
            gz = f"{{palate_page_{number}_gz, {len(packed)}}}"
        kind = TYPES.get(source.suffix, "application/octet-stream")
        rows.append(f'    Page{{"{path}", "{kind}", "\\"{digest}\\"",\n'
                    f'         {{palate_page_{number}, {len(data)}}}, {gz}}},\n')
    text = HEAD + "".join(blobs) + "\n"
    text += "".join(f"extern \"C\" const char {name}[];\n" for name in names)
    text += "\nnamespace palate::server {\n\nstd::span<const Page> pages() noexcept {\n"
    text += f"  static const std::array<Page, {len(rows)}> all = {{{{\n{''.join(rows)}  }}}};\n"
    text += "  return all;\n}\n\n}  // namespace palate::server\n"
    out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
