"""What people write, and the value it means: one parser for files, `--set` and the wizard."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.facts.values import describe, from_json, parse_value, to_json, to_text, with_unit
from advisor.facts.vocabulary import Fact, FactType, Value
from tests.properties import examples


def fact(kind: str, unit: str = "", *, low: float = 0, high: float = 1e18, choices: tuple[str, ...] = ()) -> Fact:
    named = tuple((name, f"about {name}") for name in choices)
    return Fact("data.thing", "data", FactType(kind), unit, named, low, high)


COUNT = fact("integer", "examples")
BYTES = fact("integer", "bytes")
RATE = fact("number", "bytes/s")
HOURS = fact("number", "hours")
SHARE = fact("number", "fraction", high=1)
MONEY = fact("number", "money")
PRICE = fact("number", "money/h")
PLAIN = fact("number", low=-1e6, high=1e6)
YES_NO = fact("boolean")
MODALITY = fact("choice", choices=("image", "time_series", "none"))
FEATURES = fact("set", choices=("avx2", "avx512", "neon"))
NAME = fact("text")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("50000", 50_000), ("50k", 50_000), ("50 K", 50_000), ("2M", 2_000_000), ("1.5 million", 1_500_000),
        ("3 B", 3 * 10**9), ("3 billion", 3 * 10**9), ("2 bn", 2 * 10**9), ("1 T", 10**12), ("5 thousand", 5_000),
        ("50k examples", 50_000), ("7 examples", 7), ("1 example", 1), ("1e6", 1_000_000), ("2.5k", 2_500),
        ("1_000_000", 1_000_000), ("1,000", 1_000), ("1,234,567", 1_234_567), ("+5", 5), (" 12 ", 12), ("0", 0),
        ("010", 10), ("5.0", 5), (".5k", 500),
    ],
)  # fmt: skip
def test_counts(written: str, meant: int) -> None:
    value = parse_value(COUNT, written)
    assert value == meant
    assert isinstance(value, int)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("300 MB", 300_000_000), ("300MB", 300_000_000), ("300 mb", 300_000_000), ("16 GiB", 16 * 2**30),
        ("16 gib", 16 * 2**30), ("1 KiB", 1024), ("1 kB", 1000), ("2 TB", 2 * 10**12), ("3 PB", 3 * 10**15),
        ("2 TiB", 2 * 2**40), ("10 bytes", 10), ("10 byte", 10), ("10 B", 10), ("4G", 4 * 10**9), ("4Gi", 4 * 2**30),
        ("0.5 MB", 500_000), ("1e9", 10**9), ("8 Gbytes", 8 * 10**9),
    ],
)  # fmt: skip
def test_bytes(written: str, meant: int) -> None:
    assert parse_value(BYTES, written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("10 Gbit/s", 1.25e9), ("10 gbit/s", 1.25e9), ("10 Gb/s", 1.25e9), ("10 Gbps", 1.25e9), ("10 Gbits/s", 1.25e9),
        ("10 GB/s", 1e10), ("10 GBps", 1e10), ("10 GByte/s", 1e10), ("31.5 GB/s", 31.5e9), ("100 MiB/s", 100 * 2**20),
        ("5 bytes/s", 5.0), ("8 bit/s", 1.0), ("1 TB/sec", 1e12), ("1 kb/s", 125.0), ("1e9", 1e9), ("2 GB / s", 2e9),
    ],
)  # fmt: skip
def test_a_small_b_means_bits_and_a_capital_one_bytes(written: str, meant: float) -> None:
    assert parse_value(RATE, written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("3", 3.0), ("3 h", 3.0), ("3h", 3.0), ("3 hours", 3.0), ("1 hour", 1.0), ("2 hrs", 2.0), ("90 min", 1.5),
        ("30 minutes", 0.5), ("36 s", 0.01), ("2 days", 48.0), ("1 d", 24.0), ("1.5 weeks", 252.0),
    ],
)  # fmt: skip
def test_hours(written: str, meant: float) -> None:
    assert parse_value(HOURS, written) == pytest.approx(meant, rel=1e-15)


@pytest.mark.parametrize(("written", "meant"), [("0.05", 0.05), ("5 %", 0.05), ("5%", 0.05), ("100 percent", 1.0)])
def test_shares(written: str, meant: float) -> None:
    assert parse_value(SHARE, written) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [("500", 500), ("500 EUR", 500), ("$500", 500), ("€ 2k", 2000), ("1.5k USD", 1500), ("3 £", 3)],
)
def test_money_in_the_currency_of_the_user(written: str, meant: float) -> None:
    assert parse_value(MONEY, written) == meant


@pytest.mark.parametrize("written", ["2.5", "2.5 EUR/h", "$2.5/h", "2.5 $/h", "2.5 /h", "€2.5"])
def test_a_price_for_an_hour(written: str) -> None:
    assert parse_value(PRICE, written) == 2.5


@pytest.mark.parametrize("written", ["yes", "Yes", "y", "true", "TRUE", "on", "1"])
def test_yes(written: str) -> None:
    assert parse_value(YES_NO, written) is True


@pytest.mark.parametrize("written", ["no", "N", "false", "Off", "0"])
def test_no(written: str) -> None:
    assert parse_value(YES_NO, written) is False


@pytest.mark.parametrize("written", ["time_series", "time series", "Time-Series", "TIME_SERIES", " time_series "])
def test_a_choice_in_different_spellings(written: str) -> None:
    assert parse_value(MODALITY, written) == "time_series"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("avx2", {"avx2"}), ("avx2, neon", {"avx2", "neon"}), ("avx2 neon", {"avx2", "neon"}),
        ("[avx2, neon]", {"avx2", "neon"}), ("{'avx2', \"neon\"}", {"avx2", "neon"}), ("none", set()), ("[]", set()),
        ("AVX2,avx2", {"avx2"}),
    ],
)  # fmt: skip
def test_sets(written: str, meant: set[str]) -> None:
    assert parse_value(FEATURES, written) == meant


def test_a_text_is_taken_as_it_stands_on_one_line() -> None:
    assert parse_value(NAME, "  NVIDIA\u00a0GeForce \n RTX 4090 (24 GB) ") == "NVIDIA GeForce RTX 4090 (24 GB)"


UNKNOWN = ("", "  ", "~", "null", "unknown", "Unknown", "don't know", "I don’t know", "dunno")


def test_every_fact_can_be_unknown(subtests: pytest.Subtests) -> None:
    for asked, written in product((COUNT, BYTES, SHARE, YES_NO, MODALITY, FEATURES, NAME), UNKNOWN):
        with subtests.test(asked.name, written=written):
            assert parse_value(asked, written) is None


NO_NUMBER = "not a number"
OUT_OF_RANGE = "out of range"


@pytest.mark.parametrize(
    ("asked", "written", "says", "remedy"),
    [
        (COUNT, "nan", NO_NUMBER, "2000, 50k or 2M"),
        (COUNT, "inf", NO_NUMBER, "2000, 50k or 2M"),
        (COUNT, "-inf", NO_NUMBER, "2000, 50k or 2M"),
        (COUNT, "many", NO_NUMBER, "2000, 50k or 2M"),
        (COUNT, "0x10", "unit 'x10' is not one of examples", "2000, 50k or 2M"),
        (COUNT, "1e999", OUT_OF_RANGE, "between 0 and 1e+18 examples"),
        (COUNT, "1e999999999999999999999", OUT_OF_RANGE, "between 0 and 1e+18 examples"),
        (COUNT, "9" * 79, OUT_OF_RANGE, "between 0 and 1e+18 examples"),
        (COUNT, "-3", OUT_OF_RANGE, "between 0 and 1e+18 examples"),
        (COUNT, "2.5", "must be a whole number", "2000, 50k or 2M"),
        (COUNT, "1e-5", "must be a whole number", "2000, 50k or 2M"),
        (COUNT, "5 rows", "unit 'rows' is not one of examples", "2000, 50k or 2M"),
        (COUNT, "5 GB", "unit 'GB' is not one of examples", "2000, 50k or 2M"),
        (COUNT, "12:30:45", NO_NUMBER, "2000, 50k or 2M"),
        (COUNT, "1,5", NO_NUMBER, "decimal point"),
        (COUNT, "1,50,000", NO_NUMBER, "decimal point"),
        (HOURS, "0,500", NO_NUMBER, "decimal point"),
        (COUNT, "1.000.000", NO_NUMBER, "2000, 50k or 2M"),
        (COUNT, "1 000", NO_NUMBER, "2000, 50k or 2M"),
        (COUNT, "20.000", "could be 20 or 20000", "Leave the point out"),
        (COUNT, "1" * 10_000, NO_NUMBER, "2000, 50k or 2M"),
        (COUNT, "5\x00", "unit '' is not one of examples", "2000, 50k or 2M"),
        (COUNT, "[5]", NO_NUMBER, "2000, 50k or 2M"),
        (BYTES, "3 Gbit", "unit 'Gbit' is not one of bytes", "300 MB or 16 GiB"),
        (BYTES, "0.5", "must be a whole number", "300 MB or 16 GiB"),
        (RATE, "10 GB", "unit 'GB' is not one of bytes/s", "10 Gbit/s or 31.5 GB/s"),
        (RATE, "10 gb/s", "unit 'gb/s' is not one of bytes/s", "10 Gbit/s or 31.5 GB/s"),
        (HOURS, "3 months", "unit 'months' is not one of hours", "3 h or 2 days"),
        (SHARE, "5", OUT_OF_RANGE, "between 0 and 1."),
        (SHARE, "101 %", OUT_OF_RANGE, "between 0 and 1."),
        (SHARE, "5 k", "unit 'k' is not one of fraction", "0.05 or 5 %"),
        (MONEY, "500 beans", "unit 'beans' is not one of money", "500"),
        (YES_NO, "maybe", "not a yes or no", "Write yes or no"),
        (MODALITY, "images", "not one of the choices", "Did you mean image?"),
        (MODALITY, "x" * 10_000, "not one of the choices", "Known: image, time_series and none"),
        (FEATURES, "avx2, avx51", "not one of the choices", "Did you mean avx512?"),
        (NAME, "x" * 201, "too long", "At most 200"),
        (NAME, "RTX\x1b[2J", "holds control characters", "plain words"),
        (NAME, "gnp\u202eexe", "holds control characters", "plain words"),
    ],
)
def test_what_is_refused_is_named_with_a_remedy(asked: Fact, written: str, says: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_value(asked, written)
    message = str(caught.value)
    assert says in message
    assert remedy in message
    assert "data.thing" in message
    assert len(message) < 300
    assert all(character == "\n" or character.isprintable() for character in message)


VALUES: list[tuple[Fact, st.SearchStrategy[Any]]] = [
    (COUNT, st.integers(0, 10**18)),
    (BYTES, st.integers(0, 10**18)),
    (RATE, st.floats(0, 1e18, allow_subnormal=False)),
    (HOURS, st.floats(0, 1e18)),
    (SHARE, st.floats(0, 1)),
    (PLAIN, st.floats(-1e6, 1e6)),
    (YES_NO, st.booleans()),
    (MODALITY, st.sampled_from(MODALITY.choice_names)),
    (FEATURES, st.frozensets(st.sampled_from(FEATURES.choice_names))),
    (
        NAME,
        st.from_regex(r"[A-Za-zäß0-9(][ -~äß€]{0,40}[)a-z0-9]", fullmatch=True).map(
            lambda text: " ".join(text.split())
        ),
    ),
]


@examples(300)
@given(st.sampled_from(VALUES).flatmap(lambda pair: st.tuples(st.just(pair[0]), pair[1])))
def test_a_value_written_out_reads_back_as_itself(stated: tuple[Fact, Value]) -> None:
    asked, value = stated
    again = parse_value(asked, to_text(value))
    assert again == value
    assert type(again) is type(value)
    assert from_json(asked, to_json(value)) == value


@pytest.mark.parametrize("end", ["minimum", "maximum"])
def test_the_ends_of_a_range_lie_within_it(end: str) -> None:
    hours = fact("number", "h", low=0.01, high=0.3)
    limit = getattr(hours, end)
    assert parse_value(hours, to_text(limit)) == limit


@examples(300)
@given(st.sampled_from([pair[0] for pair in VALUES]), st.text(max_size=60))
def test_any_text_gives_a_value_of_the_fact_or_a_message(asked: Fact, written: str) -> None:
    try:
        value = parse_value(asked, written)
    except InputError:
        return
    kinds = {"boolean": bool, "integer": int, "number": float, "set": frozenset}
    assert value is None or type(value) is kinds.get(asked.type, str)
    if isinstance(value, int | float) and asked.numeric:
        assert asked.minimum <= value <= asked.maximum


@pytest.mark.parametrize(
    ("asked", "value", "shown"),
    [
        (BYTES, 16_000_000_000, "16 GB"), (BYTES, 999, "999 B"), (BYTES, 1_500, "1.5 kB"), (RATE, 31.5e9, "31.5 GB/s"),
        (COUNT, 50_000, "50,000 examples"), (COUNT, 1, "1 example"), (HOURS, 1.5, "1.5 hours"), (SHARE, 0.05, "5 %"),
        (YES_NO, True, "yes"), (FEATURES, frozenset({"neon", "avx2"}), "avx2 and neon"), (FEATURES, frozenset(), "none"),
        (MODALITY, "image", "image"),
    ],
)  # fmt: skip
def test_values_for_people(asked: Fact, value: Value, shown: str) -> None:
    assert describe(asked, value) == shown


@pytest.mark.parametrize(("unit", "one"), [("processes", "1 process"), ("batches", "1 batch"), ("threads", "1 thread")])
def test_one_of_a_unit_is_named_in_the_singular(unit: str, one: str) -> None:
    assert with_unit(1, unit) == one


def test_a_level_is_named_before_its_number() -> None:
    assert with_unit(6, "level") == "level 6"


PICTURED = replace(
    MODALITY, synonyms=(("photo", "image"), ("x_ray", "image"), ("series", "time_series"), ("any", "none"))
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("photo", "image"), ("Photos", "image"), (" PHOTO ", "image"), ("x-ray", "image"), ("X rays", "image"),
        ("series", "time_series"), ("Time Series", "time_series"), ("time-series", "time_series"),
        ("any", "none"), ("none", "none"),
    ],
)  # fmt: skip
def test_a_choice_is_understood_by_everyday_words_and_in_the_plural(written: str, meant: str) -> None:
    assert parse_value(PICTURED, written) == meant


@pytest.mark.parametrize("written", ["phot", "photograph", "x", "s", "images"])
def test_no_other_word_is_taken_for_a_choice(written: str) -> None:
    with pytest.raises(InputError, match="not one of the choices"):
        parse_value(PICTURED, written)


def test_members_of_a_set_have_synonyms_too() -> None:
    known = replace(FEATURES, synonyms=(("avx_2", "avx2"),))
    assert parse_value(known, "[AVX-2, neon]") == frozenset({"avx2", "neon"})
