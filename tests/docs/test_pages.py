"""What the pages of the documentation show is there: packs that they spell out, code that they quote, links and pictures."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from tests.docs.walk import DOCS, ROOT, Shell, blocks, commands, part

PAGES = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += [path for path in sorted(DOCS.glob("*.md")) if path.name != "rules.md"]
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)|(?:src|srcset)=\"([^\"]+)\"")
TOO_LONG = ("advisor rules check", "advisor rules coverage")
"""Both look at all rules of the base again, as `make lint` does."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    targets = ["".join(found) for found in LINK.findall(page.read_text(encoding="utf-8"))]
    missing = [name for name in targets if "://" not in name and not (page.parent / name).exists()]
    assert missing == []


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
    declared = (ROOT / "advisor" / "probes" / "settings" / "layout.py").read_text(encoding="utf-8")
    _, quoted = next(blocks(page, "python"))
    assert [piece for piece in quoted.strip().split("\n\n\n") if piece not in declared] == []
    facts = (ROOT / "rules" / "facts.yaml").read_text(encoding="utf-8")
    measured = (ROOT / "rules" / "measured.yaml").read_text(encoding="utf-8")
    (_, fact), (_, rule) = blocks(page, "yaml")
    assert textwrap.indent(fact, "  ") in facts
    assert rule.splitlines()[:5] == measured[measured.index(rule.splitlines()[0]) :].splitlines()[:5]
