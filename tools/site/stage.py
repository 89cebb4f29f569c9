#!/usr/bin/env python3
"""Lays out the pages of the documentation site, for mkdocs to build.

  tools/site/stage.py build/docs-src
"""
import posixpath
import re
import shutil
import sys
from pathlib import Path

import cpp_reference
import http_reference
import python_reference

ROOT = Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^\s*(```|~~~)")

# What stands elsewhere in the repository, and the page of the site that shows it.
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "README.md",
    "include/palate": "cpp-reference.md",
    "python/palate": "python-reference.md",
    "python/examples": "examples.md",
    "server/openapi.json": "http-routes.md",
    "examples": "examples.md",
}


def target(page, name):
    """Where a link of a page of the repository leads in the site; None: nowhere."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), name))
    if path == "docs":
        return "README.md"
    if path.startswith("docs/"):
        return path[len("docs/") :]
    near = path if path in PAGES else posixpath.dirname(path)
    return PAGES.get(near)


def relinked(page, text):
    """What the site does not show is named by its path instead of linked."""

    def replace(found):
        words, name, anchor = found.group(1), found.group(2), found.group(3) or ""
        if re.match(r"[a-z]+:", name):
            return found.group()
        to = target(page, name)
        if to:
            return f"[{words}]({to}{anchor if to.endswith(name.rsplit('/', 1)[-1]) else ''})"
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), name))
        plain = words.strip("`")
        return f"`{path}`" if path.endswith(plain.rstrip("/")) else f"{words} (`{path}`)"

    out, chunk, fenced = [], [], False
    for line in [*text.splitlines(keepends=True), "```"]:
        if not FENCE.match(line):
            chunk.append(line)
            continue
        part = "".join(chunk)
        out += [part if fenced else LINK.sub(replace, part), line]
        chunk, fenced = [], not fenced
    return "".join(out[:-1])


def examples():
    """The programs of the repository on one page."""
    out = ["# Examples", "", "Short whole programs. The tests build and run them.", ""]
    for folder, title, kind in (("examples", "C++", "cpp"), ("python/examples", "Python", "py")):
        out += [f"## {title}", ""]
        for path in sorted((ROOT / folder).glob(f"*.{kind}")):
            source = path.read_text(encoding="utf-8").rstrip()
            out += [f"### {path.name}", "", f"```{kind}", source, "```", ""]
    return "\n".join(out)


def stage(to):
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(ROOT / "docs", to, ignore=shutil.ignore_patterns("requirements.txt"))
    pages = {f"docs/{path.name}": path.name for path in (ROOT / "docs").glob("*.md")}
    pages |= {name: PAGES[name] for name in ("CHANGELOG.md", "CONTRIBUTING.md")}
    for page, name in pages.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        (to / name).write_text(relinked(page, text), encoding="utf-8")
    made = {
        "cpp-reference.md": cpp_reference.page(),
        "python-reference.md": python_reference.page(),
        "http-routes.md": http_reference.page(),
        "examples.md": examples(),
    }
    for name, text in made.items():
        (to / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "tools/site/assets", to / "assets")
    print(f"docs: {len(pages)} pages of the repository, {len(made)} made from its sources")


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
