"""Rule packs: the one of examples/, and real rules of the base, replaced by themselves with something changed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.loader import yaml_files
from advisor.resources import rules_folder

from ..case import Case, Format
from ..values import number_texts, texts
from ..yaml_values import Span, mutated_values, spans

_PACK = Path(__file__).resolve().parents[3] / "examples" / "packs" / "eight-a10s"
_RULES = "pack/house.yaml"
_EXPRESSIONS = frozenset({"when", "value", "expects", "holds", "only_when", "derive", "assume"})
_TOKEN = re.compile(
    r"[a-z_]+(?:\.[a-z_0-9]+)+|\d[\d_.]*(?:e\d+)?|\"[^\"]*\"|==|!=|<=|>=|[<>+*/-]|\b(?:and|or|not|in)\b"
)
_TOKENS = ("and", "or", "not", "in", "==", "!=", "<", ">=", "+", "*", "/", "//", "-", "(", ")", "None", "True", "unknown",
           "min()", "log2(0)", "sqrt(-1)", "1/0", "2**99", "round(0.5)", "ceil(1e308 * 10)", "[]", "()", '"x" * 9',
           "(lambda: 0)()", "x.__class__", "open", "9" * 400, "not " * 40, "(" * 40 + "1" + ")" * 40,
           "1 if 1 else 2")  # fmt: skip
_QUICK = (
    ("recommend", "--machine", "none", "--rules", "pack"),
    ("recommend", "--machine", "h100-sxm-80gb", "--rules", "pack", "--format", "json"),
    ("recommend", "--machine", "none", "--rules", "pack", "--answers", "pack/answers/surface-defects.yaml"),
    ("recommend", "--machine", "none", "--rules", "pack", "--school", "survey", "--format", "markdown"),
    ("explain", "training.precision", "--machine", "none", "--rules", "pack"),
    ("rules", "list", "--rules", "pack"),
    ("rules", "docs", "--rules", "pack"),
    ("rules", "check", "--rules", "pack", "--format", "json"),
    ("glossary", "--rules", "pack"),
)
_SLOW = (("rules", "test", "--rules", "pack"), ("rules", "coverage", "--rules", "pack"))


@cache
def _pack() -> Mapping[str, str]:
    files = sorted(path for path in _PACK.rglob("*.yaml"))
    return {f"pack/{path.relative_to(_PACK)}": path.read_text("utf-8") for path in files}


@cache
def _rules() -> Mapping[str, str]:
    """Every rule of the base as it is written, by its id."""
    found: dict[str, str] = {}
    for path in yaml_files(rules_folder(), 0):
        if not path.name.endswith(".test.yaml"):
            for rule in re.split(r"^(?=- id: )", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
                found[rule.split()[2]] = "".join(
                    line for line in rule.splitlines(keepends=True) if not line.startswith(("#", "  #"))
                )
    return found


@cache
def _written() -> Mapping[str, Sequence[str]]:
    """Every value that stands under a key in a rule of the base or the pack."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for text in (*_rules().values(), *_pack().values()):
        for span in spans(text):
            found[span.key][span.text] = None
    return {key: list(values) for key, values in found.items()}


@cache
def _names() -> Sequence[str]:
    knowledge = knowledge_for(())
    return [*knowledge.vocabulary.facts, *knowledge.topics, *knowledge.figures.figures]


@st.composite
def _expression(draw: DrawFn, text: str) -> str:
    """An expression with a token changed, doubled or left out; or two expressions joined."""
    found = list(_TOKEN.finditer(text))
    kind = draw(st.integers(0, 9))
    if kind < 2 or not found:
        other = draw(st.sampled_from([*_written()["when"], *_written()["value"]]))
        return other if kind == 0 else f"({text}) {draw(st.sampled_from(('and', 'or', '==', '+')))} ({other})"
    token = draw(st.sampled_from(found))
    put = token.group()
    if kind < 6:
        if put[0].isdigit():
            put = draw(number_texts(put.rstrip(".")))
        elif put[0].isalpha() and "." in put:
            put = draw(st.sampled_from(_names()))
        elif put[0] == '"':
            put = draw(st.sampled_from([one.group() for one in _TOKEN.finditer(text)]))
        else:
            put = draw(st.sampled_from(("and", "or", "==", "<", "<=", ">", "-", "*", "+")))
    elif kind < 8:
        put = draw(st.sampled_from((f"{put} {put}", "", f"({put})", f"not {put}", f"-{put}", f"{put} + 0")))
    else:
        put = draw(st.sampled_from(_TOKENS))
    return text[: token.start()] + put + text[token.end() :]


def _instead(span: Span) -> SearchStrategy[str]:
    others = st.sampled_from(_written().get(span.key) or ("",))
    if span.key in _EXPRESSIONS:
        return _expression(span.text)
    return others | others | texts(span.text)


@st.composite
def _with_real_rules(draw: DrawFn) -> dict[str, str]:
    chosen = draw(st.lists(st.sampled_from(list(_rules().values())), min_size=1, max_size=3, unique=True))
    return {**_pack(), _RULES: _pack()[_RULES] + "".join(chosen)}


def _case(command: tuple[str, ...], files: Mapping[str, str]) -> Case:
    return Case(
        command, {name: text.encode("utf-8", "surrogatepass") for name, text in files.items()}, names=("pack/",)
    )


def valid() -> Sequence[Case]:
    coverage = _SLOW[1]  # says which states of rules of the base it does not show, and ends with 1
    return [_case(command, _pack()) for command in (*_QUICK, *_SLOW) if command != coverage]


@st.composite
def mutated(draw: DrawFn) -> Case:
    if draw(st.booleans()):
        files, name = dict(draw(_with_real_rules())), _RULES
        own = len(_pack()[_RULES])
        changed = draw(mutated_values(files[name][own:], 2, _instead))
        files[name] = files[name][:own] + changed
    else:
        files = dict(_pack())
        name = draw(st.sampled_from(sorted(files)))
        files[name] = draw(mutated_values(files[name], 2, _instead))
    slow = draw(st.integers(0, 59 if name.endswith(".test.yaml") else 399)) == 0  # five seconds each
    return _case(draw(st.sampled_from(_SLOW if slow else _QUICK)), files)


FORMATS = [Format("packs", valid, mutated, accepted_share=0.4)]
