"""Write the pages of the site that follow from the program or stand elsewhere in the repository: `make docs`.

They are not kept in the repository. Everything else under docs/ is written by hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from typer.core import TyperCommand, TyperGroup

from advisor.cli.app import COMMANDS, program
from advisor.cli.app import command as command_named
from advisor.cli.helping import EXAMPLES
from advisor.knowledge import loader
from advisor.report.markup import plain, table
from advisor.report.rules.glossary import whole_glossary
from advisor.report.rules.rule_book import rule_book
from advisor.resources import rules_folder

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
COPIED = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages at the top of the repository, and their names in the site."""
BUILT = frozenset({"rules.md", "glossary.md", "commands.md", "reference.md", *COPIED.values()})
"""Names in docs/ of the pages that are not kept in the repository."""
REFERENCE = """# Python reference

[Python interface](python.md) has examples.

::: advisor.session.session.Session
    options:
      heading: advisor.Session
      merge_init_into_class: true
      members: [plan, explain, measure, try_on_data, sync, simulate, report]
"""
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")


def generated() -> dict[str, str]:
    """The text of every page of BUILT, by its name."""
    knowledge = loader.load(rules_folder())
    pages = {"rules.md": indented(rule_book(knowledge)), "glossary.md": glossary(whole_glossary(knowledge).to_json())}
    pages["commands.md"] = "\n".join(["# Commands", "", *commands(program(), ("advisor",))]) + "\n"
    pages["reference.md"] = REFERENCE
    return pages | {name: for_the_site((ROOT / source).read_text(encoding="utf-8")) for source, name in COPIED.items()}


def indented(text: str) -> str:
    """Lists within lists as the site's Markdown wants them: four spaces, where others are content with two."""
    return re.sub(r"^  - ", "    - ", text, flags=re.MULTILINE)


def glossary(entries: dict[str, list[dict[str, object]]]) -> str:
    """The glossary by the alphabet, each term with its other names and what to look up next."""
    lines = ["# Glossary", "", "The words of questions, rules and reports. `advisor glossary TERM` looks one up.", ""]
    for entry in entries["terms"]:
        also = f" (also: {', '.join(map(plain, entry['aliases']))})" if entry["aliases"] else ""
        see = f" See {', '.join(map(plain, entry['see']))}." if entry["see"] else ""
        lines += [f"**{plain(entry['term'])}**{also}: {plain(entry['text'])}{see}", ""]
    return "\n".join(lines)


def commands(command: TyperCommand | TyperGroup, names: tuple[str, ...]) -> Iterator[str]:
    """One section a command, with its arguments and options as `--help` lists them, then those below it."""
    context = command.context_class(command, info_name=" ".join(names))
    yield from (f"{'#' * min(len(names) + 1, 3)} {' '.join(names)}", "", plain(command.help or ""), "")
    yield from ("```text", command.get_usage(context), "```", "")
    records = [record for one in command.get_params(context) if (record := one.get_help_record(context))]
    if records:
        yield from table(("option", "meaning"), records)
    if examples := EXAMPLES.get(" ".join(names[1:])):
        yield from ("```text", *examples, "```", "")
    for name in COMMANDS:
        if name.split()[:-1] == list(names[1:]):
            yield from commands(command_named(name), (*names, name.split()[-1]))


def for_the_site(text: str) -> str:
    """A page from the top of the repository, its links as they are within docs/; other files become plain code."""

    def linked(found: re.Match[str]) -> str:
        words, target, place = found[1], found[2], found[3] or ""
        if "://" in target:
            return found[0]
        inside = COPIED.get(target) or target.removeprefix("docs/")
        if inside != target or PurePosixPath(target).parts[0] == "docs":
            return f"[{words}]({inside}{place})"
        return words if words.startswith("`") else f"{words} (`{target}`)"

    return _LINK.sub(linked, text)


def main() -> None:
    for name, text in generated().items():
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
