#!/usr/bin/env python3
"""Checks every tracked Markdown file: relative links lead to a file, or to a heading of one, and no
line has more than 100 columns outside of tables, code and links.

Prints file:line for each violation and ends with 1 if there is any.
"""
import functools
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from urllib.parse import unquote

from findings import tell

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 100

FENCE = re.compile(r"^\s*(```+|~~~+)")
CODE_SPAN = re.compile(r"(`+)(?:(?!\1).)+?\1")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
EXPLICIT_ANCHOR = re.compile(r"<a\s+(?:id|name)=[\"']([^\"']+)[\"']")


def tracked():
    command = ["git", "-C", ROOT, "ls-files", "-z", "*.md"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    paths = (ROOT / name for name in listed.split("\0") if name)
    return [path for path in paths if path.is_file()]


def prose(text):
    """(number, line) of what is not a block of code. A block by indentation follows an empty line."""
    fence = None
    indented, empty = False, True
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = None
            continue
        if mark:
            fence = mark.group(1)
            continue
        if not line.strip():
            empty = True
            continue
        indented = line.startswith("    ") and (indented or empty)
        empty = False
        if not indented:
            yield number, line


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)  # the text of a link
    text = "".join(c for c in text.lower() if c in " -_" or unicodedata.category(c)[0] in "LNM")
    return text.replace(" ", "-")


@functools.cache
def anchors(path):
    found, seen = set(), {}
    text = path.read_text(encoding="utf-8")
    for _, line in prose(text):
        found.update(EXPLICIT_ANCHOR.findall(line))
        heading = HEADING.match(line)
        if heading:
            name = slug(heading.group(1))
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
    return found


def check_link(path, target):
    if re.match(r"^[a-zA-Z][a-zA-Z0-9+.-]*:|^//", target):
        return None  # another site
    name, _, anchor = target.partition("#")
    to = (path.parent / unquote(name)).resolve() if name else path
    if not to.exists():
        return f"there is no {name}"
    if anchor and to.suffix == ".md" and unquote(anchor) not in anchors(to):
        return f"{name or path.name} has no heading #{anchor}"
    return None


def too_long(line):
    if len(line) <= COLUMNS or line.lstrip().startswith("|"):
        return False
    return len(LINK.sub("link", line)) > COLUMNS


def violations(path):
    lines = list(prose(path.read_text(encoding="utf-8")))
    for number, line in lines:
        if too_long(line):
            yield number, f"{len(line)} columns; at most {COLUMNS}"
    # A link may run over two lines, so the text is searched as a whole.
    text = CODE_SPAN.sub(lambda span: "x" * len(span.group()), "\n".join(line for _, line in lines))
    for found in [*LINK.finditer(text), *REFERENCE.finditer(text)]:
        problem = check_link(path, found.group(1))
        if problem:
            yield lines[text.count("\n", 0, found.start(1))][0], problem


def main():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {message}"
        for path in tracked()
        for line, message in sorted(violations(path))
    ]
    return tell("check-docs", found)


if __name__ == "__main__":
    sys.exit(main())
