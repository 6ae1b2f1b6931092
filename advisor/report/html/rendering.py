"""Templates to one HTML file. Whatever comes from data is escaped and freed of control characters, in one place."""

from __future__ import annotations

import html
import re
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from advisor.report.html.drawing import Chart, svg
from advisor.version import __version__
from advisor.wording import join_names, printable

if TYPE_CHECKING:
    from jinja2 import Environment

_CODE = re.compile("`([^`]+)`")
_TAG = re.compile(r"<(style|svg|script)\b.*?</\1>|<[^>]*>", re.DOTALL)


def render(template: str, /, **values: object) -> str:
    """The page of a template in `templates/`."""
    return _environment().get_template(template).render(values)


def text_of(page: str) -> str:
    """The text that somebody reads on a page, without its figures."""
    return html.unescape(_TAG.sub(" ", page))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # 19 ms, only where a page is made

    environment = Environment(
        loader=PackageLoader("advisor.report.html"),
        autoescape=True,  # of every template, whatever its name ends in
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"prose": _prose, "drawn": _drawn}
    environment.globals |= {"version": __version__, "join_names": join_names}
    return environment


def _finalize(value: object) -> object:
    """Text without characters that control a terminal or turn the direction of writing, escaped already or not."""
    if isinstance(value, Markup):
        return Markup(printable(value))  # noqa: S704 - it was HTML before
    return printable(value) if isinstance(value, str) else value


def _prose(text: object) -> Markup:
    """Text escaped, with what stands between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(printable(str(text))))))  # noqa: S704 - it is escaped


def _drawn(chart: Chart) -> Markup:
    return Markup(svg(chart))  # noqa: S704 - the drawing escapes what it writes
