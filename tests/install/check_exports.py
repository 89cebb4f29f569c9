#!/usr/bin/env python3
"""Does the library export the functions that the public headers declare, and nothing else?

  check_exports.py LIBRARY HEADERS

Compares the names of functions that headers declare without defining them with what `nm` finds.
Vtables and type information may be there for classes that headers define. Ends with 1 on a
difference and prints it.
"""
import re
import subprocess
import sys
from pathlib import Path

CLASS = re.compile(r"\b(?:class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^:].*)?$", re.S)
FUNCTION = re.compile(r"^[^=]*?(operator\W+?|~?\b\w+)\s*\(")


def code_of(path):
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*", "", text, flags=re.S | re.M)
    return re.sub(r'"[^"\n]*"|\'.\'|\[\[\w+\]\]', "", text)


def matching(text, at):
    """The place behind the bracket that closes the one at `at`."""
    pairs = {"(": ")", "{": "}"}
    opened, closed = text[at], pairs[text[at]]
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == opened) - (text[place] == closed)
        if depth == 0:
            return place + 1
    raise ValueError("a bracket is never closed")


def without_arguments(statement):
    """Of templates: a std::function<void(int)> is no function called void."""
    while (shorter := re.sub(r"<[^<>]*>", "", statement)) != statement:
        statement = shorter
    return statement


def declared(text, scope, functions, classes):
    """Adds what stands in a namespace or in a class."""
    statement, at = "", 0
    while at < len(text):
        here = text[at]
        if here == "(":
            statement += "("
            at = matching(text, at)
        elif here == ";":
            name = FUNCTION.search(without_arguments(statement))
            inherited = re.search(r"=\s*(0|default|delete)\s*$|^\s*(using|friend|static_assert)\b",
                                  statement)
            if name and not inherited:
                functions.add(f"{scope}::{name.group(1)}")
            statement, at = "", at + 1
        elif here == "{":
            end = matching(text, at)
            named = CLASS.search(statement.strip())
            if named and "(" not in statement:
                inner = f"{scope}::{named.group(1)}"
                classes.add(inner)
                declared(text[at + 1:end - 1], inner, functions, classes)
            # A body ends a function; an initialiser or the body of a class goes on to the ';'.
            if "(" in statement and "=" not in statement:
                statement = ""
            at = end
        else:
            statement += here
            at += 1
        statement = re.sub(r"^\s*(public|protected|private):", "", statement)


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", "--demangle", library], check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        yield line.split(maxsplit=2)[2]


def main():
    library, headers = sys.argv[1], Path(sys.argv[2])
    functions, classes = set(), set()
    for path in sorted(headers.glob("*.hpp")):
        for space in re.finditer(r"^namespace palate {(.*)^}", code_of(path), re.S | re.M):
            declared(space.group(1), "palate", functions, classes)
    found, problems = set(), []
    for symbol in exported(library):
        about = re.match(r"(?:vtable|typeinfo|typeinfo name) for (.*)", symbol)
        name = about.group(1) if about else re.sub(r"\[abi:\w+\]", "", symbol).split("(")[0]
        if about and name not in classes or not about and name not in functions:
            problems.append(f"exported, but not declared: {symbol}")
        found.add(name)
    problems += [f"declared, but not exported: {name}" for name in sorted(functions - found)]
    print("\n".join(problems) or f"{len(functions)} functions are declared and exported")
    return 1 if problems or len(functions) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
