#!/usr/bin/env python3
"""The reference of the C++ library, as Markdown, from the headers in include/palate.

  tools/site/cpp_reference.py [folder of headers]

Understands what these headers are written in, not all of C++: one namespace, declarations with ///
comments above them or ///< behind them, types that may hold types. What is private is left out.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from markdown import escaped, table

ROOT = Path(__file__).resolve().parent.parent.parent

NAMESPACE = re.compile(r"^namespace palate \{$(.*)^\}  // namespace palate$", re.MULTILINE | re.DOTALL)
TOKEN = re.compile(
    r"""(?P<trailing>///<[^\n]*) | (?P<doc>///[^\n]*) | (?P<remark>//[^\n]*)
    | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])') | (?P<mark>[{}();]) | (?P<space>\s+)
    | (?P<word>[^\s{}();"'/]+|[/'])""",
    re.VERBOSE,
)
ACCESS = re.compile(r"^(public|private|protected):\s*")
TYPE = re.compile(r"^(?:template <[^>]*> )?(enum class|enum|struct|class) (\w+)")
ENUMERATOR = re.compile(r"^\s*(\w+)(\s*=\s*[^,/]+)?,?\s*(?:///<\s*(.*))?$")


@dataclass
class Declaration:
    """One declaration: its text without a body, its comment and, of a type, what is inside."""

    text: str
    doc: list = field(default_factory=list)
    body: str | None = None

    @property
    def type(self):
        found = TYPE.match(self.text)
        return found and found.groups()

    def prose(self):
        return escaped(" ".join(" ".join(self.doc).split()))


class Reader:
    """Cuts the inside of a namespace or of a type into declarations."""

    def __init__(self, source, access):
        self.source, self.access = source, access
        self.found = []
        self._begin()

    def _begin(self):
        self.words, self.doc = "", []
        self.round = self.curly = 0
        self.body, self.kind = None, None

    def _finish(self):
        text = ACCESS.sub(self._enter, " ".join(self.words.split()))
        if self.access == "public" and text:
            self.found.append(Declaration(text, self.doc, self.body))
        else:
            self.found.append(None)  # takes the comment that trails it
        self._begin()

    def _enter(self, label):
        self.access = label.group(1)
        return ""

    def _comment(self, kind, text):
        if self.curly:
            return
        if kind == "doc":
            self.doc.append(text[3:].strip())
        elif kind == "trailing" and not self.words.strip() and self.found:
            if self.found[-1]:
                self.found[-1].doc.append(text[4:].strip())
        elif kind == "trailing":
            self.doc.append(text[4:].strip())

    def _open(self, at):
        if not self.curly:
            head = ACCESS.sub("", " ".join(self.words.split()))
            self.kind = "type" if TYPE.match(head) and "(" not in head else "code"
            if self.kind == "code" and re.search(r"=$|= \[\]|^[^(]*\w$", head):
                self.kind = "value"
            self.body_from = at + 1
        self.curly += 1

    def _close(self, at):
        self.curly -= 1
        if self.curly:
            return
        inside = self.source[self.body_from : at]
        if self.kind == "type":
            self.body = inside
        elif self.kind == "value":
            self.words += "{" + inside + "}"
        else:
            self._finish()

    def read(self):
        for token in TOKEN.finditer(self.source):
            kind, text = token.lastgroup, token.group()
            if kind in ("doc", "trailing", "remark"):
                self._comment(kind, text)
                continue
            if kind == "mark" and not self.round and text in "{}":
                self._open(token.start()) if text == "{" else self._close(token.start())
                continue
            if self.curly:
                continue
            if text == ";" and not self.round:
                self._finish()
                continue
            self.round += (text == "(") - (text == ")") if kind == "mark" else 0
            self.words += " " if kind == "space" else text
        return [d for d in self.found if d and not hidden(d)]


def hidden(declaration):
    """Forward declarations, and what only the library's own sources use."""
    text = declaration.text
    special = re.search(r"= (default|delete)$|^~|^\w+\(\w+&&\)|&&\) noexcept$|= \[\]", text)
    return bool(special or text.startswith("friend ") or (declaration.type and not declaration.body))


def tidy(text):
    """A declaration as a reader wants it."""
    text = re.sub(r"^(\[\[nodiscard\]\] |inline |explicit )+", "", text)
    text = re.sub(r"\) : \w+_\(.*$", ")", text)  # how a constructor begins
    text = re.sub(r" = \{\}(?=$|,)(?![^(]*\))", "", text)  # empty is what a reader expects
    return re.sub(r"\s*([,)])", r"\1", text).replace("( ", "(")


def enumerators(body):
    rows, doc = [], []
    for line in body.splitlines() if "\n" in body else body.split(","):
        more = re.match(r"^\s*///<\s*(.*)$", line)
        above = re.match(r"^\s*///\s+(.*)$", line)
        found = ENUMERATOR.match(line)
        if more and rows:
            rows[-1][1] += " " + escaped(more.group(1))
        elif above:
            doc.append(above.group(1))
        elif found:
            rows.append([f"`{found.group(1)}`", escaped(" ".join([*doc, found.group(3) or ""]))])
            doc = []
    return table(("value", "meaning"), rows)


def wrapped(text, width=96):
    """A declaration on several lines, broken after commas."""
    first, *rest = re.split(r"(?<=,) ", text)
    lines = [first]
    for piece in rest:
        if len(lines[-1]) + len(piece) + 1 > width:
            lines.append("    " + piece)
        else:
            lines[-1] += " " + piece
    return "\n".join(lines)


def is_function(declaration):
    head = re.split(r"(?<!operator)=", declaration.text)[0]
    return "(" in head and not declaration.text.startswith("using ")


def functions(declarations):
    """Each with its comment; overloads and others that follow without one stand with the first."""
    groups = []
    for declaration in declarations:
        if declaration.doc or not groups:
            groups.append([declaration])
        else:
            groups[-1].append(declaration)
    out = []
    for group in groups:
        out += ["```cpp", *(wrapped(tidy(d.text)) + ";" for d in group), "```", ""]
        out += [group[0].prose(), ""] if group[0].doc else []
    return out


def names(declarations):
    found = []
    for declaration in declarations:
        name = re.search(r"(\w+)\s*(?:\(|=|\{|\[|$)", declaration.text).group(1)
        if name not in found:
            found.append(name)
    return ", ".join(found)


def type_section(declaration, level, outer=""):
    kind, name = declaration.type
    out = [f"{'#' * level} {outer}{name}", ""]
    out += [declaration.prose(), ""] if declaration.doc else []
    if kind.startswith("enum"):
        return out + [f"`{kind} {outer}{name}`", ""] + enumerators(declaration.body)
    out += [f"`{tidy(declaration.text)}`", ""]
    inside = Reader(declaration.body, "private" if kind == "class" else "public").read()
    fields = [d for d in inside if not d.type and not is_function(d)]
    out += table(("member", "meaning"), [(f"`{tidy(d.text)}`", d.prose()) for d in fields])
    out += functions([d for d in inside if not d.type and is_function(d)])
    for nested in (d for d in inside if d.type):
        out += type_section(nested, level + 1, f"{outer}{name}::")
    return out


def free(declarations):
    """What stands in the namespace itself, between two types."""
    return [f"### {names(declarations)}", "", *functions(declarations)] if declarations else []


def header_section(path):
    source = path.read_text(encoding="utf-8")
    found = NAMESPACE.search(source)
    if not found:
        return []
    head = [line[3:] for line in source[: source.index("#pragma once")].splitlines()]
    told = " ".join(line for line in head if not line.startswith(" "))
    out = [f"## palate/{path.name}", "", escaped(re.sub(r" Implemented in [^.]*\.", "", told)), ""]
    out += ["    " + line for line in head if line.startswith(" ")] + [""]  # a small table
    run = []
    for declaration in Reader(found.group(1), "public").read():
        if not declaration.type:
            run.append(declaration)
            continue
        out += free(run) + type_section(declaration, 3)
        run = []
    return out + free(run)


def page(folder=ROOT / "include/palate"):
    out = ["# C++ reference", ""]
    out += [
        "`#include <palate/palate.hpp>` gives all of it, in the namespace `palate`. This page is made "
        "from the headers. Every function may throw `palate::Error`; results that must not be "
        "dropped are marked `[[nodiscard]]` in the headers. [Examples](examples.md) are short whole "
        "programs.",
        "",
    ]
    for path in sorted(folder.glob("*.hpp")):
        out += header_section(path)
    return "\n".join(out)


if __name__ == "__main__":
    print(page(*map(Path, sys.argv[1:])))
