#!/usr/bin/env python3
"""The reference of the Python package, as Markdown, from its sources, which are not imported.

  tools/site/python_reference.py [folder of the package]
"""
import ast
import inspect
import re
import sys
from pathlib import Path

from markdown import escaped

ROOT = Path(__file__).resolve().parent.parent.parent
# The modules behind the package, in the order of a reader. Their own docstrings follow the titles.
TITLES = {
    "_input": "Ratings in",
    "_ratings": "Ratings and splits",
    "_recommender": "What every model can do",
    "_methods": "Methods",
    "_models": "CA-GF, and models from files",
    "_results": "Lists and explanations",
    "_evaluation": "Evaluation",
    "_choice": "Choosing settings",
    "_filters": "Filters",
    "_plots": "Pictures",
    "_errors": "Errors",
}


def public_names(folder):
    """name -> module, as __init__.py imports them; a star stands for the __all__ of its module."""
    found = {}
    for node in ast.parse((folder / "__init__.py").read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        for alias in node.names:
            names = stars(folder, node.module) if alias.name == "*" else [alias.asname or alias.name]
            found.update(dict.fromkeys(names, node.module))
    return found


def stars(folder, module):
    for node in ast.parse((folder / f"{module}.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def roles(text):
    """Marks of reStructuredText as those of Markdown."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return escaped(re.sub(r"``([^`]+)``", r"`\1`", text))


def paragraphs(doc):
    """A docstring as Markdown: terms with indented text become a list, sessions become code."""
    out, session = [], False
    for line in inspect.cleandoc(doc or "").splitlines():
        if line.startswith(">>> ") and not session:
            out += ["", "```pycon"]
            session = True
        elif session and not line.strip():
            out += ["```"]
            session = False
        term = re.match(r"^(``.*``(?:, ``.*``)*)$", line)
        if session:
            out.append(line)
        elif term:
            out.append("- " + roles(term.group(1)) + ":")
        elif line.startswith("* ") and (not out or out[-1]):
            out += ["", roles(line)] if out and not out[-1].startswith(("* ", "  ")) else [roles(line)]
        else:
            out.append(roles(line.strip() if line.startswith("    ") else line))
    return [*out, *(["```"] if session else []), ""]


def signature(name, node):
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls)(: [\w\[\]]+)?(, )?", "", arguments)
    gives = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    line = f"{name}({arguments}){gives}"
    if len(line) <= 92:
        return line
    pieces = [ast.unparse(argument) for argument in one_by_one(node.args)]
    return f"{name}(\n" + "".join(f"    {piece},\n" for piece in pieces) + f"){gives}"


def one_by_one(arguments):
    """Each argument with its default, as nodes that can be written alone."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    pairs = list(zip(plain, defaults))
    if pairs and pairs[0][0].arg in ("self", "cls"):
        pairs = pairs[1:]
    out = [*pairs, *([(ast.arg("*"), None)] if arguments.kwonlyargs else [])]
    out += zip(arguments.kwonlyargs, arguments.kw_defaults)
    if arguments.kwarg:
        out.append((ast.arg("**" + arguments.kwarg.arg), None))
    return [ast.Name(ast.unparse(a) + (f" = {ast.unparse(d)}" if d else "")) for a, d in out]


def code(text):
    return ["```python", text, "```", ""]


def member(node):
    """A documented method or property of a class."""
    shown = [ast.unparse(decorator) for decorator in node.decorator_list]
    if "property" in shown:
        text = f"{node.name}: {ast.unparse(node.returns)}" if node.returns else node.name
    else:
        text = signature(node.name, node)
        if "staticmethod" in shown or "classmethod" in shown:
            text = f"@{'static' if 'staticmethod' in shown else 'class'}method\n{text}"
    return [*code(text), *paragraphs(ast.get_docstring(node))]


def class_section(node):
    out = [f"### palate.{node.name} {{#{node.name}}}", ""]
    made = next((n for n in node.body if getattr(n, "name", "") == "__init__"), None)
    hidden = [b for b in map(ast.unparse, node.bases) if b.startswith("_")]
    if made and not any(a.annotation and "_palate" in ast.unparse(a) for a in made.args.args):
        out += code(signature(node.name, made))
    fields = [ast.unparse(n) for n in node.body if isinstance(n, ast.AnnAssign) and n.simple]
    fields = [f for f in fields if not f.startswith("_")]
    out += paragraphs(ast.get_docstring(node))
    if fields and not hidden:
        out += code("\n".join(fields))
    for n in node.body:
        is_method = isinstance(n, ast.FunctionDef) and not n.name.startswith("_")
        if is_method and ast.get_docstring(n):
            out += member(n)
    return out


def function_section(node):
    out = [f"### palate.{node.name} {{#{node.name}}}", "", *code(signature(node.name, node))]
    return [*out, *paragraphs(ast.get_docstring(node))]


def page(folder=ROOT / "python/palate"):
    names = public_names(folder)
    out = ["# Python reference", ""]
    out += ["Every name that `import palate` gives, made from the sources of the package. "
            "[The guide](python.md) shows how they go together.", ""]
    for module, title in TITLES.items():
        tree = ast.parse((folder / f"{module}.py").read_text(encoding="utf-8"))
        told = "" if module == "_methods" else ast.get_docstring(tree) or ""
        out += [f"## {title}", "", roles(told), ""]
        seen = set()
        for node in tree.body:
            name = getattr(node, "name", None)
            if names.get(name) != module or name in seen or is_overload(node):
                continue
            seen.add(name)
            out += class_section(node) if isinstance(node, ast.ClassDef) else function_section(node)
    return "\n".join(out)


def is_overload(node):
    return any("overload" in ast.unparse(d) for d in getattr(node, "decorator_list", []))


if __name__ == "__main__":
    print(page(*map(Path, sys.argv[1:])))
