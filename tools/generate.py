#!/usr/bin/env python3
"""Writes what follows from the descriptions of the methods: classes in Python, a page of the documents.

  tools/generate.py build/palate            write them
  tools/generate.py build/palate --check    end with 1 if they are not up to date
"""
import json
import keyword
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Written by hand, because its parameters are more than settings (python/palate/_models.py).
BY_HAND = {"ca-gf"}


def wrapped(text, indent=""):
    return textwrap.fill(text, 98, initial_indent=indent, subsequent_indent=indent)


def parameter(setting):
    """Name, type, default as Python writes them."""
    name = setting["name"] + ("_" if keyword.iskeyword(setting["name"]) else "")
    default = setting["default"]
    kind = setting["kind"]
    if kind == "count":
        return (name, "int | None", "None") if default == "0" else (name, "int", default)
    if kind == "number":
        return name, "float", repr(float(default))
    if kind == "optional_number":
        return name, "float | None", "None" if default == "off" else repr(float(default))
    if kind == "flag":
        return name, "bool", str(default == "true")
    return name, "str", json.dumps(default)


def python_class(name, class_name, summary, settings, method):
    lines = [f"class {class_name}(Described):"]
    doc = [wrapped(summary, "    ").replace("    ", '    """', 1)]
    if method["reconstruction"]:
        doc += ["", wrapped("A reconstruction: the code of its authors was not to be had.", "    ")]
    if settings:
        doc.append("")
    for setting in settings:
        doc.append(f"    ``{parameter(setting)[0]}``")
        choices = " One of " + ", ".join(setting["choices"]) + "." if "choices" in setting else ""
        doc.append(wrapped(setting["help"] + choices, "        "))
    if settings:
        doc.append('    """')
    else:
        doc[-1] += '"""'
    lines += doc + ["", f'    _method = "{name}"', ""]
    signature = [f"{n}: {t} = {d}" for n, t, d in map(parameter, settings)]
    one_line = f"    def __init__(self{''.join(', ' + s for s in signature)}) -> None:"
    if len(one_line) <= 100:
        lines.append(one_line)
    else:
        lines += ["    def __init__(", "        self,", *(f"        {s}," for s in signature)]
        lines.append("    ) -> None:")
    lines += [f"        self.{n} = {n}" for n, _, _ in map(parameter, settings)] or ["        pass"]
    return "\n".join(lines) + "\n"


def python_module(methods):
    classes = {}
    for method in methods:
        computing = [s for s in method["settings"] if s["computing"]]
        for alias in method["aliases"]:
            classes[alias["class"]] = python_class(
                alias["name"], alias["class"], alias["summary"], computing, method
            )
        if method["name"] not in BY_HAND:
            classes[method["class"]] = python_class(
                method["name"], method["class"], method["summary"], method["settings"], method
            )
    names = "".join(f'    "{name}",\n' for name in sorted(classes))
    head = '"""A class for each method. Made by tools/generate.py: `make generate` writes it anew."""\n'
    return (
        head
        + "\nfrom __future__ import annotations\n\nfrom ._described import Described\n"
        + f"\n__all__ = [\n{names}]\n\n\n"
        + "\n\n".join(classes.values())
    )


def bounds(setting):
    if "choices" in setting:
        return ", ".join(f"`{c}`" for c in setting["choices"])
    words = {"flag": "true or false", "count": "a whole number", "number": "a number"}
    words |= {"optional_number": "a number, or off", "filter": "a filter"}
    words |= {"filters": "filters by criterion", "text": "see the help"}
    out = [words[setting["kind"]]]
    for key, text in (("above", "above"), ("at_least", "at least"), ("at_most", "at most")):
        if key in setting:
            out.append(f"{text} {setting[key]:g}")
    return ", ".join(out)


def document(methods):
    can = list(methods[0]["can"])
    out = ["# Methods", ""]
    out.append(wrapped("`palate methods` prints this page's facts, and `palate methods NAME` those of "
                       "one. `--method NAME` takes a method, `--set SETTING=VALUE` a setting; in Python "
                       "each is a class, in C++ `palate::Method(name)`."))
    out.append("")
    out.append("| method | Python | " + " | ".join(c.replace("_", " ") for c in can) + " |")
    out.append("|---|---|" + "---|" * len(can))
    for method in methods:
        marks = " | ".join("yes" if method["can"][c] else "" for c in can)
        mark = " (reconstruction)" if method["reconstruction"] else ""
        out.append(f"| [{method['name']}](#{method['name']}){mark} | `{method['class']}` | {marks} |")
    for method in methods:
        out += ["", f"## {method['name']}", "", wrapped(method["summary"])]
        for alias in method["aliases"]:
            out += ["", wrapped(f"`{alias['name']}` (`{alias['class']}` in Python) is {method['name']} "
                                f"with {alias['setting']} {alias['value']}. {alias['summary']}")]
        rows = method["asks"] + method["settings"]
        seen = set()
        if rows:
            out += ["", "| setting | accepts | default | |", "|---|---|---|---|"]
        for setting in rows:
            if setting["name"] in seen:
                continue
            seen.add(setting["name"])
            default = f"`{setting['default']}`" if setting["default"] else ""
            out.append(f"| `{setting['name']}` | {bounds(setting)} | {default} | {setting['help']} |")
    return "\n".join(out) + "\n"


def main():
    tool, check = sys.argv[1], "--check" in sys.argv[2:]
    found = subprocess.run([tool, "methods", "--json"], check=True, capture_output=True, text=True)
    methods = json.loads(found.stdout)["methods"]
    stale = []
    for name, text in (
        ("python/palate/_methods.py", python_module(methods)),
        ("docs/methods.md", document(methods)),
    ):
        path = ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"not up to date: {', '.join(stale)}; 'make generate' writes them", file=sys.stderr)
        return 1
    print("generate: " + ("all up to date" if not stale else "wrote " + ", ".join(stale)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
