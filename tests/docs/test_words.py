"""The words of this house: the field's terms, and docstrings that begin with a verb or a noun.

A finding names the place and the better word.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .test_pages import PAGES
from .walk import ROOT

BETTER = {
    r"foret(ell|old)\w*": "predict",
    r"dots?(?! product| and hyphens| vdot)": "pixel",
    r"learnt|unlearnt": "learned",
    r"divisions? of the data": "split",
    r"mend(s|ed|ing)?": "fix, or say the remedy",
    r"reckon(s|ed|ing)?": "count, compute or think",
    r"heed(s|ed|ing)?": "respect or use",
    r"dear(er|est)": "more expensive",
    r"(where|there)(of|upon|by which)|whence|thence|lest|nought|aught|ere|hark|ken|whilst|amongst": "plain English",
    r"(first|original) design|the contract": "state the fact: readers cannot see that document",
}
WORDS = {re.compile(rf"\b({pattern})\b", re.IGNORECASE): better for pattern, better in BETTER.items()}
RELATIVE = re.compile(
    r"(What|Which|How|Whether|That|Where|Why|Who|Whose|Whoever|Whatever)\b(?![^\n]*\?$)", re.MULTILINE
)
ROOMS = sorted(f"advisor/{path.name}" for path in (ROOT / "advisor").iterdir() if (path / "__init__.py").exists())


def unusual(text: str) -> Iterator[str]:
    for pattern, better in WORDS.items():
        for found in pattern.finditer(text):
            yield f"{found[0]!r} in {text[max(found.start() - 30, 0) : found.end() + 30]!r}: {better}"


def prose(source: str) -> Iterator[tuple[int, str, bool]]:
    """Each text of a module that consists of several words: its line, itself, whether it documents something."""
    tree = ast.parse(source)
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value, id(node) in documents


def in_code(path: Path) -> Iterator[str]:
    for line, text, documents in prose(path.read_text(encoding="utf-8")):
        place = f"{path.relative_to(ROOT)}:{line}"
        yield from (f"{place}: {what}" for what in unusual(text))
        if documents and RELATIVE.match(text.strip()):
            yield f"{place}: {text.strip()[:60]!r} begins with a relative clause: use the imperative or a noun"


def in_text(path: Path) -> Iterator[str]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.lstrip().startswith("aliases:"):
            continue  # other words under which people look a term up
        yield from (f"{path.relative_to(ROOT)}:{number}: {what}" for what in unusual(line))


def check(findings: list[str]) -> None:
    assert findings == [], "\n".join(findings)


@pytest.mark.parametrize("room", [*ROOMS, "advisor"])
def test_code_uses_the_words_of_the_field(room: str) -> None:
    files = (ROOT / room).glob("*.py") if room == "advisor" else (ROOT / room).rglob("*.py")
    templates = (ROOT / room).rglob("*.j2") if room != "advisor" else ()
    findings = [what for path in sorted(files) for what in in_code(path)]
    check(findings + [what for path in sorted(templates) for what in in_text(path)])


def test_documents_use_the_words_of_the_field() -> None:
    check([what for path in PAGES for what in in_text(path)])


def test_rules_use_the_words_of_the_field() -> None:
    check([what for path in sorted((ROOT / "rules").rglob("*.yaml")) for what in in_text(path)])


@pytest.mark.parametrize("text", ["What it costs.", "Whether it fits.\n\n    More.", "How far along."])
def test_a_relative_clause_is_found(text: str) -> None:
    assert RELATIVE.match(text)


@pytest.mark.parametrize("text", ["Which rule decides?", "Whatsoever.", "The rule that decides.", "Fit one candidate."])
def test_a_question_or_a_noun_is_no_relative_clause(text: str) -> None:
    assert not RELATIVE.match(text)


def test_a_word_is_found_with_its_better_one() -> None:
    assert "predict" in "".join(unusual("It foretells the target."))
    assert list(unusual("A dot product predicts it.")) == []
