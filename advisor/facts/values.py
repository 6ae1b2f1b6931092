"""The one parser for values, and its inverse: files, `--set` and the wizard all understand `16 GiB`, `50k` and `3 h`."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal, DecimalException

from advisor.errors import InputError, did_you_mean, input_error
from advisor.facts.pictures import values_of_picture
from advisor.facts.vocabulary import Fact, FactType, Value
from advisor.wording import join_names, printable, shorten

UNKNOWN_WORDS = frozenset(
    {"", "~", "null", "unknown", "don't know", "dont know", "i don't know", "do not know", "dunno"}
)
_TRUE = frozenset({"true", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "no", "n", "off", "0"})

_NUMBER = re.compile(r"([+-]?(?:\d[\d_]*(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\s\d.,:'].*)?", re.DOTALL)
_WITH_COMMAS = r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?"
_DECIMAL = {"": 0, "k": 3, "m": 6, "g": 9, "t": 12, "p": 15, "e": 18}
_BINARY = {"ki": 1, "mi": 2, "gi": 3, "ti": 4, "pi": 5}
_COUNT_WORDS = {
    "k": 10**3, "thousand": 10**3, "m": 10**6, "mio": 10**6, "million": 10**6, "g": 10**9, "b": 10**9, "bn": 10**9,
    "billion": 10**9, "t": 10**12, "trillion": 10**12,
}  # fmt: skip
_HOURS = {
    "s": Decimal(1) / 3600, "sec": Decimal(1) / 3600, "min": Decimal(1) / 60, "minute": Decimal(1) / 60, "h": Decimal(1),
    "hr": Decimal(1), "hour": Decimal(1), "d": Decimal(24), "day": Decimal(24), "w": Decimal(168), "week": Decimal(168),
}  # fmt: skip
_RATE = re.compile(
    r"(?:(?P<prefix>[kKMGTP]i?)?\s*(?P<letter>[bB])|(?P<any_prefix>[kKmMgGtTpP]i?)?\s*(?P<word>[bB]its?|[bB]ytes?))"
    r"\s*(?:/\s*s|ps|/sec|/second)"
)
_CURRENCY = re.compile(r"eur|usd|gbp|chf|[€$£]")
_EXAMPLES = {
    "bytes": "300 MB or 16 GiB", "bytes/s": "10 Gbit/s or 31.5 GB/s", "hours": "3 h or 2 days", "fraction": "0.05 or 5 %",
    "money": "500", "money/h": "2.5", "version": "8.0", "ratio": "20",
}  # fmt: skip


def parse_value(fact: Fact, text: str, *, where: str = "") -> Value | None:
    """The value that a text states for a fact, in the fact's canonical unit; None when it states that it is unknown.

    Raises:
        InputError: not a value of this fact; the message names the fact, the text and what would be accepted.
    """
    where = where or fact.name
    text = text.strip()
    if text.casefold().replace("’", "'") in UNKNOWN_WORDS:
        return None
    if fact.type is FactType.BOOLEAN:
        return _parse_boolean(text, where)
    if fact.type is FactType.CHOICE:
        return _parse_choice(fact, text, where)
    if fact.type is FactType.SET:
        return _parse_set(fact, text, where)
    if fact.type is FactType.TEXT:
        return _parse_text(text, where)
    if _asks_for_pixels(fact):
        text = values_of_picture(text.casefold()) or text
    return _parse_number(fact, text, where)


def _asks_for_pixels(fact: Fact) -> bool:
    return fact.pixels or any(wording.pixels for wording in fact.wordings)


def _parse_boolean(text: str, where: str) -> bool:
    if text.casefold() in _TRUE:
        return True
    if text.casefold() in _FALSE:
        return False
    raise input_error("This is not a yes or no", f"{shorten(text)!r}", where=where, remedy="Write yes or no.")


def _parse_choice(fact: Fact, text: str, where: str) -> str:
    choice = fact.choice_called(text)
    if choice is not None:
        return choice
    remedy = _spelled_out(fact, text) or did_you_mean(text, fact.choice_names)
    raise input_error("This is not one of the choices", f"{shorten(text)!r}", where=where, remedy=remedy)


def _spelled_out(fact: Fact, text: str) -> str:
    """The facts that a shortcut of the interview stands for, one that answers several questions at once."""
    meant = [short for wording in fact.wordings for short in wording.shortcuts if short.name == text.casefold()]
    ways = dict.fromkeys(" and ".join(f"{name}={value}" for name, value in short.stands_for) for short in meant)
    return f"It stands for {', or '.join(ways)}: state these." if ways else ""


def _parse_set(fact: Fact, text: str, where: str) -> frozenset[str]:
    inner = text.removeprefix("frozenset").strip("()[]{} ")
    names = [part.strip().strip("'\"") for part in re.split(r"[,\s]+", inner) if part.strip()]
    if [name.casefold() for name in names] == ["none"]:
        return frozenset()
    return frozenset(_parse_choice(fact, name, where) for name in names)


def _parse_text(text: str, where: str) -> str:
    text = " ".join(text.split())
    if len(text) > 200:
        raise input_error("This text is too long", f"{len(text)} characters", where=where, remedy="At most 200.")
    if text != printable(text):
        what = f"{shorten(text)!r} holds control characters"
        raise input_error("This text cannot be shown", what, where=where, remedy="Write plain words.")
    return text


def _parse_number(fact: Fact, text: str, where: str) -> int | float:
    usual = "20, 50k, or 640 x 480 of a picture" if _asks_for_pixels(fact) else "2000, 50k or 2M"
    example = f"For example {_EXAMPLES.get(fact.unit, usual)}."

    def refused(title: str, remedy: str = example, what: str = repr(shorten(text))) -> InputError:
        return input_error(title, what, where=where, remedy=remedy)

    if len(text) > 80:
        raise refused("This is not a number")
    bare = text.strip("€$£ ") if fact.unit.startswith("money") else text
    match = _NUMBER.fullmatch(bare)
    digits, unit = match.groups(default="") if match else ("", "")
    if "," in text if not match else "," in digits and not re.fullmatch(_WITH_COMMAS, digits):
        remedy = "Write a decimal point, and no comma or one before every three digits."
        raise refused("This is not a number", remedy)
    if not match:
        raise refused("This is not a number")
    try:
        number = Decimal(digits.replace("_", "").replace(",", "")) * _multiplier(fact, unit.strip(), where, example)
    except DecimalException:
        raise refused("This number is out of range", _range(fact)) from None
    if not number.is_finite() or not fact.minimum <= float(number) <= fact.maximum:
        raise refused("This number is out of range", _range(fact))
    if fact.type is FactType.NUMBER:
        return float(number)
    if re.fullmatch(r"[1-9]\d{0,2}(\.\d{3})+", digits) and not unit:
        what = f"{shorten(text)!r} could be {number.normalize():f} or {digits.replace('.', '')}"
        raise refused("This number can be read in two ways", "Leave the point out.", what)
    if number != number.to_integral_value():
        raise refused("This must be a whole number")
    return int(number)


def _multiplier(fact: Fact, unit: str, where: str, example: str) -> Decimal:
    """The number of canonical units in one of the written unit."""
    folded = unit.casefold()
    singular = folded.rstrip("s") or folded
    if not unit or folded == fact.unit or singular == fact.unit.rstrip("s"):
        return Decimal(1)
    factor: Decimal | None = None
    if fact.unit == "bytes":
        factor = _bytes(folded.removesuffix("bytes").removesuffix("byte").removesuffix("b").strip())
    elif fact.unit == "bytes/s":
        factor = _rate(unit)
    elif fact.unit == "hours":
        factor = _HOURS.get(singular) or _HOURS.get(folded)
    elif fact.unit == "fraction" and folded in ("%", "percent"):
        factor = Decimal(1) / 100
    elif fact.unit.startswith("money"):
        word = folded.removesuffix("/h") if fact.unit == "money/h" else folded
        word = _CURRENCY.sub("", word).strip()
        factor = Decimal(_COUNT_WORDS.get(word, 0) if word else 1) or None
    elif fact.unit not in ("fraction", "version"):
        word = folded.removesuffix(fact.unit).removesuffix(fact.unit.rstrip("s")).strip()
        factor = Decimal(_COUNT_WORDS[word]) if word in _COUNT_WORDS else None
    if factor is None:
        canonical = fact.unit or "a plain number"
        what = f"the unit {shorten(unit)!r} is not one of {canonical}"
        raise input_error("This unit does not fit", what, where=where, remedy=example)
    return factor


def _bytes(prefix: str) -> Decimal | None:
    if prefix in _BINARY:
        return Decimal(1024) ** _BINARY[prefix]
    return Decimal(10) ** _DECIMAL[prefix] if prefix in _DECIMAL else None


def _rate(unit: str) -> Decimal | None:
    """Bytes per second; a lower-case b means bits, as in Gb/s, an upper-case one bytes. `gb/s` could be either."""
    match = _RATE.fullmatch(unit)
    size = _bytes((match["prefix"] or match["any_prefix"] or "").casefold()) if match else None
    if match is None or size is None:
        return None
    return size / 8 if match["letter"] == "b" or (match["word"] or "").startswith(("bit", "Bit")) else size


def _range(fact: Fact) -> str:
    unit = "" if fact.unit in ("fraction", "ratio", "version") else f" {fact.unit}"
    return f"It must lie between {number_text(fact.minimum)} and {number_text(fact.maximum)}{unit}."


def number_text(number: float) -> str:
    """A number without a needless fraction: 2, 0.5, 1e+18."""
    if float(number).is_integer() and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.6g}"


def to_text(value: Value) -> str:
    """The shortest text that `parse_value` reads back as this value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, frozenset):
        return "[" + ", ".join(sorted(value)) + "]" if value else "none"
    return repr(value) if isinstance(value, float) else str(value)


def to_json(value: object) -> object:
    """The value as JSON knows it: a set becomes a sorted list."""
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value


def from_json(fact: Fact, value: object) -> Value:
    """A typed value that came through JSON. Raises InputError when it is not one of this fact."""
    text = json.dumps(value) if not isinstance(value, str) else value
    parsed = parse_value(fact, text)
    if parsed is None:
        raise InputError("This value is empty", [])
    return parsed


def describe(fact: Fact, value: Value) -> str:
    """The value for people, with its unit: 16 GB, 31.5 GB/s, 8 cores, yes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, frozenset):
        return join_names(sorted(value)) or "none"
    if isinstance(value, str):
        return value
    return with_unit(value, fact.unit)


def singular(unit: str) -> str:
    """Of the units of facts, which end with s: `process` of processes, `batch` of batches, `thread` of threads."""
    return unit[: -2 if unit.endswith(("sses", "ches")) else -1]


def with_unit(value: float, unit: str) -> str:
    """A number for people: 16 GB, 31.5 GB/s, 8 cores, 12 %, level 6."""
    if unit in ("bytes", "bytes/s"):
        return f"{_scaled(value, 1000, ['', 'k', 'M', 'G', 'T', 'P', 'E'])}B{'/s' if unit == 'bytes/s' else ''}"
    if unit == "fraction":
        return f"{number_text(value * 100)} %"
    if unit in ("", "version", "ratio", "money", "money/h"):
        return number_text(value)
    if value == 1 and unit.endswith("s") and len(unit) > 2 and "/" not in unit:
        unit = singular(unit)
    number = f"{value:,}" if isinstance(value, int) else number_text(value)
    return f"level {number}" if unit == "level" else f"{number} {unit}"


def _scaled(value: float, base: int, prefixes: list[str]) -> str:
    power = min(int(math.log(value, base) + 1e-9), len(prefixes) - 1) if value >= base else 0
    return f"{number_text(round(value / base**power, 2))} {prefixes[power]}"
