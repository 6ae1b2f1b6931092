"""Pages of the documentation: their links lead somewhere, packs that they spell out are sound, code is quoted as it is."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from typer.core import TyperCommand, TyperGroup

from advisor.cli.app import Deferred, program
from docs.site.pages import BUILT, COPIED, for_the_site, generated
from tests.docs.walk import DOCS, ROOT, Shell, blocks, commands, part

PAGES = [ROOT / name for name in COPIED]
PAGES += [path for path in sorted(DOCS.rglob("*.md")) if path.relative_to(DOCS).as_posix() not in BUILT]
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)|(?:src|srcset)=\"([^\"]+)\"")
PATH = re.compile(r"`(?:python |pytest )?([a-z_]+/[^`\s]*)`?")
FOLDERS = {path.name for top in (ROOT, ROOT / "advisor") for path in top.iterdir() if path.is_dir()} - {"build"}
COMMAND = re.compile(r"(?:^ *|`|\$ )(?:\.venv/bin/)?advisor ([^`\n#|]+)", re.MULTILINE)
TOO_LONG = ("advisor rules check", "advisor rules coverage")
"""Both look at all rules of the base again, as `make lint` does."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    targets = ["".join(found) for found in LINK.findall(page.read_text(encoding="utf-8"))]
    inside = [name for name in targets if "://" not in name and name not in BUILT]
    assert [name for name in inside if not (page.parent / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_prose_fits_into_120_columns(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    tables = () if page.name == "ARCHITECTURE.md" else ("|",)
    assert [line for line in prose.splitlines() if len(line) > 120 and not line.startswith(tables)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_paths_that_are_named_exist(page: Path) -> None:
    """Paths of the repository, or of the package; `NAME` and the like stand for many."""
    named = {
        name for name in PATH.findall(page.read_text(encoding="utf-8")) if not re.search(r"[A-Z]{3}|\*|/\d+$", name)
    }
    named = {name for name in named if name.partition("/")[0] in FOLDERS}
    assert [name for name in sorted(named) if not any((top / name).exists() for top in (ROOT, ROOT / "advisor"))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_that_are_shown_exist_with_their_options(page: Path) -> None:
    shown = COMMAND.findall(page.read_text(encoding="utf-8"))
    assert [f"advisor {line}: {what}" for line in shown for what in unknown(line.split())] == []


def unknown(words: list[str]) -> list[str]:
    """The parts of a command line that the program does not have."""
    command: TyperCommand | TyperGroup = program()
    while isinstance(command, TyperGroup) and words and words[0].islower() and words[0].isalpha():
        below = command.get_command(command.context_class(command), words.pop(0))
        if below is None:
            return ["no such command"]
        command = below.loaded() if isinstance(below, Deferred) else below
    named = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    options = named | {"--help", "-h"}
    return [word for word in words if word.startswith("--") and word.rstrip("]") not in options]


def test_a_command_or_an_option_that_does_not_exist_is_found() -> None:
    assert unknown(["recommend", "--answers", "A.yaml", "--frobnicate", "3"]) == ["--frobnicate"]
    assert unknown(["profiles", "frobnicate"]) == ["no such command"]


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900


def test_the_architecture_is_read_in_one_sitting() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 250


def test_the_pages_that_are_built_have_each_command_rule_and_term() -> None:
    pages = generated()
    assert pages.keys() == BUILT
    for command in ("advisor recommend", "advisor probe list", "advisor rules trial", "advisor profiles compare"):
        assert f"\n### {command}\n" in pages["commands.md"]
    assert "| --budget " in pages["commands.md"]
    assert "**batch size**" in pages["glossary.md"]
    assert "**`compute.threads.physical-cores`**" in pages["rules.md"]


def test_links_of_the_readme_lead_to_pages_of_the_site() -> None:
    page = "[guide](docs/guide.md#install), [rooms](ARCHITECTURE.md), [pack](examples/packs), [web](https://a.b)"
    assert (
        for_the_site(page)
        == "[guide](guide.md#install), [rooms](architecture.md), pack (`examples/packs`), [web](https://a.b)"
    )


@pytest.mark.slow
def test_the_pack_that_is_spelt_out_is_sound(tmp_path: Path) -> None:
    text = part("writing-packs.md", "## From an empty folder", "## What a pack may hold")
    shell = Shell(tmp_path)
    first, *others = commands(text)
    shell.type(first)
    for name, source in blocks(text, "yaml"):
        (tmp_path / "house" / name).write_text(source, encoding="utf-8")
    told = {command: shell.type(command) for command in others if not command.startswith(TOO_LONG)}
    assert "0 failures" in told["advisor rules test --rules house"]


def test_the_pack_of_the_example_changes_its_plan() -> None:
    text = part("writing-packs.md", "## Five changes", "## Several packs")
    shell = Shell(ROOT)
    without, with_ = map(shell.type, commands(text))
    assert "from the rule pack" not in without
    assert "from the rule pack examples/packs/eight-a10s" in " ".join(with_.split())


def test_the_probe_that_is_followed_is_quoted_as_it_is() -> None:
    """Of the declaration, up to what the page leaves to the file; of facts and rules, every line of meaning."""
    page = (DOCS / "writing-probes.md").read_text(encoding="utf-8")
    declared = (ROOT / "advisor" / "probes" / "settings" / "variants.py").read_text(encoding="utf-8")
    _, quoted = next(blocks(page, "python"))
    assert [piece for piece in quoted.strip().split("\n\n\n") if piece not in declared] == []
    facts = (ROOT / "rules" / "facts.yaml").read_text(encoding="utf-8")
    measured = (ROOT / "rules" / "measured.yaml").read_text(encoding="utf-8")
    (_, fact), (_, rule) = blocks(page, "yaml")
    assert textwrap.indent(fact, "  ") in facts
    assert rule.splitlines()[:5] == measured[measured.index(rule.splitlines()[0]) :].splitlines()[:5]
