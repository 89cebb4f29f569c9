"""Formulas as MathML, which browsers show by themselves: the site loads no script for them."""

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def on_page_content(content, **_):
    def replace(found):
        display = "block" if found.group(2) == "[" else "inline"
        return convert(html.unescape(found.group(3)).strip(), display=display)

    return FORMULA.sub(replace, content)
