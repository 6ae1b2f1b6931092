"""Answers that several columns give away together, that stand in a text, or that a column is known only after."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.datasets.dataset import Inspection, Remark, Weight
from advisor.datasets.inspect import inspect
from advisor.datasets.tables.columns import judge
from advisor.datasets.tables.formulas import formulas
from tests.properties import examples

from .made import SHIPPED
from .tables_made import flowers, written

ROWS = 400
LEAKS = (
    "can be computed",
    "perfectly, though",
    "word for word",
    "each identify one class",
    "identifies one class",
    "only where",
    "only afterwards, and",
)


def inspected(folder: Path, columns: dict[str, Sequence[object]], target: str) -> Inspection:
    return inspect(written(folder / "t.csv", [list(columns), *zip(*columns.values(), strict=True)]), target)


def leaks(found: Inspection) -> list[Remark]:
    return [remark for remark in found.remarks if any(part in remark.what for part in LEAKS)]


def normal(seed: int, count: int = ROWS) -> list[float]:
    draw = random.Random(seed)
    return [round(draw.gauss(0, 1), 4) for _ in range(count)]


def counts(seed: int, mean: float = 40, count: int = ROWS) -> list[int]:
    draw = random.Random(seed)
    return [1 + int(draw.expovariate(1 / mean)) for _ in range(count)]


A, B, C = counts(1), counts(2), counts(3, 90)
SEEN = {"noise": normal(0), "a": A, "b": B, "c": C}


@pytest.mark.parametrize(
    ("answer", "formula", "columns"),
    [
        ([a + b for a, b in zip(A, B, strict=True)], "'a' + 'b'", ("a", "b")),
        ([a - b for a, b in zip(A, B, strict=True)], "'a' - 'b'", ("a", "b")),
        ([a + b - c for a, b, c in zip(A, B, C, strict=True)], "'a' + 'b' - 'c'", ("a", "b", "c")),
        ([round(0.4 * a + 0.6 * c, 2) for a, c in zip(A, C, strict=True)], "0.4 * 'a' + 0.6 * 'c'", ("a", "c")),
        ([a * b for a, b in zip(A, B, strict=True)], "'a' times 'b'", ("a", "b")),
        ([a * b * c for a, b, c in zip(A, B, C, strict=True)], "'a' times 'b' times 'c'", ("a", "b", "c")),
        ([round(a / c, 5) for a, c in zip(A, C, strict=True)], "'a' divided by 'c'", ("a", "c")),
        ([a * b + c for a, b, c in zip(A, B, C, strict=True)], "'c' + 'a' times 'b'", ("a", "b", "c")),
        ([round(1e4 * a / b**2, 3) for a, b in zip(A, B, strict=True)], "'a' divided by 'b' squared", ("a", "b")),
    ],
)
def test_an_answer_that_is_computed_from_other_columns_is_said_with_its_formula(
    tmp_path: Path, answer: list[float], formula: str, columns: tuple[str, ...]
) -> None:
    [leak] = leaks(inspected(tmp_path, {**SEEN, "answer": answer}, "answer"))
    assert formula in leak.what
    assert set(leak.columns) == set(columns)
    assert leak.weight is Weight.WARNING
    assert "Leave out at least one of these columns" in leak.remedy


def test_gaps_do_not_hide_a_sum(tmp_path: Path) -> None:
    draw = random.Random(0)
    gapped = ["" if draw.random() < 0.2 else a for a in A]
    answer = [a + b for a, b in zip(A, B, strict=True)]
    assert "'a' + 'b'" in leaks(inspected(tmp_path, {**SEEN, "a": gapped, "answer": answer}, "answer"))[0].what


def computed(answer: numpy.ndarray, *columns: numpy.ndarray) -> list[str]:
    """What is said of answers and the columns `a`, `b`, ... that they may be computed from."""
    judged = [judge(polars.Series(name, held)) for name, held in zip("abc", columns, strict=False)]
    return [one.what for one in formulas(judged, "y", polars.Series(answer), polars.arange(0, len(answer), eager=True))]


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "it follows 'a' times 'b' in every row."),
        (0.03, "it follows 'a' times 'b' in nearly every row."),
        (0.3, "it follows 'a' times 'b' in 70 % of the rows."),
        (0.7, ""),
    ],
)
def test_a_product_is_said_to_hold_in_the_rows_in_which_it_does(share: float, said: str) -> None:
    draw = numpy.random.default_rng(0)
    a, b = draw.lognormal(size=(2, 20_000))
    unseen = numpy.setdiff1d(numpy.arange(20_000), numpy.linspace(0, 19_999, 1_000).astype(int))  # not looked at first
    wrong = draw.permutation(unseen)[: int(share * 20_000)]
    answer = a * b
    answer[wrong] += 5
    what = computed(answer, a, b)
    assert [said in one for one in what] == ([True] if said else [])


def test_zeros_and_signs_count_against_a_product() -> None:
    draw = numpy.random.default_rng(0)
    a, b = draw.uniform(1, 3, size=(2, 1_000))
    sold = draw.permutation(1_000) < 600
    assert "it follows 'a' times 'b' in 60 % of the rows." in computed(numpy.where(sold, a * b, 0.0), a, b)[0]
    assert "it follows 'a' times 'b' in 60 % of the rows." in computed(numpy.where(sold, a * b, -a * b), a, b)[0]
    debts = computed(-a / b, a, b)
    assert "it follows 'a' divided by 'b' in every row." in debts[0]


def test_gaps_in_a_column_are_said_where_a_formula_holds_in_all_other_rows() -> None:
    draw = numpy.random.default_rng(0)
    a, b = draw.lognormal(size=(2, 1_000))
    gapped = numpy.where(draw.random(1_000) < 0.2, numpy.nan, a)
    for answer in (a + b, a * b):
        assert "in every row where all of them are known." in computed(answer, gapped, b)[0]


def test_a_pair_that_tells_a_sample_but_not_all_rows_is_not_said(tmp_path: Path) -> None:
    draw = numpy.random.default_rng(0)
    rows = 120_000
    left, right = draw.integers(0, 2, size=(2, rows))
    answer = left ^ right
    marked = draw.integers(0, 3, rows)
    answer[77_777] = 1 - answer[77_777]
    table = polars.DataFrame({"x": draw.normal(size=rows).round(3), "left": left, "right": right, "answer": answer})
    table.write_csv(tmp_path / "once.csv")
    assert not leaks(inspect(tmp_path / "once.csv", "answer"))
    kinds = polars.DataFrame(
        {"x": table["x"], "is_c": (marked == 2).astype(int), "kind": list(numpy.array([*"abc"])[marked])}
    )
    kinds.write_csv(tmp_path / "marks.csv")
    assert [leak.columns for leak in leaks(inspect(tmp_path / "marks.csv", "kind"))] == [("is_c",)]
    wrong = kinds.with_columns(
        is_c=polars.when(polars.arange(rows) == 77_777).then(1 - kinds["is_c"]).otherwise(kinds["is_c"])
    )
    wrong.write_csv(tmp_path / "marks.csv")
    assert not leaks(inspect(tmp_path / "marks.csv", "kind"))


@given(
    seed=st.integers(0, 10_000), places=st.tuples(st.integers(0, 59), st.integers(0, 59)), sign=st.sampled_from([1, -1])
)
@examples(25)
def test_a_sum_or_difference_of_any_two_of_many_columns_is_found(seed: int, places: tuple[int, int], sign: int) -> None:
    one, other = places
    held = numpy.random.default_rng(seed).normal(size=(200, 60)) * numpy.arange(1, 61)
    held += 500 * numpy.random.default_rng(seed + 1).normal(size=(200, 1))  # all of them rise and fall together
    answer = held[:, one] + sign * held[:, other]
    columns = [judge(polars.Series(f"x{place}", held[:, place])) for place in range(60)]
    found = list(formulas(columns, "y", polars.Series(answer), polars.arange(0, 200, eager=True)))
    assert one == other or set(found[0].columns) == {f"x{one}", f"x{other}"}


@given(st.integers(0, 10_000), st.integers(2, 40))
@examples(25)
def test_no_formula_is_found_in_chance(seed: int, width: int) -> None:
    held = numpy.random.default_rng(seed).lognormal(size=(100, width))
    columns = [judge(polars.Series(f"x{place}", held[:, place])) for place in range(1, width)]
    assert not list(formulas(columns, "y", polars.Series(held[:, 0]), polars.arange(0, 100, eager=True)))


def test_two_columns_that_code_the_answer_together_are_found(tmp_path: Path) -> None:
    draw = random.Random(0)
    left, right = ([draw.randrange(2) for _ in range(ROWS)] for _ in range(2))
    answer = ["same" if one == other else "different" for one, other in zip(left, right, strict=True)]
    colour = [draw.choice(["red", "blue"]) for _ in range(ROWS)]
    found = inspected(
        tmp_path, {"x": normal(0), "left": left, "colour": colour, "right": right, "answer": answer}, "answer"
    )
    [leak] = leaks(found)
    assert leak.columns == ("left", "right")
    assert "leave out one of the two" in leak.remedy


def test_a_price_that_product_and_size_code_together_is_found(tmp_path: Path) -> None:
    draw = random.Random(0)
    product, size = [draw.choice("abcdef") for _ in range(ROWS)], [draw.choice(["small", "large"]) for _ in range(ROWS)]
    listed = {(one, other): round(draw.uniform(1, 90), 2) for one in "abcdef" for other in ("small", "large")}
    price = [listed[pair] for pair in zip(product, size, strict=True)]
    [leak] = leaks(inspected(tmp_path, {"product": product, "x": normal(0), "size": size, "price": price}, "price"))
    assert leak.columns == ("product", "size")


def test_goals_tell_who_has_won(tmp_path: Path) -> None:
    home, away = counts(1, 1.5), counts(2, 1.2)
    result = [
        "home" if one > other else "away" if one < other else "draw" for one, other in zip(home, away, strict=True)
    ]
    found = inspected(tmp_path, {"shots": counts(3, 9), "home": home, "away": away, "result": result}, "result")
    assert [leak.columns for leak in leaks(found)] == [("home", "away")]


def test_classes_that_merely_lie_apart_are_no_leak(tmp_path: Path) -> None:
    kinds = [number % 2 for number in range(ROWS)]
    columns = {
        "x": [round(value + 3.2 * kind, 3) for value, kind in zip(normal(1), kinds, strict=True)],
        "y": [round(value + 3.2 * kind, 3) for value, kind in zip(normal(2), kinds, strict=True)],
        "kind": kinds,
    }
    assert not leaks(inspected(tmp_path, columns, "kind"))


def texts(answers: Sequence[object], template: str) -> list[str]:
    draw = random.Random(0)
    words = ["the", "market", "goal", "price", "match", "of", "river", "game", "share", "green", "team", "in", "late"]
    return [template.format(answer, " ".join(draw.choices(words, k=12))) for answer in answers]


TOPICS = [("sport", "money", "nature")[number * 7 % 3] for number in range(ROWS)]
PRICES = [round(100 + 10 * value, 2) for value in normal(5)]


@pytest.mark.parametrize("template", ["{1} [{0}]", "Topic: {0}. {1}", "__label__{0} {1}"])
@pytest.mark.parametrize("answers", [TOPICS, PRICES])
def test_the_answer_in_each_text_is_found(tmp_path: Path, template: str, answers: list[object]) -> None:
    [leak] = leaks(inspected(tmp_path, {"text": texts(answers, template), "answer": answers}, "answer"))
    assert leak.columns == ("text",)
    assert "Take it out of the texts" in leak.remedy


def test_texts_that_only_sometimes_hold_the_answer_are_honest(tmp_path: Path) -> None:
    draw = random.Random(1)
    mostly = [answer if draw.random() < 0.6 else draw.choice(TOPICS) for answer in TOPICS]
    assert not leaks(inspected(tmp_path, {"text": texts(mostly, "{1} {0}"), "answer": TOPICS}, "answer"))
    assert not leaks(inspected(tmp_path, {"text": texts(TOPICS, "{1}"), "answer": TOPICS}, "answer"))


def test_values_for_one_answer_alone_are_found(tmp_path: Path) -> None:
    draw = random.Random(0)
    survived = [int(draw.random() < 0.4) for _ in range(ROWS)]
    columns = {
        "x": normal(0),
        "body": ["" if alive or draw.random() < 0.7 else draw.randrange(300) for alive in survived],
        "cabin": ["" if draw.random() < 0.7 else draw.randrange(300) for _ in survived],
        "survived": survived,
    }
    found = inspected(tmp_path, columns, "survived")
    [leak] = leaks(found)
    assert leak.columns == ("body",)
    assert "filled in only where 'survived' is '0'" in leak.what
    assert not [remark for remark in found.remarks if "Missing values" in remark.what], "that is said already"


def test_what_comes_only_after_one_answer_is_found_where_it_is_zero_else(tmp_path: Path) -> None:
    draw = random.Random(0)
    default = ["yes" if draw.random() < 0.3 else "no" for _ in range(ROWS)]
    recovered = [
        counts(2)[place] if answer == "yes" and draw.random() < 0.6 else 0 for place, answer in enumerate(default)
    ]
    found = inspected(tmp_path, {"x": normal(0), "recoveries": recovered, "default": default}, "default")
    assert [leak.columns for leak in leaks(found)] == [("recoveries",)]
    assert "other than 0 only where 'default' is 'yes'" in leaks(found)[0].what


def test_a_late_column_that_is_filled_only_where_there_is_no_answer_is_passed_over(tmp_path: Path) -> None:
    columns: dict[str, Sequence[object]] = {
        "age": normal(1),
        "close reason closed": ["moved" if row % 4 == 0 else None for row in range(ROWS)],
        "churn": [None if row % 4 == 0 else "yn"[row % 2] for row in range(ROWS)],
    }
    assert leaks(inspected(tmp_path, columns, "churn")) == []


def test_columns_that_mark_single_classes_are_found(tmp_path: Path) -> None:
    draw = random.Random(0)
    kinds = [draw.choice("abcd") for _ in range(ROWS)]
    columns = {
        "x": normal(0),
        "is_a": [int(kind == "a") for kind in kinds],
        "no b": [int(kind != "b") for kind in kinds],
        "mostly c": [int(kind == "c" and draw.random() < 0.9) for kind in kinds],
        "kind": kinds,
    }
    [leak] = [leak for leak in leaks(inspected(tmp_path, columns, "kind")) if "one class" in leak.what]
    assert leak.columns == ("is_a", "no b")


def test_a_ratio_of_two_columns_that_tells_the_class_is_found(tmp_path: Path) -> None:
    dense = ["yes" if a / c > 0.5 else "no" for a, c in zip(A, C, strict=True)]
    [leak] = leaks(inspected(tmp_path, {**SEEN, "dense": dense}, "dense"))
    assert leak.columns == ("a", "c")


def test_a_name_that_says_afterwards_is_a_warning_where_its_values_go_with_the_answer(tmp_path: Path) -> None:
    delay = [20 * value for value in normal(1)]
    late = [round(one + 6 * other, 2) for one, other in zip(delay, normal(2), strict=True)]
    found = inspected(tmp_path, {"x": normal(0), "actual": late, "outcome": normal(3), "delay": delay}, "delay")
    assert [leak.columns for leak in leaks(found)] == [("actual",)]
    renamed = inspected(tmp_path, {"x": normal(0), "planned": late, "delay": delay}, "delay")
    assert not leaks(renamed)


@pytest.mark.parametrize("name", SHIPPED)
def test_no_column_of_honest_data_is_suspected_of_any_other(tmp_path: Path, name: str) -> None:
    data = SHIPPED[name]()
    held = numpy.column_stack([data.data, data.target])
    names = [*map(str, data.feature_names), "answer"]
    path = written(tmp_path / "t.csv", [names, *held.tolist()])
    for target in names[:: max(len(names) // 6, 1)]:
        if len(numpy.unique(held[:, names.index(target)])) > 1:
            assert not leaks(inspect(path, target)), target


@pytest.mark.parametrize("seed", range(6))
def test_no_column_of_chance_is_suspected(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    columns: dict[str, Sequence[object]] = {f"n{place}": normal(100 * seed + place, 150) for place in range(12)}
    columns |= {f"c{place}": [draw.choice("abc"[: 2 + place % 2]) for _ in range(150)] for place in range(12)}
    columns |= {"gaps": ["" if draw.random() < 0.8 else draw.randrange(9) for _ in range(150)]}
    columns |= {
        "rare": [int(draw.random() < 0.08) for _ in range(150)],
        "cause": [draw.choice("xyz") for _ in range(150)],
    }
    for target in ("n0", "c0", "rare"):
        assert not leaks(inspected(tmp_path, columns, target))


def test_flowers_have_no_leaks(tmp_path: Path) -> None:
    assert not leaks(inspect(written(tmp_path / "t.csv", flowers(300)), "species"))
