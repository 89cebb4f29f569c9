"""What the generators of Markdown share."""

import re


def escaped(text):
    """Prose that may name templates: what is not code must not be taken for HTML."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [part.replace("&", "&amp;").replace("<", "&lt;") for part in parts[::2]]
    return "".join(parts)


def cell(text):
    """Text for one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head, rows):
    """Lines of a table, or none if there are no rows."""
    if not rows:
        return []
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(map(cell, row)) + " |" for row in rows), ""]
