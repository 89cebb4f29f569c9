"""Results as text and as small tables of HTML: bounded in size, and safe whatever the ids are.

The HTML has no colours of its own but shades of grey that let the page through, so that it reads in
light and in dark themes.
"""

from __future__ import annotations

import html
import math
from difflib import get_close_matches
from typing import Any, Iterable, NamedTuple, Sequence

#: Rows of a table that are shown, and characters of a cell.
ROWS, WIDTH = 10, 40

_LINE = "border:0;border-bottom:1px solid rgba(128,128,128,.35);"
_CELL = _LINE + "padding:.2em .7em;white-space:nowrap;text-align:{side};color:inherit;"


class Table(NamedTuple):
    """A table with a line above it and perhaps one below; columns of numbers stand to the right."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    #: How many columns at the left hold words.
    words: int = 1
    note: str = ""


def shortened(text: Any, most: int = WIDTH) -> str:
    """On one line, cut if it is long, and fit for any page."""
    line = str(text)[: 4 * most].encode("utf-8", "replace").decode()
    line = "".join(one if one.isprintable() else " " for one in line)
    return line if len(line) <= most else line[: most - 1] + "…"


def even(values: Iterable[float], digits: int = 4, sign: bool = False) -> list[str]:
    """Numbers with the same number of decimals: ``digits`` figures for the largest of them."""
    numbers = [float(value) for value in values]
    most = max((abs(one) for one in numbers if math.isfinite(one)), default=0.0)
    exponent = math.floor(math.log10(most)) if most else 0
    plus = "+" if sign else ""
    if -4 <= exponent <= 6:
        form = f"{plus},.{max(0, digits - 1 - exponent)}f"
    else:
        form = f"{plus}.{digits - 1}e"
    # A negative number that rounds to 0 would be shown as -0.
    return [format(0.0 if float(format(one, form).replace(",", "")) == 0 else one, form)
            for one in numbers]  # fmt: skip


def as_text(*tables: Table) -> str:
    return "\n".join(_one_text(table) for table in tables)


def _one_text(table: Table) -> str:
    lines = [[shortened(cell) for cell in row] for row in [table.head, *table.rows]]
    wide = [max(map(len, column)) for column in zip(*lines)]
    out = [table.title] if table.title else []
    for line in lines:
        if any(line):
            cells = [
                cell.ljust(width) if c < table.words else cell.rjust(width)
                for c, (cell, width) in enumerate(zip(line, wide))
            ]
            out.append(("  " + "  ".join(cells)).rstrip())
    return "\n".join([*out, table.note] if table.note else out)


def as_html(*tables: Table) -> str:
    return "<div>" + "".join(map(_one_html, tables)) + "</div>"


def _one_html(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        out = []
        for c, cell in enumerate(cells):
            style = _CELL.format(side="left" if c < table.words else "right")
            out.append(f'<{tag} style="{style}">{html.escape(shortened(cell))}</{tag}>')
        return f'<tr style="background:transparent">{"".join(out)}</tr>'

    head = f"<thead>{row(table.head, 'th')}</thead>" if any(table.head) else ""
    body = "".join(row(cells, "td") for cells in table.rows)
    caption = html.escape(shortened(table.title, 160))
    note = html.escape(shortened(table.note, 320))
    return (
        (f'<div style="margin:.5em 0 .2em"><strong>{caption}</strong></div>' if caption else "")
        + '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        + f"{head}<tbody>{body}</tbody></table>"
        + (f'<div style="opacity:.75;margin:.2em 0 .5em">{note}</div>' if note else "")
    )


def count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def more(number: int, what: str) -> str:
    """What is said below a table of which ``number`` rows are not shown."""
    return f"and {count(number, f'more {what}')}" if number > 0 else ""


def known(name: Any, names: Sequence[str], what: str) -> str:
    """The hint for a name that is none of ``names``: the nearest, and all of them."""
    folded = {one.lower(): one for one in names}
    near = get_close_matches(str(name).lower().strip(), folded, n=1, cutoff=0.6)
    said = f"did you mean {folded[near[0]]!r}? " if near else ""
    listed = ", ".join(shortened(one) for one in names[:32])
    return f"{said}the {what} are {listed}" + (", …" if len(names) > 32 else "")
