"""Numbers as accountants and people of several countries write them are read as numbers, and doubts are reported."""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.datasets.again import intake_of
from advisor.datasets.dataset import Kind, Task, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.matching import matched
from advisor.datasets.tables.columns import judge
from advisor.datasets.values.numbers import Style, numbers_of
from advisor.errors import InputError
from advisor.starter.project import refuse_unreadable
from tests.datasets.tables_made import text_file, written


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["(3,744)", "499", "1,234"], [-3744, 499, 1234]),
        (["$(3,744.50)", "$499.00", "($1)"], [-3744.5, 499, -1]),
        (["4'256'145", "1'000.50", "12"], [4256145, 1000.5, 12]),
        (["4’256’145", "1’000", "12"], [4256145, 1000, 12]),
        (["1\u00a0234,5", "2\u00a0000,1", "12,7"], [1234.5, 2000.1, 12.7]),
        (["1\u202f234", "22\u2009334", "4"], [1234, 22334, 4]),
        (["1,23,456", "12,34,567.5", "1,234"], [123456, 1234567.5, 1234]),
        (["1,234-", "55", "12-"], [-1234, 55, -12]),
        (["1.234,56-", "55,00", "12,10"], [-1234.56, 55, 12.1]),
        (["−5", "3", "–2.5"], [-5, 3, -2.5]),
        (["- 5", "+3", "2"], [-5, 3, 2]),
        (["1.234,56 €", "2,10 €", "3,00"], [1234.56, 2.1, 3]),
        (["USD 2256", "USD 12", "USD 3.5"], [2256, 12, 3.5]),
        (["₹ 1,23,456.50", "₹99", "₹ 5"], [123456.5, 99, 5]),
        (["Rs. 1,500", "Rs 20", "Rs. 5"], [1500, 20, 5]),
        (["-$5.20", "$3.10", "-$1,200"], [-5.2, 3.1, -1200]),
        (["13%", "52 %", "-7.5%"], [13, 52, -7.5]),
        (["61 kg", "75kg", "3.5 kg"], [61, 75, 3.5]),
        (["5 years", "1 year", "3 years"], [5, 1, 3]),
        (["１２３", "４５", "－６"], [123, 45, -6]),
        (["١٢٣", "٤٥", "٦"], [123, 45, 6]),
        (["٦٫٩٠", "٧٫٥", "٨"], [6.9, 7.5, 8]),
        (["١٬٢٣٤٫٥", "٧", "٨"], [1234.5, 7, 8]),
        (["８，１２３．５", "７", "８"], [8123.5, 7, 8]),
        (["５０％", "３％", "0"], [50, 3, 0]),
        (["1,2E+03", "3,1E5", "4,5E-2"], [1200, 310000, 0.045]),
        (["0,123", "0,456", "1,234"], [0.123, 0.456, 1.234]),
    ],
)
def test_every_spelling_is_read(texts: list[str], numbers: list[float]) -> None:
    judged = judge(polars.Series("x", texts * 30))
    assert judged.kind in (Kind.NUMBER, Kind.WHOLE)
    assert judged.values.to_list() == pytest.approx(numbers * 30)
    assert numbers_of(polars.Series("x", texts), judged.style).to_list() == pytest.approx(numbers)
    assert not judged.doubts


@pytest.mark.parametrize(
    "texts",
    [
        ["A12", "B13", "C14"], ["12A", "13B", "15C"], ["1.2.3", "1.2.4", "2.0.0"], ["01234", "12345", "00123"],
        ["12:30", "1:15", "2:20"], ["(5", "3)", "4"], ["555-1234", "555-2345", "555-3333"], ["5-10", "10-15", "15-20"],
        ["-5-", "(-3)", "4"], ["1,2,3", "4,5,6", "7"], ["1_2", "2_3", "4_5"], ["2020_01", "2020_02", "2021_11"],
        ["1__000", "2_0", "3"], ["12C", "13D", "14C"], ["CR101", "CR102", "DR103"], ["12CR", "13CR", "14DR"],
        ["s0", "s1", "s2"], ["m12", "m13", "m14"], ["h0", "h1", "h2"], ["x1", "x2", "x3"], ["V8", "V6", "V12"],
        ["d 7", "d 8", "d 9"], ["kg5", "kg6", "kg7"], ["W3", "W4", "W5"], ["g1", "g2", "g10"], ["B1", "B2", "B3"],
    ],
)  # fmt: skip
def test_codes_and_broken_numbers_are_words(texts: list[str]) -> None:
    assert judge(polars.Series("x", texts * 30)).kind is Kind.CATEGORY


@pytest.mark.parametrize(
    ("texts", "numbers", "note"),
    [
        (["1_000", "2_500", "12"], [1000, 2500, 12], "Underscores in its numbers stand between thousands (60 rows, such as"),
        (["10_000_000.5", "7", "3"], [10000000.5, 7, 3], "such as '10_000_000.5'"),
        (["1_000,50", "7,10", "3,2"], [1000.5, 7.1, 3.2], "such as '1_000,50'"),
        (["5.00-", "3.00", "2.10"], [-5, 3, 2.1], "with a minus behind them are negative (30 rows, such as '5.00-')."),
        (["8.76+", "4.44-", "1,234.5+"], [8.76, -4.44, 1234.5], "plus behind them are positive (60 rows, such as '8.76+')."),
        (["8.76+", "4.44-", "1.5"], [8.76, -4.44, 1.5], "with a minus behind them are negative (30 rows, such as '4.44-')."),
        (["18+", "21+", "6+"], [18, 21, 6], "with a plus behind them are positive (90 rows, such as '18+')."),
        (["$8.76", "1.5", "$2"], [8.76, 1.5, 2], "Its numbers without '$' are read as if they had it (30 rows, such as '1.5')."),
        (["PHP8", "PHP7", "PHP5"], [8, 7, 5], "in front of its numbers are read as a currency (90 rows, such as 'PHP8')."),
        (["(5.00)", "3.00", "2.10"], [-5, 3, 2.1], "Its numbers in brackets are negative (30 rows, such as '(5.00)')."),
    ],
)  # fmt: skip
def test_certain_readings_are_a_note(texts: list[str], numbers: list[float], note: str) -> None:
    judged = judge(polars.Series("x", texts * 30))
    assert judged.values[:3].to_list() == numbers
    assert not judged.doubts
    assert note in judged.column.remark


@pytest.mark.parametrize(
    ("texts", "numbers", "doubt"),
    [
        (["5.00 CR", "3.00 DR", "2.50 CR"], [5, -3, 2.5], "CR (60 rows, such as '5.00 CR') and DR (30 rows, such as '3.00 DR')"),
        (["1,205.00Dr", "3.00Cr", "0.00"], [-1205, 3, 0], "those of DR are read as negative, numbers of CR as positive"),
        (["5.00 DB", "3.00", "2.50"], [-5, 3, 2.5], "DR are read as negative, numbers without such a word as positive"),
        (["5.00 CR", "3.00", "2.50"], [-5, 3, 2.5], "CR (30 rows, such as '5.00 CR'): those of CR are read as negative"),
        (["CR 5.00", "DR 1.50", "CR 2.00"], [5, -1.5, 2], "those of DR are read as negative"),
        (["12,50 S", "1.300,75 H", "4,00 S"], [-12.5, 1300.75, -4], "those of S are read as negative, numbers of H as positive"),
        (["5.25 D", "6.00 C", "7.10 D"], [-5.25, 6, -7.1], "those of D are read as negative, numbers of C as positive"),
        (["5.5 credit", "6 debit", "7 credit"], [5.5, -6, 7], "those of DEBIT are read as negative"),
        (["$5.00 CR", "$3.00 DR", "$2.50 CR"], [5, -3, 2.5], "CR (60 rows, such as '$5.00 CR')"),
    ],
)  # fmt: skip
def test_sides_of_an_account_give_signs_and_are_doubted(texts: list[str], numbers: list[float], doubt: str) -> None:
    judged = judge(polars.Series("x", texts * 30))
    assert judged.values[: len(numbers)].to_list() == numbers
    assert numbers_of(polars.Series("x", texts), judged.style).to_list() == numbers
    (said,) = judged.doubts
    assert doubt in said.what


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["5.00 CR", "6.00 DR", "1.00"], "'CR' (30 rows) and 'DR' (30 rows)"),
        (["5 million", "6 million", "1 million"], "'million' (90 rows)"),
        (["5.50 D", "6.25 C", "7"], "'D' (30 rows) and 'C' (30 rows)"),
        (["5.5 stones", "6.1 stones", "7"], "'stones' (60 rows)"),
        (["1.65 Cr", "92.50", "3.10"], "'Cr' (30 rows)"),
        (["1.65cr", "92.50", "3.10"], "'cr' (30 rows)"),
        (["₹1.65 CR", "₹92.50", "3.10"], "'CR' (30 rows)"),
        (["5.8K", "6.0M", "1.5"], "'K' (30 rows) and 'M' (30 rows)"),
        (["5K", "6K", "900"], "'K' (60 rows)"),
        (["$2.0K", "$3.5K", "$900"], "'K' (60 rows)"),
        (["5.8bn", "6.1bn", "0.9bn"], "'bn' (90 rows)"),
        (["€5 Mio", "€6 Mio", "€7 Mio"], "'Mio' (90 rows)"),
        (["5 Mio €", "6 Mio €", "7 Mio €"], "'Mio' (90 rows)"),
        (["(29.40) CR", "3.00 CR", "2.00 CR"], "'CR' (90 rows)"),
        (
            ["29.2%", "0.26", "0.31"],
            "'%' behind them (30 rows, such as '29.2%') and others have none (60 rows, such as '0.26')",
        ),
        (["2‰", "0.3", "1‰"], "'‰' behind them (60 rows, such as '2‰') and others have none (30 rows, such as '0.3')"),
        (["1", "2", "4+"], "with a plus behind them (30 rows, such as '4+') may mean that much or more"),
    ],
)
def test_numbers_with_words_that_say_nothing_certain_are_words_and_doubted(texts: list[str], shown: str) -> None:
    judged = judge(polars.Series("x", texts * 30))
    assert judged.kind is Kind.CATEGORY
    (said,) = judged.doubts
    assert shown in said.what


@pytest.mark.parametrize(
    ("texts", "values", "doubt"),
    [
        (["5 kg", "6", "7 kg"] * 20, [5, 6, 7], "20 rows have a number without the unit 'kg', such as '6', and 40 rows have one"),
        (["0.29"] * 99 + ["26%"], [0.29] * 99 + [None], "1 row of 'x', such as '26%', counts as missing"),
        (["29%"] * 99 + ["0.26"], [29] * 99 + [None], "such as '0.26', counts as missing: the other numbers have '%'"),
        (["100000000000000001.5", "1.5"] * 30, [1e17, 1.5], "30 rows of 'x' have a number with more digits than are kept"),
        (["10000000000000001", "5", "6"] * 30, [1e16, 5, 6], "such as '10000000000000001': it is rounded."),
        (["101_001", "102_004", "103_017"] * 30, [101001, 102004, 103017], "'101_001' is read as 101001."),
    ],
)  # fmt: skip
def test_numbers_of_an_unsure_size_are_doubted(texts: list[str], values: list[float | None], doubt: str) -> None:
    judged = judge(polars.Series("x", texts))
    assert judged.values[: len(values)].to_list() == values
    (said,) = judged.doubts
    assert said.weight is Weight.WARNING
    assert doubt in said.what


@pytest.mark.parametrize("texts", [["0.30000000000000004", "0.1"], ["1e18", "5"], ["1234567890123456.8", "1.5"]])
def test_numbers_that_a_float_keeps_are_not_doubted(texts: list[str]) -> None:
    assert not judge(polars.Series("x", texts * 30)).doubts


def test_categories_with_a_letter_in_front_are_words(tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    kinds = {letter: judge(polars.Series("x", [f"{letter}{n}" for n in (1, 2, 13)] * 30)).kind for letter in letters}
    assert {letter for letter, kind in kinds.items() if kind is not Kind.CATEGORY} == set()


@pytest.mark.parametrize(
    ("written", "old", "new", "said"),
    [(".5%", "%", "", r"row 1 has '1000\.5'"), (".50 CR", "CR", "DR", r"row 2 has '1037\.50 DR'")],
)
def test_other_rows_with_another_mark_are_refused(written: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    def marked(row: int) -> str:
        return written if row % 3 else written.removesuffix(f" {old}")

    rows = "".join(f"{row};{1000 + row * 37 % 500}{marked(row)};{'ab'[row % 2]}\n" for row in range(60))
    found = inspect(text_file(tmp_path / "table.csv", f"week;share;y\n{rows}"), "y")
    assert "share" in found.inputs
    other = text_file(tmp_path / "other.csv", f"week;share;y\n{rows.replace(old, new)}")
    with pytest.raises(InputError, match=f"'share' should hold numbers, and {said}"):
        matched(other, intake_of(found), lambda *_: None)


@pytest.mark.parametrize("texts", [["61 kg", "75 g", "3 kg"], ["USD 5", "EUR 6", "USD 7"], ["$5", "€6", "7"]])
def test_several_units_are_never_one(texts: list[str]) -> None:
    judged = judge(polars.Series("x", texts * 30))
    assert judged.kind is Kind.CATEGORY
    assert "in several units" in judged.doubts[0].what


@pytest.mark.parametrize(
    ("texts", "comma_first", "number"),
    [
        (["1,234", "5,678", "9,101"], False, 1234),
        (["1,234", "5,678", "9,101"], True, 1.234),
        (["1.234", "5.678", "9.101"], True, 1.234),
    ],
)
def test_three_digits_behind_one_mark_are_doubted(texts: list[str], comma_first: bool, number: float) -> None:
    judged = judge(polars.Series("x", texts * 30), comma_first=comma_first)
    assert judged.values[0] == number
    sentence = f"All 90 numbers of 'x' have three digits behind one mark: {texts[0]!r} is read as {number}."
    assert judged.doubts[0].what == sentence


def test_a_target_in_brackets_is_predicted_and_no_project_misreads_it(tmp_path: Path) -> None:
    rows = [
        [n * 7 % 13, f"({n * 37 % 5000:,})" if n % 4 == 0 else f"{n * 41 % 5000:,}", f"{n % 60 + 3} kg"]
        for n in range(200)
    ]
    data = written(tmp_path / "table.csv", [["place", "amount", "weight"], *rows])
    found = inspect(data, "amount")
    assert (found.task, found.inputs) == (Task.REGRESS, ("place", "weight"))
    again = matched(data, intake_of(found), lambda *_: None)
    assert again.target is not None
    assert list(again.target[:3]) == [-0.0, 41, 82]
    with pytest.raises(InputError, match=r"those of 'amount' \(such as '\(0\)'\) and 'weight' \(such as '3 kg'\)"):
        refuse_unreadable(found)


def test_other_rows_in_another_currency_are_refused(tmp_path: Path) -> None:
    rows = [f"{n};{1000 + n * 37 % 500} USD;{'ab'[n % 2]}\n" for n in range(60)]
    found = inspect(text_file(tmp_path / "table.csv", "week;price;y\n" + "".join(rows)), "y")
    assert "price" in found.inputs
    other = text_file(tmp_path / "other.csv", "week;price;y\n" + "".join(rows).replace("USD", "EUR"))
    with pytest.raises(InputError, match="'price' should hold numbers, and row 1 has '1000 EUR'"):
        matched(other, intake_of(found), lambda *_: None)


@given(
    some.floats(-1e9, 1e9).map(lambda number: round(number, 2)),
    some.sampled_from(
        [(",", ".", Style.GROUPED), (".", ",", Style.COMMA), ("'", ".", Style.GROUPED), (" ", ",", Style.COMMA)]
    ),
    some.sampled_from(["-{}", "({})", "{}-", "−{}", "- {}"]),
)
def test_what_is_written_is_read(number: float, marks: tuple[str, str, Style], sign: str) -> None:
    group, point, style = marks
    text = f"{abs(number):,.2f}".translate({ord(","): group, ord("."): point})
    text = sign.format(text) if number < 0 else text
    assert numbers_of(polars.Series("x", [text]), style).to_list() == [number]
