"""The claims of the seed documents, as data: each claim in plain words, and the evidence that would show whether it is so."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from advisor.errors import Problem, did_you_mean
from advisor.knowledge.citations import cited, undeclared
from advisor.knowledge.expressions.compiler import compile_expression, compiled
from advisor.knowledge.expressions.expressions import BOOLEAN, NUMBER, Symbols, Type
from advisor.knowledge.figures import Given, read_given
from advisor.reading import Reader
from advisor.safe_yaml import Mapping as MappingNode
from advisor.safe_yaml import Node
from advisor.wording import shorten

_CLAIM_KEYS = (
    "id", "claim", "says", "sources", "erratum", "rules", "probe", "expects", "when", "otherwise", "figures", "computed",
    "published", "needs", "disks", "noted",
)  # fmt: skip
_FIGURE_KEYS = ("title", "value", "unit", "says", "within", "reading")
_DISKS = ("nvme", "ssd", "hdd")
USUAL_TOLERANCE = 0.01
"""The largest distance of a figure from what a document states, as a share of it: documents round to two or three digits."""


class Basis(StrEnum):
    """The kind of evidence that decides a claim."""

    PROBE = "probe"
    """A measurement on this machine"""
    MACHINE = "machine"
    """Known of this machine without measuring"""
    ARITHMETIC = "arithmetic"
    PUBLISHED = "published"
    """A table of measurements that others have published"""
    NEEDS = "needs"
    """Nothing yet"""


_DECIDERS = {
    "probe": Basis.PROBE,
    "computed": Basis.ARITHMETIC,
    "published": Basis.PUBLISHED,
    "needs": Basis.NEEDS,
}
"""By the key under which a claim names its evidence."""


class Need(StrEnum):
    """The missing part for which a claim that cannot be judged yet is waiting."""

    TRIALS = "trials"
    CLUSTER = "cluster"


class Reading(StrEnum):
    """The version of a figure."""

    PRINTED = "printed"
    """From the numbers that the document itself gives"""
    CORRECTED = "corrected"
    """From the right numbers, as the erratum has them"""
    HERE = "here"
    """From what was measured on this machine"""


@dataclass(frozen=True, slots=True)
class ClaimFigure:
    """A number that bears on a claim; `says` is what the document states, to be met within a share of it."""

    title: str
    value: str
    unit: str = ""
    says: float | None = None
    within: float = USUAL_TOLERANCE
    reading: Reading = Reading.PRINTED


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable claim. `expects` holds where it is right; a claim that names rules is judged as these are."""

    id: str
    text: str
    basis: Basis
    says: str = ""
    """The document's own figure, in words"""
    sources: tuple[str, ...] = ()
    erratum: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    probe: str = ""
    published: str = ""
    """The name of a table of published figures"""
    needs: Need | None = None
    expects: str = ""
    when: str = ""
    """A condition under which it can be judged; elsewhere `otherwise` says why not."""
    disks: str = ""
    """Kinds of disk it speaks of (`nvme, ssd`): a measurement on another, or on one of unknown kind, does not judge it."""
    noted: str = ""
    """Words that the probe's notes must have; without them the measurement is none of what it speaks of."""
    otherwise: str = ""
    figures: tuple[ClaimFigure, ...] = ()
    where: str = ""
    layer: int = 0

    @property
    def disk_kinds(self) -> tuple[str, ...]:
        return tuple(kind.strip() for kind in self.disks.split(",")) if self.disks else ()


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims, and the numbers that the program supplies to their expressions beside facts, topics and figures."""

    given: Mapping[str, Given]
    claims: Mapping[str, Claim]

    def symbols(self, base: Symbols) -> Symbols:
        """The base with a slot for each given number after its own."""
        return base.with_numbers(self.given)


NO_CLAIMS = Claims({}, {})


def read_claims(node: Node | None, reader: Reader, layer: int, before: Claims) -> Claims:
    """The claims of one file on top of those of the layers before: a known id replaces a claim where it stands."""
    root = reader.mapping(node, "claims.yaml", ("given", "claims"))
    if root is None:
        return before
    given, claims = read_given(root, reader, layer, before.given), dict(before.claims)
    for item in reader.listed(root.items.get("claims"), "claims", "id: ..."):
        entry = reader.mapping(item, "a claim", _CLAIM_KEYS)
        claim = _claim(entry, reader, layer) if entry is not None else None
        if claim is None:
            continue
        earlier = claims.get(claim.id)
        if earlier is not None and earlier.layer == layer:
            reader.note(item.line, f"claim {shorten(claim.id)} stands at {earlier.where} already.", "Ids are unique.")
        claims[claim.id] = claim
    return Claims(given, claims)


def _claim(entry: MappingNode, reader: Reader, layer: int) -> Claim | None:
    identifier = reader.text(entry, "id", "a claim", required=True)
    what = f"claim {shorten(identifier) or '?'}"
    deciders = [key for key in _DECIDERS if key in entry.items]
    if len(deciders) > 1:
        reader.note(entry.line, f"{what}: only one of {' and '.join(deciders)} can decide it.", "Make it two claims.")
        return None
    basis = _DECIDERS[deciders[0]] if deciders else Basis.MACHINE
    listed = "computed" if basis is Basis.ARITHMETIC else "figures"
    if basis is Basis.ARITHMETIC and "figures" in entry.items:
        reader.note(entry.key_lines["figures"], f"{what}: its figures belong under `computed`.")
    needs = reader.choice(entry, "needs", what, [need.value for need in Need]) if basis is Basis.NEEDS else ""
    claim = reader.record(
        Claim,
        entry,
        what,
        id=identifier,
        text=reader.text(entry, "claim", what, required=True),
        basis=basis,
        needs=Need(needs) if needs else None,
        figures=tuple(_figures(entry.items.get(listed), what, listed, reader)),
        layer=layer,
    )
    _check_shape(claim, entry, what, reader)
    return claim


def _figures(node: Node | None, what: str, key: str, reader: Reader) -> Iterator[ClaimFigure]:
    for item in reader.listed(node, f"{what}: {key}", "title: ..."):
        entry = reader.mapping(item, f"{what}: a figure", _FIGURE_KEYS)
        if entry is None:
            continue
        within = reader.number(entry, "within", what, USUAL_TOLERANCE)
        if not 0 <= within < 1:
            reader.note(entry.items["within"].line, f"{what}: within is a share from 0 to 1.")
        yield ClaimFigure(
            title=reader.text(entry, "title", f"{what}: a figure", required=True),
            value=reader.text(entry, "value", f"{what}: a figure", required=True),
            unit=reader.text(entry, "unit", what),
            says=reader.number(entry, "says", what, math.nan) if "says" in entry.items else None,
            within=within,
            reading=Reading(reader.choice(entry, "reading", what, list(Reading), default=Reading.PRINTED)),
        )


def _check_shape(claim: Claim, entry: MappingNode, what: str, reader: Reader) -> None:
    """Check that a claim has the keys that its way of judging needs, and none that would be left unread."""
    if not claim.sources:
        reader.note(entry.line, f"{what} cites nothing.", "Add `sources: [KEY PLACE]`.")
    if bool(claim.when or claim.noted) != bool(claim.otherwise):
        key = "noted" if claim.noted and not claim.when else "when"
        reader.note(entry.line, f"{what}: {key} and otherwise belong together.", "Say why it is not judged elsewhere.")
    if (claim.disks or claim.noted) and claim.basis is not Basis.PROBE:
        reader.note(entry.line, f"{what}: disks and noted speak of a measurement.", "Name its probe.")
    for kind in claim.disk_kinds:
        if kind not in _DISKS:
            reader.note(entry.line, f"{what}: {shorten(kind)} is no kind of disk.", did_you_mean(kind, _DISKS))
    if claim.rules and (claim.basis is not Basis.PROBE or claim.expects):
        reader.note(
            entry.line, f"{what}: what a rule expects stands in the rule.", "Give it `probe` and `rules`, or `expects`."
        )
    stated = any(figure.says is not None and figure.reading is not Reading.HERE for figure in claim.figures)
    if claim.basis is Basis.ARITHMETIC and not stated and not claim.expects:
        reader.note(
            entry.line, f"{what}: no figure has `says`, so nothing is compared.", "Add what the document states."
        )
    if claim.basis in (Basis.MACHINE, Basis.PUBLISHED) and not claim.expects:
        reader.note(entry.line, f"{what} lacks the key 'expects'.", "Write what holds if it is right.")
    if claim.basis is Basis.PROBE and not claim.expects and not claim.rules:
        reader.note(entry.line, f"{what} lacks the key 'expects'.", "Write what holds if it is right, or name rules.")
    if claim.basis is Basis.PUBLISHED and not claim.figures:
        reader.note(entry.line, f"{what} shows no figure of the table.", "Add `figures`.")
    if claim.basis is Basis.NEEDS and (claim.expects or claim.when):
        reader.note(entry.line, f"{what} cannot be judged yet, so expects and when mean nothing.")


def check_claims(
    claims: Claims, base: Symbols, sources: Collection[str], errata: Collection[str], rules: Collection[str]
) -> Iterator[Problem]:
    """Expressions that don't compile, and names of sources, errata and rules that nobody declared.

    Args:
        base: what figures.yaml may read, with the figures.
        rules: the ids of all rules, also of those that a pack has disabled.
    """
    for name in claims.given:
        if name in base.slots:
            yield Problem("claims.yaml", f"given {shorten(name)} is declared elsewhere already.", "Rename it.")
            return
    symbols = claims.symbols(base)
    for claim in claims.claims.values():
        what = f"claim {shorten(claim.id)}"
        for key, text, wanted in _expressions(claim):
            yield from compiled(claim.where, f"{what}: {key}", partial(compile_expression, text, symbols, wanted))
        yield from undeclared(claim.where, f"{what} cites", cited(claim.sources), sources)
        yield from undeclared(claim.where, f"{what} names the erratum", claim.erratum, errata)
        yield from undeclared(claim.where, f"{what} names the rule", claim.rules, rules, "the rule base")


def _expressions(claim: Claim) -> Iterator[tuple[str, str, Type]]:
    for key, text in (("when", claim.when), ("expects", claim.expects)):
        if text:
            yield key, text, BOOLEAN
    for figure in claim.figures:
        if figure.value:
            yield f"the figure {shorten(figure.title)}", figure.value, NUMBER
